#pragma once

#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// An upper bound, J, of |dE| per unit of error, to first order in the error (xi, dv) measured by
/// TreeSystem::error_norm at (t, q, v). With the force f and the torque m on a body (about its mass centre),
/// its length L and the forces tau of its inboard joint, it is the sum over bodies of
///
///   |f| L + |m| + M |v| (L + 2 |v|) + |J Omega| (1 + 2 |Omega|) + 2 |tau|_1 max(L, 1).
///
/// If another body is the reference (LinkLengths), |v - v_ref| takes the place of |v| in the brackets. For a
/// reference, f and M v are the sums over all bodies that refer to it, because an error of its motion moves
/// all of them.
///
/// The terms M |v|^2 and |J Omega| |Omega| appear twice, because an error of the configuration also rotates
/// the velocities of the outboard bodies.
///
/// Call it after forward_kinematics for (q, v) in tree.workspace(). Overwrites tree.loads().
double energy_per_error(const TreeSystem& tree, double t, VecIn q, VecIn v);

}  // namespace torsor::mechanics
