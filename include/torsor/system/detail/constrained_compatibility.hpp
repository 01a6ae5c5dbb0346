#pragma once

#include "torsor/geometry/canonical.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// Whether a connection of the bodies, left-invariant on the group of each body, is compatible with joints
/// and constraints. Its projection on the allowed velocities by the strong condition differs from the
/// projected Christoffel connection by
///
///   D(X, Y) = P (L(X, Y) - Gamma(X, Y)),   A X = A Y = 0.
///
/// The connection gives the constrained motion if and only if W(X; Y, Z) = G(D(Y, X), Z) + G(D(Z, X), Y)
/// vanishes for all allowed X, Y, Z. On events, Y and Z may also be nu = -C a0. A connection that gives wrong
/// motions of free bodies may give the right motion under constraints.
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (18)-(21).
struct ConstrainedCompatibility {
  double weak = 0;     ///< greatest |W| over orthonormal directions, relative to the greatest |L| and |Gamma|
  double strong = 0;   ///< greatest |G(D(X, Y), Z)|, with the same scale
  int directions = 0;  ///< number of allowed directions used
  bool sampled = false;  ///< at most four directions, since the mechanism has more than 60 velocities
};

/// For a canonical connection of each body's group: L = c, c/2 or 0. Throws EvaluationError.
ConstrainedCompatibility constrained_compatibility(const MechanismSystem& system, double t, const Vec& q,
                                                   geometry::Canonical member = geometry::Canonical::plus);

}  // namespace torsor
