#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/slow_manifold.hpp"
#include "torsor/report/detail/coordinate_time.hpp"

namespace torsor {
namespace detail {

/// Lists components of tensors as names and values, without components that are rounding.
class ComponentList {
 public:
  explicit ComponentList(std::vector<std::string> names) : names_(std::move(names)) {}

  using List = std::vector<NamedComponent>;
  using Three = geometry::Tensor3<double, Eigen::Dynamic>;
  using Four = geometry::Tensor4<double, Eigen::Dynamic>;

  /// t(k, i, j) as "i, j -> k"; only those with i < j where t is antisymmetric in i and j.
  List upper(const Three& t, bool antisymmetric) const {
    return gather(t, [&](int k, int i, int j, List& list) {
      if (!antisymmetric || i < j) add(list, t(k, i, j), name(i) + ", " + name(j) + " -> " + name(k));
    });
  }
  /// D(k, i, j), symmetric in i and j, as "k: i, j".
  List lower(const Three& D) const {
    return gather(D, [&](int k, int i, int j, List& list) {
      if (i <= j) add(list, D(k, i, j), name(k) + ": " + name(i) + ", " + name(j));
    });
  }
  /// R(i, j, k, l), antisymmetric in k and l, as "k, l: j -> i".
  List curvature(const Four& R) const {
    List list;
    scale_ = R.flat().abs().maxCoeff();
    for (int k = 0; k < R.size(); ++k)
      for (int l = k + 1; l < R.size(); ++l)
        for (int j = 0; j < R.size(); ++j)
          for (int i = 0; i < R.size(); ++i)
            add(list, R(i, j, k, l), name(k) + ", " + name(l) + ": " + name(j) + " -> " + name(i));
    return list;
  }

 private:
  template <class Visit>
  List gather(const Three& t, const Visit& visit) const {
    List list;
    scale_ = t.flat().abs().maxCoeff();
    for (int i = 0; i < t.size(); ++i)
      for (int j = 0; j < t.size(); ++j)
        for (int k = 0; k < t.size(); ++k) visit(k, i, j, list);
    return list;
  }
  void add(List& list, double value, std::string name) const {
    constexpr double rounding = 1e-12;
    if (std::abs(value) > rounding * std::max(1., scale_)) list.push_back({std::move(name), value});
  }
  const std::string& name(int i) const { return names_[static_cast<std::size_t>(i)]; }

  std::vector<std::string> names_;
  mutable double scale_ = 1;
};

inline std::vector<std::string> with_time_name(std::vector<std::string> names) {
  names.push_back("t");
  return names;
}

/// Affinities, torsion, curvature and non-metricity of a connection in coordinates.
template <class Affinities, class Metric>
void report_connection(
    const geometry::Connection<geometry::CoordinateFrame<Eigen::Dynamic>, Affinities>& connection,
    const Metric& metric, const Vec& e, const ComponentList& list, CoordinateReport& report) {
  report.affinities = list.upper(connection.affinities(e), false);
  report.torsion = list.upper(torsion(connection, e), true);
  report.curvature = list.curvature(curvature(connection, e));
  report.non_metricity = list.lower(geometry::non_metricity(connection, metric, e));
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
  for (RowReport& row : report.rows)
    row.rheonomic = std::find(report.time.causes.begin(), report.time.causes.end(), row.constraint) !=
                    report.time.causes.end();
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
  report.metric_scale = g.cwiseAbs().maxCoeff();
  report.bending = Vec::Zero(q.size());
  if (system.rows() > 0) {
    const auto point = geometry::constrained_point_of_any_rank<double>(g, A);
    report.bending_multipliers = point.multiplier(-inertial.bias, gamma);
    report.load_multipliers = point.multiplier(load + inertial.bias, Vec::Zero(system.rows()));
    report.bending = geometry::solve(g, Vec(A.transpose() * report.bending_multipliers));
  }
}

/// The slip of rows that friction replaces, and its expansion in eps where that is known.
template <class Fields>
SlowManifoldReport slow_manifold_report(const SystemOfFields<Fields>& system, const Eigen::MatrixXd& all,
                                        const CoordinateTimeReport& time, double t, const Vec& q,
                                        const Vec& u) {
  constexpr int N = Eigen::Dynamic;
  SlowManifoldReport slip;
  slip.slip = all.bottomRows(all.rows() - system.rows()) * geometry::event_velocity<double, N>(u);
  if (system.rows() == 0 && time.causes.empty() && all.col(q.size()).isZero(0)) {
    const auto slow = system.geometry().at_time(t);
    const auto P = geometry::constrained_point(slow.metric(q), slow.rows(q)).P();
    const auto motion = geometry::slow_motion<2>(slow, q, Vec(P * u));
    slip.sigma_1 = motion.slip[1], slip.sigma_2 = motion.slip[2];
    slip.h_1 = motion.velocity[1], slip.h_2 = motion.velocity[2];
  }
  return slip;
}

/// The report without a metric.
template <class Fields>
CoordinateReport frame_report(const SystemOfFields<Fields>& system, const CoordinateNames& names, double t,
                              const State& x) {
  const auto geometry = system.geometry();
  const Vec e = geometry::event<double, Eigen::Dynamic>(x.q, t);
  CoordinateReport report;
  report.t = t;
  report.velocities.resize(x.q.size());
  system.quasi_velocities(t, x.q, x.v, report.velocities);
  report.brackets =
      ComponentList(with_time_name(names.velocities)).upper(geometry.frame().structure_coefficients(e), true);
  return report;
}

}  // namespace detail

/// The geometry of a system in coordinates at a state. Throws EvaluationError.
template <class Fields>
CoordinateReport coordinate_report(const SystemOfFields<Fields>& system, const CoordinateNames& names,
                                   double t, const State& x) {
  constexpr int N = Eigen::Dynamic;
  const auto geometry = system.geometry();
  const bool gives_way = system.options().treatment == Treatment::viscous;
  const Vec &q = x.q, &u = x.v, e = geometry::event<double, N>(q, t);
  const detail::ComponentList list(detail::with_time_name(names.coordinates));
  const auto metric = geometry.metric();
  const auto Gamma = geometry::christoffel(geometry::CoordinateFrame<N>(), metric);

  CoordinateReport report = detail::frame_report(system, names, t, x);
  report.connection = "christoffel";
  if (system.by_connection()) {
    report.connection = to_string(system.options().equations);
    const auto L = geometry::in_frame_below(connection_of(system.affinities()));
    detail::report_connection(L, metric, e, list, report);
    report.weak = system.weak_residual(t, q);
    report.strong = compatibility(L.affinities(e), Gamma.affinities(e), Eigen::MatrixXd(metric(e))).strong;
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
    report.friction = detail::slow_manifold_report(system, all, report.time, t, q, u);
  return report;
}

}  // namespace torsor
