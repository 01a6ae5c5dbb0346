#pragma once

#include "torsor/model/start.hpp"
#include "torsor/run/trajectory.hpp"

namespace torsor {

/// The fast heavy top of O. Bruls and A. Cardona, J. Comput. Nonlinear Dynam. 5 (2010) 031002.
inline Mechanism heavy_top() {
  Body top;
  top.name = "top";
  top.mass = 15;
  top.inertia = Vec3(0.234375, 0.46875, 0.234375).asDiagonal();
  Joint pivot;
  pivot.name = "pivot";
  pivot.kind = JointKind::spherical;
  pivot.X_CM.p = Vec3(0, -1, 0);
  return {{top}, {pivot}, {{"gravity", UniformGravity{}}}};
}

inline State heavy_top_start(const Model& model) {
  Start start{std::vector<BodyStart>(1), std::vector<JointStart>(1)};
  start.bodies[0].R = SO3<>::identity();
  start.bodies[0].Omega = Vec3(0, 150, -4.61538);
  return make_start(model, start);
}

/// The mass centre after 1 s and 2 s (m), the force of the pivot on the top after 2 s (N), and the energy
/// (J), from an extrapolation method of order 24 in 113-bit arithmetic.
inline const Vec3 heavy_top_x_1{0.17334396409838604, 0.6400885920705688, -0.7484907911335813};
inline const Vec3 heavy_top_x_2{-0.15041682274564175, -0.7241655916368956, -0.6730222695604441};
inline const Vec3 heavy_top_force_2{-260.7352113110834, 613.6126989825972, 309.71663139093926};
inline constexpr double heavy_top_energy = 5435.696790865547;

}  // namespace torsor
