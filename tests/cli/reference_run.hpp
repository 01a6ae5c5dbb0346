#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

#include "reference.hpp"
#include "torsor/io/results.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::test {

inline std::string scene_path(const std::string& name) {
  return std::string(TORSOR_SCENES) + "/" + name + ".toml";
}

/// The allowed error of a constrained scene at a tolerance of 1e-11.
constexpr double owed_constrained = 1e-8;

inline scene::Overrides at_tolerance(const char* method, const char* formulation,
                                     const char* group = "direct") {
  return {{"integrator.method", method},
          {"integrator.tolerance", "1e-11"},
          {"integrator.formulation", formulation},
          {"integrator.group", group}};
}

/// The motion of a scene, which reaches its end.
inline Trajectory motion_of(const scene::Scene& scene) {
  const scene::ReadyModel ready = make_model(scene);
  Trajectory motion = run(ready.model, ready.start, scene.run, scene.points, scene.events);
  REQUIRE(motion.summary.status == StepStatus::reached_end);
  return motion;
}
inline Trajectory motion_of(const std::string& name, const scene::Overrides& overrides = {}) {
  return motion_of(scene::load_scene(scene_path(name), overrides));
}

/// The JSON objects of a run, as if the run had ended at each of the times.
inline std::vector<json> states_at(const scene::Scene& scene, const std::vector<double>& times) {
  SimulationOptions options = scene.run;
  options.t_end = times.back();
  options.output_step = options.t_end - options.t_begin;
  options.output_times = times;
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory whole = run(ready.model, ready.start, options, scene.points, scene.events);
  REQUIRE(whole.summary.status == StepStatus::reached_end);
  std::vector<json> states;
  for (const double t : times) {
    Trajectory part;
    part.summary = whole.summary;
    part.samples.push_back(whole.samples.front());
    for (const Sample& sample : whole.samples) {
      if (sample.t == t) part.samples.push_back(sample);
    }
    REQUIRE(part.samples.size() == 2);
    states.push_back(json::parse(io::to_json(scene, part)));
  }
  return states;
}

/// Checks every output of the scene's reference file up to the time `last` to within `bound(t)` or
/// `bound(key, t)`.
template <class Bound>
void check_against_reference(const std::string& name, const scene::Overrides& overrides, Bound bound,
                             double last = std::numeric_limits<double>::infinity()) {
  const json outputs = reference(name).at("outputs");
  std::vector<double> times;
  for (const json& output : outputs)
    if (output.at("t").get<double>() <= last) times.push_back(output.at("t"));
  const auto states = states_at(scene::load_scene(scene_path(name), overrides), times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const auto& [key, error] : differences(states[i], outputs[i])) {
      CAPTURE(name);
      CAPTURE(times[i]);
      CAPTURE(key);
      if constexpr (std::is_invocable_v<Bound, double>)
        CHECK(error <= bound(times[i]));
      else
        CHECK(error <= bound(key, times[i]));
    }
  }
}

}  // namespace torsor::test
