#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "torsor/coordinates/system_in_coordinates.hpp"
#include "torsor/report/geometry_report.hpp"

namespace torsor {

/// Names of the parts of a system in coordinates, for reports.
struct CoordinateNames {
  std::vector<std::string> coordinates;
  std::vector<std::string> velocities;   ///< of the quasi-velocities, or of the rates where there are none
  std::vector<std::string> constraints;  ///< one for each row
};

/// Whether time can be removed (scleronomicity.hpp), on the manifold of events under the rows that hold
/// exactly, in a basis of the velocities that these rows allow.
struct CoordinateTimeReport {
  /// "metric", if it depends on time or couples time with a coordinate, and the names of the rheonomic and of
  /// the acatastatic rows.
  std::vector<std::string> causes;
  std::vector<char> rheonomic;  ///< over the rows that hold exactly: whether the row depends on time
  Eigen::MatrixXd basis;        ///< allowed directions in coordinates, in columns
  Eigen::MatrixXd S1;           ///< (L_V g)(e_i, e_j) over the basis
  Vec S2;                       ///< e_i(g(V, V))
  Vec V;                        ///< the standard time vector in coordinates, without its time component 1
  Vec V_terms;                  ///< the size of the terms of each component of V
  double g_VV = 0;              ///< g(V, V), with time_metric
  double S1_scaled = 0;         ///< greatest S1 relative to the greatest g(e_i, e_j), 1/s
  double S1_around = 0, S2_around = 0;  ///< greatest scaled residuals over all states
  int states = 0;                       ///< number of states: this state and states around it
  bool removable = true;                ///< both residuals vanish, to rounding, at all states
  /// False if S1 and S2 decide nothing: the rows leave no velocity free, or the report is undecided().
  bool has_verdict() const { return basis.cols() > 0 && !undecided(*this); }
};

/// The slow manifold of friction at a state (slow_manifold.hpp):
/// slip A v = eps sigma_1 + eps^2 sigma_2 + ..., velocity v = u + eps h_1 + eps^2 h_2 + ..., A u = 0.
struct SlowManifoldReport {
  Vec slip;  ///< A v + a_0 at the state
  /// Empty if some rows hold exactly, if a row has an a_0, or if anything depends on time.
  Vec sigma_1, sigma_2, h_1, h_2;
};

/// The geometry of a system in coordinates at one state. The lists have the components that do not vanish,
/// named by coordinates, with time last: "a, b -> c" is t(c, a, b), a < b except in `affinities`;
/// "a, b: c -> d" is R(d, c, a, b), a < b; "a: b, c" is D(a, b, c), b <= c.
///
/// A system that a Lagrangian describes has no metric: then only velocities, brackets and rows are given.
struct CoordinateReport {
  double t = 0;
  bool has_metric = true;
  Vec velocities;                        ///< the quasi-velocities
  std::vector<NamedComponent> brackets;  ///< [e_i, e_j] in the frame of the quasi-velocities, i < j
  std::string connection;                ///< the name of the connection in use
  std::vector<NamedComponent> affinities, torsion, curvature, non_metricity;
  double weak = 0, strong = 0;  ///< as in ConnectionReport
  /// The same for the strong projection of the connection on the velocities that the rows allow, on events;
  /// only if is_constrained().
  double constrained_weak = 0, constrained_strong = 0;
  std::vector<RowReport> rows;
  CoordinateTimeReport time;
  Vec bending;                                ///< N, the acceleration that the rows cause without loads
  Vec bending_multipliers, load_multipliers;  ///< the two parts of the multipliers: from N and from the loads
  std::optional<SlowManifoldReport> friction;  ///< where friction replaces rows

  /// Whether there are rows that friction does not replace.
  bool is_constrained() const;
};

/// Which curves to follow from a state of a system in coordinates, with vectors by their components in the
/// frame of the connection in use.
struct CurveRequest {
  double duration = 1;  ///< of the parameter of the curves, s
  Vec direction = {};   ///< velocity at the start; empty: that of the state
  Vec vector = {};      ///< the vector to transport; empty: none
  int intervals = 100;  ///< between the outputs
  /// Called at least once an interval, and once a step of the motion; true ends the work with an
  /// EvaluationError.
  std::function<bool()> cancelled = {};
};

/// Parallel transport by one connection along a curve: one vector for each output, without its part along
/// time, and its length by the metric of events, with this part. If an output has no accurate value, for
/// example beyond a singularity of the coordinates, this output and all later ones are NaN.
struct Transport {
  std::string connection;
  std::vector<Vec> vector;
  std::vector<double> length;
};
/// The autoparallel of a connection.
struct Autoparallel : Transport {
  std::vector<Vec> q, velocity;
};

/// The greatest component of each tensor of a connection, named by the vectors of its frame
/// (CoordinateReport). The name is empty if the tensor vanishes. Residuals as in ConnectionReport.
struct FrameConnection {
  std::string name;
  NamedComponent torsion, curvature, non_metricity;
  double weak = 0, strong = 0;
};

/// Autoparallels of the connection in use ("in-use") and of the Christoffel and the three canonical
/// connections of its frame, and transport of a vector along them and along the motion itself. In a system
/// that depends on time these are curves of events. Their velocity at the start is (v, 1), and the
/// transported vector has no component along time at the start.
struct CoordinateCurves {
  std::vector<FrameConnection> connections;  ///< at the beginning
  std::vector<std::string> frame;            ///< names of the vectors of the frame
  std::vector<double> t;                     ///< parameter, which begins at the time of the state
  std::vector<Autoparallel> autoparallels;
  std::vector<Vec> q, velocity;  ///< of the motion
  std::vector<Transport> along_motion;
};

/// Levels of all rows. The bracket test at states around (t, q) gives the levels of rows without phi.
std::vector<RowLevel> row_levels(const SystemInCoordinates& system, double t, const Vec& q);

}  // namespace torsor
