#pragma once

#include <filesystem>

#include "torsor/io/io_error.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// One row a sample: time, then every body, joint, point and invariant, as `body.top.x`,
/// `joint.pivot.force_z`, ... (docs/results.md). Lines that start with '#' come first and say how the table
/// was made. Every number is the shortest decimal that reads back as the same double. Throws IoError; leaves
/// no part of a file behind.
void write_csv(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory);
/// The same of a scene in coordinates: `coordinate.x.value`, `constraint.blade.multiplier`, ...
void write_csv(const std::filesystem::path& path, const Scene& scene, const ChartTrajectory& trajectory);

}  // namespace torsor
