#pragma once

#include "geometry/reference.hpp"

namespace torsor {

/// Checks that a curvature has every listed component, rows (i, j, k, l, value) with indices from 1, and no
/// other nonzero component.
inline void check_curvature(const Tensor4<double, 3>& R, const json& table) {
  CHECK((R.flat().abs() > 1e-13).count() == table.at("R_nonzero_count").get<int>());
  if (table.contains("R_nonzero")) CHECK(table.at("R_nonzero") == "rows [i,j,k,l,value], 1-based");
  Tensor4<double, 3> listed;
  for (const json& row : table.at("R_list")) {
    const auto index = [&](std::size_t place) { return row.at(place).get<int>() - 1; };
    listed(index(0), index(1), index(2), index(3)) = row.at(4).get<double>();
  }
  CHECK(agree(R, listed));
}

}  // namespace torsor
