#include "pivoted_qr.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace torsor {
namespace {

/// x := U^-1 x and x := U^-T x, with U the leading n x n upper triangle.
void divide_by_upper(const Eigen::MatrixXd& u, int n, Vec& x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= u(i, j) * x[j];
    x[i] /= u(i, i);
  }
}
void divide_by_upper_transposed(const Eigen::MatrixXd& u, int n, Vec& x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= u(j, i) * x[j];
    x[i] /= u(i, i);
  }
}

}  // namespace

int PivotedQr::choose(int k, double tolerance) const {
  int best = -1;
  double greatest = tolerance;
  for (int j = k; j < int(q_.cols()); ++j) {
    const double left = size_[j] == 0 ? 0 : q_.col(j).norm() / size_[j];
    if (!(left <= greatest)) {  // a column with NaN is chosen, so that the solution is NaN
      greatest = left;
      best = j;
    }
  }
  return best;
}

void PivotedQr::swap_columns(int k, int j) {
  if (j == k) return;
  q_.col(k).swap(q_.col(j));
  r_.col(k).swap(r_.col(j));
  std::swap(size_[k], size_[j]);
  std::swap(column_[std::size_t(k)], column_[std::size_t(j)]);
}

/// Orthogonalises column k a second time against the earlier columns, normalises it, and removes its
/// direction from the later columns.
void PivotedQr::orthogonalise(int k) {
  for (int i = 0; i < k; ++i) {
    const double more = q_.col(i).dot(q_.col(k));
    q_.col(k) -= more * q_.col(i);
    r_(i, k) += more;
  }
  r_(k, k) = q_.col(k).norm();
  q_.col(k) /= r_(k, k);
  for (int j = k + 1; j < int(q_.cols()); ++j) {
    r_(k, j) = q_.col(k).dot(q_.col(j));
    q_.col(j) -= r_(k, j) * q_.col(k);
  }
}

void PivotedQr::compute(const Eigen::MatrixXd& w, double tolerance, const Vec& scale) {
  q_ = w;
  r_.setZero(w.cols(), w.cols());
  size_.resize(w.cols());
  for (int j = 0; j < int(w.cols()); ++j)
    size_[j] = std::hypot(w.col(j).norm(), scale.size() > 0 ? scale[j] : 0);
  column_.resize(std::size_t(w.cols()));
  std::iota(column_.begin(), column_.end(), 0);
  for (rank_ = 0; rank_ < int(w.cols()); ++rank_) {
    const int j = choose(rank_, tolerance);
    if (j < 0) break;
    swap_columns(rank_, j);
    orthogonalise(rank_);
  }
  if (!full_rank()) complete();
}

/// Orthonormalises the rows of R. The solution of least norm lies in their span.
void PivotedQr::complete() {
  row_space_.resize(r_.cols(), r_.cols());
  row_factor_.setZero(r_.cols(), r_.cols());
  for (int k = 0; k < rank_; ++k) {
    row_space_.col(k) = r_.row(k).transpose();
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < k; ++i) {
        const double part = row_space_.col(i).dot(row_space_.col(k));
        row_space_.col(k) -= part * row_space_.col(i);
        row_factor_(i, k) += part;
      }
    }
    row_factor_(k, k) = row_space_.col(k).norm();
    row_space_.col(k) /= row_factor_(k, k);
  }
}

void PivotedQr::solve(const Vec& b, Vec& x) {
  c_.resize(r_.cols());
  c_.setZero();
  for (int k = 0; k < rank_; ++k) c_[k] = q_.col(k).dot(b);
  x.resize(r_.cols());
  if (full_rank()) {
    divide_by_upper(r_, rank_, c_);
    for (int j = 0; j < rank_; ++j) x[column(j)] = c_[j];
    return;
  }
  divide_by_upper_transposed(row_factor_, rank_, c_);
  for (int j = 0; j < int(x.size()); ++j) {
    double sum = 0;
    for (int k = 0; k < rank_; ++k) sum += row_space_(j, k) * c_[k];
    x[column(j)] = sum;
  }
}

void PivotedQr::solve_transposed(const Vec& g, Vec& d) {
  c_.resize(r_.cols());
  for (int j = 0; j < int(c_.size()); ++j) c_[j] = g[column(j)];
  divide_by_upper_transposed(r_, rank_, c_);
  d.setZero(q_.rows());
  for (int k = 0; k < rank_; ++k) d += c_[k] * q_.col(k);
}

}  // namespace torsor
