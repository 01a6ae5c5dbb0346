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

}  // namespace

ReadyScene prepare(const Scene& scene) {
  if (scene.in_coordinates) return ReadyCoordinates{make_system(scene), scene.in_coordinates->start, {}};
  return make_model(scene);
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
