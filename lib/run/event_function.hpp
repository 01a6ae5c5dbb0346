#pragma once

#include "torsor/run/trajectory.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// The function quantity - value of an EventSpec. It uses the scratch memory of the tree. Throws
/// std::invalid_argument if the mechanism does not have the quantity, or if the direction or a function of
/// the event is invalid.
Event event_of(const EventSpec& spec, const TreeSystem& tree);

}  // namespace torsor::mechanics
