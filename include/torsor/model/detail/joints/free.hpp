#pragma once

#include "torsor/model/detail/joints/joint.hpp"

namespace torsor::joints {

/// R^3 x SO(3) or SE(3), whichever is the group of the child. q: position x y z, quaternion x y z w; v:
/// linear velocity of M in axes of F (direct product) or of M (semidirect product), angular velocity in axes
/// of M.
struct Free : Joint {
  static constexpr std::string_view name = "free", group = "R^3 x SO(3)";
  static constexpr std::array coordinates{JointCoordinate{"x", "m"},  JointCoordinate{"y", "m"},
                                          JointCoordinate{"z", "m"},  JointCoordinate{"qw", "1"},
                                          JointCoordinate{"qx", "1"}, JointCoordinate{"qy", "1"},
                                          JointCoordinate{"qz", "1"}};
  static constexpr std::array rates{JointRate{"v_x", "m/s"},       JointRate{"v_y", "m/s"},
                                    JointRate{"v_z", "m/s"},       JointRate{"Omega_x", "rad/s"},
                                    JointRate{"Omega_y", "rad/s"}, JointRate{"Omega_z", "rad/s"}};
  static constexpr std::array<JointRow, 0> rows{};
  static constexpr bool quaternion = true;
  template <class Scalar>
  static void move(const JointState<Scalar>& at, JointMove<Scalar>& to) {
    to.R = at.aligned ? rotation(at.q + 3) : at.R_PF * rotation(at.q + 3);
    to.p += at.from_F(at.q);
    auto& [velocity, drift] = to.motion;
    velocity.ang = Vec3<Scalar>::from(at.v + 3);
    if (at.product == GroupProduct::direct) {
      velocity.lin = transpose_times(to.R, at.from_F(at.v));
    } else {
      velocity.lin = Vec3<Scalar>::from(at.v);
      drift.lin = cross(velocity.ang, velocity.lin);
    }
  }
  template <class Scalar, class F>
  static decltype(auto) axes(const JointFrame<Scalar>& at, F&& f) {
    if (at.product == GroupProduct::semidirect)
      return f(Unit<0>(), Unit<1>(), Unit<2>(), Unit<3>(), Unit<4>(), Unit<5>());
    return f(at.translation_along(at.R_PF.col_x()), at.translation_along(at.R_PF.col_y()),
             at.translation_along(at.R_PF.col_z()), Unit<3>(), Unit<4>(), Unit<5>());
  }

  static SE3<> pose(double, const double* q) { return SE3<>::from(q); }
  static void coordinates_at(double, const SE3<>& X, double* q) { X.to(q); }
  static void rates_at(GroupProduct product, const double* q, const Twist& twist, double* v) {
    std::copy_n(twist.data(), 6, v);
    if (product == GroupProduct::direct)
      Eigen::Map<torsor::Vec3>{v} = SO3<>::from(q + 3) * torsor::Vec3(twist.head<3>());
  }
  static void add_rate_of_map(GroupProduct product, const double* q, const Twist& twist, double* a) {
    if (product != GroupProduct::direct) return;
    const torsor::Vec3 v = twist.head<3>(), w = twist.tail<3>();
    Eigen::Map<torsor::Vec3>{a} += SO3<>::from(q + 3) * torsor::cross(w, v);
  }
  static void seen_from_child(GroupProduct product, double pitch, const double* q, const double* v,
                              double* q_out, double* v_out) {
    invert<Free>(product, pitch, q, v, q_out, v_out);
  }
  static std::optional<std::string_view> why_metric_varies(GroupProduct product, const torsor::Vec3& c,
                                                           double rounding) {
    if (product != GroupProduct::direct || c.norm() <= rounding) return std::nullopt;
    return " is free in the direct product, and its joint point is not its mass centre: use the semidirect "
           "product";
  }
};

}  // namespace torsor::joints
