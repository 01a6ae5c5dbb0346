#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "torsor/batch/ranks.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {

/// The size of a batch, estimated before it runs and without a list of its cases.
struct BatchPlan {
  std::int64_t cases = 0;
  int lanes = 1;            ///< cases that one thread runs at once, judged by the first case
  std::size_t columns = 0;  ///< of the table
  double samples = 0;       ///< of one case; 0: one sample for each step
  double memory_bytes = 0;  ///< while it runs
  double disk_bytes = 0;    ///< ledger, table and trajectories at the end
};
BatchPlan plan_batch(const Study& study, int threads);

/// The progress of a batch.
struct BatchState {
  std::int64_t cases = 0;             ///< of the study, or of the shard
  std::int64_t done = 0, failed = 0;  ///< `done` includes the failed cases
  std::int64_t noted = 0;             ///< succeeded cases whose message has a note on the accuracy of the run
  double rate = 0;                    ///< cases per second in the current session, or in the last one
  double elapsed_s = 0;               ///< of that session
  bool running = false;
  /// How the last session ended: "complete", "interrupted" or "failed"; empty while it runs, or if its
  /// process died. "incomplete": the session was complete, but the folder was merged from some of the shards
  /// only. "not begun": the ledger has been made, and no session is recorded yet.
  std::string ended;

  std::int64_t left() const { return cases - done; }
  /// The time until the last case is done, s; empty if cases are left and the session has not finished one
  /// yet.
  std::optional<double> left_s() const {
    if (left() == 0) return 0.;
    if (!(rate > 0)) return std::nullopt;
    return static_cast<double>(left()) / rate;
  }
};

struct BatchOptions {
  std::filesystem::path folder = {};
  int threads = 0;            ///< of each rank; 0: one with ranks, else as many as the machine has
  int shard = 1, shards = 1;  ///< this process runs every `shards`-th case, from `shard` - 1 on
  bool lanes = true;          ///< a thread runs several cases at once if they can share steps
  bool resume = false;        ///< continue the batch that the folder holds, if any
  bool force = false;  ///< resume although study, scene or program changed; replace tables of other programs
  double case_wall_limit = std::numeric_limits<double>::infinity();  ///< s; the scene may set a lower limit
  /// The trajectory of a case, which waits in memory, may have this many numbers: 1 GiB.
  std::int64_t case_numbers = 1 << 27;
  double checkpoint_s = 1;                    ///< s between two commits of finished cases to the disk
  std::optional<std::uint64_t> shuffle = {};  ///< seed of a random order of cases; no result depends on it
  Ranks* ranks = nullptr;                     ///< that share the batch; nullptr: none
  std::function<bool()> cancelled = {};  ///< called about every 50 ms or more often; true stops the batch
  std::function<void(const BatchState&)> progress = {};  ///< called about every 50 ms or more often
  std::function<void(const std::string&)> tell = {};     ///< called with each report of damage in the folder
};

struct BatchSummary {
  BatchState state;
  bool complete = false;  ///< every case is done, and the table is written
  std::filesystem::path table;
};

/// Runs, in threads, the cases of a study that `options.folder` does not hold yet, and records them in a
/// ledger (docs/batch.md). The result of a case does not depend on threads, shards or order. A failed case is
/// recorded with its message, and the other cases continue. If the process ends for any reason, the committed
/// cases remain. A resumed batch ends with the same table, byte for byte, as a batch that was never
/// interrupted. Checksums find damage in the folder; the damage is reported, and the damaged cases are
/// computed again.
///
/// With ranks, every rank calls this function with the same study and options. Rank 0 alone writes the ledger
/// and the tables, and returns the summary; the other ranks return an empty summary.
///
/// Throws IoError (also if another process has locked the folder), std::invalid_argument for a folder that
/// holds this batch already (without `resume`) or another batch, scene::SceneError if the first case is not
/// valid or its trajectory is longer than `case_numbers`, or if the reference run does not reach its end, and
/// std::runtime_error for an error of another rank.
BatchSummary run_batch(const Study& study, const BatchOptions& options);

/// For a rank that cannot call run_batch: makes run_batch throw on rank 0, with `why` as the reason.
void decline_batch(Ranks& ranks, const std::string& why);

/// For the handler of a signal that ends the process: records that the case of this thread crashed the
/// process. After two crashes a resumed batch does not run the case again and records it as `crashed`.
void note_crash() noexcept;

/// The progress of the batch in a folder; works also while another process runs the batch.
BatchState batch_state(const std::filesystem::path& folder);

}  // namespace torsor::batch
