#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// Translation along z. q: displacement.
struct Prismatic : Joint {
  static constexpr std::string_view name = "prismatic", group = "R";
  static constexpr std::array coordinates{JointCoordinate{"displacement", "m", Motion::along_z}};
  static constexpr std::array rates{JointRate{"displacement_rate", "m/s"}};
  static constexpr std::array rows{along_x, along_y, turn_x, turn_y, turn_z};
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.p += at.q[0] * at.R_PF.col_z();
    to.motion.velocity.lin.z = at.v[0];
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f(Unit<2>());
  }

  static SE3<> pose(double, const double* q) { return {SO3<>(), torsor::Vec3(0, 0, q[0])}; }
  static void coordinates_at(double, const SE3<>& X, double* q) { q[0] = X.p[2]; }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) { v[0] = twist[2]; }
  static constexpr auto seen_from_child = negate<Prismatic>;
};

}  // namespace torsor::joints
