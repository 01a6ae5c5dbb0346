#pragma once

#include <vector>

#include "torsor/io/columns.hpp"
#include "torsor/io/result.hpp"

namespace torsor {

/// Outputs that options ask for, the start and the end among them; 0: one for each step, of which nobody
/// knows the number.
double planned_outputs(const SimulationOptions& options);

/// The columns of the result table of a scene, from a run of no length; so the method is asked whether it
/// takes the scene, too. Throws std::invalid_argument where it does not.
std::vector<Column> columns_of(const Scene& scene);

/// About how many bytes the files of a run take on the disk, told without running it; 0 where the number of
/// outputs is not known.
double planned_bytes(const Scene& scene, const std::vector<ResultFormat>& formats);

/// Bytes that are free for a folder, or where it would be made.
double free_bytes(const std::filesystem::path& folder);

}  // namespace torsor
