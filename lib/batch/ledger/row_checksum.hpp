#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sqlite.hpp"

namespace torsor::batch {

/// A value of a row: NULL, a whole number, any number, or a text.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A value as SQLite returns it: a whole number may change its type, and NaN becomes NULL.
SqlValue stored(const Statement& row, int column);

/// The hash of the values of a row. Values that are written and the same values read back have the same hash.
std::int64_t row_checksum(const std::vector<SqlValue>& values);

/// Adds rows to a table, each with its checksum in the last column. Replaces rows of the same key.
class Inserter {
 public:
  /// `columns`: number of columns of the table without the checksum.
  Inserter(const Database& database, const std::string& table, std::size_t columns);
  void add(const std::vector<SqlValue>& values);

 private:
  Statement statement_;
};

}  // namespace torsor::batch
