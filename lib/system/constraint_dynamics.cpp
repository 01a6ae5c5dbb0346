#include <algorithm>
#include <cmath>

#include "mechanism_scratch.hpp"

namespace torsor {

/// The generalised force f of the loads without inertial terms, for the velocities of the tree.
void MechanismSystem::applied_force(double t, VecIn q, VecIn v, VecOut f) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  load_bodies(t, q, v, true);
  joint_forces(model(), s.work, s.W, f);
}

namespace {

constexpr double step = 1e-5;  // of central differences, whose error is 1e-10

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

/// Sets `pull` = D (A v + a0) + K phi at (t, q, v).
void MechanismSystem::stabilise(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  const int n = nv(), m = rows();
  const Vec q_now = q, v_now = v;
  Vec phi(m), psi(m), G_c(n), f_plus(n), f_minus(n), q_plus(nq()), q_minus(nq()), xi(n);
  position_residual(t, q_now, phi);
  velocity_residual(t, q_now, v_now, psi);
  const std::vector<char> redundant = redundant_rows(t, q_now);
  const Fibres now = fibres(*this, t, q_now, redundant);
  const auto shift = [&](const Vec& by) {
    xi = step * by;
    retract(q_now, xi, q_plus);
    xi = -xi;
    retract(q_now, xi, q_minus);
  };
  shift(v_now);
  const Fibres ahead = fibres(*this, t + step, q_plus, redundant),
               behind = fibres(*this, t - step, q_minus, redundant),
               later = fibres(*this, t + step, q_now, redundant),
               sooner = fibres(*this, t - step, q_now, redundant);

  s.pull.setZero(m);
  for (int row = 0; row < m; ++row) {
    if (redundant[row]) continue;
    const Vec c = now.c.col(row), c_dt = (later.c.col(row) - sooner.c.col(row)) / (2 * step);
    metric_times(t, q_now, c, G_c);
    applied_force(t, q_now, v_now + step * c, f_plus);
    applied_force(t, q_now, v_now - step * c, f_minus);
    const double damping = -c.dot(f_plus - f_minus) / (2 * step) - c_dt.dot(G_c);
    shift(c);
    applied_force(t, q_plus, v_now, f_plus);
    applied_force(t, q_minus, v_now, f_minus);
    const double stiffness = -c.dot(f_plus - f_minus) / (2 * step);
    const double inertia_rate = (ahead.m[row] - behind.m[row]) / (2 * step);
    double D = (damping + inertia_rate) / now.m[row], K = stiffness / now.m[row];
    if (s.parameters.floors) {
      D = std::max(D, 2 * s.parameters.damping_ratio * s.parameters.rate);
      K = std::max(K, s.parameters.rate * s.parameters.rate);
    }
    s.pull[row] = D * psi[row] + (s.holonomic[row] ? K * phi[row] : 0);
  }
  look_at(t, q_now, v_now);
}

}  // namespace torsor
