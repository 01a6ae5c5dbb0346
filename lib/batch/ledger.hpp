#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"
#include "row_checksum.hpp"
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

/// A process that works on a batch, or did.
struct SessionRecord {
  std::int64_t number = 0;
  double begun = 0, seen = 0;  ///< s since 1970
  std::string host;
  std::int64_t process = 0, threads = 0, done = 0;
  std::string ended, note;  ///< `ended` is empty while it goes on, and where it died
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
/// Every row ends with its checksum. What is wrong with a ledger is found when it is opened: to be read, as
/// DamagedDatabase; to be written, damage of the rows is mended by `drop_damaged`, that of the whole by a new
/// ledger that takes over what can still be read.
///
/// One process and one thread writes; others may read.
class Ledger {
 public:
  using Facts = std::map<std::string, std::string>;

  static std::filesystem::path file_in(const std::filesystem::path& folder) {
    return folder / "ledger.sqlite";
  }
  /// Whether the folder holds a ledger, sound or damaged; one whose making was cut short is none.
  static bool exists_in(const std::filesystem::path& folder);
  /// Makes the ledger of a folder.
  static Ledger make(const std::filesystem::path& folder, const Facts& facts, const Layout& layout);
  /// Throws DamagedDatabase where the file as a whole cannot be trusted, to read also where a row cannot.
  Ledger(const std::filesystem::path& folder, Database::Access access);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  Database& database() { return database_; }
  const Database& database() const { return database_; }
  const Facts& facts() const { return facts_; }
  std::string fact(const std::string& name) const;
  /// A fact that is a whole number: "cases", "shard" or "shards". Throws DamagedDatabase where it is not.
  std::int64_t count(const std::string& name) const;
  const Layout& layout() const { return layout_; }
  /// Greatest number of a table's rows; 0 where there is none.
  std::int64_t greatest(const std::string& column, const std::string& table);

  void begin() { database_.execute("BEGIN IMMEDIATE"); }
  void commit() { database_.execute("COMMIT"); }
  /// Gives up what is not committed, if there is anything.
  void roll_back() { sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr); }
  /// `segment`: the file of trajectories that has the case; 0: none.
  void add(const CaseRecord& record, std::int64_t segment);
  void add_segment(std::int64_t number, const std::string& file, const std::string& hash, std::int64_t cases);
  void cut_short(std::int64_t number, bool crashed);
  /// Cases that brought the process down twice, and are not recorded yet.
  std::vector<std::int64_t> crashed();
  void put(const SessionRecord& session);
  /// The last one; number 0 where there is none.
  SessionRecord last_session() const;

  /// Takes over a case of another ledger with the same columns; its trajectory is in this segment here, 0:
  /// none.
  void take_case(std::vector<SqlValue> row, std::int64_t segment);
  /// Takes over the sound rows of a damaged ledger, as far as it can be read; a folder with nothing to take
  /// over leaves this one as it is.
  void salvage(const std::filesystem::path& damaged);
  /// Removes rows that are damaged, and gives how many cases were among them.
  std::int64_t drop_damaged();

 private:
  void check_pages() const;
  void read_facts();
  void check_tables() const;
  [[noreturn]] void fail(const std::string& why) const;
  /// The tables besides `study` and `columns`, and how many columns each has.
  std::vector<std::pair<std::string, std::size_t>> tables() const;
  Database database_;
  Facts facts_;
  Layout layout_;
  struct CutShort {
    std::int64_t times = 0, crashes = 0;
  };
  std::map<std::int64_t, CutShort>& cut_shorts();
  std::optional<Inserter> insert_;
  std::optional<std::map<std::int64_t, CutShort>> cut_shorts_;  ///< the table, once it was asked for
};

/// Places in a row of `cases`.
struct CaseColumns {
  static constexpr int number = 0, status = 1, message = 2, attempts = 3, wall_s = 4, hash = 5, segment = 6,
                       own = 7;
};

/// Rows of a table with sound checksums and rowids that a ledger gives, in their order; others are noted.
/// Throws DamagedDatabase where the table has another number of columns, or cannot be read on.
class SoundRows {
 public:
  /// `columns`: of the table, the checksum not counted.
  SoundRows(const Database& database, const std::string& table, std::size_t columns);
  bool step();
  const std::vector<SqlValue>& values() const { return values_; }        ///< without the checksum
  std::string text(std::size_t column) const;                            ///< empty where there is none
  std::int64_t whole(std::size_t column) const;                          ///< 0 where there is none
  const std::vector<std::int64_t>& damaged() const { return damaged_; }  ///< their rowids

 private:
  Statement row_;
  std::string table_;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
  std::vector<SqlValue> values_;
  std::vector<std::int64_t> damaged_;
};

/// Seconds since 1970.
double unix_time();

/// Name of this machine.
std::string host_name();

}  // namespace torsor::batch
