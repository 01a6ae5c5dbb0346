#pragma once

#include <array>
#include <cmath>

#include "torsor/integrators/field.hpp"
#include "torsor/lie/so3.hpp"

/// The fast heavy top of O. Bruls and A. Cardona, J. Comput. Nonlinear Dynam. 5 (2010) 031002: 15 kg,
/// principal inertia about the mass centre (0.234375, 0.46875, 0.234375) kg m^2, held at a point 1 m from the
/// mass centre along the body axis y; gravity along -z. At the start the body axes are the world axes, and
/// the angular velocity is top_spin(). Codes are compared by the mass centre at 1 s.
namespace bench {

using torsor::SO3;
using torsor::Vec3;

/// Principal inertia about the fixed point, kg m^2.
inline constexpr std::array<double, 3> top_inertia{15.234375, 0.46875, 15.234375};
inline constexpr double top_weight = 15 * 9.81;  ///< N
inline constexpr double top_end = 1;             ///< s
/// Initial angular velocity in body axes, rad/s. It is a function because the initialiser of a global vector
/// would run before main. A file that is compiled for one instruction set must not run code before main.
inline Vec3 top_spin() { return {0, 150, -4.61538}; }
/// Mass centre at 1 s, m, exact to 1e-14 (extrapolation of order 24 in 113-bit arithmetic).
inline Vec3 top_centre() { return {0.17334396409838604, 0.6400885920705688, -0.7484907911335813}; }

/// Angular acceleration from the angular velocity w and the weight f, both in body axes:
///   J w' = (J w) x w + e_y x f.
inline Vec3 top_acceleration(const Vec3& w, double f_x, double f_z) {
  const auto& J = top_inertia;
  return Vec3(((J[1] - J[2]) * w[1] * w[2] + f_z) / J[0], (J[2] - J[0]) * w[2] * w[0] / J[1],
              ((J[0] - J[1]) * w[0] * w[1] - f_x) / J[2]);
}

/// The acceleration as a function of attitude and angular velocity, for a field on SO(3).
struct TopAcceleration {
  Vec3 operator()(double, const SO3<>& R, const Vec3& w) const {
    const double f_x = -2 * top_weight * (R.x() * R.z() - R.w() * R.y());
    const double f_z = -top_weight * (1 - 2 * (R.x() * R.x() + R.y() * R.y()));
    return top_acceleration(w, f_x, f_z);
  }
};

/// State of the equations written by hand for Odeint: quaternion (w x y z) and angular velocity.
using HandState = std::array<double, 7>;

inline HandState hand_start() { return {1, 0, 0, 0, top_spin()[0], top_spin()[1], top_spin()[2]}; }

inline void hand_rate(const HandState& y, HandState& rate, double) {
  const double w = y[0], a = y[1], b = y[2], c = y[3];
  const Vec3 v(y[4], y[5], y[6]);
  rate[0] = (-a * v[0] - b * v[1] - c * v[2]) / 2;
  rate[1] = (w * v[0] + b * v[2] - c * v[1]) / 2;
  rate[2] = (w * v[1] + c * v[0] - a * v[2]) / 2;
  rate[3] = (w * v[2] + a * v[1] - b * v[0]) / 2;
  const Vec3 v_rate =
      top_acceleration(v, -2 * top_weight * (a * c - w * b), -top_weight * (1 - 2 * (a * a + b * b)));
  for (std::size_t i = 0; i < 3; ++i) rate[4 + i] = v_rate[static_cast<int>(i)];
}

/// Distance of the computed mass centre from the reference, m.
inline double top_error(const SO3<>& R) { return (R * Vec3(0, 1, 0) - top_centre()).norm(); }
inline double top_error(const HandState& y) {
  return top_error(SO3<>::from_wxyz(y[0], y[1], y[2], y[3]).normalized());
}

}  // namespace bench
