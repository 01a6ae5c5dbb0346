#pragma once

#include <Eigen/SparseCore>
#include <utility>
#include <vector>

#include "dense.hpp"

/// Matrices with few entries. If few unknowns are coupled, the cost of a decomposition is about proportional
/// to the number of entries.
namespace torsor::linear {

using Sparse = Eigen::SparseMatrix<double>;

/// The columns of A with these indices.
Sparse columns(const Sparse& A, const std::vector<int>& which);
Sparse product(const Sparse& A, const Sparse& B);
/// The rows of A, then those of B.
Sparse above(const Sparse& A, const Sparse& B);

/// Columns and rows of A that are coupled with each other and with no others, both ascending; all columns
/// occur.
struct CoupledPart {
  std::vector<int> columns, rows;
};
std::vector<CoupledPart> coupled_parts(const Sparse& A);

/// The least-squares solution of A x = b with the smallest norm. Pivots below `least` count as zero.
Vec least_squares(const Sparse& A, const Vec& b, double least);

/// The same, and orthonormal columns that span the kernel of A. Each part of coupled columns is decomposed as
/// a dense matrix.
struct SparseSolutionAndKernel {
  Vec x;
  Sparse kernel;
};
SparseSolutionAndKernel least_squares_and_kernel(const Sparse& A, const Vec& b, double least);

}  // namespace torsor::linear
