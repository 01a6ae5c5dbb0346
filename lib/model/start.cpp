#include "torsor/model/start.hpp"

#include <utility>

#include "start_passes.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

std::string one_a_line(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "\n") + reason;
  return text;
}

}  // namespace

StartError::StartError(std::vector<std::string> reasons_)
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

State make_start(const Model& model, const Start& start, double tolerance) {
  std::vector<std::string> reasons = why_start_unusable(model.mechanism(), start);
  if (!reasons.empty()) throw StartError(std::move(reasons));

  State x{identity_configuration(model), Vec::Zero(model.nv()), {}};
  Contradictions contradictions(model, tolerance);
  const std::vector<SE3<>> X_WM = place_links(model, start, contradictions, x.q);
  contradictions.throw_if_any();
  move_links(model, start, X_WM, x.q, contradictions, x.v);
  contradictions.throw_if_any();
  return x;
}

}  // namespace torsor
