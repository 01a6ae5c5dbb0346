#include <Eigen/Geometry>
#include <cmath>

#include "model/declared_joint.hpp"

namespace torsor {
namespace {

/// A frame fixed to a body or the ground: its axes and origin, and the motion of both; world axes.
struct MovingFrame {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero(), v = Vec3::Zero(), vdot = Vec3::Zero();
  Vec3 w = Vec3::Zero(), wdot = Vec3::Zero();
};

MovingFrame frame_on(const Model& model, int body, const SE3<>& X, const Workspace<double>& work) {
  MovingFrame frame;
  frame.R = X.R.matrix(), frame.p = X.p;
  if (body == world) return frame;
  const int link = model.link_of_body[body];
  const Mat3& R = work.R_WB[link];
  const Vec3 arm = R * X.p;
  frame.w = work.w_WB[link], frame.wdot = work.wdot_WB[link];
  frame.R = R * X.R.matrix();
  frame.p = work.p_WB[link] + arm;
  frame.v = work.v_WB[link] + frame.w.cross(arm);
  frame.vdot = work.vdot_WB[link] + frame.wdot.cross(arm) + frame.w.cross(frame.w.cross(arm));
  return frame;
}

/// Twist of M in F at the origin of M, axes of M, and its time derivative.
struct RelativeMotion {
  Vector<double, 6> twist, rate;
};

RelativeMotion relative_motion(const MovingFrame& F, const MovingFrame& M) {
  const Vec3 arm = M.p - F.p, arm_rate = M.v - F.v;
  const Vec3 v = arm_rate - F.w.cross(arm), w = M.w - F.w;
  const Vec3 v_rate = M.vdot - F.vdot - F.wdot.cross(arm) - F.w.cross(arm_rate);
  const Mat3 to_M = M.R.transpose();
  RelativeMotion motion;
  motion.twist << to_M * v, to_M * w;
  motion.rate << to_M * (v_rate - M.w.cross(v)), to_M * (M.wdot - F.wdot - M.w.cross(w));
  return motion;
}

}  // namespace

Vec declared_acceleration(const Model& model, int joint, const Vec& q_declared, VecIn a,
                          const Workspace<double>& work) {
  const Joint& j = model.mechanism().joints[joint];
  const int link = model.link_of_joint[joint], n = freedom_count(j.kind);
  if (link >= 0 && has_declared_coordinates(model, link)) return a.segment(model.v_begin[link], n);
  const GroupProduct group = declared_group(model.mechanism(), j);
  const auto [twist, rate] =
      relative_motion(frame_on(model, j.parent, j.X_PF, work), frame_on(model, j.child, j.X_CM, work));
  Vec out(n);
  joint_rates(j.kind, group, q_declared.data(), rate, out.data());
  joint_type(j.kind).add_rate_of_map(group, q_declared.data(), twist, out.data());
  return out;
}

}  // namespace torsor
