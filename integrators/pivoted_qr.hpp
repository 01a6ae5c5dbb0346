#pragma once

#include <vector>

#include "torsor/lie/types.hpp"

namespace torsor {

/// W P = Q R of a small dense matrix, and its rank, by modified Gram-Schmidt with column pivoting. Each
/// column is orthogonalised twice. Solves least-squares problems with least norm. Allocates no memory once
/// its arrays have their size.
///
/// The size of a column is hypot(norm, scale), where the scale is the size of terms that may cancel in the
/// column. A column is dependent if orthogonalisation leaves less than `tolerance` of its size, so the units
/// of a column do not matter. Bjorck, Numerical Methods for Least Squares Problems, 2.4, 2.7.
class PivotedQr {
 public:
  /// `scale`: of each column; none if empty.
  void compute(const Eigen::MatrixXd& w, double tolerance, const Vec& scale = {});

  int rank() const { return rank_; }
  bool full_rank() const { return rank_ == int(column_.size()); }

  /// The x of least norm among those that minimise |W x - b|.
  void solve(const Vec& b, Vec& x);
  /// The d of least norm with (W^T d)_j = g_j for the independent columns j.
  void solve_transposed(const Vec& g, Vec& d);

  /// The dependent columns are column(j) for j >= rank().
  int column(int j) const { return column_[std::size_t(j)]; }
  /// The square of the size of the independent column(j), divided by the squared norm of its part that is
  /// orthogonal to the columns before it.
  double growth(int j) const { return size_[j] * size_[j] / (r_(j, j) * r_(j, j)); }

 private:
  int choose(int k, double tolerance) const;
  void swap_columns(int k, int j);
  void orthogonalise(int k);
  void complete();

  Eigen::MatrixXd q_, r_;
  Eigen::MatrixXd row_space_, row_factor_;  ///< R^T = row_space row_factor; only if rank < columns
  Vec size_, c_;
  std::vector<int> column_;
  int rank_ = 0;
};

}  // namespace torsor
