#pragma once

#include <vector>

#include "start_check.hpp"

namespace torsor {

// The two rounds of make_start. Each goes up the tree, from the leaves, to learn what given joints say about
// the bodies that carry them, and down again to settle joint after joint.

/// Coordinates of all joints into q (the unit element at first).
void place_links(const Model& model, const Start& start, Contradictions& contradictions, Vec& q);

/// Rates of all joints into v (zero at first), the links at X_WM by q.
void move_links(const Model& model, const Start& start, const std::vector<SE3<>>& X_WM, const Vec& q,
                Contradictions& contradictions, Vec& v);

/// What is given of a link's body and joint; nothing where the start does not speak of it.
const BodyStart& body_start(const Model& model, const Start& start, int link);
const JointStart& joint_start(const Model& model, const Start& start, int link);

}  // namespace torsor
