#include "torsor/batch/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "crew.hpp"
#include "identity.hpp"
#include "segments.hpp"
#include "tables.hpp"
#include "torsor/io/result.hpp"

namespace torsor {
namespace {

using namespace batch;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Whether a folder may take this batch, and what is to be said about it in the ledger.
std::string note_of(const std::filesystem::path& folder, const Ledger::Facts& now,
                    const BatchOptions& options) {
  if (!options.resume)
    throw std::invalid_argument(
        fmt::format("{} holds a batch already; --resume goes on with it", folder.string()));
  const Ledger then(folder, Database::Access::read);
  for (const char* name : {"cases", "shard", "shards"})
    if (then.fact(name) != now.at(name))
      throw std::invalid_argument(fmt::format("{} holds another batch: \"{}\" was {} and is {}",
                                              folder.string(), name, then.fact(name), now.at(name)));
  const auto differ = differences(then.facts(), now);
  if (!differ.empty() && !options.force)
    throw std::invalid_argument(
        fmt::format("{} cannot go on: {}; --force goes on all the same and records it", folder.string(),
                    fmt::join(differ, "; ")));
  return differ.empty() ? std::string() : fmt::format("forced although {}", fmt::join(differ, "; "));
}

/// One process at work on one folder: workers run, this thread writes.
class Session {
 public:
  Session(const Study& study, const BatchOptions& options, Crew* crew)
      : study_(study),
        options_(options),
        crew_(crew),
        first_(first_case(study)),
        folder_(options.folder),
        ledger_(open(study, options, first_, note_)),
        segments_(folder_.path(), ledger_, first_.columns),
        threads_(thread_count(options)),
        lanes_(lane_count(study, options)) {
    state_.cases = CaseSource::size(options.shard - 1, options.shards, study.cases());
  }

  BatchSummary run() {
    record_crashes();
    number_ = ledger_.open_session(options_.ranks ? threads_ * options_.ranks->size() : threads_, note_);
    segments_.remove_unknown();
    const std::vector<bool> finished = done();
    CaseSource source(options_.shard - 1, options_.shards, study_.cases(), finished, options_.shuffle);
    if (state_.left() > 0) {
      if (crew_) {
        crew_->begin(ledger_.facts(), finished);
      } else {
        source.give(0, source.size());
        source.close();
      }
      work(source);
    }
    const bool complete = state_.left() == 0 && !interrupted_;
    BatchSummary summary{state_, complete, {}};
    if (complete) summary.table = write_tables(folder_.path(), ledger_, [this] { return cancelled_alive(); });
    summary.complete = !summary.table.empty();
    ledger_.tell_session(number_, here_, summary.complete ? "complete" : "interrupted");
    summary.state.ended = summary.complete ? "complete" : "interrupted";
    return summary;
  }

 private:
  static Ledger open(const Study& study, const BatchOptions& options, const FirstCase& first,
                     std::string& note) {
    const Ledger::Facts facts = study_facts(study, first, options.shard, options.shards);
    if (!Ledger::exists_in(options.folder)) return Ledger::make(options.folder, facts, layout(study, first));
    note = note_of(options.folder, facts, options);
    return {options.folder, Database::Access::write};
  }

  /// What the process before this one left under way when it died.
  void record_crashes() {
    ledger_.begin();
    for (const auto& [k, crashed] : UnderWay::left_in(folder_.path())) ledger_.cut_short(k, crashed);
    for (const std::int64_t k : ledger_.crashed()) {
      CaseRecord record = begun(study_, k);
      record.status = "crashed";
      record.message = "the program died in it twice";
      ledger_.add(record, 0);
    }
    ledger_.commit();
    UnderWay::remove_from(folder_.path());
  }

  /// Which cases of the shard the ledger has.
  std::vector<bool> done() {
    std::vector<bool> all(static_cast<std::size_t>(state_.cases));
    for (Statement row = ledger_.database().prepare("SELECT \"case\", status FROM cases"); row.step();) {
      all[static_cast<std::size_t>((row.integer(0) - (options_.shard - 1)) / options_.shards)] = true;
      ++state_.done;
      state_.failed += !succeeded(row.text(1));
    }
    return all;
  }

  void work(CaseSource& source) {
    UnderWay under_way(folder_.path(), threads_ * lanes_);
    Workers workers(threads_, lanes_, source, under_way, [&](std::int64_t k) {
      return run_case(study_, first_, k, options_.case_wall_limit, [&workers] { return workers.stopped(); });
    });
    std::optional<Feed> feed;
    if (crew_) feed.emplace(*options_.ranks, source, threads_);
    ledger_.begin();
    while (!workers.finished() || (crew_ && crew_->at_work())) {
      for (const CaseResult& result : workers.take(crew_ ? listening : std::chrono::milliseconds(50)))
        write(result);
      if (crew_) {
        for (const CaseResult& result : crew_->take()) write(result);
        if (workers.hungry()) feed->bring();
        if (workers.finished()) std::this_thread::sleep_for(listening);
      }
      if (since(committed_) >= options_.checkpoint_s || segments_.full()) checkpoint();
      if ((options_.cancelled && options_.cancelled()) || (crew_ && crew_->deserted())) {
        workers.stop();
        if (crew_) crew_->stop();
        interrupted_ = true;
      }
      tell();
    }
    checkpoint();
    ledger_.commit();
  }

  void write(const CaseResult& result) {
    const bool failed = !succeeded(result.record.status);
    ledger_.add(result.record, result.whole ? segments_.add(result) : 0);
    ++here_, ++state_.done;
    state_.failed += failed;
  }

  void checkpoint() {
    segments_.close();
    ledger_.tell_session(number_, here_, "");
    ledger_.commit();
    ledger_.begin();
    committed_ = Clock::now();
  }

  /// For long work without cases: others see that this process lives.
  bool cancelled_alive() {
    if (since(committed_) >= options_.checkpoint_s) {
      ledger_.tell_session(number_, here_, "");
      committed_ = Clock::now();
    }
    return options_.cancelled && options_.cancelled();
  }

  void tell() {
    state_.running = true;
    state_.elapsed_s = since(begun_);
    state_.rate = state_.elapsed_s > 0 ? static_cast<double>(here_) / state_.elapsed_s : 0;
    if (options_.progress) options_.progress(state_);
  }

  const Study& study_;
  const BatchOptions& options_;
  Crew* crew_;  ///< the other ranks, if there are any
  std::string note_;
  FirstCase first_;
  ResultFolder folder_;  ///< locked from here on
  Ledger ledger_;
  Segments segments_;
  int threads_, lanes_;
  std::int64_t number_ = 0, here_ = 0;
  bool interrupted_ = false;
  BatchState state_;
  Clock::time_point begun_ = Clock::now(), committed_ = begun_;
};

}  // namespace

BatchSummary run_batch(const Study& study, const BatchOptions& options) {
  if (!options.ranks) return Session(study, options, nullptr).run();
  if (options.ranks->rank() == 0) {
    Crew crew(*options.ranks);
    return Session(study, options, &crew).run();
  }
  serve(study, options);
  return {};
}

BatchState batch_state(const std::filesystem::path& folder) {
  const Ledger ledger(folder, Database::Access::read);
  BatchState state;
  const std::int64_t shard = std::stoll(ledger.fact("shard")), shards = std::stoll(ledger.fact("shards"));
  state.cases = CaseSource::size(shard - 1, shards, std::stoll(ledger.fact("cases")));
  for (Statement row = ledger.database().prepare("SELECT status, count(*) FROM cases GROUP BY status");
       row.step();) {
    state.done += row.integer(1);
    if (!succeeded(row.text(0))) state.failed += row.integer(1);
  }
  Statement session =
      ledger.database().prepare("SELECT begun, seen, done, ended FROM sessions ORDER BY number DESC LIMIT 1");
  if (session.step()) {
    state.elapsed_s = session.number(1) - session.number(0);
    state.rate = state.elapsed_s > 0 ? static_cast<double>(session.integer(2)) / state.elapsed_s : 0;
    state.ended = session.text(3);
    // A process that lives is seen at every checkpoint.
    state.running = state.ended.empty() && unix_time() - session.number(1) < 10;
  }
  return state;
}

}  // namespace torsor
