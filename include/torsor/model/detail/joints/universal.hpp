#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// R = Rx(q0) Ry(q1): the cross has the axes x of F and y of M. q: two angles.
struct Universal : Joint {
  static constexpr std::string_view name = "universal", group = "SO(2) x SO(2)";
  static constexpr std::array coordinates{JointCoordinate{"angle_x", "rad", Motion::cross_angle},
                                          JointCoordinate{"angle_y", "rad", Motion::cross_angle}};
  static constexpr std::array rates{JointRate{"angle_x_rate", "rad/s"}, JointRate{"angle_y_rate", "rad/s"}};
  static constexpr std::array rows{along_x, along_y, along_z, crossed};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = turned_about_y(turned_about_x(at.R_PF, at.q[0]), at.q[1]);
    const Vec3<Scalar> first = transpose_times(to.R, at.R_PF.col_x());  // (cos q1, 0, sin q1)
    const Scalar* const v = at.v;
    to.motion.velocity.ang = {v[0] * first.x, v[0] * first.y + v[1], v[0] * first.z};
    to.motion.drift.ang = v[0] * v[1] * Vec3<Scalar>(-first.z, Scalar(0), first.x);
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>& at, F&& f) {
    return f(at.rotation_about(at.R_PF.col_x()), Unit<4>());
  }

  static SE3<> pose(double, const double* q) {
    return {rotation_about(0, q[0]) * rotation_about(1, q[1]), torsor::Vec3::Zero()};
  }
  /// R has the first row (cos q1, 0, sin q1) and the second column (0, cos q0, sin q0).
  static void coordinates_at(double, const SE3<>& X, double* q) {
    const torsor::Mat3 R = X.R.matrix();
    q[0] = arctan2(R(2, 1), R(1, 1)), q[1] = arctan2(R(0, 2), R(0, 0));
  }
  static void rates_at(GroupProduct, const double* q, const Twist& twist, double* v) {
    const auto [sin, cos] = sin_cos(q[1]);
    v[0] = cos * twist[3] + sin * twist[5], v[1] = twist[4];
  }
  static void add_rate_of_map(GroupProduct, const double* q, const Twist& twist, double* a) {
    const auto [sin, cos] = sin_cos(q[1]);
    a[0] += twist[4] * (cos * twist[5] - sin * twist[3]);
  }
  static std::optional<std::string_view> why_metric_varies(GroupProduct, const torsor::Vec3&, double) {
    return " has a universal joint, whose inertia depends on its angles";
  }
};

}  // namespace torsor::joints
