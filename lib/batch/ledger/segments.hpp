#pragma once

#include <filesystem>
#include <memory>

#include "batch/workers/case_run.hpp"
#include "io/segment.hpp"

namespace torsor::batch {

/// The trajectories of a batch, in files that are closed at each checkpoint:
/// `trajectories/segment_000001.h5`, with one dataset for each case, `case_0000017`.
class Segments {
 public:
  /// `columns`: the columns that most cases have.
  Segments(const std::filesystem::path& folder, Ledger& ledger, std::vector<io::Column> columns);

  /// Removes from the ledger the cases of files that are damaged or missing, or whose number of cases differs
  /// from that in their row of the ledger. Returns the number of the removed cases. Also removes files of
  /// segments that are not in the ledger: a process died before it committed them.
  /// Damaged files are not removed but renamed. Other files are left alone.
  std::int64_t check();
  /// Adds the trajectory of a case to the open segment, and returns the number of the segment.
  std::int64_t add(const CaseResult& result);
  /// Whether the open segment is so large that it should be closed.
  bool full() const;
  /// Writes the open segment, if there is one, and its row of the ledger.
  void close();

 private:
  void clear_unknown_files();

  std::filesystem::path folder_;
  Ledger& ledger_;
  std::int64_t last_;  ///< number of the last closed segment
  std::vector<io::Column> columns_;
  std::unique_ptr<io::TrajectorySegment> open_;
  std::int64_t cases_ = 0;
  std::size_t numbers_ = 0;
};

/// "trajectories/segment_000001.h5".
std::string segment_file(std::int64_t number);
/// Adds a closed file to the ledger.
void add_segment(Ledger& ledger, std::int64_t number, const std::string& hash, std::int64_t cases);

}  // namespace torsor::batch
