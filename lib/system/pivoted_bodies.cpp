#include "pivoted_bodies.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <variant>

namespace torsor::mechanics {
namespace {

/// The law of the force if it is uniform gravity that is constant in time, otherwise null.
const UniformGravity* steady_gravity(const Force& force) {
  const auto* gravity = std::get_if<UniformGravity>(&force.law);
  const auto constant = [](const TimeFunction& f) { return f.is_constant(); };
  return gravity && std::all_of(gravity->g.begin(), gravity->g.end(), constant) ? gravity : nullptr;
}

}  // namespace

bool PivotedBodies::describe(const Model& model) {
  for (int i = 0; i < model.size(); ++i)
    if (model.kind[i] != JointKind::spherical || model.parent[i] != world) return false;
  const auto& forces = model.mechanism().forces;
  return std::all_of(forces.begin(), forces.end(), steady_gravity);
}

PivotedBodies::PivotedBodies(const Model& model) {
  Vec3 g = Vec3::Zero();
  for (const Force& force : model.mechanism().forces) {
    const auto& law = *steady_gravity(force);
    g += Vec3(law.g[0](0), law.g[1](0), law.g[2](0));
  }
  for (int i = 0; i < model.size(); ++i) {
    const auto& inertia = model.inertia[i];
    const Mat3 inverse = inertia.J.eigen().llt().solve(Mat3::Identity());
    const spatial::Mat3<double> of_gravity(Mat3(inverse * SO3<>::hat(inertia.mc.eigen())));
    const PivotedBody<double> body{side_by_side(of_gravity, spatial::Sym3<double>(inverse)),
                                   transpose_times(model.R_PF[i], spatial::Vec3<double>(g)), inertia.J,
                                   Vector(Vec3(model.X_MB[i].p))};
    tops_.push_back({model.q_begin[i], model.v_begin[i], body});
  }
}

double PivotedBodies::error_norm(const double* v, const double* xi, const double* dv, double length) const {
  double greatest = 0;  // of squares, with one root at the end
  for (const Top& top : tops_)
    greatest = std::max(greatest, top.body.error_square(v + top.v, xi + top.v, dv + top.v, length));
  return std::sqrt(greatest);
}

}  // namespace torsor::mechanics
