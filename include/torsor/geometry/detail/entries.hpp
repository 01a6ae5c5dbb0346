#pragma once

#include <Eigen/Core>
#include <cassert>
#include <type_traits>

#include "torsor/lie/detail/derivative_products.hpp"
#include "torsor/lie/types.hpp"

/// Functions of entries, as loops. An expression of Eigen would be a new type for each function, shape and
/// scalar, with hundreds of members to compile.
namespace torsor::geometry {

/// The matrix of the values f(M(i, j)).
template <class S, int rows, int cols, class Function>
auto of_entries(const Function& f, const Matrix<S, rows, cols>& M) {
  Matrix<std::decay_t<decltype(f(*M.data()))>, rows, cols> values(M.rows(), M.cols());
  for (Eigen::Index i = 0; i < M.size(); ++i) values.data()[i] = f(M.data()[i]);
  return values;
}

/// The matrix whose entries are all `value`.
template <class M>
M filled(Eigen::Index rows, Eigen::Index cols, const typename M::Scalar& value) {
  M all;
  all.resize(rows, cols);
  for (Eigen::Index i = 0; i < all.size(); ++i) all.data()[i] = value;
  return all;
}
template <class M>
M identity(Eigen::Index n) {
  using S = typename M::Scalar;
  M unit = filled<M>(n, n, S(0));
  for (Eigen::Index i = 0; i < n; ++i) unit(i, i) = S(1);
  return unit;
}

/// The part of M with its first entry at (row, col).
template <class Part, class S, int m, int n>
Part part_of(const Matrix<S, m, n>& M, Eigen::Index row, Eigen::Index col, Eigen::Index rows,
             Eigen::Index cols) {
  assert(row + rows <= M.rows() && col + cols <= M.cols());
  Part part;
  part.resize(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) part(i, j) = M(row + i, col + j);
  return part;
}
/// Writes the entries of `part` into M, the first one at (row, col).
template <class S, int m, int n, int rows, int cols>
void set_part(Matrix<S, m, n>& M, Eigen::Index row, Eigen::Index col, const Matrix<S, rows, cols>& part) {
  assert(row + part.rows() <= M.rows() && col + part.cols() <= M.cols());
  for (Eigen::Index j = 0; j < part.cols(); ++j)
    for (Eigen::Index i = 0; i < part.rows(); ++i) M(row + i, col + j) = part(i, j);
}

/// A^T. For plain numbers it is an expression that refers to A, with Eigen's products.
template <class S, int m, int n>
auto transposed(const Matrix<S, m, n>& A) {
  if constexpr (CarriesDerivatives<S>) {
    Matrix<S, n, m> At;
    At.resize(A.cols(), A.rows());
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (Eigen::Index i = 0; i < A.rows(); ++i) At(j, i) = A(i, j);
    return At;
  } else {
    return A.transpose();
  }
}
template <class S, int m, int n>
void transposed(Matrix<S, m, n>&&) = delete;

/// a . b, from the first entry to the last for numbers that carry derivatives.
template <class S, int n>
S dot(const Vector<S, n>& a, const Vector<S, n>& b) {
  if constexpr (CarriesDerivatives<S>) {
    assert(a.size() == b.size());
    S sum = a.size() > 0 ? a[0] * b[0] : S(0);
    for (Eigen::Index i = 1; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  } else {
    return a.dot(b);
  }
}

}  // namespace torsor::geometry
