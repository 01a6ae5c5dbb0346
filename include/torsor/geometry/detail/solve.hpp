#pragma once

#include <Eigen/Core>

#include "torsor/geometry/tensor.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor::geometry {

/// The solution X of A X = B by elimination with row exchange, over any scalar. Row exchanges are selected by
/// masks instead of branches, so that packs and dual numbers solve as doubles do. The matrix must be regular.
/// If rounding leaves a pivot 0, X has values that are not finite; if not, a singular matrix is not noticed.
template <class MatrixA, class MatrixB>
auto solve(const Eigen::MatrixBase<MatrixA>& matrix, const Eigen::MatrixBase<MatrixB>& right) {
  using S = typename MatrixA::Scalar;
  typename MatrixA::PlainObject A = matrix;
  typename MatrixB::PlainObject X = right;
  const auto n = A.rows();
  const auto exchange = [](const auto& mask, auto& M, Eigen::Index i, Eigen::Index j) {
    for (Eigen::Index col = 0; col < M.cols(); ++col) {
      const S upper = M(i, col), lower = M(j, col);
      M(i, col) = torsor::select(mask, lower, upper);
      M(j, col) = torsor::select(mask, upper, lower);
    }
  };
  // Subtracts `factor` times the row `from` from the row `to`. A loop: expressions of rows would be compiled
  // again for each scalar.
  const auto subtract = [](const S& factor, auto& M, Eigen::Index from, Eigen::Index to, Eigen::Index first) {
    for (Eigen::Index col = first; col < M.cols(); ++col) M(to, col) -= factor * M(from, col);
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const auto greater = torsor::abs(A(k, k)) < torsor::abs(A(i, k));
      if (!some(greater)) continue;
      exchange(greater, A, k, i);
      exchange(greater, X, k, i);
    }
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const S factor = A(i, k) / A(k, k);
      subtract(factor, A, k, i, k);
      subtract(factor, X, k, i, 0);
    }
  }
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    for (Eigen::Index j = k + 1; j < n; ++j) subtract(A(k, j), X, j, k, 0);
    for (Eigen::Index col = 0; col < X.cols(); ++col) X(k, col) /= A(k, k);
  }
  return X;
}

/// x with A(l, k) x(k, i, j) = t(l, i, j).
template <class S, int N>
Tensor3<S, N> solve(const Matrix<S, N>& A, Tensor3<S, N> t) {
  t.columns() = solve(A, t.columns());
  return t;
}

template <class MatrixA>
auto inverse(const Eigen::MatrixBase<MatrixA>& A) {
  return solve(A, identity<typename MatrixA::PlainObject>(A.rows()));
}

}  // namespace torsor::geometry
