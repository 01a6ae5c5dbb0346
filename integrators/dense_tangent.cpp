#include "integrators/dense_tangent.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pivoted_qr.hpp"

namespace torsor {
namespace {

/// A column of the scaled matrix is redundant if the part of it that is independent of the other columns is
/// below this fraction of the column.
constexpr double redundant_column = 1e-11;
/// Step of the forward differences: the square root of the rounding unit.
constexpr double probe = 1.5e-8;

}  // namespace

struct DenseTangent::Matrix {
  Eigen::MatrixXd kkt;
  PivotedQr factors;
};

DenseTangent::DenseTangent(const ConstrainedSystem& system)
    : system_(system), matrix_(std::make_unique<Matrix>()) {}
DenseTangent::~DenseTangent() = default;

void DenseTangent::factor(const Linearisation& at) {
  assert(at.c_v != 0 && at.c_q != 0);
  const int n = system_.nv(), m = system_.rows();
  for (Vec* v : {&unit_, &column_, &force_, &force_next_, &xi_, &r_, &r_next_, &metric_}) v->resize(n);
  for (Vec* rows : {&unit_row_, &row_, &psi_, &psi_next_}) rows->resize(m);
  q_next_.resize(system_.nq());
  Eigen::MatrixXd& kkt = matrix_->kkt;
  kkt.setZero(n + m, n + m);
  system_.imbalance(at.t, at.x.q, at.x.v, at.a, at.lambda, r_);
  system_.velocity_residual(at.t, at.x.q, at.x.v, psi_);
  force_at(at, at.x.v, force_);
  v_next_ = at.x.v;
  for (int j = 0; j < n; ++j) column(at, j);
  for (int j = 0; j < m; ++j) {
    unit_row_.setUnit(m, j);
    system_.reaction(at.t, at.x.q, unit_row_, column_);
    kkt.col(n + j).head(n) = -column_;
  }
  c_row_ = at.level == Level::position ? at.c_q : at.c_v;
  factor_scaled();
}

/// f at the velocity v, minus M a where M depends on v.
void DenseTangent::force_at(const Linearisation& at, const Vec& v, Vec& out) {
  system_.force(at.t, at.x.q, v, out);
  if (!system_.mass_of_velocity()) return;
  system_.mass_times(at.t, at.x.q, v, at.a, column_);
  out -= column_;
}

/// Column j of the matrix: the derivatives of the dynamics and of the constraint rows with respect to a_j.
/// The rows are divided by c_v or c_q, so their scale does not depend on the step size.
void DenseTangent::column(const Linearisation& at, int j) {
  const int n = system_.nv(), m = system_.rows();
  const Vec &q = at.x.q, &v = at.x.v;
  Eigen::MatrixXd& kkt = matrix_->kkt;
  unit_.setUnit(n, j);
  system_.mass_times(at.t, q, v, unit_, column_);
  kkt.col(j).head(n) = column_;
  metric_[j] = column_[j];

  v_next_[j] += probe * (1 + std::abs(v[j]));
  force_at(at, v_next_, force_next_);
  kkt.col(j).head(n) -= at.c_v / (v_next_[j] - v[j]) * (force_next_ - force_);
  v_next_[j] = v[j];

  system_.dexp(at.xi, unit_, xi_);
  column_ = probe * xi_;
  system_.retract(q, column_, q_next_);
  system_.imbalance(at.t, q_next_, v, at.a, at.lambda, r_next_);
  kkt.col(j).head(n) += at.c_q / probe * (r_next_ - r_);

  system_.velocity_residual(at.t, q_next_, v, psi_next_);
  psi_next_ -= psi_;
  psi_next_ *= at.c_q / at.c_v / probe;
  system_.constraint_times(at.t, q, unit_, row_);
  kkt.col(j).tail(m) = row_ + psi_next_;
  if (at.level != Level::position) return;
  system_.constraint_times(at.t, q, xi_, row_);
  for (int i = 0; i < m; ++i)
    if (system_.holonomic()[std::size_t(i)]) kkt(n + i, j) = row_[i];
}

/// Scales the matrix and factors it. The diagonal of the metric becomes 1. All constraint rows get the same
/// factor, so the least-norm solution stays the same.
void DenseTangent::factor_scaled() {
  Eigen::MatrixXd& kkt = matrix_->kkt;
  const auto n = metric_.size(), m = kkt.rows() - n;
  scale_.resize(n + m);
  for (Eigen::Index i = 0; i < n; ++i) scale_[i] = metric_[i] > 0 ? 1 / std::sqrt(metric_[i]) : 1;
  double greatest = 0;
  for (Eigen::Index j = 0; j < m; ++j)
    greatest = std::max(greatest, kkt.col(n + j).head(n).cwiseProduct(scale_.head(n)).norm());
  scale_.tail(m).setConstant(greatest > 0 ? 1 / greatest : 1);
  for (Eigen::Index j = 0; j < n + m; ++j) kkt.col(j) = scale_[j] * kkt.col(j).cwiseProduct(scale_);
  matrix_->factors.compute(kkt, redundant_column);
}

void DenseTangent::solve(VecIn r, VecIn s, VecOut da, VecOut dl) {
  const auto n = r.size(), m = s.size();
  rhs_.resize(n + m);
  rhs_.head(n) = r.cwiseProduct(scale_.head(n));
  rhs_.tail(m) = s.cwiseProduct(scale_.tail(m)) / c_row_;
  matrix_->factors.solve(rhs_, solution_);
  da = solution_.head(n).cwiseProduct(scale_.head(n));
  dl = solution_.tail(m).cwiseProduct(scale_.tail(m));
}

}  // namespace torsor
