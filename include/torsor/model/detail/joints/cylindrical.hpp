#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// Translation along z, then rotation about z. q: displacement, angle.
struct Cylindrical : Joint {
  static constexpr std::string_view name = "cylindrical", group = "R x SO(2)";
  static constexpr std::array coordinates{JointCoordinate{"displacement", "m", Motion::along_z},
                                          JointCoordinate{"angle", "rad", Motion::angle}};
  static constexpr std::array rates{JointRate{"displacement_rate", "m/s"}, JointRate{"angle_rate", "rad/s"}};
  static constexpr std::array rows{along_x, along_y, tilt_x, tilt_y};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = turned_about_z(at.R_PF, at.q[1]);
    to.p += at.q[0] * at.R_PF.col_z();
    to.motion.velocity = {{Scalar(0), Scalar(0), at.v[0]}, {Scalar(0), Scalar(0), at.v[1]}};
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f(Unit<2>(), Unit<5>());
  }

  static SE3<> pose(double, const double* q) { return {rotation_about(2, q[1]), torsor::Vec3(0, 0, q[0])}; }
  static void coordinates_at(double, const SE3<>& X, double* q) { q[0] = X.p[2], q[1] = angle_about_z(X.R); }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) {
    v[0] = twist[2], v[1] = twist[5];
  }
  static constexpr auto seen_from_child = negate<Cylindrical>;
};

}  // namespace torsor::joints
