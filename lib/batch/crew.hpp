#pragma once

#include <deque>
#include <vector>

#include "case_source.hpp"
#include "ledger.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/batch/ranks.hpp"
#include "workers.hpp"

namespace torsor::batch {

/// Takes turns for the workers of one rank from the counter that all ranks share, in blocks that become
/// smaller towards the end.
class Feed {
 public:
  Feed(Ranks& ranks, CaseSource& source, int threads) : ranks_(ranks), source_(source), threads_(threads) {}
  /// To be called where somebody waits for turns.
  void bring();

 private:
  Ranks& ranks_;
  CaseSource& source_;
  int threads_;
  std::int64_t seen_ = 0;  ///< where the counter stood
};

/// The other ranks, as rank 0 sees them: they are told what is done already, send what they finish, and say
/// when they leave.
class Crew {
 public:
  explicit Crew(Ranks& ranks) : ranks_(ranks), at_work_(ranks.size() - 1) {}
  /// Sends those that work home, when they have left off.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void begin(const Ledger::Facts& facts, const std::vector<bool>& done);
  /// What has come in. Throws what a rank could not go on for: IoError or std::runtime_error.
  std::deque<CaseResult> take();
  bool at_work() const { return at_work_ > 0; }
  /// Whether one of them left before there was nothing more to do.
  bool deserted() const { return deserted_; }
  /// Asks all to leave off.
  void stop();

 private:
  void tell(const char* what);

  Ranks& ranks_;
  int at_work_;
  bool begun_ = false, stopped_ = false, deserted_ = false;
};

/// The work of any other rank on a batch: runs cases and sends them to rank 0.
void serve(const Study& study, const BatchOptions& options);

/// How long to wait for one's own workers while ranks have to be listened to.
constexpr std::chrono::milliseconds listening{5};

}  // namespace torsor::batch
