#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "torsor/batch/ranks.hpp"
#include "torsor/batch/study.hpp"

namespace torsor {

/// What a batch would do, told without doing it and without a list of cases.
struct BatchPlan {
  std::int64_t cases = 0;
  int lanes = 1;            ///< cases at once on a thread
  std::size_t columns = 0;  ///< of the table
  double samples = 0;       ///< of one case; 0: one for each of its steps
  double memory_bytes = 0;  ///< while it runs
  double disk_bytes = 0;    ///< ledger, table and trajectories in the end
};
BatchPlan plan_batch(const Study& study, int threads);

/// How far a batch is.
struct BatchState {
  std::int64_t cases = 0;             ///< of the study, or of the shard
  std::int64_t done = 0, failed = 0;  ///< `done` counts failed cases as well
  double rate = 0;                    ///< cases a second of the session under way, or of the last one
  double elapsed_s = 0;               ///< of that session
  bool running = false;
  std::string ended;  ///< how the last session ended, empty where it died

  std::int64_t left() const { return cases - done; }
  double left_s() const { return rate > 0 ? static_cast<double>(left()) / rate : 0; }
};

struct BatchOptions {
  std::filesystem::path folder = {};
  int threads = 0;            ///< of each rank; 0: one, and without ranks as many as the machine has
  int shard = 1, shards = 1;  ///< this process does every `shards`-th case, from `shard` - 1 on
  bool lanes = true;          ///< as many cases at once on a thread as the processor has lanes
  bool resume = false;        ///< go on with the folder where it holds a batch
  bool force = false;         ///< even if study, scene or program are others, or others wrote the tables
  double case_wall_limit = std::numeric_limits<double>::infinity();  ///< s; besides that of the scene
  std::int64_t case_numbers =
      1 << 27;              ///< of a trajectory that a case keeps: it waits in memory, 1 GiB at most
  double checkpoint_s = 1;  ///< how often what is done goes to the disk
  std::optional<std::uint64_t> shuffle = {};  ///< take the cases in this order; no result depends on it
  Ranks* ranks = nullptr;                     ///< that work on it together
  std::function<bool()> cancelled = {};       ///< asked twenty times a second
  std::function<void(const BatchState&)> progress = {};  ///< told twenty times a second
  std::function<void(const std::string&)> tell = {};     ///< what was found damaged in the folder
};

struct BatchSummary {
  BatchState state;
  bool complete = false;  ///< every case is done, and the table is written
  std::filesystem::path table;
};

/// Runs the cases of a study that its folder does not have yet, in threads, and keeps them in a ledger
/// (docs/batch.md). What a case gives does not depend on threads, shards or order. A case that fails is
/// recorded with its message and the rest goes on. Whatever ends the process, what was committed stays, and a
/// resumed batch ends with the table, byte for byte, of one that was never interrupted. What is damaged in
/// the folder is found by checksums, told, and computed again.
///
/// Where there are ranks, each calls this with the same study and options; rank 0 alone writes the ledger and
/// the tables, and gives the summary; the others give none.
///
/// Throws IoError (locked: another process works on the folder) and std::invalid_argument for a folder that
/// holds a batch already, or another one; std::runtime_error for what kept a rank from its part.
BatchSummary run_batch(const Study& study, const BatchOptions& options);

/// For a rank that cannot call run_batch: rank 0 fails with this as the cause.
void decline_batch(Ranks& ranks, const std::string& why);

/// For the handler of a signal that ends the process: the case that this thread runs is the one that brings
/// it down. After two such ends a resumed batch leaves the case out, as `crashed`.
void note_crash() noexcept;

/// How far the batch in a folder is; also while another process works on it.
BatchState batch_state(const std::filesystem::path& folder);

}  // namespace torsor
