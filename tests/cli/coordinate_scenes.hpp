#pragma once

#include <string>

#include "geometry/reference.hpp"
#include "torsor/scene/scene.hpp"

/// Runs and reports of scenes in coordinates.
namespace torsor::test {

using namespace geometry;

inline std::string scene_path(const std::string& name) {
  return std::string(TORSOR_SCENES) + "/" + name + ".toml";
}

struct Motion {
  scene::Scene scene;
  Trajectory trajectory;
  const Sample& first() const { return trajectory.samples.front(); }
  const Sample& last() const { return trajectory.samples.back(); }
};

inline Motion run_coordinates(const std::string& name, const scene::Overrides& overrides = {}) {
  Motion motion{scene::load_scene(scene_path(name), overrides), {}};
  motion.trajectory = run(motion.scene, prepare(motion.scene), motion.scene.run);
  CAPTURE(motion.trajectory.summary.message);
  REQUIRE(motion.trajectory.summary.status == StepStatus::reached_end);
  return motion;
}
inline CoordinateReport report_of(const std::string& name, const scene::Overrides& overrides = {}) {
  const scene::Scene scene = scene::load_scene(scene_path(name), overrides);
  return coordinate_report(scene, scene.run.t_begin, scene.in_coordinates->start);
}

inline double difference(const Vec& a, const Vec& b) { return greatest(a - b); }

/// The component with the given name, such as "i, j -> k".
inline double component(const std::vector<NamedComponent>& list, const std::string& name) {
  for (const NamedComponent& one : list)
    if (one.name == name) return one.value;
  return 0;
}

}  // namespace torsor::test
