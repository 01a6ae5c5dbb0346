#pragma once

#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/equations_of_motion.hpp"

namespace torsor::geometry {

/// Constraints A(q) v = 0 replaced by viscous friction on the slip sigma = A v, in a chart:
///
///   nabla_v v = G^-1 f(q, v) - (1/eps) R v,   R = G^-1 A^T mu A
///
/// `metric` is G(q), n x n; `rows` A(q), k x n; `force` the covector f(q, v); `friction` mu(q), k x k,
/// symmetric and positive definite, N s/m; eps > 0 has no dimension. Slip decays at the rates eig(M_c^-1
/// mu)/eps. Gzenda, Chhabra, Affine connection approach to the realization of nonholonomic constraints by
/// strong friction forces, arXiv 2408.00095, (34)-(42).
template <class Metric, class Rows, class Force, class Friction>
struct StrongFriction {
  Metric metric;
  Rows rows;
  Force force;
  Friction friction;
};
template <class Metric, class Rows, class Force, class Friction>
StrongFriction(Metric, Rows, Force, Friction) -> StrongFriction<Metric, Rows, Force, Friction>;

/// v' of the motion without friction, G^-1 (f - b) with b = G Gamma(v, v).
template <class... Fields, class S, int n>
Vector<S, n> frictionless_acceleration(const StrongFriction<Fields...>& system, const Vector<S, n>& q,
                                       const Vector<S, n>& v) {
  return frame_equations(CoordinateFrame<n>(), system.metric, q, v).acceleration(system.force(q, v));
}

/// v' of the whole, stiff system.
template <class... Fields, class S, int n>
Vector<S, n> stiff_acceleration(const StrongFriction<Fields...>& system, const S& eps, const Vector<S, n>& q,
                                const Vector<S, n>& v) {
  const auto A = system.rows(q);
  const auto slip = (A * v).eval();
  const Vector<S, n> friction = A.transpose() * (system.friction(q) * slip);
  const auto equations = frame_equations(CoordinateFrame<n>(), system.metric, q, v);
  return equations.acceleration(system.force(q, v) - friction / eps);
}

/// Phi(q, v) = A G^-1 (f - b) + (d_v A) v: the rate of the slip without friction. On D = ker A it is -M_c^-1
/// Lambda, Lambda the multipliers of ideal constraints.
template <class... Fields, class S, int n>
auto frictionless_slip_rate(const StrongFriction<Fields...>& system, const Vector<S, n>& q,
                            const Vector<S, n>& v) {
  const CoordinateFrame<n> chart;
  return (system.rows(q) * frictionless_acceleration(system, q, v) +
          derivative_along(chart, q, v, system.rows) * v)
      .eval();
}

}  // namespace torsor::geometry
