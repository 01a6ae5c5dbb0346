#pragma once

#include <vector>

#include "torsor/model/constraints.hpp"

namespace torsor::mechanics {

/// Over links: the group of closed loops to which the link belongs, or -1. Links whose loops share a link or a
/// constraint are in one group; loops that share only the ground are not. A link that hangs on a loop by a
/// single constraint, and what hangs on this link, are in no group.
std::vector<int> closed_loops(int links, const std::vector<Constraints::Item>& items);

}  // namespace torsor::mechanics
