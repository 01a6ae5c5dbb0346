#pragma once

#include <cmath>

#include "io/tables/csv_row.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {

/// Appends a cell to its row.
inline void put(io::Row& row, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell))
    row.text(*text);
  else if (const double x = std::get<double>(cell); std::isnan(x))
    row.blank();
  else
    row.number(x);
}

}  // namespace torsor::batch
