#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/slow_manifold.hpp"
#include "torsor/report/detail/component_list.hpp"
#include "torsor/report/detail/coordinate_time.hpp"

namespace torsor {
namespace detail {

/// Affinities, torsion, curvature and non-metricity of a connection in coordinates.
template <class Affinities, class Metric>
void report_connection(
    const geometry::Connection<geometry::CoordinateFrame<Eigen::Dynamic>, Affinities>& connection,
    const Metric& metric, const Vec& e, const ComponentList& list, CoordinateReport& report) {
  ConnectionComponents all = list.of(connection, metric, e);
  report.affinities = std::move(all.affinities);
  report.torsion = std::move(all.torsion);
  report.curvature = std::move(all.curvature);
  report.non_metricity = std::move(all.non_metricity);
}

/// The rows, and which of them depend on time.
template <class Fields>
void report_rows(const SystemOfFields<Fields>& system, const CoordinateNames& names,
                 const Eigen::MatrixXd& all, double t, const Vec& q, CoordinateReport& report) {
  const std::vector<RowLevel> levels = row_levels(system, t, q);
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    report.rows.push_back(
        {names.constraints[place], "", levels[place], false, i >= system.rows(), all(i, q.size())});
  }
  report.time = coordinate_time_report(system, names, t, q);
  for (std::size_t i = 0; i < report.time.rheonomic.size(); ++i)
    report.rows[i].rheonomic = report.time.rheonomic[i] != 0;
}

/// The multipliers of the rows in two parts: from the second fundamental form N and from the loads; and N.
template <class Fields>
void report_bending(const SystemOfFields<Fields>& system, const Eigen::MatrixXd& A, double t, const State& x,
                    CoordinateReport& report) {
  constexpr int N = Eigen::Dynamic;
  const Vec &q = x.q, &u = x.v, e = geometry::event<double, N>(q, t);
  const auto geometry = system.geometry();
  const auto metric = geometry.metric();
  Vec gamma(system.rows());
  system.constraint_bias(t, q, u, gamma);
  const auto g = geometry::event_metric<double, N>(metric(e)).g;
  const auto inertial = geometry::spatial_part(geometry::frame_equations(
      geometry::CoordinateFrame<N>(), metric, e, geometry::event_velocity<double, N>(u)));
  Vec load(q.size());
  system.force(t, q, u, load);
  report.bending = Vec::Zero(q.size());
  if (system.rows() > 0) {
    const auto point = geometry::constrained_point_of_any_rank<double>(g, A);
    report.bending_multipliers = point.multiplier(-inertial.bias, gamma);
    report.load_multipliers = point.multiplier(load + inertial.bias, Vec::Zero(system.rows()));
    report.bending = geometry::solve(g, Vec(A.transpose() * report.bending_multipliers));
  }
}

/// Whether a_0 of a row is not zero at (t, q) or at a state around it.
template <class Fields>
bool has_offset(const SystemOfFields<Fields>& system, double t, const Vec& q) {
  std::vector<SamplePoint> points = states_around(system, t, q, 3);
  points.push_back({t, q});
  return std::any_of(points.begin(), points.end(), [&](const SamplePoint& at) {
    return (system.all_rows(at.t, at.q).col(q.size()).array().abs() > 0).any();
  });
}

/// The slip of rows that friction replaces. Its expansion in eps is given if friction replaces all rows, no
/// row has an a_0 and nothing depends on time.
template <class Fields>
SlowManifoldReport slow_manifold_report(const SystemOfFields<Fields>& system, const Eigen::MatrixXd& all,
                                        double t, const Vec& q, const Vec& u) {
  constexpr int N = Eigen::Dynamic;
  SlowManifoldReport slip;
  slip.slip = all.bottomRows(all.rows() - system.rows()) * geometry::event_velocity<double, N>(u);
  if (system.rows() == 0 && !system.fields().depends_on_time() && !has_offset(system, t, q)) {
    const auto slow = system.geometry().at_time(t);
    const auto P = geometry::constrained_point(slow.metric(q), slow.rows(q)).P();
    const auto motion = geometry::slow_motion<2>(slow, q, Vec(P * u));
    slip.sigma_1 = motion.slip[1], slip.sigma_2 = motion.slip[2];
    slip.h_1 = motion.velocity[1], slip.h_2 = motion.velocity[2];
  }
  return slip;
}

/// The parts of the report that need no metric.
template <class Fields>
CoordinateReport frame_report(const SystemOfFields<Fields>& system, const CoordinateNames& names, double t,
                              const State& x) {
  const auto geometry = system.geometry();
  const Vec e = geometry::event<double, Eigen::Dynamic>(x.q, t);
  CoordinateReport report;
  report.t = t;
  report.velocities.resize(x.q.size());
  system.quasi_velocities(t, x.q, x.v, report.velocities);
  report.brackets = ComponentList(names.velocities).brackets(geometry.frame().structure_coefficients(e));
  return report;
}

}  // namespace detail

/// The geometry of a system in coordinates at a state. Throws EvaluationError, and std::invalid_argument if
/// `names` does not name each coordinate, velocity and row.
template <class Fields>
CoordinateReport coordinate_report(const SystemOfFields<Fields>& system, const CoordinateNames& names,
                                   double t, const State& x) {
  constexpr int N = Eigen::Dynamic;
  const auto geometry = system.geometry();
  const bool gives_way = system.options().treatment == Treatment::viscous;
  const Vec &q = x.q, &u = x.v, e = geometry::event<double, N>(q, t);
  const auto named = [](const std::vector<std::string>& some, Eigen::Index size) {
    return some.size() == static_cast<std::size_t>(size);
  };
  if (!named(names.coordinates, q.size()) || !named(names.velocities, q.size()) ||
      !named(names.constraints, system.row_count()))
    throw std::invalid_argument("each coordinate, velocity and constraint row needs a name");
  const auto metric = geometry.metric();
  const Vec rates = rates_of_terms(e, Eigen::MatrixXd::Identity(e.size(), e.size()));
  const detail::ComponentList list(names.coordinates, metric(e), rates);
  const auto Gamma = geometry::christoffel(geometry::CoordinateFrame<N>(), metric);

  CoordinateReport report = detail::frame_report(system, names, t, x);
  report.connection = "christoffel";
  if (system.by_connection()) {
    report.connection = to_string(system.options().equations);
    const auto L = geometry::in_frame_below(connection_of(system.affinities()));
    detail::report_connection(L, metric, e, list, report);
    report.weak = system.weak_residual(t, q);
    report.strong =
        AffinitiesAt{L.affinities(e), Gamma.affinities(e), metric(e), {}, rates}.strong_residual();
    if (system.rows() > 0) {
      const auto basis = detail::allowed_basis(geometry, system.rows(), e);
      const auto constrained = detail::constrained_compatibility(basis, L, metric, e);
      report.constrained_weak = constrained.weak, report.constrained_strong = constrained.strong;
    }
  } else {
    detail::report_connection(Gamma, metric, e, list, report);
  }

  const Eigen::MatrixXd all = system.all_rows(t, q);
  detail::report_rows(system, names, all, t, q, report);
  detail::report_bending(system, Eigen::MatrixXd(all.topLeftCorner(system.rows(), q.size())), t, x, report);
  if (gives_way && all.rows() > system.rows())
    report.friction = detail::slow_manifold_report(system, all, t, q, u);
  return report;
}

}  // namespace torsor
