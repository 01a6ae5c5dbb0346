#include "sessions.hpp"

#include <unistd.h>

#include <chrono>

#include "row_checksum.hpp"

namespace torsor::batch {

void put_session(const Database& ledger, const SessionRecord& session) {
  Inserter(ledger, "sessions", 9)
      .add({session.number, session.begun, session.seen, session.host, session.process, session.threads,
            session.done, session.ended, session.note});
}

SessionRecord last_session(const Database& ledger) {
  Statement row = ledger.prepare("SELECT * FROM sessions ORDER BY number DESC LIMIT 1");
  if (!row.step()) return {};
  return {row.integer(0), row.number(1),  row.number(2), row.text(3), row.integer(4),
          row.integer(5), row.integer(6), row.text(7),   row.text(8)};
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace torsor::batch
