#include "minimal_velocities.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "dense.hpp"
#include "system/constraint_matrix.hpp"
#include "torsor/lie/detail/real_functions.hpp"

namespace torsor::mechanics {
namespace {

/// A row is redundant if its pivot is below this fraction of the greatest pivot.
constexpr double dependent_pivot = 1e-9;

/// A choice of dependent velocities is kept while the volume of its columns A_d is at least this fraction
/// of the volume of the best choice. By Cramer's rule, the entries of A_d^-1 A_i are then at most about
/// 1/large_enough.
constexpr double large_enough = 0.5;

/// Columns of A whose velocities can be the dependent ones, found by pivoting over all columns, and the
/// logarithm of their volume.
struct Choice {
  std::vector<int> columns;
  double log_volume = 0;
};

template <class Triangle>
double log_volume(const Triangle& R, Eigen::Index columns) {
  return R.diagonal().head(columns).cwiseAbs().array().log().sum();
}

/// A with each column divided by the square root of the inertia of its velocity, and each row by its norm, so
/// that the choice does not depend on units.
Eigen::MatrixXd without_units(const ConstrainedSystem& system, double t, VecIn q, Eigen::MatrixXd A) {
  Vec unit = Vec::Zero(A.cols()), momentum(A.cols());
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    unit[j] = 1;
    system.metric_times(t, q, unit, momentum);
    unit[j] = 0;
    if (momentum[j] > 0) A.col(j) /= std::sqrt(momentum[j]);
  }
  for (auto row : A.rowwise())
    if (const double size = row.norm(); size > 0) row /= size;
  return A;
}

Choice best_choice(const Eigen::MatrixXd& A) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(dependent_pivot);
  Choice best;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) best.columns.push_back(qr.colsPermutation().indices()[k]);
  std::sort(best.columns.begin(), best.columns.end());
  best.log_volume = log_volume(qr.matrixQR(), qr.rank());
  return best;
}

/// Whether a choice of columns is nearly as good as the best.
bool stands(const std::vector<int>& chosen, const Choice& best, const Eigen::MatrixXd& A) {
  if (chosen.size() != best.columns.size()) return false;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(linear::columns(A, chosen));
  return log_volume(qr.matrixQR(), qr.cols()) >= best.log_volume + real::log(large_enough);
}

}  // namespace

void MinimalVelocities::begin_step(const ConstrainedSystem& system, double t, VecIn q) {
  const Eigen::MatrixXd A = without_units(system, t, q, constraint_matrix(system, t, q));
  Choice best = best_choice(A);
  if (!stands(dependent_, best, A)) dependent_ = std::move(best.columns);
}

void MinimalVelocities::velocity(const ConstrainedSystem& system, double t, VecIn q, VecIn v, VecOut out) {
  const Eigen::MatrixXd A = constraint_matrix(system, t, q);
  Vec missed(system.rows());
  system.velocity_residual(t, q, v, missed);
  out = v;
  if (dependent_.empty()) dependent_ = best_choice(without_units(system, t, q, A)).columns;
  if (dependent_.empty()) return;
  const Vec change =
      Eigen::HouseholderQR<Eigen::MatrixXd>(linear::columns(A, dependent_)).solve(Vec(-missed));
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    out[dependent_[k]] += change[static_cast<Eigen::Index>(k)];
}

}  // namespace torsor::mechanics
