#pragma once

#include "torsor/sim/tree_system.hpp"

namespace torsor::sim {

/// A bound of |dE| over all errors (xi, dv) of size 1 in TreeSystem::error_norm at (t, q, v), J: with f and m
/// the forces and torques on a body (about its mass centre) and tau those in joints,
///
///   sum over bodies of |f| L + |m| + M |v| (L + 2 |v|) + |J Omega| (1 + 2 |Omega|) + 2 sum |tau| max(L, 1),
///
/// where an error of the configuration turns velocities of further bodies as well.
double energy_per_error(const TreeSystem& tree, double length, double t, VecIn q, VecIn v);

}  // namespace torsor::sim
