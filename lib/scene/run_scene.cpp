#include <fmt/format.h>

#include "floating_point.hpp"
#include "torsor/coordinates/run.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {
namespace {

Trajectory run_ready(const Scene& scene, const ReadyModel& ready, const SimulationOptions& options,
                     const std::vector<EventSpec>& events, const SampleSink& sink) {
  return run(ready.model, ready.start, options, scene.points, events, sink);
}
Trajectory run_ready(const Scene&, const ReadyCoordinates& ready, const SimulationOptions& options,
                     const std::vector<EventSpec>& events, const SampleSink& sink) {
  return run(*ready.system, ready.start, options, events, sink);
}

/// Above this spectral radius, steps of generalized-alpha with index-3 may be unstable, because errors of the
/// multipliers hardly decay; with 1 they never decay. Long steps may be unstable below it too: the top of
/// Bruls on R^3 x SO(3) fails within 3 s at 0.95 in steps of 2 ms, and at 0.92 in steps of 3 ms.
constexpr double greatest_radius_of_index_3 = 0.95;

bool has_rows(const ReadyModel& ready) { return ready.model.constrained(); }
bool has_rows(const ReadyCoordinates& ready) { return ready.system->rows() > 0; }

}  // namespace

ReadyScene prepare(const Scene& scene) {
  const mechanics::DefaultArithmetic arithmetic;
  ReadyScene ready = [&]() -> ReadyScene {
    if (scene.in_coordinates) return ReadyCoordinates{make_system(scene), scene.in_coordinates->start, {}};
    return make_model(scene);
  }();
  std::visit(
      [&](auto& one) {
        if (has_rows(one) && scene.run.constraints == Treatment::index_3 &&
            scene.run.spectral_radius > greatest_radius_of_index_3)
          one.notes.push_back(
              fmt::format("\"spectral_radius\" of [integrator]: above {}, steps with index-3 may be unstable",
                          greatest_radius_of_index_3));
      },
      ready);
  return ready;
}

Trajectory run(const Scene& scene, const ReadyScene& ready, const SimulationOptions& options,
               const SampleSink& sink) {
  return std::visit([&](const auto& one) { return run_ready(scene, one, options, scene.events, sink); },
                    ready);
}

Trajectory run_at_start(const Scene& scene, const ReadyScene& ready) {
  SimulationOptions at_start = scene.run;
  at_start.t_end = at_start.t_begin;
  at_start.output_times.clear();
  return std::visit([&](const auto& one) { return run_ready(scene, one, at_start, {}, {}); }, ready);
}

}  // namespace torsor::scene
