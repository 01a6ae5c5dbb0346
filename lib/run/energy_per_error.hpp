#pragma once

#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// An upper bound, J, of |dE| per unit of error, to first order in the error (xi, dv) measured by
/// TreeSystem::error_norm at (t, q, v). With L = `length` (m), the force f and the torque m on a body (about
/// its mass centre) and the joint forces tau:
///
///   sum over bodies of |f| L + |m| + M |v| (L + 2 |v|) + |J Omega| (1 + 2 |Omega|) + 2 sum |tau| max(L, 1).
///
/// The terms M |v|^2 and |J Omega| |Omega| appear twice, because an error of the configuration also rotates
/// the velocities of the outboard bodies.
double energy_per_error(const TreeSystem& tree, double length, double t, VecIn q, VecIn v);

}  // namespace torsor::mechanics
