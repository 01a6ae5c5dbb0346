#include "sqlite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace torsor::batch {

Database::Database(const std::filesystem::path& file, Access access)
    : file_(file), read_(access == Access::read) {
  std::error_code failure;
  if (const auto status = std::filesystem::status(file, failure);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw io::IoError(fmt::format("cannot open {}: it is not a regular file", file.string()));
  int code = open(file.string(), read_ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // In write-ahead mode SQLite needs files beside the database, even to read it.
  if (read_ && code == SQLITE_OK) {
    code = sqlite3_exec(handle(), "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr) & 0xff;
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) open_unwritable();
  } else if (code != SQLITE_OK) {
    fail("open");
  }
  // If SQLite may not write a file, it opens the file for reading only.
  if (!read_ && sqlite3_db_readonly(handle(), "main") == 1)
    throw io::IoError(fmt::format("cannot write {}: it may only be read", file.string()));
  if (!read_) execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
}

int Database::open(const std::string& name, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) return code;
  sqlite3_busy_timeout(opened, 5000);
  // An unknown name in double quotes must be an error; by default SQLite takes it as a string. A damaged or
  // foreign file must not run any code.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return code;
}

/// Opens a file that cannot be written: as it is if it has no log, and otherwise a copy of the file and of
/// its log, which has the last commits.
void Database::open_unwritable() {
  namespace fs = std::filesystem;
  const fs::path log = file_.string() + "-wal";
  std::error_code failure;
  if (const auto size = fs::file_size(log, failure); failure || size == 0) {
    std::string name = "file:";
    for (const char c : fs::absolute(file_).string())
      name += std::string_view("%?#").find(c) == std::string_view::npos
                  ? std::string(1, c)
                  : fmt::format("%{:02x}", static_cast<unsigned char>(c));
    if (open(name + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) != SQLITE_OK) fail("open");
    return;
  }
  copy_ = std::make_unique<io::TemporaryFolder>("ledger");
  fs::copy_file(file_, copy_->path() / "ledger", failure);
  if (!failure) fs::copy_file(log, copy_->path() / "ledger-wal", failure);
  if (failure) throw io::IoError(fmt::format("cannot read {}: {}", file_.string(), failure.message()));
  fs::permissions(copy_->path() / "ledger", fs::perms::owner_read | fs::perms::owner_write, failure);
  fs::permissions(copy_->path() / "ledger-wal", fs::perms::owner_read | fs::perms::owner_write, failure);
  if (open((copy_->path() / "ledger").string(), SQLITE_OPEN_READWRITE) != SQLITE_OK) fail("open");
}

void Database::fail(const char* action) const {
  const int code = sqlite3_errcode(handle()), reason = sqlite3_system_errno(handle());
  // The folder of a database that is opened to be written is writable. SQLITE_READONLY then comes from a
  // damaged bit of the file itself.
  if ((code == SQLITE_READONLY && !read_) || code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
      code == SQLITE_ERROR || code == SQLITE_SCHEMA)
    throw DamagedDatabase(fmt::format("{} is damaged: {}", file_.string(), sqlite3_errmsg(handle())));
  throw io::IoError(fmt::format("cannot {} {}: {}{}", action, file_.string(), sqlite3_errmsg(handle()),
                                reason == 0 ? "" : fmt::format(" ({})", std::strerror(reason))));
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

void Database::commit() {
  int moved = 0;
  if (sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0)
    throw io::IoError(fmt::format("cannot write {}: another program removed or replaced it", file_.string()));
  execute("COMMIT");
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
  if (code != SQLITE_OK) database_.fail_to_run();
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

Statement& Statement::bind_null(int place) { return check(sqlite3_bind_null(statement_.get(), place)); }

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail_to_run();
  return false;
}

void Statement::reset() { check(sqlite3_reset(statement_.get())); }

void Statement::run() {
  step();
  reset();
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text ? std::string(reinterpret_cast<const char*>(text), size) : std::string();
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

std::int64_t greatest(const Database& database, const std::string& column, const std::string& table) {
  Statement most = database.prepare(fmt::format("SELECT max({}) FROM {}", sql_name(column), sql_name(table)));
  return most.step() ? most.integer(0) : 0;
}

}  // namespace torsor::batch
