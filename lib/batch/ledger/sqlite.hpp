#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/temporary_folder.hpp"
#include "torsor/batch/study.hpp"
#include "torsor/io/results.hpp"

namespace torsor::batch {

class Statement;

/// SQLite cannot read the file: it is damaged or not a database.
class DamagedDatabase : public io::IoError {
 public:
  using io::IoError::IoError;
};

/// One SQLite file. Every call except roll_back is checked: a failure throws an IoError with the file and the
/// system's reason. SQLiteCpp is not used, since its exceptions give neither of the two, and it needs a
/// folder that can be written.
class Database {
 public:
  enum class Access { read, write };
  /// A database that is only read may be on a medium that cannot be written.
  Database(const std::filesystem::path& file, Access access);

  void execute(const std::string& sql);
  void begin() { execute("BEGIN IMMEDIATE"); }
  /// Throws IoError also if the file was removed or replaced: the changes would be lost with the old file.
  void commit();
  /// Discards changes that are not committed, if there are any. Does not throw, since it follows a failure.
  void roll_back() { sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr); }
  Statement prepare(const std::string& sql) const;
  [[noreturn]] void fail(const char* action) const;
  /// Throws the error of a statement that was run.
  [[noreturn]] void fail_to_run() const { fail(read_ ? "read" : "write"); }
  sqlite3* handle() const { return database_.get(); }
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  int open(const std::string& name, int flags);
  void open_unwritable();

  std::filesystem::path file_;
  bool read_;
  std::unique_ptr<io::TemporaryFolder> copy_;  ///< the folder of a copy of the file
  std::unique_ptr<sqlite3, Close> database_;
};

/// A compiled statement. Parameters are counted from 1, columns from 0.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, double value);  ///< NaN becomes NULL
  Statement& bind(int place, std::string_view text);
  Statement& bind_null(int place);

  /// Moves to the next row; false after the last row.
  bool step();
  /// Makes the statement ready for other values.
  void reset();
  /// Runs a statement without rows and makes it ready for other values.
  void run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;
  bool is_null(int column) const { return type(column) == SQLITE_NULL; }
  bool is_whole(int column) const { return type(column) == SQLITE_INTEGER; }
  bool is_text(int column) const { return type(column) == SQLITE_TEXT || type(column) == SQLITE_BLOB; }
  Cell cell(int column) const;
  int columns() const { return sqlite3_column_count(statement_.get()); }
  std::string name(int column) const { return sqlite3_column_name(statement_.get(), column); }

 private:
  Statement& check(int code);
  int type(int column) const { return sqlite3_column_type(statement_.get(), column); }

  struct Finish {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

/// A name in SQL quotes.
std::string sql_name(std::string_view name);

/// Greatest number in a column of a table; 0 if the table is empty.
std::int64_t greatest(const Database& database, const std::string& column, const std::string& table);

}  // namespace torsor::batch
