#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// Rotation about z and translation pitch * angle along z. q: angle.
struct Helical : Joint {
  static constexpr std::string_view name = "helical", group = "R";
  static constexpr std::array coordinates{JointCoordinate{"angle", "rad", Motion::helix_angle}};
  static constexpr std::array rates{JointRate{"angle_rate", "rad/s"}};
  static constexpr std::array rows{along_x, along_y, tilt_x, tilt_y, rise};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = turned_about_z(at.R_PF, at.q[0]);
    to.p += Scalar(at.pitch) * at.q[0] * at.R_PF.col_z();
    to.motion.velocity = {{Scalar(0), Scalar(0), Scalar(at.pitch) * at.v[0]},
                          {Scalar(0), Scalar(0), at.v[0]}};
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>& at, F&& f) {
    return f(Vec6<Scalar>{{Scalar(0), Scalar(0), Scalar(at.pitch)}, {Scalar(0), Scalar(0), Scalar(1)}});
  }

  static SE3<> pose(double pitch, const double* q) {
    return {rotation_about(2, q[0]), torsor::Vec3(0, 0, pitch * q[0])};
  }
  /// The angle of the attitude plus the full turns that the displacement along z implies.
  static void coordinates_at(double pitch, const SE3<>& X, double* q) {
    constexpr double turn = 2 * std::numbers::pi;
    const double angle = angle_about_z(X.R);
    q[0] = pitch == 0 ? angle : angle + turn * std::round((X.p[2] / pitch - angle) / turn);
  }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) { v[0] = twist[5]; }
  static constexpr auto seen_from_child = negate<Helical>;
};

}  // namespace torsor::joints
