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
/// `/<name>_columns` where the case has others. Written as it grows, and complete under its name or not at
/// all. One thread at a time. Throws IoError.
class TrajectorySegment {
 public:
  TrajectorySegment(const std::filesystem::path& path, const std::vector<Column>& columns);
  ~TrajectorySegment();
  TrajectorySegment(const TrajectorySegment&) = delete;
  TrajectorySegment& operator=(const TrajectorySegment&) = delete;

  /// One row of `columns` a sample.
  void add(const std::string& name, const std::vector<std::string>& columns, std::span<const double> rows);
  /// Ends the file and gives the hash of its contents, that of its digest.
  std::string commit();

 private:
  std::vector<std::string> columns_;
  std::unique_ptr<Hdf5File> file_;
};

/// Reads such a file and gives the hash. Throws ResultError where it is not what its digest says, IoError
/// if it cannot be opened.
std::string segment_hash(const std::filesystem::path& path);

}  // namespace torsor
