#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <array>
#include <concepts>

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/lie/types.hpp"

/// Bases N (n x m) of the velocities that constraints A v = 0 allow, A N = 0: v = N u + nu. Any of them gives
/// the same motion. Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (14)-(17).
namespace torsor {

/// Number of columns of N.
template <int n, int k>
inline constexpr int freedoms = n == Eigen::Dynamic || k == Eigen::Dynamic ? Eigen::Dynamic : n - k;

/// N = [-A_d^-1 A_i; I] for v = (v_d, v_i), with u = v_i. `dependent` gives the indices of v_d in
/// increasing order. A_d must be regular.
template <class S, int n, int k, class Indices>
Matrix<S, n, freedoms<n, k>> partitioned_velocities(const Matrix<S, k, n>& A, const Indices& dependent) {
  constexpr int m = freedoms<n, k>;
  const auto rows = A.rows(), columns = A.cols();
  Matrix<S, k> A_d(rows, rows);
  Matrix<S, k, m> A_i(rows, columns - rows);
  Matrix<S, n, m> N = Matrix<S, n, m>::Constant(columns, columns - rows, S(0));
  Eigen::Index d = 0, free = 0;
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (d < rows && dependent[static_cast<std::size_t>(d)] == j) {
      A_d.col(d++) = A.col(j);
    } else {
      A_i.col(free) = A.col(j);
      N(j, free++) = S(1);
    }
  }
  const Matrix<S, k, m> X = solve(A_d, A_i);
  for (d = 0; d < rows; ++d) N.row(dependent[static_cast<std::size_t>(d)]) = -X.row(d);
  return N;
}

/// An orthonormal basis, from the full QR decomposition of A^T.
template <std::floating_point S, int n, int k>
Matrix<S, n, freedoms<n, k>> orthonormal_velocities(const Matrix<S, k, n>& A) {
  const Eigen::HouseholderQR<Matrix<S, n, k>> qr(A.transpose());
  const Matrix<S, n> Q = qr.householderQ();
  return Q.template rightCols<freedoms<n, k>>(A.cols() - A.rows());
}

/// An orthonormal basis near a former one: the columns of the former basis are projected on ker A and
/// orthonormalised in their order, so that the basis changes with A without jumps.
template <std::floating_point S, int n, int k>
Matrix<S, n, freedoms<n, k>> continued_velocities(const Matrix<S, k, n>& A,
                                                  const Matrix<S, n, freedoms<n, k>>& before) {
  constexpr int m = freedoms<n, k>;
  const Matrix<S, k> AAt = A * A.transpose();
  const Matrix<S, n, m> N = before - A.transpose() * solve(AAt, Matrix<S, k, m>(A * before));
  const Eigen::LLT<Matrix<S, m>> llt(N.transpose() * N);
  return llt.matrixL().solve(N.transpose()).transpose();
}

/// a of (N^T G N) a = N^T (f - b): the accelerations of the freedoms, v' = N a - C gamma.
template <class S, int n, int m>
Vector<S, m> minimal_acceleration(const Matrix<S, n>& G, const Matrix<S, n, m>& N, const Vector<S, n>& load) {
  const Matrix<S, m> g_A = N.transpose() * G * N;
  return solve(g_A, Vector<S, m>(N.transpose() * load));
}

}  // namespace torsor
