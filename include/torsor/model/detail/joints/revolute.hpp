#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// Rotation about z. q: angle.
struct Revolute : Joint {
  static constexpr std::string_view name = "revolute", group = "SO(2)";
  static constexpr std::array coordinates{JointCoordinate{"angle", "rad", Motion::angle}};
  static constexpr std::array rates{JointRate{"angle_rate", "rad/s"}};
  static constexpr std::array rows{along_x, along_y, along_z, tilt_x, tilt_y};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = turned_about_z(at.R_PF, at.q[0]);
    to.motion.velocity.ang.z = at.v[0];
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f(Unit<5>());
  }

  static SE3<> pose(double, const double* q) { return {rotation_about(2, q[0]), torsor::Vec3::Zero()}; }
  static void coordinates_at(double, const SE3<>& X, double* q) { q[0] = angle_about_z(X.R); }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) { v[0] = twist[5]; }
  static constexpr auto seen_from_child = negate<Revolute>;
};

}  // namespace torsor::joints
