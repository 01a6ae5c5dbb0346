#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/tables/columns.hpp"
#include "torsor/io/results.hpp"

namespace torsor::io {

class Hdf5File;

/// Whole trajectories of many cases as one HDF5 file, format `torsor/segment/1`, with one dataset [sample,
/// column] per case, under the name of the case. The columns of a dataset are those of `/columns`, in the
/// units of `/units`, or those of `/<name>_columns` if the case has other columns. The data are written to
/// the disk as cases are added; the file gets its name only when it is complete. Not thread-safe. Throws
/// IoError.
class TrajectorySegment {
 public:
  TrajectorySegment(const std::filesystem::path& path, const std::vector<Column>& columns);
  ~TrajectorySegment();
  TrajectorySegment(const TrajectorySegment&) = delete;
  TrajectorySegment& operator=(const TrajectorySegment&) = delete;

  /// Adds a case: `rows` has one row of `columns` per sample.
  void add(const std::string& name, const std::vector<std::string>& columns, std::span<const double> rows);
  /// Completes the file and returns the hash of its contents, which the file also stores as its digest.
  std::string commit();

 private:
  std::vector<std::string> columns_;
  std::unique_ptr<Hdf5File> file_;
};

/// Reads a file of trajectories and returns its hash. Throws ResultError if the contents do not match the
/// digest, IoError if the file cannot be opened.
std::string segment_hash(const std::filesystem::path& path);

}  // namespace torsor::io
