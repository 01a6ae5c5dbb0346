#pragma once

#include "torsor/geometry/canonical.hpp"
#include "torsor/sim/mechanism_system.hpp"

namespace torsor {

/// How a connection of the bodies, left-invariant on the group of each, goes with joints and constraints.
/// Projected to the allowed velocities by the strong condition it differs from the projected Christoffel
/// connection by
///
///   D(X, Y) = P (L(X, Y) - Gamma(X, Y)),   A X = A Y = 0,
///
/// and it gives the constrained motion if and only if W(X; Y, Z) = G(D(Y, X), Z) + G(D(Z, X), Y) vanishes for
/// all allowed X, Y, Z; of events Y and Z are nu = -C a0 as well. A connection that gives wrong motions of
/// bodies may give right ones under constraints.
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (18)-(21).
struct ConstrainedCompatibility {
  double weak = 0;     ///< greatest W of G(X, X) = 1, relative to the greatest of G(L(X, Y), Z), of any Y, Z
  double strong = 0;   ///< greatest G(D(X, Y), Z) in the same measure
  int directions = 0;  ///< of allowed velocities that were looked at
  bool sampled = false;  ///< four directions alone: more than 60 velocities
};

/// For the canonical connection L = c, c/2 or 0 of each body's group. Throws EvaluationError.
ConstrainedCompatibility constrained_compatibility(const MechanismSystem& system, double t, const Vec& q,
                                                   Canonical member = Canonical::plus);

}  // namespace torsor
