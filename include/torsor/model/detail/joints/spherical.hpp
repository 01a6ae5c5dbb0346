#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// SO(3). q: quaternion x y z w; v: angular velocity of M in F, in axes of M.
struct Spherical : Joint {
  static constexpr std::string_view name = "spherical", group = "SO(3)";
  static constexpr std::array coordinates{JointCoordinate{"qw", "1"}, JointCoordinate{"qx", "1"},
                                          JointCoordinate{"qy", "1"}, JointCoordinate{"qz", "1"}};
  static constexpr std::array rates{JointRate{"Omega_x", "rad/s"}, JointRate{"Omega_y", "rad/s"},
                                    JointRate{"Omega_z", "rad/s"}};
  static constexpr std::array rows{along_x, along_y, along_z};
  static constexpr bool quaternion = true;
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = at.R_PF * rotation(at.q);
    to.motion.velocity.ang = Vec3<Scalar>::from(at.v);
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f(Unit<3>(), Unit<4>(), Unit<5>());
  }

  static SE3<> pose(double, const double* q) { return {SO3<>::from(q), torsor::Vec3::Zero()}; }
  static void coordinates_at(double, const SE3<>& X, double* q) { X.R.to(q); }
  static void rates_at(GroupProduct, const double*, const Twist& twist, double* v) {
    std::copy_n(twist.data() + 3, 3, v);
  }
  static void seen_from_child(GroupProduct product, double pitch, const double* q, const double* v,
                              double* q_out, double* v_out) {
    invert<Spherical>(product, pitch, q, v, q_out, v_out);
  }
};

}  // namespace torsor::joints
