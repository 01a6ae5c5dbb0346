#include "joint_coordinates.hpp"

#include <algorithm>

namespace torsor::model_detail {
namespace {

constexpr int most_freedoms = 6;  // those of a free body

}  // namespace

JointCoordinates::JointCoordinates(const KktGraph& graph)
    : joint(graph.parent.size(), -1), freedoms(graph.parent.size(), 6), path(graph.parent.size()) {
  const int constraints = static_cast<int>(graph.constraints.size());
  for (int c = 0; c < constraints; ++c) {
    const KktGraph::Constraint& constraint = graph.constraints[c];
    if (constraint.joint_of >= 0 && constraint.rows > 0 && constraint.rows < 6)
      joint[constraint.joint_of] = c;
  }
  const auto freedoms_of = [&](int body) { return 6 - graph.constraints[joint[body]].rows; };
  const auto reaches_ground = [&](int body) {
    int left = most_freedoms;
    while (body >= 0 && joint[body] >= 0 && left >= 0) left -= freedoms_of(body), body = graph.parent[body];
    return body < 0 && left >= 0;
  };
  const auto add_path = [&](int body) {
    std::vector<int> to_ground;
    for (int on = body; on >= 0; on = graph.parent[on]) to_ground.push_back(on);
    for (auto on = to_ground.rbegin(); on != to_ground.rend(); ++on) {
      if (has(*on)) continue;
      if (graph.parent[*on] >= 0) path[*on] = path[graph.parent[*on]];
      path[*on].push_back(*on);
      freedoms[*on] = freedoms_of(*on);
      order.push_back(*on);
    }
  };
  for (int c = 0; c < constraints; ++c) {
    const KktGraph::Constraint& constraint = graph.constraints[c];
    if (constraint.joint_of >= 0 && joint[constraint.joint_of] == c) continue;
    if (std::all_of(constraint.bodies.begin(), constraint.bodies.end(), reaches_ground))
      for (const int body : constraint.bodies) add_path(body);
  }
}

}  // namespace torsor::model_detail
