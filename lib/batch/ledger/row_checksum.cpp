#include "row_checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace torsor::batch {
namespace {

template <class Value>
void append(std::string& bytes, char kind, const Value& value) {
  bytes += kind;
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

/// 2^53: doubles represent all smaller whole numbers exactly.
constexpr double most_whole = 9007199254740992.;

void append(std::string& bytes, const SqlValue& value) {
  std::visit(
      [&bytes]<class Value>(const Value& x) {
        if constexpr (std::is_same_v<Value, std::monostate>) {
          bytes += 'n';
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          append(bytes, 'i', x);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          append(bytes, 't', x.size());
          bytes += x;
        } else if (std::isnan(x)) {
          bytes += 'n';
        } else if (x == std::floor(x) && std::abs(x) < most_whole && !(x == 0 && std::signbit(x))) {
          append(bytes, 'i', static_cast<std::int64_t>(x));
        } else {
          append(bytes, 'd', x);
        }
      },
      value);
}

std::string marks(std::size_t count) {
  std::string text = "?";
  for (std::size_t i = 1; i < count; ++i) text += ", ?";
  return text;
}

}  // namespace

SqlValue stored(const Statement& row, int column) {
  if (row.is_null(column)) return std::monostate();
  if (row.is_whole(column)) return row.integer(column);
  if (row.is_text(column)) return row.text(column);
  return row.number(column);
}

std::int64_t row_checksum(const std::vector<SqlValue>& values) {
  std::string bytes;
  for (const SqlValue& value : values) append(bytes, value);
  return static_cast<std::int64_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

Inserter::Inserter(const Database& database, const std::string& table, std::size_t columns)
    : statement_(database, fmt::format("INSERT OR REPLACE INTO {} VALUES({})", table, marks(columns + 1))) {}

void Inserter::add(const std::vector<SqlValue>& values) {
  int place = 0;
  for (const SqlValue& value : values)
    std::visit(
        [&]<class Value>(const Value& x) {
          if constexpr (std::is_same_v<Value, std::monostate>)
            statement_.bind_null(++place);
          else if constexpr (std::is_same_v<Value, std::string>)
            statement_.bind(++place, std::string_view(x));
          else
            statement_.bind(++place, x);
        },
        value);
  statement_.bind(++place, row_checksum(values)).run();
}

}  // namespace torsor::batch
