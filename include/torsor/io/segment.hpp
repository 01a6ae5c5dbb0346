#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/io/columns.hpp"
#include "torsor/io/io_error.hpp"

namespace torsor {

class Hdf5File;

/// Whole trajectories of many cases as one HDF5 file, format `torsor/segment/1`: a dataset [sample, column]
/// each, under the case's name. Its columns are those of `/columns`, in the units of `/units`, or those of
/// `/<name>_columns` where the case has others. Kept in memory until it is written as a whole. One thread at
/// a time.
class TrajectorySegment {
 public:
  explicit TrajectorySegment(const std::vector<Column>& columns);
  ~TrajectorySegment();
  TrajectorySegment(const TrajectorySegment&) = delete;
  TrajectorySegment& operator=(const TrajectorySegment&) = delete;

  /// One row of `columns` a sample.
  void add(const std::string& name, const std::vector<std::string>& columns, std::span<const double> rows);
  /// Writes the file, complete or not at all, and gives its bytes. Throws IoError.
  std::string write(const std::filesystem::path& path) const;

 private:
  std::vector<std::string> columns_;
  std::unique_ptr<Hdf5File> file_;
};

}  // namespace torsor
