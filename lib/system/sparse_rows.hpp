#pragma once

#include <functional>
#include <vector>

#include "sparse.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// Rows that depend on the velocities of these links, and so on those of the joints between the links and the
/// ground.
struct RowsOfLinks {
  int count = 0;
  std::vector<int> links;
};

/// The matrix of these rows, in their order, over the velocities of the tree. `times` multiplies this matrix
/// by a vector. One product gives a column for each joint of a group whose joints share no row.
linear::Sparse sparse_rows(const Model& tree, const std::vector<RowsOfLinks>& rows,
                           const std::function<Vec(const Vec& v)>& times);

/// The constraint matrix A at (t, q), rows x nv.
linear::Sparse constraint_rows(const MechanismSystem& system, double t, const Vec& q);

}  // namespace torsor::mechanics
