#include "energy_per_error.hpp"

#include <algorithm>
#include <vector>

namespace torsor::mechanics {

double energy_per_error(const TreeSystem& tree, double t, VecIn q, VecIn v) {
  const Model& model = tree.model();
  const LinkLengths& lengths = tree.lengths();
  Workspace<double>& work = tree.workspace();
  Loads<double>& loads = tree.loads();
  tree.forces().evaluate(t, q, v, work, loads);
  std::vector<Vec3> force, momentum;  // of links that refer to a link; empty if none does
  const auto of_others = [](const std::vector<Vec3>& all, int i) -> Vec3 {
    return all.empty() ? Vec3(Vec3::Zero()) : all[static_cast<std::size_t>(i)];
  };
  double sum = 0;
  for (int i = model.size() - 1; i >= 0; --i) {  // a reference comes before the links that refer to it
    const Body& body = model.mechanism().bodies[model.body[i]];
    const int reference = lengths.reference(i);
    const bool refers = reference != world && reference != i;
    const double length = lengths[i];
    Vec3 f = body.mass * loads.gravity;
    if (loads.has_wrenches) f += loads.force[i], sum += loads.torque[i].norm();
    if (loads.has_tau)
      sum += 2 * std::max(length, 1.) *
             loads.tau.segment(model.v_begin[i], freedom_count(model.kind[i])).lpNorm<1>();
    const Vec3 velocity = work.v_WB[i], p = body.mass * velocity;
    const double speed = (refers ? Vec3(velocity - work.v_WB[reference]) : velocity).norm();
    if (refers && force.empty())
      force.assign(static_cast<std::size_t>(model.size()), Vec3::Zero()), momentum = force;
    if (refers) force[reference] += f, momentum[reference] += p;
    sum += (f + of_others(force, i)).norm() * length +
           (p + of_others(momentum, i)).norm() * (length + 2 * speed);
    if (body.particle) continue;
    const Vec3 Omega = work.R_WB[i].transpose() * work.w_WB[i];
    sum += (body.inertia * Omega).norm() * (1 + 2 * Omega.norm());
  }
  return sum;
}

}  // namespace torsor::mechanics
