#pragma once

#include "torsor/geometry/equations_of_motion.hpp"

namespace torsor {

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

}  // namespace torsor
