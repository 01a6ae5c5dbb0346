#include "pivoted_bodies.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
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
    const PivotedBody<double> body{transpose_times(model.R_PF[i], spatial::Vec3<double>(g)),
                                   spatial::Mat3<double>(Mat3(inverse * SO3<>::hat(inertia.mc.eigen()))),
                                   inertia.J, spatial::Sym3<double>(inverse)};
    tops_.push_back({model.q_begin[i], model.v_begin[i], body, Vector(Vec3(model.X_MB[i].p))});
  }
}

double PivotedBodies::error_norm(const double* v, const double* xi, const double* dv, double length) const {
  const auto square = [](const Vector& a) { return dot(a, a); };
  double greatest = 0;  // of squares, with one root at the end
  for (const Top& top : tops_) {
    const auto w = Vector::from(v + top.v), turn = Vector::from(xi + top.v),
               change = Vector::from(dv + top.v);
    const double speed = length + std::sqrt(square(cross(w, top.c))), spin = 1 + std::sqrt(square(w));
    const double dx = square(cross(turn, top.c)) / (length * length), dR = square(turn);
    const double dv_x = square(cross(change, top.c)) / (speed * speed), dv_R = square(change) / (spin * spin);
    if (!std::isfinite(dx + dR + dv_x + dv_R)) return std::numeric_limits<double>::infinity();
    greatest = std::max({greatest, dx, dR, dv_x, dv_R});
  }
  return std::sqrt(greatest);
}

}  // namespace torsor::mechanics
