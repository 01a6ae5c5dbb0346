#pragma once

#include <filesystem>
#include <memory>

#include "torsor/io/overwrite.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// Writes one file of a result. Writes samples as they arrive and does not keep them. Without `commit`, no
/// file remains.
template <class AnyTrajectory>
class ResultFile {
 public:
  using AnySample = typename decltype(AnyTrajectory::samples)::value_type;
  virtual ~ResultFile() = default;
  virtual void add(const AnySample& sample) = 0;
  /// Ends the file with the facts of the run. Does not write samples of the trajectory.
  virtual void commit(const AnyTrajectory& trajectory) = 0;
};

/// The scene must outlive the file. Throws IoError, as all functions of a ResultFile do.
template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_hdf5(const std::filesystem::path& path, const Scene& scene,
                                                      const Overwrite& overwrite);
template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_csv(const std::filesystem::path& path, const Scene& scene,
                                                     const Overwrite& overwrite);

/// Writes a whole run.
template <class AnyTrajectory>
void write_whole(ResultFile<AnyTrajectory>& file, const AnyTrajectory& trajectory) {
  for (const auto& sample : trajectory.samples) file.add(sample);
  file.commit(trajectory);
}

}  // namespace torsor
