#pragma once

#include <string>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// A body in the order of the tree, with its parent and the joint to this parent.
struct TreeStep {
  int body = 0;
  int parent_body = world;
  int joint = -1;  ///< index in the mechanism; -1: an implied joint to the ground
};

/// Over joints: whether the joint belongs to the spanning forest. The function takes the joints in the order
/// of the mechanism. A joint belongs to the forest if it is not in `cut` and closes no loop with the joints
/// that belong to the forest already.
std::vector<char> forest_joints(const Mechanism& mechanism, const std::vector<int>& cut);

/// All bodies, depth first and parents before children along the `used` joints, which close no loop; children
/// in the order of their joints. A group of bodies that no used joint connects to the ground has as its root
/// the first body that is not the child of a used joint, with an implied joint to the ground. Takes linear
/// time and does not recurse.
std::vector<TreeStep> spanning_tree(const Mechanism& mechanism, const std::vector<char>& used);

}  // namespace torsor
