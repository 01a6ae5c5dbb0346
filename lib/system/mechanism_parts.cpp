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
    q_begin = q;
  }
  at_beginning = false;
  if (loops && !steep) satisfied = solver.solve(W, s, V, y, which);
  if (steep || !satisfied) {
    q_near = q, v_near = v;
    system.project_position(t, q_near);
    system.project_velocity(t, q_near, v_near);
    if (steep && !starts_in_doubt && treatment == Treatment::index_1 && may_leave_branch(system, t, v))
      throw EvaluationError(StepStatus::singular,
                            "a stage near a singular configuration at t = " + mechanics::text(t) +
                                " is so far off the constraints that its branch is in doubt");
    set_equations(system, t, q_near, v_near);
    solver.factor();
    solver.solve_or_throw(W, s, V, y, which);
  }
  if (viscous) viscous->copy_multipliers(y);
  reactions = y;
  bodies.joint_accelerations(V, a);
}

/// A motion can only come to another branch if it moves through, or past, the singular configuration. Its
/// distance from there is about 1/sqrt(condition).
bool MechanismSystem::Parts::may_leave_branch(const MechanismSystem& system, double t, VecIn v) {
  bodies.evaluate(t, q_near);
  moved.resize(system.nv());
  system.local_difference(q_begin, q_near, moved);
  bool leaves = false;
  visit_loops(RankMonitor::good_choice, {v, v_near, moved}, [&](double condition, const std::vector<Vec>& U) {
    leaves = leaves || ((U[1] - U[0]).norm() > other_branch * U[0].norm() &&
                        U[2].norm() > Conditioning::branch_distance(condition));
  });
  return leaves;
}

/// If constraints of bodies that are in no closed loop have such a condition, all bodies are a group too.
void MechanismSystem::Parts::visit_loops(double above, const std::vector<Vec>& v,
                                         const Conditioning::VisitLoops& visit) {
  const std::vector<double>& conditions = solver.rank().conditions();
  std::vector<double> of_group(static_cast<std::size_t>(loops.groups) + 1, 1.);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    int group = -1;
    for (const int link : bodies.constraints().items()[i].links) group = std::max(group, loops.of_link[link]);
    double& greatest = of_group[group < 0 ? of_group.size() - 1 : static_cast<std::size_t>(group)];
    greatest = std::max(greatest, conditions[i]);
  }
  if (!(*std::max_element(of_group.begin(), of_group.end()) > above)) return;
  std::vector<Vec> of_all(v.size(), V), of_loops(v.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    bodies_from_joints(bodies.model(), bodies.kinematics(), v[k], of_all[k]);
  for (int group = 0; group <= loops.groups; ++group) {
    const double condition = of_group[static_cast<std::size_t>(group)];
    if (!(condition > above)) continue;
    if (group == loops.groups) return visit(condition, of_all);
    for (std::size_t k = 0; k < v.size(); ++k) of_loops[k] = loops.relative(group, of_all[k]);
    visit(condition, of_loops);
  }
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
