#include <fmt/format.h>

#include <cerrno>
#include <csignal>

#include "batch/ledger/ledger.hpp"
#include "batch/ledger/sessions.hpp"
#include "batch/study/case_source.hpp"
#include "io/result.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::batch {
namespace {

constexpr double recently = 10;  ///< s

/// Whether the process of a session may still run. True for other machines, where this cannot be checked.
bool may_live(const SessionRecord& session) {
  return session.host != host_name() || ::kill(static_cast<::pid_t>(session.process), 0) == 0 ||
         errno == EPERM;
}

}  // namespace

BatchState batch_state(const std::filesystem::path& folder) {
  const Ledger ledger(folder, Database::Access::read);
  BatchState state;
  state.cases = CaseSource::size(ledger.count("shard") - 1, ledger.count("shards"), ledger.count("cases"));
  for (Statement row = ledger.database().prepare(fmt::format(
           "SELECT status, count(*), sum(message LIKE '%{}%') FROM cases GROUP BY status", note_mark));
       row.step();) {
    state.done += row.integer(1);
    if (succeeded(row.text(0)))
      state.noted += row.integer(2);
    else
      state.failed += row.integer(1);
  }
  const SessionRecord session = last_session(ledger.database());
  if (session.number == 0) {
    state.ended = "not begun";
    return state;
  }
  state.elapsed_s = session.seen - session.begun;
  state.rate = state.elapsed_s > 0 ? static_cast<double>(session.done) / state.elapsed_s : 0;
  state.ended = session.ended == "complete" && state.left() > 0 ? "incomplete" : session.ended;
  // A running process updates `seen` at every checkpoint and holds the lock of the folder. Another machine
  // may not see the lock. On this machine the existence of the process is checked as well.
  state.running = session.ended.empty() && may_live(session) &&
                  (unix_time() - session.seen < recently || io::is_locked(folder));
  return state;
}

}  // namespace torsor::batch
