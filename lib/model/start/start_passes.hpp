#pragma once

#include <vector>

#include "start_check.hpp"

namespace torsor {

// The two passes of make_start. Each goes from the leaves of the tree to the root, to find the poses (twists)
// that given joints imply for their parents, and then from the root to the leaves, to determine each joint.

/// Writes the coordinates of all joints to q, which must be the identity configuration on entry.
void place_links(const Model& model, const Start& start, Contradictions& contradictions, Vec& q);

/// Writes the rates of all joints to v, which must be zero on entry. X_WM: poses of the links at q.
void move_links(const Model& model, const Start& start, const std::vector<SE3<>>& X_WM, const Vec& q,
                Contradictions& contradictions, Vec& v);

/// The given data of a link's body or joint; empty where the start has none.
const BodyStart& body_start(const Model& model, const Start& start, int link);
const JointStart& joint_start(const Model& model, const Start& start, int link);

}  // namespace torsor
