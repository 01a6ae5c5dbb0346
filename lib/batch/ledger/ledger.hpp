#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch/layout.hpp"
#include "row_checksum.hpp"
#include "sqlite.hpp"

namespace torsor::batch {

/// Whether a case reached its end, or the event that ends it.
inline bool succeeded(std::string_view status) { return status == "reached-end" || status == "event"; }

/// Stands before the notes of a run in the message of its case.
inline constexpr std::string_view note_mark = "note: ";
inline bool noted(std::string_view message) { return message.find(note_mark) != message.npos; }

/// One case as the ledger records it.
struct CaseRecord {
  std::int64_t number = 0;
  std::vector<Cell> parameters;
  std::string status, message;
  std::vector<Cell> results;  ///< empty if the run could not begin, or was given up
  double wall_s = 0;
};

/// The SQLite file that holds the finished cases of a batch. It is in write-ahead mode: if the process dies,
/// the file still holds everything up to the last commit.
///
///   study      name and value of every fact that determines the cases
///   columns    name, part (parameter or result) and unit of each column of the batch's table, in order
///   cases      one row for each finished case
///   segments   closed files of trajectories with their XXH3-128; other files are not part of the batch
///   sessions   one row for each process that worked on the batch
///   cut_short  how often a case was running when a process died, and how often it was the cause
///
/// Every row ends with its checksum. Damage is found when a ledger is opened. A damaged ledger that is opened
/// to be read throws DamagedDatabase. In a ledger opened to be written, `drop_damaged` removes damaged rows;
/// if the file as a whole is damaged, a new ledger takes over the rows that can still be read (`salvage`).
///
/// One thread of one process writes; others may read.
class Ledger {
 public:
  using Facts = std::map<std::string, std::string>;

  static std::filesystem::path file_in(const std::filesystem::path& folder) {
    return folder / "ledger.sqlite";
  }
  /// Whether the folder holds a ledger, sound or damaged. A ledger that was not fully created does not count.
  static bool exists_in(const std::filesystem::path& folder);
  /// Creates the ledger of a folder.
  static Ledger make(const std::filesystem::path& folder, const Facts& facts, const Layout& layout);
  /// Throws DamagedDatabase if the file as a whole is damaged; with Access::read also if a row is damaged.
  Ledger(const std::filesystem::path& folder, Database::Access access);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  Database& database() { return database_; }
  const Database& database() const { return database_; }
  const Facts& facts() const { return facts_; }
  std::string fact(const std::string& name) const;
  /// A fact that is a whole number: "cases", "shard" or "shards". Throws DamagedDatabase if it is not.
  std::int64_t count(const std::string& name) const;
  const Layout& layout() const { return layout_; }

  /// `segment`: the file of trajectories that has the case; 0: none. Throws std::logic_error if the record
  /// has another number of parameters or results than the table has columns; a record without results is
  /// allowed.
  void add(const CaseRecord& record, std::int64_t segment);
  void cut_short(std::int64_t number, bool crashed);

  /// Takes over a case of another ledger with the same columns. `segment`: the segment of this ledger that
  /// has the trajectory of the case; 0: none.
  void take_case(std::vector<SqlValue> row, std::int64_t segment);
  /// Takes over the sound rows of a damaged ledger, as far as it can be read. Changes nothing if its study
  /// cannot be read or is another one.
  void salvage(const std::filesystem::path& damaged);
  /// Removes damaged rows and returns the number of cases among them.
  std::int64_t drop_damaged();

 private:
  void check_pages() const;
  void read_facts();
  void check_tables() const;
  [[noreturn]] void fail(const std::string& why) const;
  /// The tables besides `study` and `columns`, each with its number of columns without the checksum.
  std::vector<std::pair<std::string, std::size_t>> tables() const;
  Database database_;
  Facts facts_;
  Layout layout_;
  struct CutShort {
    std::int64_t times = 0, crashes = 0;
  };
  std::map<std::int64_t, CutShort>& cut_shorts();
  std::optional<Inserter> insert_;
  std::optional<std::map<std::int64_t, CutShort>> cut_shorts_;  ///< the table, once it has been read
};

/// Cases that crashed the process at least twice and are not recorded yet.
std::vector<std::int64_t> crashed_cases(const Ledger& ledger);

/// Indices of the columns of `cases`.
struct CaseColumns {
  static constexpr int number = 0, status = 1, message = 2, attempts = 3, wall_s = 4, hash = 5, segment = 6,
                       own = 7;
};

/// The rows of a table whose checksums and rowids are valid, in the order of the rowids. The rowids of the
/// other rows are collected. Throws DamagedDatabase if the number of columns is wrong, if the rows are not in
/// order, or if the table cannot be read to its end.
class SoundRows {
 public:
  /// `columns`: number of columns of the table without the checksum.
  SoundRows(const Database& database, const std::string& table, std::size_t columns);
  bool step();
  const std::vector<SqlValue>& values() const { return values_; }  ///< without the checksum
  std::string text(std::size_t column) const;                      ///< empty if the value is not a text
  std::int64_t whole(std::size_t column) const;                    ///< 0 if the value is not a whole number
  const std::vector<std::int64_t>& damaged() const { return damaged_; }  ///< rowids

 private:
  Statement row_;
  std::string file_, table_;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
  std::vector<SqlValue> values_;
  std::vector<std::int64_t> damaged_;
};

}  // namespace torsor::batch
