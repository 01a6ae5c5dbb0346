#include <Eigen/Geometry>

#include "greatest.hpp"
#include "torsor/lie/scalar.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

/// J Omega in body axes; zero for a particle.
Vec3 spin(const Model& model, const Workspace<double>& work, int link) {
  const Body& body = model.mechanism().bodies[model.body[link]];
  if (body.particle) return Vec3::Zero();
  return body.inertia * (work.R_WB[link].transpose() * work.w_WB[link]);
}

double mass(const Model& model, int link) { return model.mechanism().bodies[model.body[link]].mass; }

}  // namespace

double kinetic_energy(const Model& model, const Workspace<double>& work) {
  double twice = 0;
  for (int i = 0; i < model.size(); ++i) {
    const Vec3 Omega = work.R_WB[i].transpose() * work.w_WB[i];
    twice += mass(model, i) * work.v_WB[i].squaredNorm() + Omega.dot(spin(model, work, i));
  }
  return twice / 2;
}

Vec3 linear_momentum(const Model& model, const Workspace<double>& work) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < model.size(); ++i) sum += mass(model, i) * work.v_WB[i];
  return sum;
}

Vec3 angular_momentum(const Model& model, const Workspace<double>& work) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < model.size(); ++i)
    sum += mass(model, i) * work.p_WB[i].cross(work.v_WB[i]) + work.R_WB[i] * spin(model, work, i);
  return sum;
}

double acceleration_residual(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                             Workspace<double>& work, Loads<double>& loads,
                             const std::vector<Wrench>* constraints) {
  const Vec zero = Vec::Zero(model.nv());
  Vec bias(model.nv()), inertial(model.nv()), applied(model.nv()), left(model.nv());
  const Loads<double> none(model);
  forward_kinematics(model, q, v, work);
  inverse_dynamics(model, v, zero, none, work, bias);
  inverse_dynamics(model, v, a, none, work, inertial);
  inertial -= bias;

  // The greatest term: loads and reactions may cancel, as in a body that cannot move.
  using linear::greatest;
  double scale = max_or_nan(greatest(inertial), greatest(bias));
  const auto add_term = [&](const Vec& before) {
    inverse_dynamics(model, v, a, loads, work, left);
    if (loads.has_tau) left -= loads.tau;
    scale = max_or_nan(scale, greatest(applied = before - left));
  };
  forces.evaluate(t, q, v, work, loads);
  add_term(inertial + bias);
  if (constraints) {
    loads.add(*constraints);
    add_term(Vec(left));
  }
  return scale == 0 ? 0 : greatest(left) / scale;
}

Invariants invariants(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                      Workspace<double>& work, Loads<double>& loads, const std::vector<Wrench>* constraints) {
  Invariants sums;
  sums.acceleration_residual = acceleration_residual(model, forces, t, q, v, a, work, loads, constraints);
  sums.kinetic = kinetic_energy(model, work);
  sums.potential = forces.potential(t, q, v, work);
  sums.linear_momentum = linear_momentum(model, work);
  sums.angular_momentum = angular_momentum(model, work);
  sums.group_defect = group_defect(model, q);
  return sums;
}

}  // namespace torsor
