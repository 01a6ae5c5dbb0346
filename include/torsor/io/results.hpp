#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "torsor/report/geometry_report.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// A file or folder cannot be read or written. The message names the path, the operation that failed and
/// the reason that the system gives. `locked`: another process is writing to the same folder.
class IoError : public std::runtime_error {
 public:
  explicit IoError(const std::string& message, bool locked_ = false)
      : std::runtime_error(message), locked(locked_) {}
  bool locked;
};

/// Which existing file a new file may replace: only one that is empty, or that Torsor wrote as a file of
/// the same kind, unless `force`.
struct Overwrite {
  /// Text in the first 64 KiB or the last 256 bytes of every file of the kind. A mark that begins with a
  /// line break stands directly after the first line instead.
  std::string mark = {};
  bool force = false;                              ///< replace a file of any kind
  std::vector<std::filesystem::path> inputs = {};  ///< inputs of the new file: never replaced
};

/// `overwrite` for files that carry this mark.
inline Overwrite marked(Overwrite overwrite, std::string mark) {
  overwrite.mark = std::move(mark);
  return overwrite;
}

/// Throws IoError if `path` must not be replaced. A link counts as the file that it leads to. Only regular
/// files are ever replaced.
void check_overwrite(const std::filesystem::path& path, const Overwrite& overwrite);

/// Writes a table: the names of the columns, then comments ('#') with the units and how the table was made,
/// then one row per sample with time, every body, joint, point and invariant, as `body.top.x`,
/// `joint.pivot.force_z`, ..., or in coordinates `coordinate.x.value`, `constraint.blade.multiplier`, ...
/// (docs/results.md). Every number is the shortest decimal that reads back as the same double. Throws
/// IoError, or std::invalid_argument if a sample does not belong to the scene, and then leaves no partial
/// file.
void write_csv(const std::filesystem::path& path, const scene::Scene& scene, const Trajectory& trajectory,
               const Overwrite& overwrite = {});

/// Writes the whole trajectory as HDF5, format `torsor/result/1` (docs/results.md): arrays [sample, body,
/// component], or in coordinates [sample, coordinate], with the names of their entries, units and frames as
/// attributes, the scene as run, and all facts about how the result was made. A scene made in code has no
/// text (Scene::resolved): programs for HDF5 can read its result, but read_result cannot. One thread at a
/// time (the HDF5 library is not thread-safe). Throws as write_csv does.
void write_hdf5(const std::filesystem::path& path, const scene::Scene& scene, const Trajectory& trajectory,
                const Overwrite& overwrite = {});

/// The end of a run (or its last good state) as one JSON object, on whose form scripts can rely
/// (docs/results.md): status, scene, version, method, formulation, group, step or tolerance, t, bodies,
/// joints, forces, states if there are any, energy, momentum, points, constraints, residuals, events, steps,
/// evaluations, general_solutions, wall_s, and message, notes and treatment if there are any. x, v and vdot
/// of the mass centre and forces are in world axes, Omega is in body axes, the quaternion q has its scalar
/// first. Numbers are the shortest that read back as the same double; a number that is not finite is null.
/// For a scene in coordinates: equations in place of formulation and group; coordinates (value, rate,
/// acceleration), quasi_velocities and constraints (multiplier) in place of bodies, joints, forces, states,
/// momentum, points and their constraints. Throws std::invalid_argument if the trajectory has no sample, or
/// if its last sample does not belong to the scene.
std::string to_json(const scene::Scene& scene, const Trajectory& trajectory);

/// The geometry of a scene's mechanism as one JSON object (docs/geometry.md): scene, version, t, freedoms,
/// rows, groups, inertia, connections, constraints, time, screws, transport, second_fundamental_form,
/// reactions, rigid_particles. Axes and numbers are as above; the pitch of a translation is infinite and so
/// null.
std::string to_json(const scene::Scene& scene, const GeometryReport& report);
/// The same for a scene in coordinates: scene, version, t, frame, connection, constraints, time,
/// second_fundamental_form, friction if it replaces rows, and connections and curves if any curves are given.
/// A Lagrangian has no connection, time or second_fundamental_form.
std::string to_json(const scene::Scene& scene, const CoordinateReport& report,
                    const std::optional<CoordinateCurves>& curves = {});

/// Writes curves as a table: the time, then a column for each coordinate and each component
/// (docs/geometry.md). Throws IoError and then leaves no partial file.
void write_curves(const std::filesystem::path& path, const scene::Scene& scene,
                  const CoordinateCurves& curves, const Overwrite& overwrite = {});

}  // namespace torsor::io
