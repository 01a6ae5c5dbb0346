#include "torsor/batch/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "batch/ledger/segments.hpp"
#include "batch/ledger/sessions.hpp"
#include "batch/ledger/set_aside.hpp"
#include "batch/study/identity.hpp"
#include "batch/workers/crew.hpp"
#include "io/result.hpp"
#include "tables.hpp"

namespace torsor::batch {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// The files that the tables of the scene read.
std::vector<std::filesystem::path> table_files(const Study& study) {
  std::vector<std::filesystem::path> all;
  for (const auto& [name, text] : study.scene.tables())
    all.push_back(std::filesystem::path(study.scene.folder()) / name);
  return all;
}

/// Throws if the folder holds another batch, or if the study, the scene or the program has changed and
/// `force` is not set. Returns a note for the ledger on the changes that `force` overrides, or an empty text.
std::string note_of(const Ledger& then, const Ledger::Facts& now, const Layout& columns,
                    const BatchOptions& options) {
  const std::filesystem::path& folder = options.folder;
  for (const char* name : {"cases", "shard", "shards"})
    if (then.fact(name) != now.at(name))
      throw std::invalid_argument(fmt::format("{} holds another batch: \"{}\" was {} and is {}",
                                              folder.string(), name, then.fact(name), now.at(name)));
  if (const std::string other = difference(then.layout(), columns); !other.empty())
    throw std::invalid_argument(fmt::format("{} holds another batch: {}", folder.string(), other));
  const auto differ = differences(then.facts(), now);
  if (!differ.empty() && !options.force)
    throw std::invalid_argument(
        fmt::format("{} cannot be resumed: {}; --force resumes it anyway and records this", folder.string(),
                    fmt::join(differ, "; ")));
  return differ.empty() ? std::string() : fmt::format("forced although {}", fmt::join(differ, "; "));
}

/// Refuses a study whose first case would keep a longer trajectory than the options allow.
FirstCase within_memory(FirstCase first, const Study& study, const BatchOptions& options) {
  const double numbers = first.samples * static_cast<double>(first.columns.size());
  if (study.keep.trajectories && numbers > static_cast<double>(options.case_numbers))
    throw scene::SceneError(
        {{study.scene.file(), 0, 0,
          fmt::format("{:.0f} outputs of {} columns are more than the {} numbers that a case keeps of "
                      "its trajectory; give a greater run.output",
                      first.samples, first.columns.size(), options.case_numbers)}},
        true);
  return first;
}

/// The work of one process on one folder: workers run cases, this thread writes.
class Session {
 public:
  Session(const Study& study, const BatchOptions& options, Crew* crew)
      : study_(study),
        options_(options),
        crew_(crew),
        first_(within_memory(first_case_with_reference(study, options.cancelled), study, options)),
        folder_(options.folder),
        ledger_(open()),
        segments_(folder_.path(), ledger_, first_.columns),
        threads_(thread_count(options)),
        lanes_(lane_count(study, options)) {
    state_.cases = CaseSource::size(options.shard - 1, options.shards, study.cases());
  }

  BatchSummary run() {
    check_tables(folder_.path(), options_.force, table_files(study_));
    check_rows();
    record_crashes();
    open_session();
    try {
      return run_session();
    } catch (...) {
      record_failure();
      throw;
    }
  }

 private:
  BatchSummary run_session() {
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
    state_.running = false;
    BatchSummary summary{state_, complete, {}};
    if (complete)
      summary.table =
          write_tables(folder_.path(), ledger_, options_.force, [this] { return cancelled_alive(); });
    summary.complete = !summary.table.empty();
    tell_session(summary.complete ? "complete" : "interrupted");
    summary.state.ended = session_.ended;
    return summary;
  }

  Ledger open() {
    const Ledger::Facts facts = study_facts(study_, first_, options_.shard, options_.shards);
    const Layout columns = layout(study_, first_);
    const auto make = [&] { return Ledger::make(options_.folder, facts, columns); };
    if (!Ledger::exists_in(options_.folder)) return make();
    if (!options_.resume)
      throw std::invalid_argument(
          fmt::format("{} holds a batch already; --resume continues it", options_.folder.string()));
    try {
      const std::string forced =
          note_of(Ledger(options_.folder, Database::Access::write), facts, columns, options_);
      if (!forced.empty()) note(forced);
      return {options_.folder, Database::Access::write};
    } catch (const DamagedDatabase& error) {
      const std::filesystem::path damaged = set_ledger_aside(options_.folder);
      make().salvage(damaged);
      note(fmt::format("{}; it is kept as {}, and the cases that cannot be read are computed again",
                       error.what(), damaged.string()));
      return {options_.folder, Database::Access::write};
    }
  }

  /// Reports to the user and adds to the note in the ledger.
  void note(const std::string& text) {
    note_ += (note_.empty() ? "" : "; ") + text;
    if (options_.tell) options_.tell(text);
  }

  void check_rows() {
    if (const std::int64_t lost = ledger_.drop_damaged(); lost > 0)
      note(fmt::format("{} case{} of {} {} damaged and will be computed again", lost, lost == 1 ? "" : "s",
                       ledger_.database().file().string(), lost == 1 ? "was" : "were"));
    if (const std::int64_t lost = segments_.check(); lost > 0)
      note(fmt::format(
          "files in {} are damaged, missing or not as in the ledger; cases that are computed again: {}",
          (folder_.path() / "trajectories").string(), lost));
  }

  void open_session() {
    const double now = unix_time();
    session_ = {greatest(ledger_.database(), "number", "sessions") + 1,
                now,
                now,
                host_name(),
                static_cast<std::int64_t>(::getpid()),
                options_.ranks ? threads_ * options_.ranks->size() : threads_,
                0,
                "",
                note_};
    put_session(ledger_.database(), session_);
  }

  /// Records the work of this session so far; `ended` is empty while it continues.
  void tell_session(const char* ended) {
    session_.seen = unix_time(), session_.done = here_, session_.ended = ended;
    put_session(ledger_.database(), session_);
  }

  /// Records that this session failed, if the ledger can still be written.
  void record_failure() noexcept try {
    ledger_.database().roll_back();
    session_.ended = "failed";
    put_session(ledger_.database(), session_);
  } catch (const std::exception&) {
  }

  /// Records the cases that an earlier process was running when it died.
  void record_crashes() {
    ledger_.database().begin();
    for (const auto& [k, crashed] : UnderWay::left_in(folder_.path()))
      if (is_ours(k)) ledger_.cut_short(k, crashed);
    for (const std::int64_t k : crashed_cases(ledger_)) {
      if (!is_ours(k)) continue;
      CaseRecord record = begun(k, study_.values(k));
      record.status = "crashed";
      record.message = "the program crashed twice in this case";
      ledger_.add(record, 0);
    }
    ledger_.database().commit();
    UnderWay::remove_from(folder_.path());
  }

  bool is_ours(std::int64_t k) const {
    const std::int64_t first = options_.shard - 1;
    return k >= first && k < study_.cases() && (k - first) % options_.shards == 0;
  }

  /// Which cases of the shard are in the ledger.
  std::vector<bool> done() {
    std::vector<bool> all(static_cast<std::size_t>(state_.cases));
    for (Statement row = ledger_.database().prepare("SELECT \"case\", status, message FROM cases");
         row.step();) {
      if (!is_ours(row.integer(0))) continue;
      all[static_cast<std::size_t>((row.integer(0) - (options_.shard - 1)) / options_.shards)] = true;
      count(row.text(1), row.text(2));
    }
    return all;
  }

  void count(std::string_view status, std::string_view message) {
    const bool good = succeeded(status);
    ++state_.done;
    state_.failed += !good, state_.noted += good && noted(message);
  }

  void work(CaseSource& source) {
    UnderWay under_way(folder_.path(), threads_ * lanes_);
    Workers workers(threads_, lanes_, source, under_way, [&](std::int64_t k) {
      return run_case(study_, first_, k, options_, [&workers] { return workers.stopped(); });
    });
    std::optional<Feed> feed;
    if (crew_) feed.emplace(*options_.ranks, source, threads_);
    ledger_.database().begin();
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
    ledger_.database().commit();
    workers.throw_if_failed();
    if (crew_) crew_->throw_if_failed();
  }

  void write(const CaseResult& result) {
    ledger_.add(result.record, result.whole ? segments_.add(result) : 0);
    ++here_;
    count(result.record.status, result.record.message);
  }

  void checkpoint() {
    segments_.close();
    tell_session("");
    ledger_.database().commit();
    ledger_.database().begin();
    committed_ = Clock::now();
  }

  /// Whether the user cancels; called while the tables are written. Also updates the session in the ledger,
  /// so that other processes see that this one is running.
  bool cancelled_alive() {
    if (since(committed_) >= options_.checkpoint_s) {
      tell_session("");
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
  io::ResultFolder folder_;  ///< locked from here on
  Ledger ledger_;
  Segments segments_;
  int threads_, lanes_;
  SessionRecord session_;
  std::int64_t here_ = 0;  ///< cases done in this session
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

}  // namespace torsor::batch
