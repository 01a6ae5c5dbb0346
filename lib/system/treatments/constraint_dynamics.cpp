#include "constraint_dynamics.hpp"

#include <algorithm>

#include "model/body_space.hpp"
#include "torsor/system/reactions.hpp"

namespace torsor::mechanics {

namespace {

/// Step of central differences, whose relative error is its square.
constexpr double step = 1e-5;

/// The columns c_R of C and m_RR at one instant.
struct Fibres {
  Eigen::MatrixXd c;
  Vec m;
};

Fibres fibres(const MechanismSystem& system, double t, VecIn q, const std::vector<char>& redundant) {
  const int n = system.nv(), rows = system.rows();
  Fibres out{Eigen::MatrixXd::Zero(n, rows), Vec::Zero(rows)};
  const Vec none = Vec::Zero(n);
  Vec unit = Vec::Zero(rows), x(n), y(rows);
  for (int row = 0; row < rows; ++row) {
    if (redundant[row]) continue;
    unit[row] = 1;
    system.solve(t, q, none, unit, x, y);
    unit[row] = 0;
    out.c.col(row) = x;
    out.m[row] = y[row];
  }
  return out;
}

}  // namespace

/// The generalised force of the loads without inertial terms, for the velocities of the tree.
void ConstraintDynamics::applied_force(double t, const Vec& q, const Vec& v, Vec& f) {
  bodies_.evaluate(t, q, v);
  bodies_.loads(BodyEquations::Terms::applied, wrenches_);
  joint_forces(bodies_.model(), bodies_.kinematics(), wrenches_, f);
}

Vec ConstraintDynamics::terms(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  const int n = system.nv(), m = system.rows();
  const Vec q_now = q, v_now = v;
  Vec phi(m), psi(m), G_c(n), f_plus(n), f_minus(n), q_plus(q.size()), q_minus(q.size()), xi(n);
  system.position_residual(t, q_now, phi);
  system.velocity_residual(t, q_now, v_now, psi);
  const std::vector<char> redundant = redundant_rows(system, t, q_now);
  const Fibres now = fibres(system, t, q_now, redundant);
  const auto shift = [&](const Vec& by) {
    xi = step * by;
    system.retract(q_now, xi, q_plus);
    xi = -xi;
    system.retract(q_now, xi, q_minus);
  };
  shift(v_now);
  const Fibres ahead = fibres(system, t + step, q_plus, redundant),
               behind = fibres(system, t - step, q_minus, redundant),
               later = fibres(system, t + step, q_now, redundant),
               sooner = fibres(system, t - step, q_now, redundant);

  Vec out = Vec::Zero(m);
  for (int row = 0; row < m; ++row) {
    if (redundant[row]) continue;
    const Vec c = now.c.col(row), c_dt = (later.c.col(row) - sooner.c.col(row)) / (2 * step);
    system.metric_times(t, q_now, c, G_c);
    applied_force(t, q_now, v_now + step * c, f_plus);
    applied_force(t, q_now, v_now - step * c, f_minus);
    const double damping = -c.dot(f_plus - f_minus) / (2 * step) - c_dt.dot(G_c);
    shift(c);
    applied_force(t, q_plus, v_now, f_plus);
    applied_force(t, q_minus, v_now, f_minus);
    const double stiffness = -c.dot(f_plus - f_minus) / (2 * step);
    const double inertia_rate = (ahead.m[row] - behind.m[row]) / (2 * step);
    double D = (damping + inertia_rate) / now.m[row], K = stiffness / now.m[row];
    if (parameters_.floors) {
      D = std::max(D, 2 * parameters_.damping_ratio * parameters_.rate);
      K = std::max(K, parameters_.rate * parameters_.rate);
    }
    out[row] = D * psi[row] + (system.holonomic()[row] ? K * phi[row] : 0);
  }
  return out;
}

}  // namespace torsor::mechanics
