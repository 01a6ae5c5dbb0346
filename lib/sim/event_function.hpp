#pragma once

#include "torsor/sim/trajectory.hpp"
#include "torsor/sim/tree_system.hpp"

namespace torsor::sim {

/// quantity - value of an EventSpec as a function of the state; works on the tree's own scratch.
/// Throws std::invalid_argument where the mechanism has no such joint, coordinate or body.
Event event_of(const EventSpec& spec, const TreeSystem& tree);

}  // namespace torsor::sim
