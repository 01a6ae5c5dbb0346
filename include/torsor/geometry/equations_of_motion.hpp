#pragma once

#include "torsor/geometry/connection.hpp"

/// Newton's law nabla_v p = f of the momentum p_i = g_ij v^j in several forms, all with the same bias b(q,
/// v):
///
///   g v' + b = f
///
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (6)-(9), (25), (39), (40). Units: f in N for
/// translations, N m for rotations.
namespace torsor {

template <class S, int N>
struct EquationsOfMotion {
  Matrix<S, N> mass;
  Vector<S, N> bias;

  /// v' under the applied covector f.
  Vector<S, N> acceleration(const Vector<S, N>& f) const { return solve(mass, Vector<S, N>(f - bias)); }
};

/// With any connection that is weakly compatible with the motion:
///
///   b_i = e_k(g_ij) v^k v^j - L(k, j, i) v^j p_k
template <class Frame, class Affinities, class Metric, class Point>
auto newton_equations(const Connection<Frame, Affinities>& connection, const Metric& metric, const Point& q,
                      const Vector<typename Point::Scalar, Frame::dof>& v) {
  using S = typename Point::Scalar;
  const Matrix<S, Frame::dof> g = metric(q);
  const Vector<S, Frame::dof> p = g * v;
  const Vector<S, Frame::dof> b = derivative_along(connection.frame, q, v, metric) * v -
                                  connection.affinities(q).along(v).transpose() * p;
  return EquationsOfMotion<S, Frame::dof>{g, b};
}

/// Without a connection, in any frame:
///
///   b_i = C(j, k, i) v^j v^k + c(l, i, k) g_lj v^j v^k,   C(j, k, i) = (e_k(g_ij) + e_j(g_ik) - e_i(g_jk))/2
template <class Frame, class Metric, class Point>
auto frame_equations(const Frame& frame, const Metric& metric, const Point& q,
                     const Vector<typename Point::Scalar, Frame::dof>& v) {
  using S = typename Point::Scalar;
  using Components = Vector<S, Frame::dof>;
  const Matrix<S, Frame::dof> g = metric(q);
  const auto c = frame.structure_coefficients(q);
  const auto d = frame_derivatives(frame, q, metric);
  const Components p = g * v;
  Components b = Components::Constant(v.size(), S(0));
  for (int k = 0; k < v.size(); ++k) {
    const Components change = d[k] * v;
    b += v[k] * change;
    b[k] += (c.along(k) * v).dot(p) - S(0.5) * v.dot(change);
  }
  return EquationsOfMotion<S, Frame::dof>{g, b};
}

/// On a group with a left-invariant inertia: G v' - ad_v^T G v = f. On SO(3) these are Euler's equations.
template <LieGroup G>
auto invariant_equations(const typename G::Square& inertia, const typename G::Tangent& v) {
  return EquationsOfMotion<typename G::Scalar, G::dof>{inertia,
                                                       -G::ad_transpose(v, typename G::Tangent(inertia * v))};
}

/// An event manifold has the time as last coordinate and velocities (v, 1) of constant last component. Its
/// equations of motion are the spatial rows and columns of those above; the last row of the bias is the
/// generalised force conjugate to time. Paraskevopoulos, Natsiavas, equations of motion for mechanical
/// systems subject to acatastatic constraints, (29)-(38).
template <class S, int N>
auto spatial_part(const EquationsOfMotion<S, N>& event) {
  constexpr int spatial = N == Eigen::Dynamic ? Eigen::Dynamic : N - 1;
  const auto n = event.bias.size() - 1;
  return EquationsOfMotion<S, spatial>{event.mass.topLeftCorner(n, n), event.bias.head(n)};
}

}  // namespace torsor
