#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "torsor/lie/detail/trigonometry.hpp"
#include "torsor/model/detail/joint_type.hpp"
#include "torsor/model/detail/spatial.hpp"

/// Each header of this folder defines one kind of joint as a type of static functions; joint_kind.hpp lists
/// them.
namespace torsor::joints {

using Twist = JointType::Twist;
using Motion = JointCoordinate::Motion;
using enum JointRow;
using spatial::Mat3;
using spatial::Vec3;
using spatial::Vec6;

/// Rotation of the unit quaternion x y z w at q.
template <class Scalar>
Mat3<Scalar> rotation(const Scalar* q) {
  const Scalar x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
  const Scalar xx = q[0] * x2, xy = q[0] * y2, xz = q[0] * z2, yy = q[1] * y2, yz = q[1] * z2, zz = q[2] * z2;
  const Scalar wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
  return {Scalar(1) - (yy + zz),
          xy - wz,
          xz + wy,  //
          xy + wz,
          Scalar(1) - (xx + zz),
          yz - wx,  //
          xz - wy,
          yz + wx,
          Scalar(1) - (xx + yy)};
}

/// R Rz(angle).
template <class Scalar>
Mat3<Scalar> turned_about_z(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {c * R.xx + s * R.xy, c * R.xy - s * R.xx, R.xz,  //
          c * R.yx + s * R.yy, c * R.yy - s * R.yx, R.yz,  //
          c * R.zx + s * R.zy, c * R.zy - s * R.zx, R.zz};
}

/// R Rx(angle) and R Ry(angle), for universal joints.
template <class Scalar>
Mat3<Scalar> turned_about_x(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {R.xx, c * R.xy + s * R.xz, c * R.xz - s * R.xy,  //
          R.yx, c * R.yy + s * R.yz, c * R.yz - s * R.yy,  //
          R.zx, c * R.zy + s * R.zz, c * R.zz - s * R.zy};
}
template <class Scalar>
Mat3<Scalar> turned_about_y(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {c * R.xx - s * R.xz, R.xy, c * R.xz + s * R.xx,  //
          c * R.yx - s * R.yz, R.yy, c * R.yz + s * R.yx,  //
          c * R.zx - s * R.zz, R.zy, c * R.zz + s * R.zx};
}

/// Velocity of M relative to F, and the part of its acceleration that does not come from joint accelerations
/// when the parent stands still; both in axes of M.
template <class Scalar>
struct RelativeMotion {
  Vec6<Scalar> velocity, drift;
};

/// A column of a joint's motion subspace that is a unit vector of M: 0-2 translate along x y z, 3-5 turn
/// about them. A general column is a Vec6.
template <int k>
using Unit = std::integral_constant<int, k>;

template <int k, class Scalar>
Scalar component(const Vec6<Scalar>& a, Unit<k>) {
  const Vec3<Scalar>& part = k < 3 ? a.lin : a.ang;
  return k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z;
}
template <class Scalar>
Scalar component(const Vec6<Scalar>& a, const Vec6<Scalar>& s) {
  return dot(a.lin, s.lin) + dot(a.ang, s.ang);
}

/// a += s x.
template <int k, class Scalar>
void add_along(Unit<k>, const Scalar& x, Vec6<Scalar>& a) {
  Vec3<Scalar>& part = k < 3 ? a.lin : a.ang;
  (k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z) += x;
}
template <class Scalar>
void add_along(const Vec6<Scalar>& s, const Scalar& x, Vec6<Scalar>& a) {
  a.lin += x * s.lin, a.ang += x * s.ang;
}

template <class Scalar, int k>
Vec6<Scalar> column(Unit<k> s) {
  Vec6<Scalar> out;
  add_along(s, Scalar(1), out);
  return out;
}
template <class Scalar>
Vec6<Scalar> column(const Vec6<Scalar>& s) {
  return s;
}

/// The arguments of `move`: the rates v at the coordinates q.
template <class Scalar>
struct JointState {
  GroupProduct product;
  double pitch;
  const Mat3<Scalar>& R_PF;  ///< axes of F in the parent
  bool aligned;              ///< R_PF is the identity
  const Scalar *q, *v;

  /// The vector in axes of the parent whose components along x y z of F are a.
  Vec3<Scalar> from_F(const Scalar* a) const {
    return aligned ? Vec3<Scalar>::from(a) : R_PF * Vec3<Scalar>::from(a);
  }
};

/// The frame M in the parent, and its relative motion.
template <class Scalar>
struct JointMove {
  Mat3<Scalar>& R;  ///< R_PM; on entry R_PF
  Vec3<Scalar>& p;  ///< p_PM; on entry p_PF
  RelativeMotion<Scalar> motion = {};
};

/// The arguments of `axes`.
template <class Scalar>
struct JointFrame {
  GroupProduct product;
  double pitch;
  const Mat3<double>& R_PF;
  const Mat3<Scalar>& R_PM;

  /// Axis x, y or z of F in axes of M, as a rotation and as a translation.
  Vec6<Scalar> rotation_about(const Vec3<double>& axis_P) const { return {{}, in_M(axis_P)}; }
  Vec6<Scalar> translation_along(const Vec3<double>& axis_P) const { return {in_M(axis_P), {}}; }
  Vec3<Scalar> in_M(const Vec3<double>& axis_P) const { return transpose_times(R_PM, Vec3<Scalar>(axis_P)); }
};

/// The defaults of a kind. Besides the data and the functions of JointType, a kind defines two templates over
/// the scalar, which the recursions call:
///   move(JointState at, JointMove& to)  moves the frame (R, p) from F to M, and sets the relative motion;
///   axes(JointFrame at, f)              calls f(s_0, s_1, ...) with the columns of the motion subspace in
///                                       the frame M, each a Unit<k> or a Vec6; rate k moves M along s_k. The
///                                       columns are orthogonal.
/// If the motion seen from the child is again one of this kind, the kind also defines `seen_from_child`.
/// Defaults: the map from twists to rates and the metric are constant.
struct Joint {
  static constexpr bool quaternion = false;
  static void add_rate_of_map(GroupProduct, const double*, const Twist&, double*) {}
  static std::optional<std::string_view> why_metric_varies(GroupProduct, const torsor::Vec3&, double) {
    return std::nullopt;
  }
};

/// Twist of M in F for the rates v.
template <class Kind>
Twist twist_of(GroupProduct product, double pitch, const double* q, const double* v) {
  auto R = Mat3<double>::identity();
  Vec3<double> p;
  JointMove<double> out{R, p};
  const auto unit = Mat3<double>::identity();
  Kind::move(JointState<double>{product, pitch, unit, true, q, v}, out);
  Twist twist;
  out.motion.velocity.lin.to(twist.data()), out.motion.velocity.ang.to(twist.data() + 3);
  return twist;
}

template <class Kind>
void negate(GroupProduct, double, const double* q, const double* v, double* q_out, double* v_out) {
  for (std::size_t k = 0; k < Kind::rates.size(); ++k) q_out[k] = -q[k], v_out[k] = -v[k];
}

/// For a joint whose motion seen from the child is again one of its kind with the inverse pose.
template <class Kind>
void invert(GroupProduct group, double pitch, const double* q, const double* v, double* q_out,
            double* v_out) {
  const SE3<> X = Kind::pose(pitch, q);
  const Twist twist = twist_of<Kind>(group, pitch, q, v);
  Kind::coordinates_at(pitch, X.inverse(), q_out);
  Kind::rates_at(group, q_out, -X.Ad(twist), v_out);
}

inline SO3<> rotation_about(int axis, double angle) { return SO3<>::exp(angle * torsor::Vec3::Unit(axis)); }

/// Angle in (-pi, pi] of the part of R that turns about z.
inline double angle_about_z(const SO3<>& R) {
  const double angle = std::remainder(2 * arctan2(R.z(), R.w()), 2 * std::numbers::pi);
  return angle <= -std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

}  // namespace torsor::joints
