#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "torsor/lie/types.hpp"

namespace torsor::geometry {

/// The matrix of the values f(M(i, j)). This is a loop because an expression of Eigen would be a new type for
/// each function and scalar, with hundreds of members to compile.
template <class S, int rows, int cols, class Function>
auto of_entries(const Function& f, const Matrix<S, rows, cols>& M) {
  Matrix<std::decay_t<decltype(f(*M.data()))>, rows, cols> values(M.rows(), M.cols());
  for (Eigen::Index i = 0; i < M.size(); ++i) values.data()[i] = f(M.data()[i]);
  return values;
}

}  // namespace torsor::geometry
