#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/io/io_error.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// Files that a result can hold.
enum class ResultFormat { h5, csv };

/// The folder of one result: made if missing, and locked while this object lives, so that two runs never
/// write to one folder. What writers that died left behind (`*.partial.*`) is removed. Throws IoError.
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path folder);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Writes `<scene>.h5` and `<scene>.csv` into the folder and returns their paths. A file stands there
/// complete or not at all: it is written under `name.partial.<pid>`, flushed to the disk and renamed. Throws
/// IoError.
std::vector<std::filesystem::path> write_result(const ResultFolder& folder,
                                                const std::vector<ResultFormat>& formats, const Scene& scene,
                                                const Trajectory& trajectory);
std::vector<std::filesystem::path> write_result(const ResultFolder& folder,
                                                const std::vector<ResultFormat>& formats, const Scene& scene,
                                                const ChartTrajectory& trajectory);

/// Name of the event that a record of the run belongs to.
std::string event_name(const Scene& scene, const EventRecord& record);

/// The name as part of a file name: letters, digits, '-', '_' and inner dots stay, all else becomes '_'.
std::string file_label(const std::string& name);

}  // namespace torsor
