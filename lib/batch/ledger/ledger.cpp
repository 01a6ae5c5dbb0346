#include "ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "batch/cells.hpp"
#include "io/results/digest.hpp"
#include "ledger_schema.hpp"

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

/// The row of a case as text of the table. The hash of the case is the hash of this text.
std::string row_text(const CaseRecord& record) {
  std::string text;
  io::Row row(text);
  row.number(static_cast<double>(record.number));
  for (const Cell& cell : record.parameters) put(row, cell);
  row.text(record.status);
  row.text(record.message);
  for (const Cell& cell : record.results) put(row, cell);
  return text;
}

/// The file of the ledger. Throws std::invalid_argument if the folder has none, and IoError if the file has
/// no tables. A batch that begins makes all tables in one commit.
fs::path present_in(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    throw std::invalid_argument(fmt::format("no such folder: {}", folder.string()));
  if (!fs::exists(Ledger::file_in(folder), failure))
    throw std::invalid_argument(fmt::format("{} holds no batch: it has no ledger.sqlite", folder.string()));
  if (!Ledger::exists_in(folder))
    throw io::IoError(fmt::format("{} holds no batch: its ledger.sqlite is empty", folder.string()));
  return Ledger::file_in(folder);
}

SqlValue value(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return std::get<double>(cell);
}

}  // namespace

bool Ledger::exists_in(const fs::path& folder) try {
  std::error_code failure;
  if (!fs::exists(file_in(folder), failure) || fs::file_size(file_in(folder), failure) == 0) return false;
  const Database database(file_in(folder), Database::Access::read);
  return database.prepare("SELECT 1 FROM sqlite_master").step();
} catch (const DamagedDatabase&) {
  return true;
}

Ledger Ledger::make(const fs::path& folder, const Facts& facts, const Layout& layout) {
  check_columns(layout);
  {
    Database database(file_in(folder), Database::Access::write);
    database.begin();
    for (const std::string& one : schema_of(layout)) database.execute(one);
    Inserter fact(database, "study", 2);
    for (const auto& [name, value] : facts) fact.add({name, value});
    fact.add({std::string("digest"), digest_of(facts, layout)});
    Inserter column(database, "columns", 4);
    std::int64_t position = 0;
    const auto add = [&](const std::vector<io::Column>& columns, const std::string& part) {
      for (const auto& [name, unit] : columns) column.add({++position, name, part, unit});
    };
    add(layout.parameters, "parameter");
    add(layout.results, "result");
    database.commit();
  }
  return {folder, Database::Access::write};
}

Ledger::Ledger(const fs::path& folder, Database::Access access)
    : database_(access == Database::Access::read ? present_in(folder) : file_in(folder), access) {
  const bool read = access == Database::Access::read;
  database_.execute(read ? "BEGIN" : "BEGIN IMMEDIATE; ROLLBACK");  // read: one state of the file
  if (!read && sqlite3_db_readonly(database_.handle(), "main") != 0) fail("its header forbids writing");
  check_pages();
  read_facts();
  check_tables();
  if (!read) return;
  for (const auto& [table, columns] : tables()) {
    SoundRows rows(database_, table, columns);
    while (rows.step()) {
    }
    if (!rows.damaged().empty())
      fail(fmt::format("damaged rows of table \"{}\": {}; torsor batch --resume computes lost cases again",
                       table, rows.damaged().size()));
  }
}

void Ledger::fail(const std::string& why) const {
  throw DamagedDatabase(fmt::format("{} is damaged: {}", database_.file().string(), why));
}

std::vector<std::pair<std::string, std::size_t>> Ledger::tables() const {
  return {{"cases", CaseColumns::own + layout_.parameters.size() + layout_.results.size()},
          {"segments", 4},
          {"sessions", 9},
          {"cut_short", 3}};
}

void Ledger::check_pages() const {
  Statement report = database_.prepare("PRAGMA integrity_check(1)");
  const std::string text = report.step() ? report.text(0) : std::string();
  if (text != "ok") fail(text.substr(text.rfind('\n') + 1));  // SQLite puts a heading on a line of its own
}

void Ledger::read_facts() {
  for (SoundRows fact(database_, "study", 2); fact.step();) facts_[fact.text(0)] = fact.text(1);
  for (SoundRows column(database_, "columns", 4); column.step();)
    (column.text(2) == "parameter" ? layout_.parameters : layout_.results)
        .push_back({column.text(1), column.text(3)});
  const std::string digest = fact("digest");
  facts_.erase("digest");
  if (digest != digest_of(facts_, layout_))
    fail("its digest does not match its study, or another version wrote it");
  const std::int64_t shard = count("shard");
  if (count("cases") < 0 || shard < 1 || shard > count("shards"))
    fail("its numbers of cases and shards contradict each other");
}

void Ledger::check_tables() const {
  std::vector<std::string> wanted = schema_of(layout_), found;
  for (Statement one = database_.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"); one.step();)
    found.push_back(one.text(0));
  std::sort(wanted.begin(), wanted.end());
  std::sort(found.begin(), found.end());
  if (found != wanted) fail("its tables are not those of a ledger");
}

std::string Ledger::fact(const std::string& name) const {
  const auto found = facts_.find(name);
  return found == facts_.end() ? std::string() : found->second;
}

std::int64_t Ledger::count(const std::string& name) const {
  const std::string text = fact(name);
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size())
    fail(fmt::format("its \"{}\" is not a number", name));
  return number;
}

void Ledger::add(const CaseRecord& record, std::int64_t segment) {
  if (record.parameters.size() != layout_.parameters.size() ||
      (!record.results.empty() && record.results.size() != layout_.results.size()))
    throw std::logic_error(
        fmt::format("case {} has {} parameters and {} results; the table of {} has {} and {}", record.number,
                    record.parameters.size(), record.results.size(), database_.file().string(),
                    layout_.parameters.size(), layout_.results.size()));
  const auto before = cut_shorts().find(record.number);
  const std::int64_t cut = before == cut_shorts().end() ? 0 : before->second.times;
  // A case that crashed twice is recorded without another run.
  const std::int64_t attempts = cut + (record.status == "crashed" ? 0 : 1);
  std::vector<SqlValue> row = {record.number, record.status, record.message,
                               attempts,      record.wall_s, io::content_hash(row_text(record)),
                               SqlValue()};
  for (const Cell& cell : record.parameters) row.push_back(value(cell));
  for (const Cell& cell : record.results) row.push_back(value(cell));
  row.resize(CaseColumns::own + layout_.parameters.size() + layout_.results.size());
  take_case(std::move(row), segment);
}

void Ledger::take_case(std::vector<SqlValue> row, std::int64_t segment) {
  if (!insert_) insert_.emplace(database_, "cases", row.size());
  row[CaseColumns::segment] = segment > 0 ? SqlValue(segment) : SqlValue();
  insert_->add(row);
}

void Ledger::cut_short(std::int64_t number, bool crashed) {
  Statement known = database_.prepare("SELECT 1 FROM cases WHERE \"case\" = ?");
  if (known.bind(1, number).step()) return;
  auto& [times, crashes] = cut_shorts()[number];
  ++times, crashes += crashed;
  Inserter(database_, "cut_short", 3).add({number, times, crashes});
}

std::map<std::int64_t, Ledger::CutShort>& Ledger::cut_shorts() {
  if (cut_shorts_) return *cut_shorts_;
  cut_shorts_.emplace();
  for (Statement row = database_.prepare("SELECT * FROM cut_short"); row.step();)
    (*cut_shorts_)[row.integer(0)] = {row.integer(1), row.integer(2)};
  return *cut_shorts_;
}

std::int64_t Ledger::drop_damaged() {
  std::int64_t cases = 0;
  database_.begin();
  for (const auto& [table, columns] : tables()) {
    SoundRows rows(database_, table, columns);
    while (rows.step()) {
    }
    for (const std::int64_t row : rows.damaged())
      database_.prepare(fmt::format("DELETE FROM {} WHERE rowid = ?", table)).bind(1, row).run();
    if (table == "cases") cases += static_cast<std::int64_t>(rows.damaged().size());
  }
  database_.commit();
  return cases;
}

void Ledger::salvage(const std::filesystem::path& damaged) try {
  const Database from(damaged, Database::Access::read);
  Facts facts;
  for (SoundRows fact(from, "study", 2); fact.step();) facts[fact.text(0)] = fact.text(1);
  facts.erase("digest");
  if (facts != facts_) return;  // the file belongs to another study, or its facts are damaged
  database_.begin();
  for (const auto& [table, columns] : tables()) {
    Inserter insert(database_, table, columns);
    try {
      for (SoundRows row(from, table, columns); row.step();) insert.add(row.values());
    } catch (const DamagedDatabase&) {  // the rest cannot be read
    }
  }
  database_.commit();
} catch (const DamagedDatabase&) {
}

std::vector<std::int64_t> crashed_cases(const Ledger& ledger) {
  std::vector<std::int64_t> all;
  Statement row = ledger.database().prepare(
      "SELECT \"case\" FROM cut_short WHERE crashes > 1 AND \"case\" NOT IN (SELECT \"case\" FROM cases)");
  while (row.step()) all.push_back(row.integer(0));
  return all;
}

}  // namespace torsor::batch
