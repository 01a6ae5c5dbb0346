#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "case_run.hpp"
#include "case_source.hpp"
#include "torsor/batch/batch.hpp"
#include "under_way.hpp"

namespace torsor::batch {

/// Those of the options, or as many as the machine has; one a rank.
int thread_count(const BatchOptions& options);

/// Cases that each of them runs at once.
int lane_count(const Study& study, const BatchOptions& options);

/// Threads that run cases, and the queue in which what they finished waits for the one that writes it down.
/// A full queue makes them wait.
class Workers {
 public:
  /// Cases that may wait for the writer, and numbers of their trajectories.
  static constexpr std::size_t most_cases = 1024, most_numbers = 4 << 20;
  /// So many are worth waking the writer for before its time.
  static constexpr std::size_t enough_cases = 64, enough_numbers = most_numbers / 4;

  using Run = std::function<std::optional<CaseResult>(std::int64_t k)>;
  Workers(int threads, int lanes, CaseSource& source, UnderWay& under_way, Run run);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Asks all cases under way to stop, and begins none.
  void stop();
  bool stopped() const { return stopped_; }

  /// What has been finished; waits for more, so long at the most, where it is little and no thread lacks
  /// turns.
  std::deque<CaseResult> take(std::chrono::milliseconds wait);
  /// Whether a thread has asked for more turns since this was last called.
  bool hungry();
  /// Whether all is done and taken.
  bool finished();

 private:
  bool enough() const { return queue_.size() >= enough_cases || numbers_ >= enough_numbers; }
  void work(int thread);
  void run_cases(int slot);

  CaseSource& source_;
  UnderWay& under_way_;
  Run run_;
  int lanes_;
  std::atomic<bool> stopped_ = false;
  std::mutex guard_;
  std::condition_variable filled_, emptied_;
  std::deque<CaseResult> queue_;
  std::size_t numbers_ = 0;  ///< in the queue
  bool hungry_ = false;
  int working_;
  std::vector<std::jthread> threads_;
};

}  // namespace torsor::batch
