#include "torsor/model/start.hpp"

#include <utility>

#include "floating_point.hpp"
#include "model/declared_joint.hpp"
#include "model/words.hpp"
#include "start_passes.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
StartError::StartError(Reasons reasons_)
    : std::invalid_argument(one_a_line(reasons_)), reasons(std::move(reasons_)) {}

const BodyStart& body_start(const Model& model, const Start& start, int link) {
  static const BodyStart nothing;
  return start.bodies.empty() ? nothing : start.bodies[model.body[link]];
}

const JointStart& joint_start(const Model& model, const Start& start, int link) {
  static const JointStart nothing;
  const int joint = model.joint[link];
  return start.joints.empty() || joint < 0 ? nothing : start.joints[joint];
}

namespace {

void throw_if_unusable(const Model& model, const Start& start) {
  Reasons reasons = why_start_unusable(model.mechanism(), start);
  if (!reasons.empty()) throw StartError(std::move(reasons));
}

/// The poses X_WM of all links at q.
std::vector<SE3<>> link_poses(const Model& model, const Vec& q) {
  std::vector<SE3<>> X_WM(model.size());
  for (int i = 0; i < model.size(); ++i) {
    const int parent = model.parent[i];
    const SE3<> X_WF = parent == world ? model.X_PF[i] : X_WM[parent] * model.X_PF[i];
    X_WM[i] = X_WF * inboard_pose(model, i, q.data() + model.q_begin[i]);
  }
  return X_WM;
}

}  // namespace

Vec start_coordinates(const Model& model, const Start& start, double tolerance) {
  throw_if_unusable(model, start);
  Vec q = identity_configuration(model);
  Contradictions contradictions(model, tolerance);
  place_links(model, start, contradictions, q);
  contradictions.throw_if_any();
  return q;
}

Vec start_rates(const Model& model, const Start& start, const Vec& q, double tolerance) {
  throw_if_unusable(model, start);
  Vec v = Vec::Zero(model.nv());
  Contradictions contradictions(model, tolerance);
  move_links(model, start, link_poses(model, q), q, contradictions, v);
  contradictions.throw_if_any();
  return v;
}

State make_start(const Model& model, const Start& start, double tolerance) {
  const mechanics::DefaultArithmetic arithmetic;
  State x{start_coordinates(model, start, tolerance), {}, {}};
  x.v = start_rates(model, start, x.q, tolerance);
  return x;
}

}  // namespace torsor
