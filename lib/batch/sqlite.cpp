#include "sqlite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "torsor/io/io_error.hpp"

namespace torsor::batch {

Database::Database(const std::filesystem::path& file, Access access) : file_(file) {
  sqlite3* opened = nullptr;
  const int flags =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail("open");
  sqlite3_busy_timeout(opened, 5000);
  // A name that is none shall be an error, not a text.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  if (access == Access::write) execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
}

void Database::fail(const char* action) const {
  const int reason = sqlite3_system_errno(handle());
  throw IoError(fmt::format("cannot {} {}: {}{}", action, file_.string(), sqlite3_errmsg(handle()),
                            reason == 0 ? "" : fmt::format(" ({})", std::strerror(reason))));
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

Statement Database::prepare(const std::string& sql) const { return {*this, sql}; }

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) database.fail("read");
}

Statement& Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail("write");
  return *this;
}

Statement& Statement::bind(int place, std::int64_t value) {
  return check(sqlite3_bind_int64(statement_.get(), place, value));
}

Statement& Statement::bind(int place, double value) {
  return check(std::isnan(value) ? sqlite3_bind_null(statement_.get(), place)
                                 : sqlite3_bind_double(statement_.get(), place, value));
}

Statement& Statement::bind(int place, std::string_view text) {
  return check(
      sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::bind(int place, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return bind(place, std::string_view(*text));
  return bind(place, std::get<double>(cell));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail("write");
  return false;
}

void Statement::run() {
  step();
  check(sqlite3_reset(statement_.get()));
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  return text ? reinterpret_cast<const char*>(text) : "";
}

Cell Statement::cell(int column) const {
  if (is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_TEXT) return text(column);
  return number(column);
}

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text += '"';
}

}  // namespace torsor::batch
