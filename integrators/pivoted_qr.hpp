#pragma once

#include <vector>

#include "torsor/lie/types.hpp"

namespace torsor {

/// W P = Q R of a small dense matrix with its rank, by modified Gram-Schmidt with column pivoting, each
/// column orthogonalised twice. Solves in the sense of least squares and least norm. No heap once it has its
/// size.
///
/// A column counts as dependent when what is left of it is below `tolerance` of what it was, so that the
/// units of a column have no say. Bjorck, Numerical Methods for Least Squares Problems, 2.4, 2.7.
class PivotedQr {
 public:
  void compute(const Eigen::MatrixXd& w, double tolerance);

  int rank() const { return rank_; }
  bool full_rank() const { return rank_ == int(column_.size()); }

  /// x of least norm among those with least |W x - b|.
  void solve(const Vec& b, Vec& x);
  /// d of least norm with (W^T d)_j = g_j for the independent columns j.
  void solve_transposed(const Vec& g, Vec& d);

  /// The columns found dependent are column(j) for j from rank() on.
  int column(int j) const { return column_[std::size_t(j)]; }

 private:
  int choose(int k, double tolerance) const;
  void swap_columns(int k, int j);
  void orthogonalise(int k);
  void complete();

  Eigen::MatrixXd q_, r_;
  Eigen::MatrixXd row_space_, row_factor_;  ///< R^T = row_space row_factor, where columns are dependent
  Vec size_, c_;
  std::vector<int> column_;
  int rank_ = 0;
};

}  // namespace torsor
