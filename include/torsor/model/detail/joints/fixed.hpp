#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// No motion.
struct Fixed : Joint {
  static constexpr std::string_view name = "fixed", group = "1";
  static constexpr std::array<JointCoordinate, 0> coordinates{};
  static constexpr std::array<JointRate, 0> rates{};
  static constexpr std::array rows{along_x, along_y, along_z, turn_x, turn_y, turn_z};
  template <class Scalar>
  static void move(const JointState<Scalar>&, JointMove<Scalar>&) {}
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>&, F&& f) {
    return f();
  }

  static SE3<> pose(double, const double*) { return {}; }
  static void coordinates_at(double, const SE3<>&, double*) {}
  static void rates_at(GroupProduct, const double*, const Twist&, double*) {}
  static constexpr auto seen_from_child = negate<Fixed>;
};

}  // namespace torsor::joints
