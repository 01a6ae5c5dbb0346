#include "mechanism_parts.hpp"

#include <algorithm>
#include <cmath>

#include "model/body_space.hpp"
#include "text.hpp"

namespace torsor {

using Terms = mechanics::BodyEquations::Terms;

namespace {

/// If the projection of a stage changes its velocity by more than this part, the nearest state on the
/// constraints may lie on another branch, where the velocity differs by about the speed. At a beginning whose
/// rank is in doubt, rounding may change the velocity as much.
constexpr double other_branch = 0.1;

}  // namespace

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

/// A row that is redundant in states that satisfy the constraints is not redundant at a distance d from these
/// states: it is nearly redundant, or contradicts the other rows. Its pivot is of order d^2, and the
/// accelerations computed with it are wrong. The stages of a method violate the constraints only a little. So
/// near a loss of rank, or if rows contradict each other, the acceleration is that of the nearest state that
/// satisfies the constraints. The first acceleration of a step, at its beginning, decides on `steep` for all
/// stages of the step, so that they see the same field. If only later stages of a step of fixed size are near
/// a loss of rank, the step is repeated, and `steep` is set before its first acceleration.
void MechanismSystem::Parts::accelerate(const MechanismSystem& system, double t, VecIn q, VecIn v, VecOut a,
                                        Multipliers which) {
  set_equations(system, t, q, v);
  const bool loops = solver.kkt().has_loops();
  bool satisfied = false;
  if (loops)
    solver.factor();
  else
    satisfied = solver.factor_and_solve(W, s, V, y, which);
  if (at_beginning) {
    steep = (steep || solver.rank().steep()) && !dynamic;
    starts_in_doubt = solver.rank().in_doubt();
  }
  at_beginning = false;
  if (loops && !steep) satisfied = solver.solve(W, s, V, y, which);
  if (steep || !satisfied) {
    q_near = q, v_near = v;
    system.project_position(t, q_near);
    system.project_velocity(t, q_near, v_near);
    if (steep && !starts_in_doubt && treatment == Treatment::index_1 &&
        worst_speed(v_near - v) > other_branch * worst_speed(v))
      throw EvaluationError(StepStatus::singular,
                            "a stage near a singular configuration at t = " + mechanics::text(t) +
                                " is so far off the constraints that its branch is in doubt");
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

/// Velocities of other bodies, such as a fast rotor that hangs on a loop, would hide a jump of those in a loop.
double MechanismSystem::Parts::worst_speed(VecIn v) {
  bodies_from_joints(bodies.model(), bodies.kinematics(), v, V);
  const Constraints::Item* const item = solver.worst();
  int group = -1;
  if (item)
    for (const int link : item->links) group = std::max(group, loops[link]);
  if (group < 0) return V.norm();
  double square = 0;
  for (std::size_t link = 0; link < loops.size(); ++link)
    if (loops[link] == group) square += V.segment<6>(6 * static_cast<Eigen::Index>(link)).squaredNorm();
  return std::sqrt(square);
}

const Vec& MechanismSystem::Parts::velocity_of(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  mapped = v;
  if (maps_velocity()) map_velocity(system, t, q, v, mapped);
  return mapped;
}

bool MechanismSystem::Parts::maps_velocity() const {
  const bool projects = treatment == Treatment::index_1 || treatment == Treatment::viscous;
  return minimal || (projects && !solver.kkt().has_loops());
}

void MechanismSystem::Parts::map_velocity(const MechanismSystem& system, double t, VecIn q, VecIn v,
                                          VecOut out) {
  if (minimal)
    minimal->velocity(system, t, q, v, out);
  else
    projection.nearest_velocity(t, q, v, out);
}

}  // namespace torsor
