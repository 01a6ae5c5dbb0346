#include "reaction.hpp"

#include <Eigen/Geometry>

#include "declared_joint.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {

Wrench joint_reaction(const Model& model, const Workspace<double>& work, int joint) {
  const int link = model.link_of_joint[joint];
  const Mat3 R_WM = work.R_WM[link].eigen();
  const Vec3 force = R_WM * work.joint_wrench[link].lin.eigen();
  const Vec3 torque = R_WM * work.joint_wrench[link].ang.eigen();
  if (!model.reversed[link]) return {force, torque};

  // The tree's parent is the declared child. The reaction on it is the opposite wrench, at the origin of the
  // joint frame that is fixed in it: F of the tree.
  const int parent = model.parent[link];
  const Vec3 p_F = model.X_PF[link].p;
  const Vec3 p_WF = parent == world ? p_F : Vec3(work.p_WM[parent].eigen() + work.R_WM[parent].eigen() * p_F);
  const Vec3 arm = work.p_WM[link].eigen() - p_WF;
  return {-force, -(torque + arm.cross(force))};
}

Wrench joint_reaction(const Model& model, const Workspace<double>& work, int joint, int link,
                      const Wrench& on_link) {
  const Vec3 arm = joint_place(model, joint, work).p_WM - work.p_WB[link];
  Wrench at_M{on_link.force, on_link.torque - arm.cross(on_link.force)};
  const int child = model.mechanism().joints[joint].child;
  if (child != world && model.link_of_body[child] == link) return at_M;
  return {-at_M.force, -at_M.torque};
}

std::vector<JointMotion> joint_motions(const Model& model, VecIn q, VecIn v, const Workspace<double>& work) {
  std::vector<JointMotion> motions(model.mechanism().joints.size());
  for (std::size_t j = 0; j < motions.size(); ++j) {
    const JointKind kind = model.mechanism().joints[j].kind;
    const DeclaredMotion declared = declared_motion(model, static_cast<int>(j), q, v, work);
    JointMotion& motion = motions[j];
    motion.q = Eigen::Map<const Vec>(declared.q.data(), coordinate_count(kind));
    motion.v = Eigen::Map<const Vec>(declared.v.data(), freedom_count(kind));
    if (model.link_of_joint[j] < 0) continue;
    const Wrench reaction = joint_reaction(model, work, static_cast<int>(j));
    motion.force = reaction.force, motion.torque = reaction.torque;
  }
  return motions;
}

}  // namespace torsor
