#pragma once

#include <filesystem>

#include "torsor/io/overwrite.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// Writes the whole trajectory as HDF5, format `torsor/result/1` (docs/results.md): arrays [sample, body,
/// component], or in coordinates [sample, coordinate], with the names of their entries, units and frames as
/// attributes, the scene as run, and all facts about how the result was made. One thread at a time (the HDF5
/// library is not thread-safe). Throws IoError and then leaves no partial file.
void write_hdf5(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory,
                const Overwrite& overwrite = {});

}  // namespace torsor
