#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <array>
#include <cassert>
#include <cmath>
#include <concepts>

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/lie/types.hpp"

namespace torsor::geometry {

/// How k constraints A v + a0 = 0 split the tangent space with metric G at one point:
///
///   M_c = (A G^-1 A^T)^-1           constraint mass matrix, kg m^2/U^2 if the constraints are in units of U
///   C = G^-1 A^T M_c                A C = I, C^T G C = M_c; its columns span the G-orthogonal complement
///                                   of ker A
///   P_perp = C A, P = I - P_perp    the G-orthogonal projectors, P on ker A
///
/// In G v' + b = f + A^T Lambda with A v' + gamma = 0, gamma = dA/dt v + da0/dt, `load` is f - b. Nonlinear
/// Dynamics 2023, doi 10.1007/s11071-023-08326-9, (14)-(17), (22); Modugno, Vitolo, The geometry of
/// Newton's law and rigid systems (2005), (2.2).
template <class S, int n, int k>
struct ConstrainedPoint {
  Matrix<S, n> G;
  Matrix<S, k, n> A;
  Matrix<S, k> M_c;
  Matrix<S, n, k> C;

  Matrix<S, n> P_perp() const { return C * A; }
  Matrix<S, n> P() const { return identity<Matrix<S, n>>(G.rows()) - P_perp(); }

  /// nu = -C a0: the velocity of least norm in G among those with A v + a0 = 0; N^T G nu = 0 where A N = 0.
  Vector<S, n> offset(const Vector<S, k>& a0) const { return -(C * a0); }

  /// Lambda = -M_c (gamma + A G^-1 (f - b)).
  Vector<S, k> multiplier(const Vector<S, n>& load, const Vector<S, k>& gamma) const {
    return -(M_c * gamma + C.transpose() * load);
  }
  /// A^T Lambda, a covector: N for translations, N m for rotations.
  Vector<S, n> reaction(const Vector<S, n>& load, const Vector<S, k>& gamma) const {
    return A.transpose() * multiplier(load, gamma);
  }
  /// v' = P G^-1 (f - b) - C gamma.
  Vector<S, n> acceleration(const Vector<S, n>& load, const Vector<S, k>& gamma) const {
    return solve(G, Vector<S, n>(load + reaction(load, gamma)));
  }
};

/// G must be symmetric and positive definite, and A must have full row rank. Neither is checked, so that
/// packs and dual numbers can be used.
template <class S, int n, int k>
ConstrainedPoint<S, n, k> constrained_point(const Matrix<S, n>& G, const Matrix<S, k, n>& A) {
  assert(G.rows() == G.cols() && A.cols() == G.cols());
  const Matrix<S, n, k> lifted = solve(G, Matrix<S, n, k>(transposed(A)));
  const Matrix<S, k> M_c = inverse(Matrix<S, k>(A * lifted));
  return {G, A, M_c, lifted * M_c};
}

/// The same if rows may repeat or depend on one another: M_c is the pseudo-inverse of A G^-1 A^T, P is
/// still the projector on ker A, and C A C = C in place of A C = I. Among the multipliers with the same
/// reaction, `multiplier` gives the one of least norm; if gamma is contradictory, it gives the
/// least-squares solution. Singular values of A below `tolerance` times the greatest, in the metric G,
/// count as zero. Where G or A is not finite, M_c and C are NaN.
template <std::floating_point S, int n, int k>
ConstrainedPoint<S, n, k> constrained_point_of_any_rank(const Matrix<S, n>& G, const Matrix<S, k, n>& A,
                                                        S tolerance = S(1e-10)) {
  assert(G.rows() == G.cols() && A.cols() == G.cols());
  const Eigen::LLT<Matrix<S, n>> llt(G);                                     // G = L L^T
  const Matrix<S, k, n> B = llt.matrixL().solve(A.transpose()).transpose();  // A G^-1 A^T = B B^T
  const bool finite = G.allFinite() && B.allFinite();
  Matrix<S, n, k> B_plus = Matrix<S, n, k>::Constant(A.cols(), A.rows(), finite ? S(0) : S(NAN));
  if (finite && B.size() > 0) {  // Eigen leaves the decomposition of any other matrix without values
    const Eigen::JacobiSVD<Matrix<S, k, n>> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto& values = svd.singularValues();
    for (Eigen::Index i = 0; i < values.size() && values[i] > tolerance * values[0]; ++i)
      B_plus += svd.matrixV().col(i) * (svd.matrixU().col(i).transpose() / values[i]);
  }
  return {G, A, B_plus.transpose() * B_plus, llt.matrixU().solve(B_plus)};
}

}  // namespace torsor::geometry

/// Bases N (n x m) of ker A, A N = 0: constraints A v + a0 = 0 allow the velocities v = N u + nu. Any of them
/// gives the same motion. Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (14)-(17).
namespace torsor::geometry {

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
  Matrix<S, n, m> N = filled<Matrix<S, n, m>>(columns, columns - rows, S(0));
  Eigen::Index d = 0, free = 0;
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (d < rows && dependent[static_cast<std::size_t>(d)] == j) {
      A_d.col(d++) = A.col(j);
    } else {
      assert(free < columns - rows);
      A_i.col(free) = A.col(j);
      N(j, free++) = S(1);
    }
  }
  assert(d == rows);
  const Matrix<S, k, m> X = solve(A_d, A_i);
  for (d = 0; d < rows; ++d) N.row(dependent[static_cast<std::size_t>(d)]) = -X.row(d);
  return N;
}

/// A basis that is orthonormal in the Euclidean product of the components, from the full QR decomposition of
/// A^T. A must have full row rank.
template <std::floating_point S, int n, int k>
Matrix<S, n, freedoms<n, k>> orthonormal_velocities(const Matrix<S, k, n>& A) {
  const Eigen::HouseholderQR<Matrix<S, n, k>> qr(A.transpose());
  const Matrix<S, n> Q = qr.householderQ();
  return Q.template rightCols<freedoms<n, k>>(A.cols() - A.rows());
}

/// Such a basis near a former one: the columns of the former basis are projected on ker A and
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

/// Solves (N^T G N) a = N^T (f - b) for the accelerations a of the degrees of freedom: v' = N a - C gamma.
/// `load` is f - b.
template <class S, int n, int m>
Vector<S, m> minimal_acceleration(const Matrix<S, n>& G, const Matrix<S, n, m>& N, const Vector<S, n>& load) {
  const Matrix<S, m> g_A = N.transpose() * G * N;
  return solve(g_A, Vector<S, m>(N.transpose() * load));
}

}  // namespace torsor::geometry
