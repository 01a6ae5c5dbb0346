#include "geometry_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "run/compensated_time.hpp"

namespace torsor::scene {
namespace {

Geometry geometry_of(const Scene&, const ReadyModel& ready, const RunSummary& end,
                     const SimulationOptions& options) {
  return geometry_report(ready.model, end.t, end.x, options);
}
Geometry geometry_of(const Scene& scene, const ReadyCoordinates&, const RunSummary& end,
                     const SimulationOptions&) {
  return coordinate_report(scene, end.t, end.x);
}

}  // namespace

SimulationOptions options_to(const Scene& scene, double t) {
  if (!std::isfinite(t)) throw std::invalid_argument(fmt::format("{} is not a finite time", t));
  if (t < scene.run.t_begin)
    throw std::invalid_argument(
        fmt::format("{} is before the start of the scene, t = {} s", t, scene.run.t_begin));
  const double least = mechanics::step_floor(std::max(std::abs(t), std::abs(scene.run.t_begin)));
  if (t > scene.run.t_begin && t - scene.run.t_begin < least)
    throw std::invalid_argument(
        fmt::format("{} is too close to the start of the scene, t = {} s: the least step there is {} s", t,
                    scene.run.t_begin, least));
  SimulationOptions options = scene.run;
  options.t_end = t;
  options.output_times.clear();
  options.output_step = options.t_end - options.t_begin;
  return options;
}

Geometry geometry_at(const Scene& scene, const ReadyScene& ready, const RunSummary& end,
                     const SimulationOptions& options) {
  return std::visit([&](const auto& one) { return geometry_of(scene, one, end, options); }, ready);
}

}  // namespace torsor::scene
