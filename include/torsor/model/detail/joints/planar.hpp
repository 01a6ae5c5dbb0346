#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// Translation (x, y) in the plane of F, then rotation about z. q: x, y, angle.
struct Planar : Joint {
  static constexpr std::string_view name = "planar", group = "R^2 x SO(2)";
  static constexpr std::array coordinates{JointCoordinate{"x", "m", Motion::along_x},
                                          JointCoordinate{"y", "m", Motion::along_y},
                                          JointCoordinate{"angle", "rad", Motion::angle}};
  static constexpr std::array rates{JointRate{"x_rate", "m/s"}, JointRate{"y_rate", "m/s"},
                                    JointRate{"angle_rate", "rad/s"}};
  static constexpr std::array rows{along_z, tilt_x, tilt_y};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = turned_about_z(at.R_PF, at.q[2]);
    to.p += at.q[0] * at.R_PF.col_x() + at.q[1] * at.R_PF.col_y();
    to.motion.velocity.lin = transpose_times(to.R, at.v[0] * at.R_PF.col_x() + at.v[1] * at.R_PF.col_y());
    to.motion.velocity.ang.z = at.v[2];
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>& at, F&& f) {
    return f(at.translation_along(at.R_PF.col_x()), at.translation_along(at.R_PF.col_y()), Unit<5>());
  }

  static SE3<> pose(double, const double* q) {
    return {rotation_about(2, q[2]), torsor::Vec3(q[0], q[1], 0)};
  }
  static void coordinates_at(double, const SE3<>& X, double* q) {
    q[0] = X.p[0], q[1] = X.p[1], q[2] = angle_about_z(X.R);
  }
  static void rates_at(GroupProduct, const double* q, const Twist& twist, double* v) {
    const torsor::Vec3 in_F = rotation_about(2, q[2]) * torsor::Vec3(twist.head<3>());
    v[0] = in_F[0], v[1] = in_F[1], v[2] = twist[5];
  }
  static void add_rate_of_map(GroupProduct, const double* q, const Twist& twist, double* a) {
    const torsor::Vec3 in_F = rotation_about(2, q[2]) * torsor::Vec3(twist.head<3>());
    a[0] -= twist[5] * in_F[1], a[1] += twist[5] * in_F[0];
  }
  static void seen_from_child(GroupProduct product, double pitch, const double* q, const double* v,
                              double* q_out, double* v_out) {
    invert<Planar>(product, pitch, q, v, q_out, v_out);
    q_out[2] = -q[2];  // with all its turns
  }
  static std::optional<std::string_view> why_metric_varies(GroupProduct, const torsor::Vec3& c,
                                                           double rounding) {
    if (c.head<2>().norm() <= rounding) return std::nullopt;
    return " has a planar joint whose axis misses its mass centre";
  }
};

}  // namespace torsor::joints
