#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"
#include "torsor/model/mechanism.hpp"
#include "torsor/report/coordinate_report.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/consistent_start.hpp"

namespace torsor::scene {

/// "key.path=value" of the command line. The path addresses tables by name: body.top.mass. A value is TOML,
/// or else a plain string. Setting integrator.tolerance removes integrator.step, and the reverse.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// One error in an input file: its position, what is wrong, and what would be right.
struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  ///< from 1; line 0: the file as a whole, or an override
  std::string message;
  int override_index = -1;   ///< of the wrong override, from 0 (column 0: its key, 1: its value); -1: none
  std::string text() const;  ///< "scenes/heavy_top.toml:14:11: error: ..."
};

/// The diagnostics of a file, in its order: at most 50, and one that gives the number of the others, if any.
/// `limit_exceeded`: the input exceeds a size limit, which need not be a mistake.
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<Diagnostic> diagnostics_, bool limit_exceeded_ = false);
  std::vector<Diagnostic> diagnostics;
  bool limit_exceeded = false;
};

/// A solid for drawing a body.
struct Shape {
  enum class Kind {
    ellipsoid,  ///< size: semi-axes
    box,        ///< size: edges
    cylinder,   ///< size: radius, radius of the bore, length along z
  };
  Kind kind = Kind::ellipsoid;
  Vec3 size = Vec3::Ones();        ///< m
  SE3<> X_BS = SE3<>::identity();  ///< frame of the solid in the frame of the body
};

/// How a body is drawn.
struct Look {
  std::vector<Shape> shapes;  ///< empty: a solid with the inertia of the body
  std::string color;          ///< "#rrggbb"; empty: chosen automatically
};

struct Formulas;

/// The contents of a scene in coordinates, without the options of its run.
struct CoordinateScene {
  std::vector<std::string> coordinates, quasi_velocities;  ///< names; quasi_velocities may be empty
  std::vector<std::string> constraints;                    ///< names, one per row, holonomic rows first
  CoordinateEquations equations = CoordinateEquations::coordinates;
  std::string connection;          ///< how messages call the connection in use; empty: none
  std::vector<std::string> frame;  ///< names of the frame's vectors; by default those of the velocities
  double time_metric = 1;          ///< J
  State start;                     ///< satisfies the constraints
  std::shared_ptr<const Formulas> formulas;

  CoordinateNames names() const;
  /// The name of the equations of motion: that of the connection, if there is one.
  std::string_view equations_name() const;
};

struct ScenePlaces;
struct SceneFiles;
struct Node;

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
  std::map<std::string, std::string> files;       ///< texts of the files that its tables read, by name
  std::vector<std::string> plugins;               ///< files of the libraries that it has loaded
  std::string folder;                             ///< of the file, absolute; only if it has plugins or tables
  std::string resolved;                       ///< the scene as TOML, with all overrides and repeats applied
  std::vector<std::string> notes;             ///< harmless repairs, e.g. a quaternion normalised
  std::shared_ptr<const ScenePlaces> places;  ///< positions in the file; null for a scene made in code
};

/// Allows scenes to load plugins (torsor/plugin.h), as the environment variable TORSOR_PLUGINS=1 does.
void allow_plugins();

/// Reads, checks and converts a scene. Throws SceneError with every error in it.
Scene load_scene(const std::string& path, const Overrides& overrides = {});
Scene parse_scene(std::string_view text, const std::string& file, const Overrides& overrides = {});

/// A function of a program, function.NAME in formulas. `inputs`: "t" and names of quantities of the motion.
struct SceneFunction {
  std::string name;
  std::vector<std::string> inputs;
  std::function<double(const double* inputs)> function;
};

/// A scene file parsed once, for many runs with other values. Threads may share it.
class SceneSource {
 public:
  /// Throws SceneError if the text is not valid TOML; `scene` checks the content. `folder`: as `folder()`, by
  /// default that of `file`. `tables`: as `tables()`.
  SceneSource(std::string text, std::string file, const std::string& folder = {},
              std::map<std::string, std::string> tables = {});
  explicit SceneSource(const std::string& path);

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  const std::string& folder() const;  ///< absolute, of the files that the scene uses: tables, plugins
  std::map<std::string, std::string> tables() const;  ///< texts of the tables read so far, by name
  /// Refuses plugins, even if they are allowed. The error message for a scene with a plugin ends with `why`.
  void refuse_plugins(std::string why) { why_no_plugins_ = std::move(why); }
  /// Gives the functions that formulas of the scene may use. A run calls them from its thread.
  void give(std::vector<SceneFunction> functions) { functions_ = std::move(functions); }

  /// As parse_scene, without the additional check by the JSON Schema validator.
  Scene scene(const Overrides& overrides = {}) const;
  /// As parse_scene.
  Scene checked_scene(const Overrides& overrides = {}) const;
  /// Checks each override by itself: its path addresses an entry, and its value fits the schema. Throws
  /// SceneError.
  void check(const Overrides& overrides) const;

 private:
  std::string why_no_plugins() const;

  std::string text_, file_, why_no_plugins_;
  std::shared_ptr<const Node> document_;
  std::shared_ptr<SceneFiles> files_;
  std::vector<SceneFunction> functions_;
};

/// Model and start of a scene of bodies. make_model throws SceneError with file, line and column for a model
/// or a start that is refused, and for periods of samples with which no run ends, unless an event stops it.
struct ReadyModel {
  Model model;
  State start;
  std::vector<std::string> notes;  ///< how far the start was moved; from `prepare`: steps may be unstable
};
ReadyModel make_model(const Scene& scene);

/// Throws SceneError for a start whose evaluation fails. The error has the position in the file of the
/// part that the reason is about, such as a force that is not finite.
[[noreturn]] void refuse_start(const Scene& scene, const Reason& reason);

/// The system of a scene in coordinates. Its start is scene.in_coordinates->start. Throws SceneError for a
/// scene of bodies, as the following functions for scenes in coordinates do.
std::unique_ptr<SystemInCoordinates> make_system(const Scene& scene);

/// System and start of a scene in coordinates.
struct ReadyCoordinates {
  std::unique_ptr<SystemInCoordinates> system;
  State start;
  std::vector<std::string> notes;  ///< whether steps may be unstable
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
/// Curves from a state of a scene in coordinates that has a metric. The motion is a run from this state.
/// Throws EvaluationError if the run fails, and std::invalid_argument for an invalid state or request.
CoordinateCurves coordinate_curves(const Scene& scene, double t, const State& x, const CurveRequest& request);

/// The JSON Schema (draft-07) of scene files, `torsor/scene/1`.
std::string_view scene_schema();

}  // namespace torsor::scene
