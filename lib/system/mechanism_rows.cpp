#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "mechanism_scratch.hpp"
#include "torsor/model/kinematics.hpp"

// The terms of the equations of a mechanism: loads, metric and rows.

namespace torsor {

/// Sets W: the loads at (t, q, v) with the gyroscopic terms and friction, or without these if
/// `applied_alone`.
void MechanismSystem::load_bodies(double t, VecIn q, VecIn v, bool applied_alone) const {
  Scratch& s = *scratch_;
  forces().evaluate(t, q, v, s.work, s.loads);
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = model().mechanism().bodies[model().body[i]];
    Vec3 force = body.mass * s.loads.gravity, torque = Vec3::Zero();
    if (!body.particle && !applied_alone) {
      const Mat3& R = s.work.R_WB[i];
      const Vec3 Omega = R.transpose() * s.work.w_WB[i];
      torque = R * (body.inertia * Omega).cross(Omega);
    }
    if (s.loads.has_wrenches) force += s.loads.force[i], torque += s.loads.torque[i];
    s.W.segment<3>(6 * i) = force;
    s.W.segment<3>(6 * i + 3) = torque;
  }
  if (s.loads.has_tau) add_wrenches_of(model(), s.work, s.loads.tau, s.W);
  if (s.has_friction && !applied_alone) add_friction();
}

/// Sets `friction`, the multipliers -(mu/eps) (A v + a0) of the rows that give way, and adds their wrenches
/// to W.
void MechanismSystem::add_friction() const {
  Scratch& s = *scratch_;
  const double coefficient = s.parameters.mu / s.parameters.eps;
  for (const Constraints::Item& item : s.constraints.items()) {
    const auto block = [&](std::size_t k, int row) {
      return Eigen::Map<const Vector<double, 6>>(
          s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k] + 6 * row);
    };
    for (int row = 0; row < item.rows; ++row) {
      if (!s.gives_way[item.row_begin + row]) continue;
      double slip = s.values.a0[item.row_begin + row];
      for (std::size_t k = 0; k < item.links.size(); ++k) {
        const int link = item.links[k];
        slip +=
            block(k, row).head<3>().dot(s.work.v_WB[link]) + block(k, row).tail<3>().dot(s.work.w_WB[link]);
      }
      const double multiplier = s.friction[item.row_begin + row] = -coefficient * slip;
      for (std::size_t k = 0; k < item.links.size(); ++k)
        s.W.segment<6>(6 * item.links[k]) += multiplier * block(k, row);
    }
  }
}

/// out = G_B V, over the bodies.
void MechanismSystem::times_body_metric(const Vec& V, Vec& out) const {
  const Scratch& s = *scratch_;
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = model().mechanism().bodies[model().body[i]];
    const Mat3& R = s.work.R_WB[i];
    out.segment<3>(6 * i) = body.mass * V.segment<3>(6 * i);
    out.segment<3>(6 * i + 3).setZero();
    if (!body.particle)
      out.segment<3>(6 * i + 3) = R * (body.inertia * (R.transpose() * V.segment<3>(6 * i + 3)));
  }
}

/// Sets `bias`: the accelerations J' v of the bodies, which velocities alone cause.
void MechanismSystem::find_bias(VecIn v) const {
  Scratch& s = *scratch_;
  body_accelerations(model(), v, s.zero, s.work);
  for (int i = 0; i < model().size(); ++i) {
    s.bias.segment<3>(6 * i) = s.work.vdot_WB[i];
    s.bias.segment<3>(6 * i + 3) = s.work.wdot_WB[i];
  }
}

void MechanismSystem::force(double t, VecIn q, VecIn v, VecOut f) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  load_bodies(t, q, v);
  find_bias(v);
  times_body_metric(s.bias, s.V);
  s.W -= s.V;
  joint_forces(model(), s.work, s.W, f);
}

void MechanismSystem::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  bodies_from_joints(model(), s.work, w, s.V);
  times_body_metric(s.V, s.W);
  joint_forces(model(), s.work, s.W, out);
}

/// out = the rows of A_B V that a stepper sees, 0 in rows that are left out.
void MechanismSystem::own_rows_times(const Vec& V, VecOut out) const {
  const Scratch& s = *scratch_;
  int at = 0;
  for (const Constraints::Item& item : s.constraints.items()) {
    if (item.tree) continue;
    for (int row = 0; row < item.rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < item.links.size() && !s.left_out[item.row_begin + row]; ++k) {
        const double* const J =
            s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k] + 6 * row;
        sum += Eigen::Map<const Vector<double, 6>>(J).dot(V.segment<6>(6 * item.links[k]));
      }
      out[at++] = sum;
    }
  }
}

void MechanismSystem::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  bodies_from_joints(model(), s.work, w, s.V);
  own_rows_times(s.V, out);
}

/// W += A_B^T lambda.
void MechanismSystem::add_reactions(VecIn lambda) const {
  Scratch& s = *scratch_;
  int at = 0;
  for (const Constraints::Item& item : s.constraints.items()) {
    if (item.tree) continue;
    for (int row = 0; row < item.rows; ++row)
      s.lambda[at + row] = s.left_out[item.row_begin + row] ? 0 : lambda[at + row];
    for (std::size_t k = 0; k < item.links.size(); ++k)
      s.W.segment<6>(6 * item.links[k]) += wrench_on(item, static_cast<int>(k), s.lambda.data() + at);
    at += item.rows;
  }
}

void MechanismSystem::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  s.W.setZero();
  add_reactions(lambda);
  joint_forces(model(), s.work, s.W, out);
}

void MechanismSystem::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  load_bodies(t, q, v);
  add_reactions(lambda);
  find_bias(v);
  bodies_from_joints(model(), s.work, a, s.V);
  s.bias += s.V;
  times_body_metric(s.bias, s.V);
  s.W = s.V - s.W;
  joint_forces(model(), s.work, s.W, r);
}

/// J_k^T lambda of one block.
Vector<double, 6> MechanismSystem::wrench_on(const Constraints::Item& item, int k,
                                             const double* lambda) const {
  const Scratch& s = *scratch_;
  const double* J = s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k];
  Vector<double, 6> wrench = Vector<double, 6>::Zero();
  for (int row = 0; row < item.rows; ++row, J += 6)
    wrench += lambda[row] * Eigen::Map<const Vector<double, 6>>(J);
  return wrench;
}

void MechanismSystem::position_residual(double t, VecIn q, VecOut phi) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i)
    phi[i] = s.left_out[s.own_rows[i]] ? 0 : s.values.phi[s.own_rows[i]];
}

void MechanismSystem::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  bodies_from_joints(model(), s.work, v, s.V);
  own_rows_times(s.V, psi);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i)
    if (const int row = s.own_rows[i]; !s.left_out[row]) psi[i] += s.values.a0[row];
}

/// gamma in the velocities of the tree: A_B (J' v) + gamma in the velocities of the bodies.
void MechanismSystem::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  find_bias(v);
  own_rows_times(s.bias, gamma);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i)
    if (const int row = s.own_rows[i]; !s.left_out[row]) gamma[i] += s.values.gamma[row];
}

/// The rounding error of a sum of wrenches is eps times the root of the sum of their squares, however small
/// the sum is. The acceleration of the body has this error.
void MechanismSystem::acceleration_rounding(VecOut out) const {
  Scratch& s = *scratch_;
  s.bias.setZero();  // sums of squares of forces and torques
  for (const Constraints::Item& item : s.constraints.items())
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const double* J = s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k];
      auto sums = s.bias.segment<6>(6 * item.links[k]);
      for (int row = item.row_begin; row < item.row_begin + item.rows; ++row)
        for (int i = 0; i < 6; ++i, ++J) sums[i / 3] += *J * s.reactions[row] * (*J * s.reactions[row]);
    }
  double most = 0;
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = model().mechanism().bodies[model().body[i]];
    const double eps = std::numeric_limits<double>::epsilon();
    const double force = eps * std::sqrt(s.bias[6 * i]), torque = eps * std::sqrt(s.bias[6 * i + 1]);
    s.V.segment<3>(6 * i).setConstant(force / body.mass);
    s.V.segment<3>(6 * i + 3).setZero();
    if (!body.particle)
      s.V.segment<3>(6 * i + 3) = s.work.R_WB[i] * (torque * body.inertia.diagonal().cwiseInverse());
    const double here = s.V.segment<6>(6 * i).squaredNorm();
    if (here > most) most = here, s.most_rounded = i;
  }
  joints_from_bodies(model(), s.work, s.V, out);
  out = out.cwiseAbs().eval();
}

std::string MechanismSystem::most_rounded_body() const {
  return model().mechanism().bodies[model().body[scratch_->most_rounded]].name;
}

/// Constraints that move supply the power -lambda a0.
void MechanismSystem::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const {
  const Vec& v_mapped = mapped(t, q, v);
  accelerate(t, q, v_mapped, a, false);
  const Scratch& s = *scratch_;
  power = forces().power(t, q, v_mapped, s.work);
  for (int row = 0; row < s.constraints.size(); ++row) {
    power -= s.y[row] * s.values.a0[row];
    if (s.gives_way[row]) power -= s.y[row] * s.y[row] * s.parameters.eps / s.parameters.mu;
  }
}

double MechanismSystem::load_power(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  double power = forces().power(t, q, v, s.work);
  if (!s.has_friction) return power;
  load_bodies(t, q, v);
  for (int row = 0; row < s.constraints.size(); ++row)
    if (s.gives_way[row])
      power -= s.friction[row] * (s.values.a0[row] + s.friction[row] * s.parameters.eps / s.parameters.mu);
  return power;
}

void MechanismSystem::row_offsets(double t, VecIn q, VecOut a0) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i)
    a0[i] = s.gives_way[s.own_rows[i]] ? 0 : s.values.a0[s.own_rows[i]];
}

}  // namespace torsor
