#pragma once

#include <algorithm>
#include <cmath>

#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/geometry/derived_flag.hpp"
#include "torsor/geometry/event_manifold.hpp"
#include "torsor/geometry/scleronomicity.hpp"
#include "torsor/report/coordinate_report.hpp"

/// Whether time can be removed from a system in coordinates, on the velocities that its constraints allow.
namespace torsor::detail {

/// A basis of the velocities that the rows allow, with the standard time vector, as a field around one event.
template <class Geometry>
auto allowed_basis(const Geometry& geometry, int exact_rows, const Vec& e) {
  geometry::internal::FlagChoice choice;
  geometry::internal::choose_rows(geometry.rows()(e).topRows(exact_rows), 1e-9, choice);
  return [geometry, choice]<class S>(const Vector<S, Eigen::Dynamic>& at) {
    using Mat = Matrix<S, Eigen::Dynamic>;
    const Mat all = geometry.all_rows()(at);
    const auto n = at.size() - 1;
    Mat A(static_cast<Eigen::Index>(choice.rows.size()), n);
    Vector<S, Eigen::Dynamic> a0(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const auto row = choice.rows[static_cast<std::size_t>(i)];
      A.row(i) = all.row(row).head(n), a0[i] = all(row, n);
    }
    const auto point =
        geometry::constrained_point(geometry::event_metric<S, Eigen::Dynamic>(geometry.metric()(at)).g, A);
    const Mat N = geometry::partitioned_velocities(A, choice.dependent);
    return geometry::event_basis(N, Vector<S, Eigen::Dynamic>(point.offset(a0)));
  };
}

/// The residuals of the weak and of the strong condition (compatibility.hpp) for the strong projection of a
/// connection on the velocities that the rows allow. The time row of W is not an equation of motion and is
/// left out. As in AffinitiesAt, a residual above rounding is taken again without differences of affinities
/// that are only rounding of their terms.
template <class Basis, class Affinities, class Metric>
geometry::CompatibilityReport<double> constrained_compatibility(
    const Basis& basis,
    const geometry::Connection<geometry::CoordinateFrame<Eigen::Dynamic>, Affinities>& connection,
    const Metric& metric, const Vec& e) {
  constexpr int N = Eigen::Dynamic;
  const Matrix<double, N> g = metric(e), B = basis(e);
  geometry::PerDirection<Matrix<double, N>, N> d(B.cols());
  for (int i = 0; i < B.cols(); ++i)
    d[i] = geometry::derivative_along(connection.frame, e, Vector<double, N>(B.col(i)), basis);
  const AffinitiesAt here{connection.affinities(e),
                          geometry::christoffel(connection.frame, metric).affinities(e),
                          g,
                          {},
                          rates_of_terms(e, Eigen::MatrixXd::Identity(e.size(), e.size()))};
  const auto strong = geometry::strong_affinities(here.strong, g, B, d);
  const Matrix<double, N> g_A = B.transpose() * g * B;
  const auto greatest = [](const auto& values) {
    return values.array().abs().template maxCoeff<Eigen::PropagateNaN>();
  };
  const auto residuals = [&](const geometry::Tensor3<double, N>& of_connection) {
    const auto projected = geometry::strong_affinities(of_connection, g, B, d);
    const auto W = geometry::weak_residual(projected, strong, g_A);
    const double L = max_or_nan(greatest(projected.flat()), greatest(strong.flat()));
    if (L == 0) return geometry::CompatibilityReport<double>{0, 0};
    double weak = 0;
    for (int a = 0; a + 1 < W.size(); ++a)
      for (int i = 0; i < W.size(); ++i)
        for (int j = 0; j < W.size(); ++j) weak = max_or_nan(weak, std::abs(W(a, i, j)));
    return geometry::CompatibilityReport<double>{weak / (greatest(g_A) * L),
                                                 greatest((projected - strong).flat()) / L};
  };
  const auto found = residuals(here.L);
  const bool exact =
      found.weak <= AffinitiesAt::rounding_of_terms && found.strong <= AffinitiesAt::rounding_of_terms;
  return exact ? found : residuals(here.without_rounding().L);
}

/// The greatest change in time that counts as rounding, in 1/s: of a row relative to its norm, of a component
/// of the metric relative to the lengths sqrt(|g_ii|) of its two indices.
inline constexpr double no_movement = 1e-9;

/// The derivative of a field along time at e.
template <class Field>
Eigen::MatrixXd rate_in_time(const Vec& e, const Field& field) {
  const Vec along_t = geometry::event<double, Eigen::Dynamic>(Vec::Zero(e.size() - 1), 1.);
  return geometry::derivative_along(geometry::CoordinateFrame<Eigen::Dynamic>(), e, along_t, field);
}

/// Over the rows that hold exactly: whether a row depends on time, and whether it is acatastatic.
struct RowMarks {
  explicit RowMarks(std::size_t rows) : rheonomic(rows, 0), acatastatic(rows, 0) {}
  std::vector<char> rheonomic, acatastatic;
};

/// Marks the rows that depend on time at e, and the rows whose a_0 is not zero there. A row of phi with an
/// a_0 depends on time, because its a_0 is the partial derivative of phi by time.
template <class Fields>
void mark_rows(const SystemOfFields<Fields>& system, const Vec& e, RowMarks& marks) {
  const auto all_rows = system.geometry().all_rows();
  const Eigen::MatrixXd rows = all_rows(e), rows_t = rate_in_time(e, all_rows);
  for (std::size_t i = 0; i < marks.rheonomic.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double rounding = no_movement * rows.row(row).norm();
    const bool has_offset = std::abs(rows(row, e.size() - 1)) > rounding;
    if (has_offset) marks.acatastatic[i] = 1;
    if (rows_t.row(row).cwiseAbs().maxCoeff() > rounding || (has_offset && system.holonomic()[i]))
      marks.rheonomic[i] = 1;
  }
}

/// Whether the metric, without time_metric, depends on time at e or couples time with a coordinate.
template <class Geometry>
bool metric_moves(const Geometry& geometry, const Vec& e) {
  const auto n = e.size() - 1;
  const Eigen::MatrixXd g = geometry.fields->metric(e), g_t = rate_in_time(e, geometry.metric());
  Vec length = g.diagonal().cwiseAbs().cwiseSqrt();
  if (length[n] == 0) length[n] = length.maxCoeff();
  const Eigen::MatrixXd rounding = no_movement * length * length.transpose();
  return (g_t.array().abs() > rounding.array()).any() ||
         (g.col(n).head(n).array().abs() > rounding.col(n).head(n).array()).any();
}

/// Whether both residuals are zero up to rounding. An index counts in units of the length sqrt(g_ii) of its
/// direction, and g(V, V) by its terms `moving` without time_metric, J. The result depends neither on units
/// nor on time_metric.
template <class Residuals>
bool vanish(const Residuals& residuals, const Eigen::MatrixXd& g, double moving, double rounding) {
  const Vec length = g.diagonal().head(residuals.S2.size()).cwiseSqrt();
  return (residuals.S1.array().abs() <= rounding * (length * length.transpose()).array()).all() &&
         (residuals.S2.array().abs() <= rounding * std::sqrt(moving) * length.array()).all();
}

/// S1 and S2, with the metric and rows that cause them, at the state and at up to three states around it.
template <class Fields>
CoordinateTimeReport coordinate_time_report(const SystemOfFields<Fields>& system,
                                            const CoordinateNames& names, double t, const Vec& q) {
  constexpr int N = Eigen::Dynamic;
  constexpr double rounding = 1e-9;
  const auto geometry = system.geometry();
  std::vector<SamplePoint> points = states_around(system, t, q, 3);
  points.insert(points.begin(), {t, q});
  CoordinateTimeReport time;
  time.states = static_cast<int>(points.size());
  const geometry::CoordinateFrame<N> coordinates;
  RowMarks marks(static_cast<std::size_t>(system.rows()));
  bool moves = false;
  for (const SamplePoint& at : points) {
    const Vec e = geometry::event<double, N>(at.q, at.t);
    const auto basis = allowed_basis(geometry, system.rows(), e);
    const auto metric = [&]<class S>(const Vector<S, N>& place) {
      const Matrix<S, N> B = basis(place);
      return Matrix<S, N>(B.transpose() * geometry.metric()(place) * B);
    };
    const auto frame = distribution<N>(coordinates, basis, geometry.metric());
    const Eigen::MatrixXd B = basis(e);
    if (B.cols() > 1) {
      const auto residuals = scleronomicity(frame, metric, e, 1.);
      const Eigen::MatrixXd g_e = system.fields().metric(e).cwiseAbs();
      const Vec along_t = B.rightCols(1).cwiseAbs();
      const double moving = along_t.dot(g_e * along_t);  // terms of g(V, V) without time_metric, J
      time.removable = time.removable && vanish(residuals, Eigen::MatrixXd(metric(e)), moving, rounding);
      if (&at == &points.front()) {
        time.basis = B.topLeftCorner(q.size(), B.cols() - 1);
        time.S1 = residuals.S1, time.S2 = residuals.S2, time.S1_scaled = residuals.scaled_S1;
        const auto g = geometry::event_metric<double, N>(metric(e));
        time.V = (B * g.standard_time_vector()).head(q.size());
        time.g_VV = g.standard_g00();
        time.V_terms = (moving / g_e.diagonal().head(q.size()).array()).sqrt().matrix();
      }
      time.S1_around = max_or_nan(time.S1_around, residuals.scaled_S1);
      time.S2_around = max_or_nan(time.S2_around, residuals.scaled_S2);
    }
    moves |= metric_moves(geometry, e);
    mark_rows(system, e, marks);
  }
  if (moves) time.causes.push_back("metric");
  for (std::size_t i = 0; i < marks.rheonomic.size(); ++i)
    if (marks.rheonomic[i] || marks.acatastatic[i]) time.causes.push_back(names.constraints[i]);
  time.rheonomic = std::move(marks.rheonomic);
  return time;
}

}  // namespace torsor::detail
