#include "ledger_schema.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "io/results/digest.hpp"

namespace torsor::batch {

std::vector<std::string> schema_of(const Layout& layout) {
  const auto table = [](const char* name, const std::string& columns) {
    return fmt::format("CREATE TABLE {}({}, checksum INTEGER)", name, columns);
  };
  std::string own =
      "\"case\" INTEGER PRIMARY KEY, status TEXT, message TEXT, attempts INTEGER, wall_s REAL, hash TEXT, "
      "segment INTEGER";
  for (const auto* part : {&layout.parameters, &layout.results})
    for (const io::Column& column : *part) own += ", " + sql_name(column.name);
  return {
      table("study", "name TEXT PRIMARY KEY, value TEXT"),
      table("columns", "position INTEGER PRIMARY KEY, name TEXT, part TEXT, unit TEXT"),
      table("segments", "number INTEGER PRIMARY KEY, file TEXT, hash TEXT, cases INTEGER"),
      table("sessions",
            "number INTEGER PRIMARY KEY, begun REAL, seen REAL, host TEXT, process INTEGER, threads INTEGER, "
            "done INTEGER, ended TEXT, note TEXT"),
      table("cut_short", "\"case\" INTEGER PRIMARY KEY, times INTEGER, crashes INTEGER"),
      table("cases", own),
      "CREATE INDEX by_status ON cases(status)"};
}

/// SQLite does not distinguish capital and small letters in names, and limits the number of columns.
void check_columns(const Layout& layout) {
  const Database memory(":memory:", Database::Access::write);
  const int most = sqlite3_limit(memory.handle(), SQLITE_LIMIT_COLUMN, -1);
  const std::size_t wanted = layout.parameters.size() + layout.results.size() + CaseColumns::own + 1;
  if (wanted > static_cast<std::size_t>(most))
    throw std::invalid_argument(
        fmt::format("the ledger needs {} columns for this study, but a table has at most {}; keep fewer by "
                    "\"final\" and \"columns\" of [keep]",
                    wanted, most));
  std::map<std::string, std::string> seen = {{"checksum", "checksum"}};
  for (const auto* part : {&layout.parameters, &layout.results})
    for (const auto& [name, unit] : *part) {
      std::string lower = name;
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const auto [other, is_new] = seen.try_emplace(lower, name);
      if (!is_new && other->second == name)
        throw std::invalid_argument(fmt::format("column \"{}\" is kept twice", name));
      if (!is_new)
        throw std::invalid_argument(
            fmt::format("columns \"{}\" and \"{}\" differ only in capital letters, which the ledger does "
                        "not distinguish",
                        other->second, name));
    }
}

std::string digest_of(const Ledger::Facts& facts, const Layout& layout) {
  std::string all;
  const auto add = [&all](std::string_view text) { all += fmt::format("{} {}\n", text.size(), text); };
  for (const auto& [name, value] : facts) add(name), add(value);
  for (const auto* part : {&layout.parameters, &layout.results}) {
    add("columns");
    for (const auto& [name, unit] : *part) add(name), add(unit);
  }
  return io::content_hash(all);
}

}  // namespace torsor::batch
