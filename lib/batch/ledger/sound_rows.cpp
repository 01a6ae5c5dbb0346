#include <fmt/format.h>

#include "ledger.hpp"

namespace torsor::batch {
namespace {

/// Bound of the rowids. Cases, segments and sessions are counted from 0 or 1 on.
constexpr std::int64_t most_rowid = std::int64_t(1) << 53;

}  // namespace

SoundRows::SoundRows(const Database& database, const std::string& table, std::size_t columns)
    : row_(database, fmt::format("SELECT rowid, * FROM {} NOT INDEXED ORDER BY rowid", table)),
      file_(database.file().string()),
      table_(table) {
  if (static_cast<std::size_t>(row_.columns()) != columns + 2)
    throw DamagedDatabase(
        fmt::format("{} is damaged: table \"{}\" has the wrong number of columns", file_, table));
}

bool SoundRows::step() {
  while (row_.step()) {
    if (row_.integer(0) <= last_)
      throw DamagedDatabase(
          fmt::format("{} is damaged: the rows of table \"{}\" are not in order", file_, table_));
    last_ = row_.integer(0);
    values_.clear();
    const int checksum = row_.columns() - 1;
    for (int i = 1; i < checksum; ++i) values_.push_back(stored(row_, i));
    const bool counted = last_ >= 0 && last_ < most_rowid;
    if (counted && !row_.is_null(checksum) && row_.integer(checksum) == row_checksum(values_)) return true;
    damaged_.push_back(last_);
  }
  return false;
}

std::string SoundRows::text(std::size_t column) const {
  const auto* text = std::get_if<std::string>(&values_[column]);
  return text ? *text : std::string();
}

std::int64_t SoundRows::whole(std::size_t column) const {
  const auto* number = std::get_if<std::int64_t>(&values_[column]);
  return number ? *number : 0;
}

}  // namespace torsor::batch
