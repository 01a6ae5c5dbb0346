#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "torsor/batch/study.hpp"

namespace torsor::batch {

class Statement;

/// One SQLite file, every call checked: a failure is an IoError that names the file and the system's reason.
class Database {
 public:
  enum class Access { read, write };
  Database(const std::filesystem::path& file, Access access);

  void execute(const std::string& sql);
  Statement prepare(const std::string& sql) const;
  [[noreturn]] void fail(const char* action) const;
  sqlite3* handle() const { return database_.get(); }
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// A compiled statement. Parameters are counted from 1, columns from 0.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, double value);  ///< a number that is not one becomes NULL
  Statement& bind(int place, std::string_view text);
  Statement& bind(int place, const Cell& cell);

  /// Goes on to the next row; false behind the last.
  bool step();
  /// Runs a statement without rows and makes it ready for other values.
  void run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;
  bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  Cell cell(int column) const;
  int columns() const { return sqlite3_column_count(statement_.get()); }
  std::string name(int column) const { return sqlite3_column_name(statement_.get(), column); }

 private:
  Statement& check(int code);

  struct Finish {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

/// A name as SQL quotes it.
std::string sql_name(std::string_view name);

}  // namespace torsor::batch
