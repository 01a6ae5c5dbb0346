#include "torsor/model/declared_joint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "torsor/model/detail/local_kinematics.hpp"

namespace torsor {
namespace {

constexpr double turn = 2 * std::numbers::pi;

SO3<> about(int axis, double angle) { return SO3<>::exp(angle * Vec3::Unit(axis)); }

/// Angle in (-pi, pi] of the part of R that turns about z.
double angle_about_z(const SO3<>& R) {
  const double angle = std::remainder(2 * arctan2(R.z(), R.w()), turn);
  return angle <= -std::numbers::pi ? angle + turn : angle;
}

/// The turn count that the displacement along z asks for, on top of the angle seen in the attitude.
double helical_angle(double pitch, const SE3<>& X) {
  const double angle = angle_about_z(X.R);
  return pitch == 0 ? angle : angle + turn * std::round((X.p[2] / pitch - angle) / turn);
}

/// Coordinates and rates of the joint seen from its other side, where the same kind of joint is found again.
/// Its own inverse.
void from_other_side(JointKind kind, GroupProduct group, double pitch, const double* q, const double* v,
                     double* q_out, double* v_out) {
  switch (kind) {
    case JointKind::fixed:
      return;
    case JointKind::universal:  // (Rx(a) Ry(b))^-1, with x and y exchanged by the model's choice of frames
      for (const int k : {0, 1}) q_out[k] = -q[1 - k], v_out[k] = -v[1 - k];
      return;
    case JointKind::planar:
    case JointKind::spherical:
    case JointKind::free: {
      const SE3<> X = joint_pose(kind, pitch, q);
      const Vector<double, 6> twist = joint_twist(kind, group, pitch, q, v);
      joint_coordinates(kind, pitch, X.inverse(), q_out);
      if (kind == JointKind::planar) q_out[2] = -q[2];  // with all its turns
      joint_rates(kind, group, q_out, -X.Ad(twist), v_out);
      return;
    }
    default:
      for (int k = 0; k < freedom_count(kind); ++k) q_out[k] = -q[k], v_out[k] = -v[k];
  }
}

}  // namespace

SE3<> joint_pose(JointKind kind, double pitch, const double* q) {
  const Vec3 origin = Vec3::Zero();
  switch (kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {about(2, q[0]), origin};
    case JointKind::prismatic:
      return {SO3<>(), Vec3(0, 0, q[0])};
    case JointKind::helical:
      return {about(2, q[0]), Vec3(0, 0, pitch * q[0])};
    case JointKind::cylindrical:
      return {about(2, q[1]), Vec3(0, 0, q[0])};
    case JointKind::universal:
      return {about(0, q[0]) * about(1, q[1]), origin};
    case JointKind::planar:
      return {about(2, q[2]), Vec3(q[0], q[1], 0)};
    case JointKind::spherical:
      return {SO3<>::from(q), origin};
    case JointKind::free:
      return SE3<>::from(q);
    case JointKind::translation:
      return {SO3<>(), Vec3(q[0], q[1], q[2])};
  }
  return {};
}

Vector<double, 6> joint_twist(JointKind kind, GroupProduct group, double pitch, const double* q,
                              const double* v) {
  spatial::Mat3<double> R;
  spatial::Vec3<double> p;
  const auto velocity =
      detail::cross_joint(kind, group, pitch, spatial::Mat3<double>::identity(), q, v, R, p).velocity;
  Vector<double, 6> twist;
  velocity.lin.to(twist.data()), velocity.ang.to(twist.data() + 3);
  return twist;
}

void joint_coordinates(JointKind kind, double pitch, const SE3<>& X, double* q) {
  switch (kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
      q[0] = angle_about_z(X.R);
      return;
    case JointKind::prismatic:
      q[0] = X.p[2];
      return;
    case JointKind::helical:
      q[0] = helical_angle(pitch, X);
      return;
    case JointKind::cylindrical:
      q[0] = X.p[2], q[1] = angle_about_z(X.R);
      return;
    case JointKind::universal: {  // first row (cos b, 0, sin b), second column (0, cos a, sin a)
      const Mat3 R = X.R.matrix();
      q[0] = arctan2(R(2, 1), R(1, 1)), q[1] = arctan2(R(0, 2), R(0, 0));
      return;
    }
    case JointKind::planar:
      q[0] = X.p[0], q[1] = X.p[1], q[2] = angle_about_z(X.R);
      return;
    case JointKind::spherical:
      X.R.to(q);
      return;
    case JointKind::free:
      X.to(q);
      return;
    case JointKind::translation:
      std::copy_n(X.p.data(), 3, q);
      return;
  }
}

void joint_rates(JointKind kind, GroupProduct group, const double* q, const Vector<double, 6>& twist,
                 double* v) {
  switch (kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
    case JointKind::helical:
      v[0] = twist[5];
      return;
    case JointKind::prismatic:
      v[0] = twist[2];
      return;
    case JointKind::cylindrical:
      v[0] = twist[2], v[1] = twist[5];
      return;
    case JointKind::universal: {
      const SinCos<double> tilt = sin_cos(q[1]);
      v[0] = tilt.cos * twist[3] + tilt.sin * twist[5], v[1] = twist[4];
      return;
    }
    case JointKind::planar: {
      const Vec3 in_F = about(2, q[2]) * Vec3(twist.head<3>());
      v[0] = in_F[0], v[1] = in_F[1], v[2] = twist[5];
      return;
    }
    case JointKind::spherical:
      std::copy_n(twist.data() + 3, 3, v);
      return;
    case JointKind::translation:
      std::copy_n(twist.data(), 3, v);
      return;
    case JointKind::free: {
      std::copy_n(twist.data(), 6, v);
      if (group == GroupProduct::direct) Eigen::Map<Vec3>{v} = SO3<>::from(q + 3) * Vec3(twist.head<3>());
      return;
    }
  }
}

void declared_from_tree(const Model& model, int link, const double* q, const double* v, double* q_declared,
                        double* v_declared) {
  const JointKind kind = model.kind[link];
  if (model.reversed[link])
    return from_other_side(kind, model.group[link], model.pitch[link], q, v, q_declared, v_declared);
  std::copy_n(q, coordinate_count(kind), q_declared);
  std::copy_n(v, freedom_count(kind), v_declared);
}

void tree_from_declared(const Model& model, int link, const double* q_declared, const double* v_declared,
                        double* q, double* v) {
  declared_from_tree(model, link, q_declared, v_declared, q, v);  // the way there is the way back
}

void tree_force_from_declared(const Model& model, int link, const double* q, const double* tau_declared,
                              double* tau) {
  const int n = freedom_count(model.kind[link]);
  if (!model.reversed[link]) {
    std::copy_n(tau_declared, n, tau);
    return;
  }
  std::array<double, 7> q_declared;
  std::array<double, 6> unit{}, rates{};
  for (int k = 0; k < n; ++k) {
    unit[k] = 1;
    declared_from_tree(model, link, q, unit.data(), q_declared.data(), rates.data());
    unit[k] = 0;
    tau[k] = 0;
    for (int l = 0; l < n; ++l) tau[k] += rates[l] * tau_declared[l];
  }
}

}  // namespace torsor
