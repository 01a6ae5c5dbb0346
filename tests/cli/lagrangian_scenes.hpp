#pragma once

#include <fstream>

#include "coordinate_scenes.hpp"

/// Texts of scenes with a Lagrangian.
namespace torsor::test {

/// Removes a key of [chart] from the text of a scene: its line, or the lines of its array.
inline std::string without(std::string text, const std::string& key) {
  const auto begin = text.find("\n" + key + " = ") + 1;
  REQUIRE(begin > 0);
  auto end = text.find('\n', begin);
  if (text[end - 1] == '[') end = text.find("\n]", begin) + 2;
  return text.erase(begin, end + 1 - begin);
}
inline std::string text_of(const std::string& name) {
  std::ifstream file(scene_path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}
/// Adds keys to [chart].
inline std::string with(std::string text, const std::string& keys) {
  const std::string head = "[chart]\n";
  return text.insert(text.find(head) + head.size(), keys + "\n");
}
/// A scene with the method of the shipped scenes.
inline std::string scene_of(const std::string& end, const std::string& chart) {
  return "[run]\nend = " + end + "\noutput = " + end +
         "\n[integrator]\nmethod = \"rkmk-fehlberg78\"\ntolerance = 1e-12\n[chart]\n" + chart;
}

inline Motion run_text(const std::string& text, const scene::Overrides& overrides = {}) {
  Motion motion{scene::parse_scene(text, "scene.toml", overrides), {}};
  motion.trajectory = run(motion.scene, prepare(motion.scene), motion.scene.run);
  CAPTURE(motion.trajectory.summary.message);
  REQUIRE(motion.trajectory.summary.status == StepStatus::reached_end);
  return motion;
}

}  // namespace torsor::test
