#include "torsor/model/motion.hpp"

#include <Eigen/Geometry>

namespace torsor {

BodyMotion body_motion(const Model& model, const Workspace<double>& work, int body) {
  const int i = model.link_of_body[body];
  const Mat3& R = work.R_WB[i];
  BodyMotion motion;
  motion.x = work.p_WB[i], motion.v = work.v_WB[i], motion.vdot = work.vdot_WB[i];
  motion.R = SO3<>::from_matrix(R);
  motion.Omega = R.transpose() * work.w_WB[i];
  motion.Omegadot = R.transpose() * work.wdot_WB[i];  // (R^T)' w = -Omega x Omega = 0
  return motion;
}

PointMotion point_motion(const Model& model, const Workspace<double>& work, const BodyPoint& point) {
  if (point.body == world) return {point.p, Vec3::Zero()};
  const int i = model.link_of_body[point.body];
  const Vec3 arm = work.R_WB[i] * point.p;
  return {work.p_WB[i] + arm, work.v_WB[i] + work.w_WB[i].cross(arm)};
}

}  // namespace torsor
