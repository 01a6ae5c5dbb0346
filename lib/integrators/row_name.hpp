#pragma once

#include <string>
#include <utility>
#include <vector>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// The name of a row. A user's system may name fewer rows than it has; a row without a name has its index.
inline std::string row_name(const ConstrainedSystem& system, int row) {
  std::vector<std::string> names = system.row_names();
  const auto i = static_cast<std::size_t>(row);
  return i < names.size() ? std::move(names[i]) : "row " + std::to_string(row);
}

/// The same in quotes if it is a name.
inline std::string quoted_row_name(const ConstrainedSystem& system, int row) {
  const bool named = static_cast<std::size_t>(row) < system.row_names().size();
  return named ? "\"" + row_name(system, row) + "\"" : row_name(system, row);
}

}  // namespace torsor
