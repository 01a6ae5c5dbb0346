#pragma once

#include <vector>

#include "model/kkt.hpp"

namespace torsor::model_detail {

/// The bodies in loops that enter the elimination with joint coordinates: the unknowns of such a body are the
/// freedoms of its joint (KktGraph::Constraint::joint_of). The coordinates satisfy the rows of the joint, so
/// these rows are not eliminated. The velocities of the body depend on the unknowns of its path, which lists
/// the bodies from the ground to the body itself. A path has at most six freedoms, as many as a free body.
///
/// The bodies of a constraint that closes a loop have joint coordinates if all of them have such a path.
struct JointCoordinates {
  explicit JointCoordinates(const KktGraph& graph);

  bool any() const { return !order.empty(); }
  bool has(int body) const { return !path[body].empty(); }
  /// Whether the constraint is the joint of a body with joint coordinates.
  bool has_joint(const KktGraph& graph, int constraint) const {
    const int body = graph.constraints[constraint].joint_of;
    return body >= 0 && has(body) && joint[body] == constraint;
  }

  std::vector<int> joint;              // over bodies: the constraint; -1: none
  std::vector<int> freedoms;           // over bodies: the number of unknowns, 6 without joint coordinates
  std::vector<std::vector<int>> path;  // over bodies: empty without joint coordinates
  std::vector<int> order;              // the bodies with joint coordinates, parents first
};

}  // namespace torsor::model_detail
