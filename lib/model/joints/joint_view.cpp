#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "model/declared_joint.hpp"

namespace torsor {
namespace {

struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();  ///< p, v: of the origin; w: angular
};

/// Pose and velocity of a frame fixed to a body or the ground, world axes.
Pose pose_on(const Model& model, int body, const SE3<>& X, const Workspace<double>& work) {
  if (body == world) return {X.R.matrix(), X.p, Vec3::Zero(), Vec3::Zero()};
  const int link = model.link_of_body[body];
  const Vec3 arm = work.R_WB[link] * X.p, w = work.w_WB[link];
  return {work.R_WB[link] * X.R.matrix(), work.p_WB[link] + arm, work.v_WB[link] + w.cross(arm), w};
}

}  // namespace

bool counts_turns(const Joint& joint, int coordinate) {
  using Motion = JointCoordinate::Motion;
  const auto coordinates = joint_type(joint.kind).coordinates;
  if (coordinate >= static_cast<int>(coordinates.size())) return false;
  const Motion motion = coordinates[coordinate].motion;
  return motion == Motion::angle || motion == Motion::cross_angle ||
         (motion == Motion::helix_angle && joint.pitch == 0);
}

std::vector<int> counted_coordinates(const Joint& joint) {
  std::vector<int> all;
  for (int k = 0; k < static_cast<int>(joint_type(joint.kind).coordinates.size()); ++k)
    if (counts_turns(joint, k)) all.push_back(k);
  return all;
}

DeclaredMotion declared_motion(const Model& model, int joint, VecIn q, VecIn v,
                               const Workspace<double>& work) {
  DeclaredMotion motion;
  if (const int link = model.link_of_joint[joint]; link >= 0) {
    declared_from_tree(model, link, q.data() + model.q_begin[link], v.data() + model.v_begin[link],
                       motion.q.data(), motion.v.data());
    return motion;
  }
  const Joint& j = model.mechanism().joints[joint];
  const Pose F = pose_on(model, j.parent, j.X_PF, work), M = pose_on(model, j.child, j.X_CM, work);
  const Vec3 arm = M.p - F.p;
  const SE3<> X_FM(SO3<>::from_matrix(F.R.transpose() * M.R), F.R.transpose() * arm);
  joint_coordinates(j.kind, j.pitch, X_FM, motion.q.data());
  constexpr double turn = 2 * std::numbers::pi;
  std::size_t counted = 0;
  for (int k = 0; k < static_cast<int>(joint_type(j.kind).coordinates.size()); ++k) {
    if (!counts_turns(j, k)) continue;
    double& angle = motion.q[k];
    angle += turn * std::round((work.last_angle[joint][counted++] - angle) / turn);
  }
  Vector<double, 6> twist;
  twist << M.R.transpose() * (M.v - F.v - F.w.cross(arm)), M.R.transpose() * (M.w - F.w);
  joint_rates(j.kind, declared_group(model.mechanism(), j), motion.q.data(), twist, motion.v.data());
  return motion;
}

JointPlace joint_place(const Model& model, int joint, const Workspace<double>& work) {
  const Joint& j = model.mechanism().joints[joint];
  const Pose M = pose_on(model, j.child, j.X_CM, work);
  return {M.p, M.R};
}

Vector<double, 6> joint_force_wrench(const Model& model, int joint, const double* q, const double* tau,
                                     const JointPlace& place) {
  const Joint& j = model.mechanism().joints[joint];
  const GroupProduct group = declared_group(model.mechanism(), j);
  const int n = freedom_count(j.kind);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> S(6, n);
  for (int k = 0; k < n; ++k) {
    std::array<double, 6> unit{};
    unit[k] = 1;
    S.col(k) = joint_twist(j.kind, group, j.pitch, q, unit.data());
  }
  // S^T S is positive definite. Its type has room for 6 rows, so an evaluation of the forces does not
  // allocate memory.
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> square = S.transpose() * S;
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> f =
      square.llt().solve(Eigen::Map<const Vec>(tau, n));
  Vector<double, 6> wrench = S * f;
  wrench.head<3>() = (place.R_WM * wrench.head<3>()).eval();
  wrench.tail<3>() = (place.R_WM * wrench.tail<3>()).eval();
  return wrench;
}

}  // namespace torsor
