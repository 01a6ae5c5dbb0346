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

#include "batch/ledger/under_way.hpp"
#include "batch/study/case_source.hpp"
#include "case_run.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::batch {

/// The number of threads of this process: the one in the options; by default one if the batch has ranks, else
/// as many as the machine has.
int thread_count(const BatchOptions& options);

/// Cases that each thread runs at once.
int lane_count(const Study& study, const BatchOptions& options);

/// Threads that run cases, and the queue in which finished cases wait for the thread that writes them. If the
/// queue is full, the threads wait. An exception that leaves a thread, such as std::bad_alloc, stops all
/// threads.
class Workers {
 public:
  /// The greatest number of cases that may wait for the writer, and of numbers in their trajectories.
  static constexpr std::size_t most_cases = 1024, most_numbers = 4 << 20;
  /// If this many cases or numbers wait, the writer is woken before its waiting time ends.
  static constexpr std::size_t enough_cases = 64, enough_numbers = most_numbers / 4;

  using Run = std::function<std::optional<CaseResult>(std::int64_t k)>;
  /// Throws std::system_error if a thread cannot start.
  Workers(int threads, int lanes, CaseSource& source, UnderWay& under_way, Run run);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Asks all running cases to stop, and begins no more.
  void stop();
  bool stopped() const { return stopped_; }

  /// Takes the finished cases out of the queue. If they are few and no thread waits for turns (CaseSource),
  /// waits for more cases, but not longer than `wait`.
  std::deque<CaseResult> take(std::chrono::milliseconds wait);
  /// Whether a thread has asked for more turns since the last call.
  bool hungry();
  /// Whether all threads have ended and all results are taken.
  bool finished();
  /// Rethrows the first exception that left a thread, once; otherwise does nothing.
  void throw_if_failed();

 private:
  bool enough() const { return queue_.size() >= enough_cases || numbers_ >= enough_numbers; }
  void fail();
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
  std::size_t numbers_ = 0;  ///< in the trajectories of the queue
  bool hungry_ = false;
  std::exception_ptr failure_;
  int working_;
  std::vector<std::jthread> threads_;
};

}  // namespace torsor::batch
