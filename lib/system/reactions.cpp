#include "torsor/system/reactions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "mechanism_parts.hpp"

namespace torsor {

std::vector<char> redundant_rows(const MechanismSystem& system, double t, VecIn q) {
  check_lengths(system.model(), q, system.nv());
  return system.parts().redundant.find(t, q);
}

/// Reduces arbitrary multipliers to least norm. The multipliers that change are not unique.
std::vector<char> unique_multipliers(const MechanismSystem& system, double t, VecIn q) {
  check_lengths(system.model(), q, system.nv());
  MechanismSystem::Parts& p = system.parts();
  const Constraints& constraints = system.constraints();
  p.bodies.evaluate(t, q);
  p.solver.factor();
  std::vector<char> unique(constraints.items().size(), 1);
  if (p.solver.kkt().redundant_rows() == 0) return unique;
  Vec any(constraints.size());
  for (Eigen::Index row = 0; row < any.size(); ++row)
    if (p.rows.replaced()[row])
      any[row] = 0;
    else  // different in every row
      any[row] = 1 + std::fmod(0.6180339887498949 * static_cast<double>(row + 1), 1);
  p.y = any;
  p.solver.least_norm(p.y);
  for (std::size_t i = 0; i < unique.size(); ++i) {
    const Constraints::Item& item = constraints.items()[i];
    const auto rows = [&](const Vec& y) { return y.segment(item.row_begin, item.rows); };
    unique[i] = (rows(p.y) - rows(any)).isZero(1e-6);
  }
  return unique;
}

std::vector<Reaction> reactions(const MechanismSystem& system, double t, VecIn q, VecIn v, VecIn lambda,
                                std::vector<Wrench>& on_links) {
  MechanismSystem::Parts& p = system.parts();
  const Constraints& constraints = system.constraints();
  const auto links = static_cast<std::size_t>(system.model().size());
  int rows = 0;
  for (const Constraints::Item& item : constraints.items()) rows += item.tree ? 0 : item.rows;
  if (lambda.size() < rows || on_links.size() < links)
    throw std::invalid_argument("reactions need " + std::to_string(rows) + " multipliers and " +
                                std::to_string(links) + " wrenches, got " + std::to_string(lambda.size()) +
                                " and " + std::to_string(on_links.size()));
  check_lengths(system.model(), q, v.size());
  p.bodies.evaluate(t, q, v);
  std::vector<Reaction> all;
  int at = 0;
  for (std::size_t i = 0; i < constraints.items().size(); ++i) {
    const Constraints::Item& item = constraints.items()[i];
    if (item.tree) continue;
    Reaction reaction{static_cast<int>(i), {}, lambda.segment(at, item.rows), 0};
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const Vector<double, 6> wrench = p.bodies.wrench_on(item, k, lambda.data() + at);
      if (static_cast<int>(k) == item.first_named) reaction.on_body = {wrench.head<3>(), wrench.tail<3>()};
      on_links[item.links[k]].force += wrench.head<3>();
      on_links[item.links[k]].torque += wrench.tail<3>();
    }
    for (int row = 0; row < item.rows; ++row)
      reaction.power -= lambda[at + row] * p.bodies.rows().a0[item.row_begin + row];
    at += item.rows;
    all.push_back(std::move(reaction));
  }
  return all;
}

/// The roots of s^2 + D s + K = 0 are -D/2 +- sqrt(D^2/4 - K).
double RowMotion::growth() const {
  if (inertia == 0) return 0;
  const double D = relative_damping(), discriminant = D * D / 4 - relative_stiffness();
  return holonomic ? -D / 2 + std::sqrt(std::max(discriminant, 0.)) : -D;
}

std::vector<RowMotion> row_motions(const MechanismSystem& system, double t, VecIn q, VecIn v) {
  check_lengths(system.model(), q, v.size());
  MechanismSystem::Parts& p = system.parts();
  const mechanics::AllRows restored_afterwards(p.rows);
  p.redundant.leave_out(t, q);
  return mechanics::ConstraintDynamics({}, p.bodies).motions(system, t, q, v);
}

}  // namespace torsor
