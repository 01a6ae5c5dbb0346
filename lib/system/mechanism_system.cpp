#include "torsor/system/mechanism_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism_parts.hpp"
#include "model/body_space.hpp"

namespace torsor {

using Terms = sim::BodyEquations::Terms;
using Multipliers = KktSolver::Multipliers;

MechanismSystem::MechanismSystem(const Model& model, double length, Treatment treatment,
                                 const TreatmentParameters& parameters)
    : tree_(model, length), parts_(std::make_unique<Parts>(tree_, length, treatment, parameters)) {
  share(tree_);
}

MechanismSystem::~MechanismSystem() = default;

// ---- facts about the system

const std::vector<char>& MechanismSystem::holonomic() const { return parts_->rows.holonomic(); }
const Constraints& MechanismSystem::constraints() const { return parts_->bodies.constraints(); }

bool MechanismSystem::conserves_energy() const {
  const auto& all = constraints().rows();
  return tree_.forces().conserve_energy() && !parts_->viscous &&
         std::none_of(all.begin(), all.end(), [](const Constraints::Row& row) { return row.rheonomic; });
}

ConstrainedSystem::Diagnosis MechanismSystem::diagnosis() const {
  sim::BodySolver& solver = parts_->solver;
  const Constraints::Item* const worst = solver.rank().worst();
  return {solver.rank().worst_condition(), worst ? std::string_view(worst->name) : std::string_view(),
          solver.rank_doubt(), solver.kkt().general_solutions()};
}

std::string_view MechanismSystem::acceleration_rounding(VecOut out) const {
  Parts& p = *parts_;
  const int most_rounded = p.bodies.acceleration_rounding(p.reactions, p.V);
  joints_from_bodies(model(), p.bodies.kinematics(), p.V, out);
  out = out.cwiseAbs().eval();
  return model().mechanism().bodies[model().body[most_rounded]].name;
}

// ---- terms of the equations

void MechanismSystem::force(double t, VecIn q, VecIn v, VecOut f) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q, v);
  p.load_bodies();
  p.bodies.bias(p.bias);
  p.bodies.times_metric(p.bias, p.V);
  p.W -= p.V;
  joint_forces(model(), p.bodies.kinematics(), p.W, f);
}

void MechanismSystem::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q);
  bodies_from_joints(model(), p.bodies.kinematics(), w, p.V);
  p.bodies.times_metric(p.V, p.W);
  joint_forces(model(), p.bodies.kinematics(), p.W, out);
}

void MechanismSystem::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q);
  bodies_from_joints(model(), p.bodies.kinematics(), w, p.V);
  p.rows.times(p.bodies, p.V, out);
}

void MechanismSystem::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q);
  p.W.setZero();
  p.rows.add_reactions(p.bodies, lambda, p.W);
  joint_forces(model(), p.bodies.kinematics(), p.W, out);
}

void MechanismSystem::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q, v);
  p.load_bodies();
  p.rows.add_reactions(p.bodies, lambda, p.W);
  p.bodies.bias(p.bias);
  bodies_from_joints(model(), p.bodies.kinematics(), a, p.V);
  p.bias += p.V;
  p.bodies.times_metric(p.bias, p.V);
  p.W = p.V - p.W;
  joint_forces(model(), p.bodies.kinematics(), p.W, r);
}

void MechanismSystem::position_residual(double t, VecIn q, VecOut phi) const {
  parts_->bodies.evaluate(t, q);
  parts_->rows.position_residual(parts_->bodies, phi);
}

void MechanismSystem::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  parts_->projection.velocity_residual(t, q, v, psi);
}

void MechanismSystem::row_offsets(double t, VecIn q, VecOut a0) const {
  parts_->bodies.evaluate(t, q);
  parts_->rows.offsets(parts_->bodies, a0);
}

/// gamma in the velocities of the tree: A_B (J' v) + gamma in the velocities of the bodies.
void MechanismSystem::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q, v);
  p.bodies.bias(p.bias);
  p.rows.times(p.bodies, p.bias, gamma);
  p.rows.add_bias(p.bodies, gamma);
}

// ---- accelerations

void MechanismSystem::Parts::load_bodies() {
  bodies.loads(Terms::applied_and_gyroscopic, W);
  if (viscous) viscous->add(W);
}

void MechanismSystem::Parts::set_equations(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  Vec stabilising;
  if (dynamic) stabilising = dynamic->terms(system, t, q, v);
  bodies.evaluate(t, q, v);
  load_bodies();
  const std::vector<double>& gamma = bodies.rows().gamma;
  for (Eigen::Index row = 0; row < s.size(); ++row) s[row] = rows.left_out()[row] ? 0 : -gamma[row];
  for (Eigen::Index i = 0; i < stabilising.size(); ++i) s[rows.index()[i]] -= stabilising[i];
}

/// At a distance d off the constraints, rows that are redundant on them are nearly redundant, or contradict
/// the others: their pivots are of order d^2, and the accelerations that they give are worthless. The
/// stages of a method are only a little off the constraints. So near a loss of rank, or if rows contradict
/// each other, the acceleration is that of the nearest state that satisfies the constraints. The first
/// acceleration of a step, at its beginning, decides on `steep` for all stages of the step, so that they
/// see the same field.
void MechanismSystem::Parts::accelerate(const MechanismSystem& system, double t, VecIn q, VecIn v, VecOut a,
                                        Multipliers which) {
  set_equations(system, t, q, v);
  solver.factor();
  if (at_beginning) steep = solver.rank().steep() && !dynamic;
  at_beginning = false;
  if (steep || !solver.solve(W, s, V, y, which)) {
    q_near = q, v_near = v;
    system.project_position(t, q_near);
    system.project_velocity(t, q_near, v_near);
    set_equations(system, t, q_near, v_near);
    solver.factor();
    solver.solve_or_throw(W, s, V, y, which);
  }
  bodies.bias(bias);
  if (viscous) viscous->copy_multipliers(y);
  reactions = y;
  V -= bias;
  joints_from_bodies(bodies.model(), bodies.kinematics(), V, a);
}

const Vec& MechanismSystem::Parts::velocity_of(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  mapped = v;
  if (system.MechanismSystem::maps_velocity()) system.MechanismSystem::velocity(t, q, v, mapped);
  return mapped;
}

void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  parts_->accelerate(*this, t, q, parts_->velocity_of(*this, t, q, v), a, Multipliers::any);
}

/// Off the constraints, the damping and stiffness terms of redundant rows contradict those of other rows
/// (treatment `dynamic`). So redundant rows are left out, and afterwards the multipliers are spread over
/// all rows by least norm.
void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  Parts& p = *parts_;
  const bool all = p.rows.only_replaced_left_out();
  if (p.dynamic) p.redundant.leave_out(t, q);
  p.accelerate(*this, t, q, v, a, Multipliers::least_norm);
  if (all && !p.rows.only_replaced_left_out()) {
    p.rows.leave_out(p.rows.replaced());
    p.bodies.evaluate(t, q, v);
    p.solver.factor();
    p.solver.least_norm(p.y);
  }
  p.rows.gather(p.y, lambda);
}

/// Constraints that move supply the power -lambda a0.
void MechanismSystem::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const {
  Parts& p = *parts_;
  p.accelerate(*this, t, q, p.velocity_of(*this, t, q, v), a, Multipliers::any);
  power = p.bodies.load_power();
  for (int row = 0; row < constraints().size(); ++row) {
    power -= p.y[row] * p.bodies.rows().a0[row];
    if (p.rows.replaced()[row]) power -= p.viscous->heat(p.y[row]);
  }
}

double MechanismSystem::load_power(double t, VecIn q, VecIn v) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q, v);
  double power = p.bodies.load_power();
  if (!p.viscous) return power;
  p.load_bodies();
  p.viscous->add_power(power);
  return power;
}

// ---- linear systems, projection and tangents

void MechanismSystem::solve(double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  parts_->bodies.evaluate(t, q);
  parts_->solver.factor();
  solve_nearby(t, q, r, rows, x, y);
}

void MechanismSystem::solve_nearby(double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q);
  p.solver.factor_nearby(sim::BodySolver::next_to);
  p.W.setZero();
  add_wrenches_of(model(), p.bodies.kinematics(), r, p.W);
  p.rows.spread(rows, p.s);
  p.solver.solve_or_throw(p.W, p.s, p.V, p.y, Multipliers::least_norm);
  joints_from_bodies(model(), p.bodies.kinematics(), p.V, x);
  p.rows.gather(p.y, y);
}

bool MechanismSystem::project_position(double t, VecOut q) const { return parts_->projection.position(t, q); }

void MechanismSystem::project_velocity(double t, VecIn q, VecOut v) const {
  parts_->projection.velocity(t, q, v);
}

bool MechanismSystem::maps_velocity() const {
  const Parts& p = *parts_;
  const bool projects = p.treatment == Treatment::index_1 || p.treatment == Treatment::viscous;
  return p.minimal || (projects && !p.solver.kkt().has_loops());
}

void MechanismSystem::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  if (parts_->minimal)
    parts_->minimal->velocity(*this, t, q, v, out);
  else
    parts_->projection.nearest_velocity(t, q, v, out);
}

Tangent* MechanismSystem::tangent() const {
  Parts& p = *parts_;
  if (rows() == 0) return nullptr;
  if (!p.tangent) p.tangent = sim::make_tangent(*this, p.treatment, p.parameters);
  return p.tangent.get();
}

// ---- steps and redundant rows

void MechanismSystem::begin_step(double t, VecIn q) const {
  Parts& p = *parts_;
  p.at_beginning = true;
  p.solver.begin_step();
  p.projection.begin_step();
  p.redundant.leave_out(t, q);
  if (p.minimal) p.minimal->begin_step(*this, t, q);
}

bool MechanismSystem::end_step(double t, VecIn q) const { return parts_->redundant.end_step(t, q); }

}  // namespace torsor
