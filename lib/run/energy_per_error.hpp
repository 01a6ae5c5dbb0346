#pragma once

#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// An upper bound, J, of the change |dE| of the energy by an error (xi, dv) of size 1 in
/// TreeSystem::error_norm at (t, q, v). With the force f and the torque m on a body (about its mass centre)
/// and the joint forces tau:
///
///   sum over bodies of |f| L + |m| + M |v| (L + 2 |v|) + |J Omega| (1 + 2 |Omega|) + 2 sum |tau| max(L, 1),
///
/// An error of the configuration also rotates the velocities of the bodies behind it.
double energy_per_error(const TreeSystem& tree, double length, double t, VecIn q, VecIn v);

}  // namespace torsor::mechanics
