#include "ledger.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "cells.hpp"
#include "torsor/io/io_error.hpp"

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

constexpr const char* tables = R"(
CREATE TABLE study(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE columns(position INTEGER PRIMARY KEY, name TEXT, part TEXT, unit TEXT);
CREATE TABLE segments(number INTEGER PRIMARY KEY, file TEXT, bytes INTEGER, hash TEXT, cases INTEGER);
CREATE TABLE sessions(number INTEGER PRIMARY KEY, begun REAL, seen REAL, host TEXT, process INTEGER,
  threads INTEGER, done INTEGER, ended TEXT, note TEXT);
CREATE TABLE cut_short("case" INTEGER PRIMARY KEY, times INTEGER, crashes INTEGER);
)";

/// Columns of `cases` before and behind those of the study.
constexpr const char* first_columns =
    "\"case\" INTEGER PRIMARY KEY, status TEXT, message TEXT, attempts INTEGER, "
    "wall_s REAL, hash TEXT, segment INTEGER";
constexpr int own_columns = 7;

std::string host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// SQLite tells names apart without regard to case, and takes so many columns.
void check_columns(const Database& database, const Layout& layout) {
  const int most = sqlite3_limit(database.handle(), SQLITE_LIMIT_COLUMN, -1);
  const std::size_t wanted = layout.parameters.size() + layout.results.size() + own_columns;
  if (wanted > static_cast<std::size_t>(most))
    throw std::invalid_argument(fmt::format(
        "the study keeps {} columns and a table takes {}; keep less: \"final\" and \"columns\" of [keep]",
        wanted, most));
  std::map<std::string, std::string> seen;
  for (const auto* part : {&layout.parameters, &layout.results})
    for (const auto& [name, unit] : *part) {
      std::string lower = name;
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const auto [other, is_new] = seen.try_emplace(lower, name);
      if (!is_new)
        throw std::invalid_argument(
            fmt::format("columns \"{}\" and \"{}\" are one to the ledger, which does not tell capitals apart",
                        other->second, name));
    }
}

/// The row of a case in the words of its table, which is what its hash is of.
std::string row_text(const CaseRecord& record) {
  std::string text;
  Row row(text);
  row.number(static_cast<double>(record.number));
  for (const Cell& cell : record.parameters) put(row, cell);
  row.text(record.status);
  row.text(record.message);
  for (const Cell& cell : record.results) put(row, cell);
  return text;
}

/// The ledger's file; a folder without one holds no batch.
fs::path present_in(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    throw std::invalid_argument(fmt::format("no such folder: {}", folder.string()));
  if (!fs::exists(Ledger::file_in(folder), failure))
    throw std::invalid_argument(fmt::format("{} holds no batch: it has no ledger.sqlite", folder.string()));
  return Ledger::file_in(folder);
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool Ledger::exists_in(const fs::path& folder) {
  std::error_code failure;
  if (!fs::exists(file_in(folder), failure)) return false;
  const Database database(file_in(folder), Database::Access::write);
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'study'").step();
}

Ledger Ledger::make(const fs::path& folder, const Facts& facts, const Layout& layout) {
  {
    Database database(file_in(folder), Database::Access::write);
    check_columns(database, layout);
    database.execute("BEGIN IMMEDIATE");
    std::string own = first_columns;
    for (const Column& column : layout.parameters) own += ", " + sql_name(column.name);
    for (const Column& column : layout.results) own += ", " + sql_name(column.name);
    database.execute(tables +
                     fmt::format("CREATE TABLE cases({}); CREATE INDEX by_status ON cases(status)", own));
    Statement fact = database.prepare("INSERT INTO study VALUES(?, ?)");
    for (const auto& [name, value] : facts)
      fact.bind(1, std::string_view(name)).bind(2, std::string_view(value)).run();
    Statement column = database.prepare("INSERT INTO columns(name, part, unit) VALUES(?, ?, ?)");
    const auto add = [&column](const std::vector<Column>& columns, std::string_view part) {
      for (const auto& [name, unit] : columns)
        column.bind(1, std::string_view(name)).bind(2, part).bind(3, std::string_view(unit)).run();
    };
    add(layout.parameters, "parameter");
    add(layout.results, "result");
    database.execute("COMMIT");
  }
  return {folder, Database::Access::write};
}

Ledger::Ledger(const fs::path& folder, Database::Access access)
    : database_(access == Database::Access::read ? present_in(folder) : file_in(folder), access) {
  for (Statement fact = database_.prepare("SELECT name, value FROM study"); fact.step();)
    facts_[fact.text(0)] = fact.text(1);
  if (fact("format") != "torsor/ledger/2")
    throw IoError(fmt::format("{} is no ledger of this version: its format is \"{}\"",
                              database_.file().string(), fact("format")));
  for (Statement column = database_.prepare("SELECT name, part, unit FROM columns ORDER BY position");
       column.step();)
    (column.text(1) == "parameter" ? layout_.parameters : layout_.results)
        .push_back({column.text(0), column.text(2)});
}

std::string Ledger::fact(const std::string& name) const {
  const auto found = facts_.find(name);
  return found == facts_.end() ? std::string() : found->second;
}

std::int64_t Ledger::greatest(const std::string& column, const std::string& table) {
  Statement most =
      database_.prepare(fmt::format("SELECT max({}) FROM {}", sql_name(column), sql_name(table)));
  return most.step() ? most.integer(0) : 0;
}

void Ledger::add(const CaseRecord& record, std::int64_t segment) {
  if (!insert_) {
    const std::size_t values = own_columns + layout_.parameters.size() + layout_.results.size();
    std::string marks = "?1, ?2, ?3, 1 + ifnull((SELECT times FROM cut_short WHERE \"case\" = ?1), 0)";
    for (std::size_t i = 5; i <= values; ++i) marks += fmt::format(", ?{}", i);
    insert_.emplace(database_, fmt::format("INSERT INTO cases VALUES({})", marks));
  }
  Statement& row = *insert_;
  row.bind(1, record.number)
      .bind(2, std::string_view(record.status))
      .bind(3, std::string_view(record.message));
  row.bind(5, record.wall_s).bind(6, std::string_view(content_hash(row_text(record))));
  row.bind(7, segment > 0 ? static_cast<double>(segment) : std::numeric_limits<double>::quiet_NaN());
  int place = own_columns;
  for (const Cell& cell : record.parameters) row.bind(++place, cell);
  for (std::size_t i = 0; i < layout_.results.size(); ++i)
    row.bind(++place,
             i < record.results.size() ? record.results[i] : std::numeric_limits<double>::quiet_NaN());
  row.run();
}

void Ledger::add_segment(std::int64_t number, const std::string& file, std::string_view bytes,
                         std::int64_t cases) {
  database_.prepare("INSERT INTO segments VALUES(?, ?, ?, ?, ?)")
      .bind(1, number)
      .bind(2, std::string_view(file))
      .bind(3, static_cast<std::int64_t>(bytes.size()))
      .bind(4, std::string_view(content_hash(bytes)))
      .bind(5, cases)
      .run();
}

void Ledger::cut_short(std::int64_t number, bool crashed) {
  database_
      .prepare(
          "INSERT INTO cut_short SELECT ?1, 1, ?2 WHERE NOT EXISTS (SELECT 1 FROM cases WHERE \"case\" = ?1) "
          "ON CONFLICT DO UPDATE SET times = times + 1, crashes = crashes + ?2")
      .bind(1, number)
      .bind(2, std::int64_t{crashed})
      .run();
}

std::vector<std::int64_t> Ledger::crashed() {
  std::vector<std::int64_t> all;
  Statement row = database_.prepare(
      "SELECT \"case\" FROM cut_short WHERE crashes > 1 AND \"case\" NOT IN (SELECT \"case\" FROM cases)");
  while (row.step()) all.push_back(row.integer(0));
  return all;
}

std::int64_t Ledger::open_session(int threads, const std::string& note) {
  const std::int64_t number = greatest("number", "sessions") + 1;
  database_.prepare("INSERT INTO sessions VALUES(?, ?, ?, ?, ?, ?, 0, '', ?)")
      .bind(1, number)
      .bind(2, unix_time())
      .bind(3, unix_time())
      .bind(4, std::string_view(host()))
      .bind(5, static_cast<std::int64_t>(::getpid()))
      .bind(6, static_cast<std::int64_t>(threads))
      .bind(7, std::string_view(note))
      .run();
  return number;
}

void Ledger::tell_session(std::int64_t session, std::int64_t done, const std::string& ended) {
  database_.prepare("UPDATE sessions SET seen = ?2, done = ?3, ended = ?4 WHERE number = ?1")
      .bind(1, session)
      .bind(2, unix_time())
      .bind(3, done)
      .bind(4, std::string_view(ended))
      .run();
}

}  // namespace torsor::batch
