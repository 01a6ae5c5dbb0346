#pragma once

#include <string>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// A body in the order of the tree with what joins it to the part already there.
struct TreeStep {
  int body = 0;
  int parent_body = world;
  int joint = -1;  ///< of the mechanism; -1: an implied joint to the ground
};

/// Joints that close loops, one sentence each naming the joints of the loop.
std::vector<std::string> closed_loops(const Mechanism& mechanism);

/// All bodies, parents first and depth first, children in the order of their joints. A group of bodies that
/// no joint ties to the ground hangs on its first body that is no joint's child. The mechanism has no loop.
/// Linear, without recursion.
std::vector<TreeStep> spanning_tree(const Mechanism& mechanism);

}  // namespace torsor
