#pragma once

#include <filesystem>
#include <memory>

#include "torsor/io/results.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// `overwrite` for a result of the scene: the tables that the scene reads are never replaced.
inline Overwrite keep_tables(Overwrite overwrite, const scene::Scene& scene) {
  if (!scene.folder.empty())
    for (const auto& [name, text] : scene.files)
      overwrite.inputs.push_back(std::filesystem::path(scene.folder) / name);
  return overwrite;
}

/// Writes one file of a result. Writes samples as they arrive and does not keep them. Without `commit`, no
/// file remains.
class ResultFile {
 public:
  virtual ~ResultFile() = default;
  virtual void add(const Sample& sample) = 0;
  /// Ends the file with the facts of the run, on the disk but without its name. Does not write samples of the
  /// trajectory.
  virtual void complete(const Trajectory& trajectory) = 0;
  /// Removes the earlier file that has the name of this file. Call `complete` first.
  virtual void remove_earlier() = 0;
  /// Gives the complete file its name.
  virtual void commit() = 0;
};

/// The scene must outlive the file. Throws IoError, as all functions of a ResultFile do.
std::unique_ptr<ResultFile> begin_hdf5(const std::filesystem::path& path, const scene::Scene& scene,
                                       const Overwrite& overwrite);
std::unique_ptr<ResultFile> begin_csv(const std::filesystem::path& path, const scene::Scene& scene,
                                      const Overwrite& overwrite);

/// Writes a whole run.
inline void write_whole(ResultFile& file, const Trajectory& trajectory) {
  for (const Sample& sample : trajectory.samples) file.add(sample);
  file.complete(trajectory);
  file.commit();
}

}  // namespace torsor::io
