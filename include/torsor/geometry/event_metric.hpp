#pragma once

#include <cassert>

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/lie/types.hpp"

/// Events are configurations with their time, which is the last coordinate in all arrays. Velocities are
/// (v, 1). In a separable basis the first n vectors are spatial: they do not change the time.
/// Paraskevopoulos, Natsiavas, Equations of motion for mechanical systems subject to acatastatic constraints,
/// (16)-(24), (42)-(49), (64)-(70).
namespace torsor::geometry {

/// n + 1, with the time; a run-time size stays Eigen::Dynamic.
template <int n>
inline constexpr int with_time = n == Eigen::Dynamic ? Eigen::Dynamic : n + 1;
/// n - 1, without the time.
template <int n>
inline constexpr int without_time = n == Eigen::Dynamic ? Eigen::Dynamic : n - 1;

/// The event (q, t), and the velocity (v, 1).
template <class S, int n>
Vector<S, with_time<n>> event(const Vector<S, n>& q, const S& t) {
  Vector<S, with_time<n>> both(q.size() + 1);
  for (Eigen::Index i = 0; i < q.size(); ++i) both[i] = q[i];
  both[q.size()] = t;
  return both;
}
template <class S, int n>
Vector<S, with_time<n>> event_velocity(const Vector<S, n>& v) {
  return event(v, S(1));
}

/// [J c; 0 1]: m spatial vectors J and a time vector (c, 1) in columns, by components in another basis.
/// Changes of coordinates and constraints v = J u + c are of this form.
template <class S, int n, int m>
Matrix<S, with_time<n>, with_time<m>> event_basis(const Matrix<S, n, m>& J, const Vector<S, n>& c) {
  using Basis = Matrix<S, with_time<n>, with_time<m>>;
  Basis B = filled<Basis>(J.rows() + 1, J.cols() + 1, S(0));
  set_part(B, 0, 0, J);
  set_part(B, 0, J.cols(), c);
  B(J.rows(), J.cols()) = S(1);
  return B;
}
/// The u in v = J u + c, with J square.
template <class S, int n>
Vector<S, n> spatial_velocity_in_basis(const Vector<S, n>& v, const Matrix<S, n>& J, const Vector<S, n>& c) {
  return solve(J, Vector<S, n>(v - c));
}

/// [g g_0; g_0^T g_00] in a separable basis: g in kg for translations, g_0 a momentum, g_00 an energy.
template <class S, int n>
struct EventMetric {
  Matrix<S, n> g;
  Vector<S, n> g0;
  S g00;

  Matrix<S, with_time<n>> matrix() const {
    Matrix<S, with_time<n>> bar(g.rows() + 1, g.cols() + 1);
    bar << g, g0, g0.transpose(), Matrix<S, 1>(g00);
    return bar;
  }

  /// g^-1 g_0. In the standard basis, whose time vector is orthogonal to space, the velocity is v + shift.
  Vector<S, n> shift() const { return solve(g, g0); }
  /// V = e_0 - (g^-1 g_0)^i e_i, the time vector of the standard basis.
  Vector<S, with_time<n>> standard_time_vector() const { return event<S, n>(-shift(), S(1)); }
  /// The metric of V with itself, g_00 - g_0 g^-1 g_0.
  S standard_g00() const { return g00 - g0.dot(shift()); }
  /// The same metric in the standard basis.
  EventMetric standardised() const {
    return in_basis(Matrix<S, n>::Identity(g.rows(), g.cols()).eval(), Vector<S, n>(-shift()));
  }

  /// In the basis [J c; 0 1]: J^T g J, J^T (g c + g_0), c^T g c + 2 c^T g_0 + g_00. With J = N, c = nu this
  /// is the metric under the constraints v = N u + nu; the basis is standard where N^T (g nu + g_0) = 0,
  /// which holds for the nu of least norm if g_0 = 0.
  template <int m>
  EventMetric<S, m> in_basis(const Matrix<S, n, m>& J, const Vector<S, n>& c) const {
    const Vector<S, n> gc = g * c;
    return {J.transpose() * g * J, J.transpose() * (gc + g0), c.dot(gc) + S(2) * c.dot(g0) + g00};
  }
};

/// The blocks of a metric of events.
template <class S, int n>
EventMetric<S, without_time<n>> event_metric(const Matrix<S, n>& bar) {
  assert(bar.rows() > 0 && bar.rows() == bar.cols());
  const auto m = bar.rows() - 1;
  constexpr int space = without_time<n>;
  return {part_of<Matrix<S, space>>(bar, 0, 0, m, m), part_of<Vector<S, space>>(bar, 0, m, m, 1), bar(m, m)};
}

}  // namespace torsor::geometry
