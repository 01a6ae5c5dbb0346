#pragma once

#include <Eigen/SparseLU>
#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

/// The saddle-point equations by a general sparse factorisation, with pivots chosen by size: for states at
/// which the elimination along the mechanism loses its digits. Redundant rows stay out, with multipliers 0.
/// Allocates.
class SparseLu {
 public:
  /// False where the matrix is singular in its numbers.
  bool factor(const Elimination& plan, const double* G, const double* A, const std::vector<char>& redundant);
  /// By how much refinement moved x in the end, in parts of its size.
  double solve(const double* r, const double* s, double* x, double* y) const;

 private:
  int bodies_ = 0, rows_ = 0;
  std::vector<int> unknown_of_row_;  ///< -1 for a redundant one
  Eigen::SparseMatrix<double> matrix_;
  Eigen::VectorXd scale_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu_;
};

}  // namespace torsor::model_detail
