#pragma once

#include <filesystem>

#include "torsor/io/overwrite.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// Writes a table: the names of the columns, then comments ('#') with the units and how the table was made,
/// then one row per sample with time, every body, joint, point and invariant, as `body.top.x`,
/// `joint.pivot.force_z`, ..., or in coordinates `coordinate.x.value`, `constraint.blade.multiplier`, ...
/// (docs/results.md). Every number is the shortest decimal that reads back as
/// the same double. Throws IoError and then leaves no partial file.
void write_csv(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory,
               const Overwrite& overwrite = {});

}  // namespace torsor
