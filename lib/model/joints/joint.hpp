#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "torsor/lie/trigonometry.hpp"
#include "torsor/model/declared_joint.hpp"
#include "torsor/model/joint_type.hpp"

/// Each header of this folder defines one kind of joint, and types.cpp lists them.
namespace torsor::joints {

using Twist = JointType::Twist;
using Motion = JointCoordinate::Motion;
using enum JointRow;

/// Defaults: the motion seen from the child has the opposite coordinates, the map from twists to rates and the
/// metric are constant.
struct Joint {
  static constexpr bool quaternion = false;
  static void add_rate_of_map(GroupProduct, const double*, const Twist&, double*) {}
  static std::optional<std::string_view> why_metric_varies(GroupProduct, const Vec3&, double) {
    return std::nullopt;
  }
};

template <class Kind>
void negate(GroupProduct, double, const double* q, const double* v, double* q_out, double* v_out) {
  for (std::size_t k = 0; k < Kind::rates.size(); ++k) q_out[k] = -q[k], v_out[k] = -v[k];
}

/// For a joint whose motion seen from the child is again one of its kind with the inverse pose.
template <class Kind>
void invert(JointKind kind, GroupProduct group, double pitch, const double* q, const double* v, double* q_out,
            double* v_out) {
  const SE3<> X = Kind::pose(pitch, q);
  const Twist twist = joint_twist(kind, group, pitch, q, v);
  Kind::coordinates_at(pitch, X.inverse(), q_out);
  Kind::rates_at(group, q_out, -X.Ad(twist), v_out);
}

inline SO3<> rotation_about(int axis, double angle) { return SO3<>::exp(angle * Vec3::Unit(axis)); }

/// Angle in (-pi, pi] of the part of R that turns about z.
inline double angle_about_z(const SO3<>& R) {
  const double angle = std::remainder(2 * arctan2(R.z(), R.w()), 2 * std::numbers::pi);
  return angle <= -std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

}  // namespace torsor::joints
