#include "start_check.hpp"

#include <fmt/format.h>

#include <cmath>

namespace torsor::scene {
namespace {

void require_finite_start(const Scene& scene, const ReadyModel&, const Trajectory& at_once) {
  const Sample& start = at_once.samples.front();
  // If the energy is not finite, the status is energy_lost; the checks below find the body.
  const StepStatus status = at_once.summary.status;
  if (status != StepStatus::reached_end && status != StepStatus::energy_lost)
    refuse_start(scene, {at_once.summary.part, {}, at_once.summary.message});
  for (std::size_t k = 0; k < start.bodies.size(); ++k) {
    const Body& body = scene.mechanism.bodies[k];
    const BodyMotion& motion = start.bodies[k];
    const double energy = body.mass * motion.v.squaredNorm() + motion.Omega.dot(body.inertia * motion.Omega);
    if (!std::isfinite(energy))
      refuse_start(scene, {body_part(static_cast<int>(k)), Reason::Field::velocity,
                           fmt::format("body \"{}\": its velocity has a kinetic energy that is not finite",
                                       body.name)});
  }
  if (!std::isfinite(start.invariants.energy()) || !start.a.allFinite())
    refuse_start(scene, {{}, {}, "the energy and the accelerations at the start are not all finite"});
}

void require_finite_start(const Scene& scene, const ReadyCoordinates&, const Trajectory& at_once) {
  const Sample& start = at_once.samples.front();
  if (at_once.summary.status != StepStatus::reached_end)
    refuse_start(scene, {{}, {}, "[chart]: " + at_once.summary.message});
  const auto require = [&](bool finite, std::string_view what) {
    if (!finite)
      refuse_start(scene, {{}, {}, fmt::format("[chart]: the {} at the start is not finite", what)});
  };
  require(std::isfinite(start.invariants.potential), "potential");
  require(std::isfinite(start.invariants.kinetic), "kinetic energy");
  for (Eigen::Index k = 0; k < start.a.size(); ++k)
    require(std::isfinite(start.a[k]),
            fmt::format("acceleration of \"{}\"",
                        scene.in_coordinates->coordinates[static_cast<std::size_t>(k)]));
}

}  // namespace

void require_finite(const Scene& scene, const ReadyScene& ready, const Trajectory& at_once) {
  std::visit([&](const auto& one) { require_finite_start(scene, one, at_once); }, ready);
}

}  // namespace torsor::scene
