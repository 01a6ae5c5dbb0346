#pragma once

#include "torsor/geometry/connection.hpp"

/// Newton's law nabla_v p = f of the momentum p_i = g_ij v^j in several forms, all with the same bias b(q,
/// v):
///
///   g v' + b = f
///
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (6)-(9), (25), (39), (40). Units: f in N for
/// translations, N m for rotations.
namespace torsor::geometry {

template <class S, int N>
struct EquationsOfMotion {
  Matrix<S, N> mass;
  Vector<S, N> bias;

  /// v' under the applied covector f.
  Vector<S, N> acceleration(const Vector<S, N>& f) const { return solve(mass, Vector<S, N>(f - bias)); }
};

/// With any connection that is weakly compatible with the metric (compatibility.hpp):
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
  Components b = filled<Components>(v.size(), 1, S(0));
  for (int k = 0; k < v.size(); ++k) {
    const Components change = d[k] * v;
    b += v[k] * change;
    b[k] += dot(Components(c.along(k) * v), p) - S(0.5) * dot(v, change);
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

/// The Volterra-Hamel-Boltzmann equations of a Lagrangian l(q, v) of the components v in a frame:
///
///   d/dt dl/dv^j - e_j(l) + c(l, j, r) v^r dl/dv^l = f_j
///
/// as mass v' + bias = f with mass_ij = d^2 l / dv^i dv^j. `lagrangian` is a generic callable of a point and
/// a vector over the same scalar; its derivatives are exact. In a chart these are Lagrange's equations, and
/// on an event manifold v carries the velocity 1 of time (spatial_part). Winandy, Capobianco, Eugster, A
/// geometric view on the kinematics of finite-dimensional mechanical systems, (16), (17).
template <class Frame, class Lagrangian, class Point>
auto hamel_equations(const Frame& frame, const Lagrangian& lagrangian, const Point& q,
                     const Vector<typename Point::Scalar, Frame::dof>& v) {
  using S = typename Point::Scalar;
  constexpr int N = Frame::dof;
  using Components = Vector<S, N>;
  using Moving = Vector<Dual<S>, N>;
  const int n = frame.size(q);
  const Components still = zero_like(v);
  const Moving still2 = zero_like(with_derivative(v, still));
  const auto unit = [&](int i) {
    Components e = still;
    e[i] = S(1);
    return e;
  };
  const auto at_rest = frame.moved(q, still), along_v = frame.moved(q, v);
  const auto at_rest2 = frame.moved(at_rest, still2), along_v2 = frame.moved(along_v, still2);

  EquationsOfMotion<S, N> equations{Matrix<S, N>(n, n), Components(n)};
  Components momentum(n);
  for (int j = 0; j < n; ++j) {
    const Moving e_j = with_derivative(unit(j), still);
    // The derivative of dl/dv^j along the motion at constant v, and along each v^i.
    const auto along_motion =
        lagrangian(along_v2, with_derivative(with_derivative(v, still), e_j)).derivative;
    momentum[j] = along_motion.value;
    equations.bias[j] =
        along_motion.derivative - lagrangian(frame.moved(q, unit(j)), with_derivative(v, still)).derivative;
    for (int i = 0; i <= j; ++i) {
      const Moving turned = with_derivative(v, unit(i));
      equations.mass(i, j) = lagrangian(at_rest2, with_derivative(turned, e_j)).derivative.derivative;
      equations.mass(j, i) = equations.mass(i, j);
    }
  }
  const auto c = frame.structure_coefficients(q);
  for (int j = 0; j < n; ++j) equations.bias[j] += (c.along(j) * v).dot(momentum);
  return equations;
}

}  // namespace torsor::geometry
