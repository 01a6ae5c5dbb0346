#pragma once

#include <filesystem>
#include <memory>

#include "case_run.hpp"
#include "torsor/io/segment.hpp"

namespace torsor::batch {

/// Trajectories of a batch, gathered in files that are closed at each checkpoint:
/// `trajectories/segment_000001.h5`, each case a dataset of its own, `case_0000017`.
class Segments {
 public:
  /// `columns`: those that most cases have.
  Segments(const std::filesystem::path& folder, Ledger& ledger, std::vector<Column> columns);

  /// Leaves out of the ledger the cases of files that are damaged or missing, and gives how many these are.
  /// Files that the ledger does not know go, which a dead process had not committed; damaged ones are kept
  /// under another name.
  std::int64_t check();
  /// Takes a whole case into the open segment, and gives its number.
  std::int64_t add(const CaseResult& result);
  /// Whether the open segment should not grow further.
  bool full() const;
  /// Writes the open segment, if there is any, and its line of the ledger.
  void close();

 private:
  std::filesystem::path folder_;
  Ledger& ledger_;
  std::int64_t last_;  ///< that is closed
  std::vector<Column> columns_;
  void set_right_unknown();

  std::unique_ptr<TrajectorySegment> open_;
  std::int64_t cases_ = 0;
  std::size_t numbers_ = 0;
};

/// "trajectories/segment_000001.h5".
std::string segment_file(std::int64_t number);

}  // namespace torsor::batch
