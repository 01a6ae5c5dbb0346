#pragma once

#include <deque>
#include <exception>
#include <vector>

#include "batch/ledger/ledger.hpp"
#include "batch/study/case_source.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/batch/ranks.hpp"
#include "workers.hpp"

namespace torsor::batch {

/// Gets turns for the workers of one rank from the counter that all ranks share, in blocks that become
/// smaller towards the end.
class Feed {
 public:
  Feed(Ranks& ranks, CaseSource& source, int threads) : ranks_(ranks), source_(source), threads_(threads) {}
  /// Gets one block of turns; called when a worker waits for turns.
  void bring();

 private:
  Ranks& ranks_;
  CaseSource& source_;
  int threads_;
  std::int64_t seen_ = 0;  ///< the counter after the last block
};

/// Lets rank 0 communicate with the other ranks. Rank 0 tells them which cases are done already; they send
/// the cases that they finish, and a message when they leave.
class Crew {
 public:
  explicit Crew(Ranks& ranks) : ranks_(ranks), at_work_(ranks.size() - 1) {}
  /// Ends the other ranks after they have stopped their cases.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void begin(const Ledger::Facts& facts, const std::vector<bool>& done);
  /// The results that have arrived.
  std::deque<CaseResult> take();
  bool at_work() const { return at_work_ > 0; }
  /// Whether a rank left before all cases were done.
  bool deserted() const { return deserted_; }
  /// Throws the first error that stopped a rank: IoError, std::system_error for a lack of memory or threads,
  /// or std::runtime_error.
  void throw_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }
  /// Asks all ranks to stop.
  void stop();

 private:
  void tell(const char* what);

  Ranks& ranks_;
  int at_work_;
  bool begun_ = false, stopped_ = false, deserted_ = false;
  std::exception_ptr error_;
};

/// The work of any rank other than 0 on a batch: it runs cases and sends them to rank 0.
void serve(const Study& study, const BatchOptions& options);

/// How long to wait for the workers of this rank before the messages of other ranks are read again.
constexpr std::chrono::milliseconds listening{5};

}  // namespace torsor::batch
