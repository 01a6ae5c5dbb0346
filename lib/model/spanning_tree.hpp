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

/// Which joints make up a spanning forest: every joint, in the order of the list, that closes no loop with
/// those before it and is not among the `cut` ones.
std::vector<char> forest_joints(const Mechanism& mechanism, const std::vector<int>& cut);

/// All bodies, parents first and depth first along the `used` joints, which close no loop; children in the
/// order of their joints. A group of bodies that no joint ties to the ground hangs on its first body that is
/// no joint's child. Linear, without recursion.
std::vector<TreeStep> spanning_tree(const Mechanism& mechanism, const std::vector<char>& used);

}  // namespace torsor
