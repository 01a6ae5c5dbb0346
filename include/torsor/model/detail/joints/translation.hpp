#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// R^3: displacement of M in axes of F, without rotation. Free particles have this joint. q: x y z.
struct Translation : Joint {
  static constexpr std::string_view name = "translation", group = "R^3";
  static constexpr std::array coordinates{JointCoordinate{"x", "m"}, JointCoordinate{"y", "m"},
                                          JointCoordinate{"z", "m"}};
  static constexpr std::array rates{JointRate{"x_rate", "m/s"}, JointRate{"y_rate", "m/s"},
                                    JointRate{"z_rate", "m/s"}};
  static constexpr std::array rows{turn_x, turn_y, turn_z};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.p += at.from_F(at.q);
    to.motion.velocity.lin = Vec3<Scalar>::from(at.v);
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f(Unit<0>(), Unit<1>(), Unit<2>());
  }

  static SE3<> pose(double, const double* q) { return {SO3<>(), torsor::Vec3(q[0], q[1], q[2])}; }
  static void coordinates_at(double, const SE3<>& X, double* q) { std::copy_n(X.p.data(), 3, q); }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) {
    std::copy_n(twist.data(), 3, v);
  }
  static constexpr auto seen_from_child = negate<Translation>;
};

}  // namespace torsor::joints
