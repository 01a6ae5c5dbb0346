#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/mechanism.hpp"
#include "torsor/scene/chart_scene.hpp"
#include "torsor/scene/diagnostic.hpp"
#include "torsor/scene/look.hpp"
#include "torsor/scene/schema.hpp"
#include "torsor/sim/consistent_start.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

struct ScenePlaces;
namespace scene {
struct Node;
}

/// One run, checked: what a scene file says, as plain data.
struct Scene {
  std::string name;  ///< of the file, without its ending
  std::string title;
  std::string formulation = "tree";
  std::string group = "direct";  ///< the scene's default; bodies may differ
  std::vector<int> cut;          ///< joints that shall not be in the spanning tree
  Consistency consistent = Consistency::error;
  Mechanism mechanism;
  Start start;
  std::vector<Look> looks;  ///< of the bodies in pictures; may be shorter than their list
  SimulationOptions run;
  std::vector<TrackedPoint> points;
  std::vector<EventSpec> events;
  std::optional<ChartScene> chart;  ///< in place of mechanism, start, points and events
  std::string resolved;             ///< the scene as TOML with all overrides and repeats carried out
  std::vector<std::string> notes;   ///< harmless repairs, e.g. a quaternion normalised
  std::shared_ptr<const ScenePlaces>
      places;  ///< for the messages of make_model; empty for a scene made in code
};

/// Reads, checks and converts a scene; throws SceneError with everything that is wrong in it.
Scene load_scene(const std::string& path, const Overrides& overrides = {});
Scene parse_scene(std::string_view text, const std::string& file, const Overrides& overrides = {});

/// A scene file parsed once, for many runs of it with other values. Threads may share it.
class SceneSource {
 public:
  /// Throws SceneError if the text is not valid TOML. Its content is checked with each scene.
  SceneSource(std::string text, std::string file);
  explicit SceneSource(const std::string& path);

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  /// As parse_scene, without the second opinion of the JSON Schema validator.
  Scene scene(const Overrides& overrides = {}) const;
  /// Whether the overrides address something and their values fit the schema: what can be told of each
  /// without the others. Throws SceneError.
  void check(const Overrides& overrides) const;

 private:
  std::string text_, file_;
  std::shared_ptr<const scene::Node> document_;
};

/// Model and start of a scene; ModelError and StartError come out as SceneError with file, line and column.
struct ReadyScene {
  Model model;
  State start;
  std::vector<std::string> notes;  ///< how far `consistent = "project"` moved the start
};
ReadyScene make_model(const Scene& scene);

/// Throws the SceneError of a start at which what `reason` names, a force for example, is not finite, with
/// its place.
[[noreturn]] void refuse_start(const Scene& scene, const std::string& reason);

/// The system of a scene in coordinates, whose start is that of scene.chart.
std::unique_ptr<Chart> make_chart(const Scene& scene);
/// Its geometry at a state.
ChartReport chart_report(const Scene& scene, double t, const State& x);

}  // namespace torsor
