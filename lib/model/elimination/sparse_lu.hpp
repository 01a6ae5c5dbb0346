#pragma once

#include <Eigen/SparseLU>
#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

/// Solves the saddle-point equations by a general sparse factorisation that chooses its pivots by size: for
/// states at which the elimination along the mechanism is not accurate enough. Redundant rows are left out,
/// and their multipliers are 0. Allocates memory.
class SparseLu {
 public:
  /// False if the matrix is numerically singular.
  bool factor(const Elimination& plan, const double* G, const double* A, const std::vector<char>& redundant);
  /// Returns the greatest change of x by the last refinement, divided by the greatest |x_i|.
  double solve(const double* r, const double* s, double* x, double* y) const;

 private:
  int bodies_ = 0, rows_ = 0;
  std::vector<int> unknown_of_row_;  ///< -1 for a redundant row
  Eigen::SparseMatrix<double> matrix_;
  Eigen::VectorXd scale_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu_;
};

}  // namespace torsor::model_detail
