#include "torsor/model/model.hpp"

#include <utility>

#include "mechanism_check.hpp"
#include "model/constraints/constraint_kind.hpp"
#include "model/declared_joint.hpp"
#include "model/detail/articulated.hpp"
#include "model/forces/feedback.hpp"
#include "spanning_tree.hpp"
#include "torsor/model/constraints.hpp"
#include "torsor/model/forces.hpp"
#include "words.hpp"

namespace torsor {
namespace {

void check(const Mechanism& mechanism, const std::vector<int>& cut) {
  Reasons reasons;
  check_bodies(mechanism, reasons);
  check_joints(mechanism, reasons);
  for (const int j : cut)
    if (j < 0 || j >= static_cast<int>(mechanism.joints.size()))
      reasons.push_back({{}, {}, "there is no joint " + std::to_string(j) + " to cut"});
  for (Reason& reason : why_forces_invalid(mechanism)) reasons.push_back(std::move(reason));
  for (Reason& reason : why_feedback_invalid(mechanism)) reasons.push_back(std::move(reason));
  for (Reason& reason : why_constraints_invalid(mechanism)) reasons.push_back(std::move(reason));
  if (!reasons.empty()) throw ModelError(std::move(reasons));
}

/// Inertia of a body about the origin of M, in axes of M.
spatial::RigidInertia<double> inertia_in(const SE3<>& X_MB, const Body& body) {
  const Vec3 c = X_MB.p;
  const Mat3 R = X_MB.R.matrix();
  Mat3 J = body.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  if (!body.particle) J += R * body.inertia * R.transpose();
  return {body.mass, spatial::Vec3<double>(Vec3(body.mass * c)), spatial::Sym3<double>(J)};
}

/// How many numbers of the articulated recursion a joint stores for the forward pass
/// (detail/forward_dynamics.hpp).
int factor_count(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::spherical:
    case JointKind::translation:
      return 12;
    case JointKind::free:
      return 6;
    default:
      return detail::axis_factor_size * freedom_count(kind);
  }
}

}  // namespace

ModelError::ModelError(Reasons reasons_)
    : std::invalid_argument(one_a_line(reasons_)), reasons(std::move(reasons_)) {}

Model::Model(Mechanism mechanism, Formulation formulation, std::vector<int> cut)
    : mechanism_(std::move(mechanism)), formulation_(formulation), cut_(std::move(cut)) {
  check(mechanism_, cut_);
  const auto is_particle = [&](int end) { return end != world && mechanism_.bodies[end].particle; };
  for (Joint& j : mechanism_.joints) {
    j.X_PF = j.X_PF.normalized(), j.X_CM = j.X_CM.normalized();
    // A particle has no attitude: its joint frame is parallel to the other one, as translation requires.
    if (is_particle(j.child)) j.X_CM.R = j.X_PF.R;
    if (is_particle(j.parent)) j.X_PF.R = j.X_CM.R;
  }
  link_of_body.resize(mechanism_.bodies.size());
  link_of_joint.assign(mechanism_.joints.size(), -1);
  span_link_of_joint = link_of_joint;
  for (const TreeStep& step : spanning_tree(mechanism_, forest_joints(mechanism_, cut_))) {
    const bool in_tree = formulation == Formulation::tree;
    append_link(in_tree ? step.parent_body : world, step.body, in_tree ? step.joint : -1);
    span_parent.push_back(step.parent_body == world ? world : link_of_body[step.parent_body]);
    span_joint.push_back(step.joint);
    if (step.joint >= 0) span_link_of_joint[step.joint] = link_of_body[step.body];
  }
  constrained_ = !mechanism_.constraints.empty();
  for (std::size_t j = 0; j < link_of_joint.size(); ++j)
    constrained_ |= link_of_joint[j] < 0 && constraint::row_count(mechanism_.joints[j], mechanism_) > 0;
}

void Model::append_link(int parent_body, int body_index, int joint_index) {
  const Body& child = mechanism_.bodies[body_index];
  Joint implied;
  implied.kind = child.particle ? JointKind::translation : JointKind::free;
  implied.child = body_index;
  const Joint& j = joint_index < 0 ? implied : mechanism_.joints[joint_index];
  const bool is_reversed = j.child != body_index;
  const SE3<>& X_DF = is_reversed ? j.X_CM : j.X_PF;  // D: body frame on the side of the tree's root
  const SE3<>& X_BM = is_reversed ? j.X_PF : j.X_CM;

  const int link = size(), parent_link = parent_body == world ? world : link_of_body[parent_body];
  link_of_body[body_index] = link;
  if (joint_index >= 0) link_of_joint[joint_index] = link;
  parent.push_back(parent_link);
  kind.push_back(j.kind);
  group.push_back(declared_group(mechanism_, j));
  q_begin.push_back(nq_);
  v_begin.push_back(nv_);
  body.push_back(body_index);
  joint.push_back(joint_index);
  reversed.push_back(is_reversed);
  moves_inversely.push_back(is_reversed && !joint_type(j.kind).seen_from_child);
  pitch.push_back(j.pitch);
  X_PF.push_back(parent_link == world ? X_DF : X_MB[parent_link] * X_DF);
  X_MB.push_back(X_BM.inverse());
  R_MB.emplace_back(X_MB.back().R.matrix());
  centred.push_back(X_MB.back().R.matrix() == Mat3::Identity() && X_MB.back().p == Vec3::Zero());
  const Mat3 R = X_PF.back().R.matrix();
  p_PF.emplace_back(X_PF.back().p);
  R_PF.emplace_back(R);
  aligned.push_back(R == Mat3::Identity());
  inertia.push_back(inertia_in(X_MB.back(), child));
  has_side_branch.push_back(false);
  if (parent_link != world && parent_link != link - 1) has_side_branch[parent_link] = true;
  factor_begin.push_back(factor_size);
  nq_ += coordinate_count(j.kind);
  nv_ += freedom_count(j.kind);
  factor_size += factor_count(j.kind);
}

}  // namespace torsor
