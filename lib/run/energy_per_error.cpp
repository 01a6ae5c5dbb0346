#include "energy_per_error.hpp"

#include <algorithm>

#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

double energy_per_error(const TreeSystem& tree, double length, double t, VecIn q, VecIn v) {
  const Model& model = tree.model();
  Workspace<double>& work = tree.workspace();
  Loads<double>& loads = tree.loads();
  forward_kinematics(model, q, v, work);
  tree.forces().evaluate(t, q, v, work, loads);
  double sum = loads.has_tau ? 2 * std::max(length, 1.) * loads.tau.lpNorm<1>() : 0;
  for (int i = 0; i < model.size(); ++i) {
    const Body& body = model.mechanism().bodies[model.body[i]];
    Vec3 force = body.mass * loads.gravity;
    if (loads.has_wrenches) force += loads.force[i], sum += loads.torque[i].norm();
    const double speed = work.v_WB[i].norm();
    sum += force.norm() * length + body.mass * speed * (length + 2 * speed);
    if (body.particle) continue;
    const Vec3 Omega = work.R_WB[i].transpose() * work.w_WB[i];
    sum += (body.inertia * Omega).norm() * (1 + 2 * Omega.norm());
  }
  return sum;
}

}  // namespace torsor::mechanics
