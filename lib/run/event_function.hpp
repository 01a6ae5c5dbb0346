#pragma once

#include "torsor/run/trajectory.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// The function quantity - value of an EventSpec. It uses the scratch memory of the tree. Throws
/// std::invalid_argument if the mechanism has no such joint, coordinate or body.
Event event_of(const EventSpec& spec, const TreeSystem& tree);

}  // namespace torsor::mechanics
