#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"
#include "sqlite.hpp"

namespace torsor::batch {

/// Whether a case came to its end.
inline bool succeeded(std::string_view status) { return status == "reached-end" || status == "event"; }

/// One case, as the ledger has it.
struct CaseRecord {
  std::int64_t number = 0;
  std::vector<Cell> parameters;
  std::string status, message;
  std::vector<Cell> results;  ///< empty where the run could not begin
  double wall_s = 0;
};

/// What is done, on the disk: an SQLite file in write-ahead mode, so that at any moment of death it holds
/// what was committed last.
///
///   study      name and value of everything that decides what the cases are
///   columns    of the table, in order, with their part: parameter or result
///   cases      one row a finished case
///   segments   closed files of trajectories with their XXH3-128; one that is not here does not exist
///   sessions   one row a process that worked on it
///   cut_short  how often a case was under way when a process died, and how often it was the cause
///
/// One process and one thread writes; others may read.
class Ledger {
 public:
  using Facts = std::map<std::string, std::string>;

  static std::filesystem::path file_in(const std::filesystem::path& folder) {
    return folder / "ledger.sqlite";
  }
  /// Whether the folder holds a ledger; one whose making was cut short is none.
  static bool exists_in(const std::filesystem::path& folder);
  /// Makes the ledger of a folder, or opens the one that is there.
  static Ledger make(const std::filesystem::path& folder, const Facts& facts, const Layout& layout);
  Ledger(const std::filesystem::path& folder, Database::Access access);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  Database& database() { return database_; }
  const Database& database() const { return database_; }
  const Facts& facts() const { return facts_; }
  std::string fact(const std::string& name) const;
  const Layout& layout() const { return layout_; }
  /// Greatest number of a table's rows; 0 where there is none.
  std::int64_t greatest(const std::string& column, const std::string& table);

  void begin() { database_.execute("BEGIN IMMEDIATE"); }
  void commit() { database_.execute("COMMIT"); }
  /// `segment`: the file of trajectories that has the case; 0: none.
  void add(const CaseRecord& record, std::int64_t segment);
  void add_segment(std::int64_t number, const std::string& file, std::string_view bytes, std::int64_t cases);
  void cut_short(std::int64_t number, bool crashed);
  /// Cases that brought the process down twice, and are not recorded yet.
  std::vector<std::int64_t> crashed();

  /// Opens a session and gives its number.
  std::int64_t open_session(int threads, const std::string& note);
  /// What a session has done so far; `ended` is empty while it goes on.
  void tell_session(std::int64_t session, std::int64_t done, const std::string& ended);

 private:
  Database database_;
  Facts facts_;
  Layout layout_;
  std::optional<Statement> insert_;
};

/// XXH3-128 as 32 hexadecimal digits.
std::string content_hash(std::string_view bytes);

/// Seconds since 1970.
double unix_time();

}  // namespace torsor::batch
