#pragma once

#include <vector>

#include "io/tables/columns.hpp"
#include "result.hpp"

namespace torsor::io {

/// The number of outputs for these options, with the start and the end. A listed time that is also on the
/// grid of outputs, or is the start or the end, counts twice. 0 if each step is an output and the number of
/// steps is not known.
double planned_outputs(const SimulationOptions& options);

/// The columns of the result table of a scene, from a run of duration zero. Throws std::invalid_argument if
/// the method does not take the scene.
std::vector<Column> columns_of(const scene::Scene& scene);

/// The approximate size, bytes, of the files of a run, found without running it; 0 if the number of outputs
/// is not known.
double planned_bytes(const scene::Scene& scene, const std::vector<ResultFormat>& formats);

/// Free bytes on the disk of a folder, which need not exist yet.
double free_bytes(const std::filesystem::path& folder);

}  // namespace torsor::io
