#include "mechanism_capabilities.hpp"

#include <algorithm>
#include <utility>

#include "mechanism_parts.hpp"
#include "model/body_space.hpp"

namespace torsor {

void MechanismSystem::Capabilities::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  parts.map_velocity(system, t, q, v, out);
}

// ---- power

bool MechanismSystem::Capabilities::conserves_energy() const {
  const auto& rows = system.constraints().rows();
  return system.tree().forces().conserve_energy() && !parts.viscous &&
         std::none_of(rows.begin(), rows.end(),
                      [](const Constraints::Row& row) { return row.rheonomic || row.drives; });
}

/// Moving constraints supply the power -lambda a0. Friction that replaces a row turns power into heat.
void MechanismSystem::Capabilities::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a,
                                                           double& power) const {
  parts.accelerate(system, t, q, parts.velocity_of(system, t, q, v), a, Parts::Multipliers::any);
  power = parts.bodies.load_power();
  for (int row = 0; row < system.constraints().size(); ++row) {
    power -= parts.y[row] * parts.bodies.rows().a0[row];
    if (parts.rows.replaced()[row]) power -= parts.viscous->heat(parts.y[row]);
  }
}

double MechanismSystem::Capabilities::load_power(double t, VecIn q, VecIn v) const {
  parts.bodies.evaluate(t, q, v);
  double power = parts.bodies.load_power();
  if (!parts.viscous) return power;
  parts.load_bodies();
  parts.viscous->add_power(power);
  return power;
}

void MechanismSystem::Capabilities::row_offsets(double t, VecIn q, VecOut a0) const {
  parts.bodies.evaluate(t, q);
  parts.rows.offsets(parts.bodies, a0);
}

// ---- choices for a step

void MechanismSystem::Capabilities::begin_run() {
  parts.at_beginning = true, parts.steep = parts.repeats_steep = false;
  parts.redundant.begin_run();
  parts.solver.begin_run();
  parts.projection.begin_step();
  if (parts.minimal) parts.minimal->begin_run();
}

void MechanismSystem::Capabilities::choose(double t, VecIn q) {
  parts.at_beginning = true;
  parts.steep = std::exchange(parts.repeats_steep, false);
  parts.solver.begin_step();
  parts.projection.begin_step();
  parts.redundant.leave_out(t, q);
  if (parts.minimal) parts.minimal->begin_step(system, t, q);
}

bool MechanismSystem::Capabilities::still_right(double t, VecIn q) { return parts.redundant.end_step(t, q); }

/// Only accelerations that the system computes at stages are wrong off the constraints. A method that solves
/// for multipliers itself asks for no acceleration or, as hemk5 does, only for the one at the beginning of
/// the step.
bool MechanismSystem::Capabilities::stages_right() {
  parts.repeats_steep =
      !parts.at_beginning && !parts.steep && !parts.dynamic && parts.solver.rank().was_steep();
  return !parts.repeats_steep;
}

void MechanismSystem::Capabilities::check_end(double t, VecIn q) { parts.redundant.check_end(t, q); }

// ---- conditioning

double MechanismSystem::Capabilities::condition() const { return parts.solver.rank().worst_condition(); }

double MechanismSystem::Capabilities::last_condition() const { return parts.solver.rank().last_condition(); }

std::string_view MechanismSystem::Capabilities::worst() const {
  const Constraints::Item* const item = parts.solver.worst();
  return item ? std::string_view(item->name) : std::string_view();
}

Part MechanismSystem::Capabilities::worst_part() const {
  const Constraints::Item* const item = parts.solver.worst();
  return item ? item->part() : Part();
}

void MechanismSystem::Capabilities::visit_loops(double above, double t, VecIn q, const std::vector<Vec>& v,
                                                const VisitLoops& visit) const {
  parts.bodies.evaluate(t, q);
  parts.visit_loops(above, v, visit);
}

bool MechanismSystem::Capabilities::began_singular() const { return parts.solver.rank().began_singular(); }

std::string MechanismSystem::Capabilities::rank_doubt() const { return parts.solver.rank_doubt(); }

bool MechanismSystem::Capabilities::start_was_near() const { return parts.solver.rank().start_was_near(); }

long MechanismSystem::Capabilities::general_solutions() const {
  return parts.solver.kkt().general_solutions();
}

std::string_view MechanismSystem::Capabilities::acceleration_rounding(VecOut out) const {
  const Model& model = system.model();
  const int most_rounded = parts.bodies.acceleration_rounding(parts.reactions, parts.V);
  joints_from_bodies(model, parts.bodies.kinematics(), parts.V, out);
  out = out.cwiseAbs().eval();
  return model.mechanism().bodies[model.body[most_rounded]].name;
}

}  // namespace torsor
