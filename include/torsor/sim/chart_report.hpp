#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/sim/chart.hpp"
#include "torsor/sim/geometry_report.hpp"

namespace torsor {

/// Names of what a chart has, for reports.
struct ChartNames {
  std::vector<std::string> coordinates;
  std::vector<std::string> velocities;   ///< quasi-velocities, else the rates
  std::vector<std::string> constraints;  ///< one a row
};

/// Time on the manifold of events under the rows that hold exactly (scleronomicity.hpp), in a basis of the
/// velocities that they allow.
struct ChartTime {
  std::vector<std::string> causes;  ///< what depends on time: metric, rows; potential and forces have no part
  Eigen::MatrixXd basis;            ///< allowed directions in coordinates, in columns
  Eigen::MatrixXd S1;               ///< (L_V g)(e_i, e_j) over them
  Vec S2;                           ///< e_i(g(V, V))
  Vec V;            ///< the standard time vector in coordinates, without its component 1 of time
  double g_VV = 0;  ///< with time_metric
  double S1_around = 0, S2_around = 0;  ///< greatest scaled residuals at the state and around it
  int states = 0;
  bool removable = true;
};

/// What the slow manifold of friction is at a state: slip A v = eps sigma_1 + eps^2 sigma_2 + ...,
/// v = u + eps h_1 + eps^2 h_2 + ... (slow_manifold.hpp).
struct ChartSlip {
  Vec slip;  ///< A u + a_0 as it is
  Vec sigma_1, sigma_2, h_1, h_2;
};

/// The geometry of a chart at one state. Components that do not vanish are named by coordinates, time last:
/// "a, b -> c" is t(c, a, b), a < b; "a, b: c -> d" is R(d, c, a, b), a < b; "a: b, c" is D(a, b, c), b <= c.
struct ChartReport {
  double t = 0;
  double metric_scale = 0;               ///< greatest entry of the mass matrix
  Vec velocities;                        ///< in the frame of the quasi-velocities
  std::vector<NamedComponent> brackets;  ///< [e_i, e_j] of that frame, i < j
  std::string connection;                ///< in use: "christoffel", "canonical"
  std::vector<NamedComponent> affinities, torsion, curvature, non_metricity;
  double weak = 0, strong = 0;  ///< as ConnectionReport
  /// The same of its strong projection to the velocities that the rows allow, on events.
  double constrained_weak = 0, constrained_strong = 0;
  std::vector<RowReport> rows;
  ChartTime time;
  Vec bending;                                ///< N, the acceleration that the rows cause without loads
  Vec bending_multipliers, load_multipliers;  ///< the multipliers in these two parts
  std::optional<ChartSlip> friction;          ///< where rows give way
};

/// Levels of all rows by the bracket test, at the state and around it.
std::vector<RowLevel> row_levels(const Chart& chart, double t, const Vec& q);

}  // namespace torsor
