#pragma once

#include <string>

#include "sqlite.hpp"

namespace torsor::batch {

/// The work of one process on a batch, current or past.
struct SessionRecord {
  std::int64_t number = 0;
  double begun = 0, seen = 0;  ///< s since 1970
  std::string host;
  std::int64_t process = 0, threads = 0, done = 0;
  std::string ended, note;  ///< `ended` is empty while the process runs, and if it died
};

/// Adds a session to the database of a ledger, or replaces the session with its number.
void put_session(const Database& database, const SessionRecord& session);
/// The last session; its number is 0 if there is none.
SessionRecord last_session(const Database& ledger);

/// Seconds since 1970.
double unix_time();

/// Name of this machine.
std::string host_name();

}  // namespace torsor::batch
