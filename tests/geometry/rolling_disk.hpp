#pragma once

#include "geometry/reference.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

/// The vertical disk of the reference entry `disk`: q = (x, y, spin angle, heading), slip (longitudinal,
/// lateral) in the frame of the heading, constant torques about both axes.
namespace torsor::rolling_disk {

using namespace geometry;

inline const json& table() { return reference("disk"); }

struct Parameters {
  double m = table().at("m"), I = table().at("I"), J = table().at("J"), R = table().at("R"),
         mu = table().at("mu");
  double spin_torque = 0, steer_torque = 0;

  double M0() const { return I + m * R * R; }
};
inline Parameters with_torques() {
  Parameters p;
  p.spin_torque = table().at("torque_spin"), p.steer_torque = table().at("torque_steer");
  return p;
}

struct Metric {
  Parameters p;
  template <class S>
  Matrix<S, 4> operator()(const Vector<S, 4>&) const {
    const Vector<double, 4> inertias(p.m, p.m, p.I, p.J);
    return Matrix<double, 4>(inertias.asDiagonal()).template cast<S>();
  }
};
struct Rows {
  Parameters p;
  template <class S>
  Matrix<S, 2, 4> operator()(const Vector<S, 4>& q) const {
    const auto [s, c] = sin_cos(q[3]);
    const S zero(0);
    Matrix<S, 2, 4> A;
    A << c, s, S(-p.R), zero, -s, c, zero, zero;
    return A;
  }
};
struct Force {
  Parameters p;
  template <class S>
  Vector<S, 4> operator()(const Vector<S, 4>&, const Vector<S, 4>&) const {
    return Vector<S, 4>(S(0), S(0), S(p.spin_torque), S(p.steer_torque));
  }
};
struct Friction {
  Parameters p;
  template <class S>
  Matrix<S, 2> operator()(const Vector<S, 4>&) const {
    return S(p.mu) * Matrix<S, 2>::Identity();
  }
};

/// The velocity of rolling without slip, with spin rate Omega and turning rate omega.
inline Vector<double, 4> rolling(const Parameters& p, double heading, double Omega, double omega) {
  return {p.R * Omega * std::cos(heading), p.R * Omega * std::sin(heading), Omega, omega};
}
inline Vector<double, 4> point() { return {0.3, -0.2, 0.1, table().at("phi").get<double>()}; }
inline Vector<double, 4> velocity(const Parameters& p) {
  return rolling(p, point()[3], table().at("OmegaD"), table().at("steer_rate"));
}

}  // namespace torsor::rolling_disk
