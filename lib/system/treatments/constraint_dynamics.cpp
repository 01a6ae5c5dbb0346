#include "constraint_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "model/body_space.hpp"
#include "model/velocity_units.hpp"

namespace torsor::mechanics {

namespace {

/// The greatest step h of central differences along a velocity X, s. No component of h X exceeds
/// `greatest_part` of its unit: 1 rad, or the size of the mechanism, but at most 1 m. The relative error of
/// the differences is at most about the square of this part.
constexpr double step = 1e-5, greatest_part = 1e-3;

/// A smaller mechanism counts as one of this size, m: rounding of positions would change shorter differences.
constexpr double least_size = 1e-8;

/// Values that differ by less than this, relative to their terms, differ by rounding.
constexpr double difference_rounding = 1e-13;

/// A derivative from the values at +-h, whose terms have the size `terms`.
double central_difference(double plus, double minus, double terms, double h) {
  return std::abs(plus - minus) <= difference_rounding * terms ? 0 : (plus - minus) / (2 * h);
}

/// c . df/ds from the forces at +-h; with the forces swapped, -c . df/ds.
double force_derivative(const Vec& c, const Vec& f_plus, const Vec& f_minus, double h) {
  const double terms = c.cwiseAbs().dot(f_plus.cwiseAbs() + f_minus.cwiseAbs());
  return central_difference(c.dot(f_plus), c.dot(f_minus), terms, h);
}

/// The columns c_R of C and the columns of m = (A G^-1 A^T)^-1 at one instant.
struct Fibres {
  Eigen::MatrixXd c, m;
};

Fibres fibres(const MechanismSystem& system, double t, VecIn q, const std::vector<char>& redundant) {
  const int n = system.nv(), rows = system.rows();
  Fibres out{Eigen::MatrixXd::Zero(n, rows), Eigen::MatrixXd::Zero(rows, rows)};
  const Vec none = Vec::Zero(n);
  Vec unit = Vec::Zero(rows), x(n), y(rows);
  for (int row = 0; row < rows; ++row) {
    if (redundant[row]) continue;
    unit[row] = 1;
    system.solve(t, q, none, unit, x, y);
    unit[row] = 0;
    out.c.col(row) = x;
    out.m.col(row) = y;
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

/// Since A c_R = e_R and G c_R = A^T m e_R, the rate of c_R at constant q satisfies
///   (dc_R/dt)^T G c_R = -(m e_R)^T (dA/dt) c_R,   and   dm_RR/dt = 2 (dc_R/dt)^T G c_R.
/// gamma = (dA/dt) v + (da0/dq) v + terms that are even in v. So no row is evaluated at other times, where a
/// function of time need not exist.
std::vector<RowMotion> ConstraintDynamics::motions(const MechanismSystem& system, double t, const Vec& q,
                                                   const Vec& v) {
  const int n = system.nv(), m = system.rows();
  Vec f_plus(n), f_minus(n), q_plus(q.size()), q_minus(q.size()), xi(n), plus(m), minus(m), A_t_c(m);
  const Vec none = Vec::Zero(n);
  const std::vector<char> redundant = redundant_rows(system, t, q);
  const Fibres now = fibres(system, t, q, redundant);
  const double mechanism_size = LinkLengths(system.model(), q).greatest();
  const Vec units = velocity_units(system.model(), std::clamp(mechanism_size, least_size, 1.));
  const auto shift = [&](const Vec& by) {
    const double h = std::min(step, greatest_part / by.cwiseQuotient(units).lpNorm<Eigen::Infinity>());
    xi = h * by;
    system.retract(q, xi, q_plus);
    xi = -xi;
    system.retract(q, xi, q_minus);
    return h;
  };
  const double h_v = shift(v);
  const Fibres ahead = fibres(system, t, q_plus, redundant), behind = fibres(system, t, q_minus, redundant);

  std::vector<RowMotion> all(m);
  for (int row = 0; row < m; ++row) {
    RowMotion& motion = all[row];
    motion.holonomic = system.holonomic()[row];
    if (redundant[row]) continue;
    const Vec c = now.c.col(row);
    const double h = shift(c);
    system.constraint_bias(t, q, c, plus);
    system.constraint_bias(t, q, -c, minus);
    A_t_c = (plus - minus) / 2;
    system.velocity_residual(t, q_plus, none, plus);
    system.velocity_residual(t, q_minus, none, minus);
    A_t_c -= (plus - minus) / (2 * h);
    const double c_t_G_c = -now.m.col(row).dot(A_t_c);
    applied_force(t, q, v + h * c, f_plus);
    applied_force(t, q, v - h * c, f_minus);
    motion.damping = force_derivative(c, f_minus, f_plus, h) - c_t_G_c;
    motion.inertia = now.m(row, row);
    motion.inertia_rate =
        central_difference(ahead.m(row, row), behind.m(row, row), motion.inertia, h_v) + 2 * c_t_G_c;
    if (!motion.holonomic) continue;
    applied_force(t, q_plus, v, f_plus);
    applied_force(t, q_minus, v, f_minus);
    motion.stiffness = force_derivative(c, f_minus, f_plus, h);
  }
  return all;
}

Vec ConstraintDynamics::terms(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  Vec phi(system.rows()), psi(system.rows()), out = Vec::Zero(system.rows());
  const Vec q_now = q, v_now = v;
  system.position_residual(t, q_now, phi);
  system.velocity_residual(t, q_now, v_now, psi);
  const std::vector<RowMotion> all = motions(system, t, q_now, v_now);
  for (Eigen::Index row = 0; row < out.size(); ++row) {
    const RowMotion& motion = all[row];
    if (motion.inertia == 0) continue;
    double D = motion.relative_damping(), K = motion.relative_stiffness();
    if (parameters_.floors) {
      D = std::max(D, 2 * parameters_.damping_ratio * parameters_.rate);
      K = std::max(K, parameters_.rate * parameters_.rate);
    }
    out[row] = D * psi[row] + (motion.holonomic ? K * phi[row] : 0);
  }
  return out;
}

}  // namespace torsor::mechanics
