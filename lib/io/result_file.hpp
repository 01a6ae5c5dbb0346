#pragma once

#include <filesystem>
#include <memory>

#include "torsor/io/overwrite.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// One file of a result under construction: samples are written as they come and not kept. Without `commit`
/// nothing is left of it.
template <class AnyTrajectory>
class ResultFile {
 public:
  using AnySample = typename decltype(AnyTrajectory::samples)::value_type;
  virtual ~ResultFile() = default;
  virtual void add(const AnySample& sample) = 0;
  /// Ends the file with what the run says about itself; of its samples none are looked at.
  virtual void commit(const AnyTrajectory& trajectory) = 0;
};

/// The scene must outlive the file. Throws IoError, as all functions of a ResultFile do.
template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_hdf5(const std::filesystem::path& path, const Scene& scene,
                                                      const Overwrite& overwrite);
template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_csv(const std::filesystem::path& path, const Scene& scene,
                                                     const Overwrite& overwrite);

/// A whole run at once.
template <class AnyTrajectory>
void write_whole(ResultFile<AnyTrajectory>& file, const AnyTrajectory& trajectory) {
  for (const auto& sample : trajectory.samples) file.add(sample);
  file.commit(trajectory);
}

}  // namespace torsor
