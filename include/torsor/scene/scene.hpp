#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/model/mechanism.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/coordinate_scene.hpp"
#include "torsor/scene/diagnostic.hpp"
#include "torsor/scene/look.hpp"
#include "torsor/scene/schema.hpp"
#include "torsor/system/consistent_start.hpp"

namespace torsor {

struct ScenePlaces;
namespace scene {
struct Node;
}

/// One run: the checked contents of a scene file, as plain data.
struct Scene {
  std::string name;  ///< of the file, without its extension
  std::string title;
  Formulation formulation = Formulation::tree;
  GroupProduct group = GroupProduct::direct;  ///< default of the scene; bodies may have others
  std::vector<int> cut;                       ///< joints to leave out of the spanning tree
  Consistency consistent = Consistency::error;
  Mechanism mechanism;
  Start start;
  std::vector<Look> looks;  ///< of the bodies in pictures; there may be fewer looks than bodies
  SimulationOptions run;
  std::vector<TrackedPoint> points;
  std::vector<EventSpec> events;
  std::optional<CoordinateScene> in_coordinates;  ///< in place of mechanism, start and points
  std::string resolved;            ///< the scene as TOML, with all overrides and repeats applied
  std::vector<std::string> notes;  ///< harmless repairs, e.g. a quaternion normalised
  std::shared_ptr<const ScenePlaces>
      places;  ///< positions in the file, for messages; null for a scene made in code
};

/// Reads, checks and converts a scene. Throws SceneError with every error in it.
Scene load_scene(const std::string& path, const Overrides& overrides = {});
Scene parse_scene(std::string_view text, const std::string& file, const Overrides& overrides = {});

/// A scene file parsed once, for many runs with other values. Threads may share it.
class SceneSource {
 public:
  /// Throws SceneError if the text is not valid TOML. The content is checked by `scene`.
  SceneSource(std::string text, std::string file);
  explicit SceneSource(const std::string& path);

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  /// As parse_scene, without the additional check by the JSON Schema validator.
  Scene scene(const Overrides& overrides = {}) const;
  /// Checks each override by itself: its path addresses an entry, and its value fits the schema. Throws
  /// SceneError.
  void check(const Overrides& overrides) const;

 private:
  std::string text_, file_;
  std::shared_ptr<const scene::Node> document_;
};

/// Model and start of a scene of bodies. make_model turns ModelError and StartError into SceneError with
/// file, line and column.
struct ReadyModel {
  Model model;
  State start;
  std::vector<std::string> notes;  ///< how far `consistent = "project"` moved the start
};
ReadyModel make_model(const Scene& scene);

/// Throws SceneError for a start whose evaluation fails. The error has the position in the file of the
/// part that the reason is about, such as a force that is not finite.
[[noreturn]] void refuse_start(const Scene& scene, const Reason& reason);

/// The system of a scene in coordinates. Its start is scene.in_coordinates->start.
std::unique_ptr<SystemInCoordinates> make_system(const Scene& scene);

/// System and start of a scene in coordinates.
struct ReadyCoordinates {
  std::unique_ptr<SystemInCoordinates> system;
  State start;
  std::vector<std::string> notes;  ///< none
};

/// A scene ready to run: the model of its bodies or its system in coordinates. Throws as make_model does.
using ReadyScene = std::variant<ReadyModel, ReadyCoordinates>;
ReadyScene prepare(const Scene& scene);

/// Runs a scene with its points and events. Throws as `run` does for a model.
Trajectory run(const Scene& scene, const ReadyScene& ready, const SimulationOptions& options,
               const SampleSink& sink = {});
/// The start of a scene: a run of duration zero, without events.
Trajectory run_at_start(const Scene& scene, const ReadyScene& ready);

/// The geometry of a scene in coordinates at a state.
CoordinateReport coordinate_report(const Scene& scene, double t, const State& x);

}  // namespace torsor
