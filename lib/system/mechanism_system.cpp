#include "torsor/system/mechanism_system.hpp"

#include <algorithm>

#include "mechanism_capabilities.hpp"
#include "mechanism_parts.hpp"
#include "model/body_space.hpp"

namespace torsor {

using Multipliers = KktSolver::Multipliers;

MechanismSystem::MechanismSystem(const Model& model, const LinkLengths& lengths, Treatment treatment,
                                 const TreatmentParameters& parameters)
    : tree_(model, lengths),
      parts_(std::make_unique<Parts>(tree_, treatment, parameters)),
      capabilities_(std::make_unique<Capabilities>(*this)) {
  share(tree_);
  tree_.share_turns(parts_->bodies.kinematics());
}

MechanismSystem::~MechanismSystem() = default;

// ---- facts about the system

const std::vector<char>& MechanismSystem::holonomic() const { return parts_->rows.holonomic(); }
bool MechanismSystem::positions_move() const {
  const auto& rows = constraints().rows();
  return std::any_of(rows.begin(), rows.end(),
                     [](const Constraints::Row& row) { return row.holonomic && row.rheonomic; });
}
std::optional<Treatment> MechanismSystem::treatment() const { return parts_->treatment; }
std::vector<std::string> MechanismSystem::row_names() const {
  std::vector<std::string> of_all, names;
  for (const Constraints::Item& item : constraints().items())
    of_all.insert(of_all.end(), item.rows, item.name);
  for (const int row : parts_->rows.index()) names.push_back(of_all[row]);
  return names;
}
Part MechanismSystem::part_of_row(int row) const {
  int of_item = parts_->rows.index()[static_cast<std::size_t>(row)];
  for (const Constraints::Item& item : constraints().items()) {
    if (of_item < item.rows) return item.part();
    of_item -= item.rows;
  }
  return {};
}
const Constraints& MechanismSystem::constraints() const { return parts_->bodies.constraints(); }

// ---- capabilities

const VelocityMap* MechanismSystem::velocity_map() const {
  return parts_->maps_velocity() ? capabilities_.get() : nullptr;
}
const PoweredRows* MechanismSystem::power() const { return capabilities_.get(); }
StepChoices& MechanismSystem::choices() const { return *capabilities_; }
const Conditioning& MechanismSystem::conditioning() const { return *capabilities_; }

Tangent* MechanismSystem::tangent() const {
  Parts& p = *parts_;
  if (rows() == 0) return nullptr;
  if (!p.tangent) p.tangent = mechanics::make_tangent(*this, p.treatment, p.parameters);
  return p.tangent.get();
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

/// For velocities of the tree, gamma is A_B (J' v) plus gamma for velocities of the bodies.
void MechanismSystem::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q, v);
  p.bodies.bias(p.bias);
  p.rows.times(p.bodies, p.bias, gamma);
  p.rows.add_bias(p.bodies, gamma);
}

// ---- accelerations

void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  check_lengths(model(), q, std::min(v.size(), a.size()));
  parts_->accelerate(*this, t, q, parts_->velocity_of(*this, t, q, v), a, Multipliers::any);
}

/// Off the constraints, the damping and stiffness terms of redundant rows contradict those of other rows
/// (treatment `dynamic`). So redundant rows are left out, and afterwards the multipliers are spread over
/// all rows by least norm.
void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  check_lengths(model(), q, std::min(v.size(), a.size()));
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

// ---- linear systems and projection

void MechanismSystem::solve(Factors which, double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  Parts& p = *parts_;
  p.bodies.evaluate(t, q);
  if (which == Factors::exact) p.solver.factor();
  p.solver.factor_nearby(mechanics::BodySolver::next_to);
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

}  // namespace torsor
