#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sqlite.hpp"

namespace torsor::batch {

/// A value of a row: NULL, a whole number, any number, a text.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// What SQLite gives back for a value: whole numbers of any kind are one kind, and NaN is NULL.
SqlValue stored(const Statement& row, int column);

/// The hash of the values of a row. Values that are written and the same values read back have the same hash.
std::int64_t row_checksum(const std::vector<SqlValue>& values);

/// Adds rows to a table, or replaces those of the same key, each with its checksum in the last column.
class Inserter {
 public:
  /// `columns`: of the table, the checksum not counted.
  Inserter(const Database& database, const std::string& table, std::size_t columns);
  void add(const std::vector<SqlValue>& values);

 private:
  Statement statement_;
};

}  // namespace torsor::batch
