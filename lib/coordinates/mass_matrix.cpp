#include "torsor/coordinates/detail/mass_matrix.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "dense.hpp"
#include "system/text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {
namespace {

using Mat = Eigen::MatrixXd;
using mechanics::brief;

// Pivots below this fraction of the greatest count as zero: `singular` for a mass matrix alone, `dependent`
// for a mass matrix with constraint rows. `singular` is so small because the mass matrix of a fast
// relativistic particle has the pivots gamma and gamma^3.
constexpr double singular = 1e-14, dependent = 1e-11;
constexpr double contradiction = 1e-8;  // residual, relative to the greatest term, that is not rounding

/// The diagonal D for which the greatest entry of each row of D M D is near 1. Ruiz, a scaling algorithm to
/// equilibrate both rows and columns norms in matrices, RAL-TR-2001-034.
Vec equilibrated(const Mat& M) {
  constexpr int sweeps = 8;
  Vec d = Vec::Ones(M.rows());
  for (int k = 0; k < sweeps; ++k) {
    const Vec greatest = (d.asDiagonal() * M * d.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
    for (Eigen::Index i = 0; i < d.size(); ++i)
      if (greatest[i] > 0) d[i] /= std::sqrt(greatest[i]);
  }
  return d;
}

}  // namespace

void solve_saddle_point(const Mat& M, const Mat& A, VecIn r, VecIn s, VecOut x, VecOut y) {
  const auto n = M.rows(), m = A.rows();
  if (!M.allFinite() || !A.allFinite() || !r.allFinite() || !s.allFinite()) {
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    y.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Vec scale(n + m), b(n + m);
  scale.head(n) = equilibrated(M);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double size = A.row(j).transpose().cwiseProduct(scale.head(n)).norm();
    scale[n + j] = size > 0 ? 1 / size : 1;
  }
  Mat K = Mat::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M;
  K.topRightCorner(n, m) = -A.transpose();
  K.bottomLeftCorner(m, n) = A;
  K = (scale.asDiagonal() * K * scale.asDiagonal()).eval();
  b << r, s;
  b = b.cwiseProduct(scale).eval();
  const auto [solution, kernel] = linear::least_squares_and_kernel(K, b, m > 0 ? dependent : singular);
  // The kernel is orthonormal. The equations determine x if the kernel has no part in x.
  if ((kernel.topRows(n).array().abs() > 1e-6).any())
    throw EvaluationError(StepStatus::singular, "the mass matrix of the Lagrangian is singular");
  const Vec missed = K * solution - b;
  const double terms = b.lpNorm<Eigen::Infinity>() + solution.lpNorm<Eigen::Infinity>();
  if (missed.tail(m).size() > 0 && missed.tail(m).lpNorm<Eigen::Infinity>() > contradiction * terms)
    throw EvaluationError(StepStatus::singular, "the constraint rows contradict each other");
  x = solution.head(n).cwiseProduct(scale.head(n));
  y = solution.tail(m).cwiseProduct(scale.tail(m));
}

void check_symmetric(const Mat& metric) {
  constexpr double rounding = 1e-9;  // of a metric that is computed as a product of matrices
  for (Eigen::Index i = 0; i < metric.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double lower = metric(i, j), upper = metric(j, i);
      const double size =
          std::abs(lower) + std::abs(upper) + std::sqrt(std::abs(metric(i, i) * metric(j, j)));
      if (!(std::abs(lower - upper) > rounding * size)) continue;  // also if an entry is not finite
      throw EvaluationError(StepStatus::callback_failed,
                            "the metric is not symmetric: row " + std::to_string(i + 1) + " has " +
                                brief(lower) + " in column " + std::to_string(j + 1) + ", row " +
                                std::to_string(j + 1) + " has " + brief(upper) + " in column " +
                                std::to_string(i + 1));
    }
}

Mat directions_without_inertia(const Mat& M) {
  constexpr double rounding = 1e-9;
  const Vec scale = equilibrated(M);
  Mat kernel = linear::least_squares_and_kernel(scale.asDiagonal() * M * scale.asDiagonal(),
                                                Vec::Zero(M.rows()), singular)
                   .kernel;
  std::vector<Eigen::Index> pivots;
  for (Eigen::Index i = 0; i < M.rows() && static_cast<Eigen::Index>(pivots.size()) < kernel.cols(); ++i) {
    const auto done = static_cast<Eigen::Index>(pivots.size());
    Eigen::Index pivot;
    if (kernel.row(i).tail(kernel.cols() - done).cwiseAbs().maxCoeff(&pivot) < rounding) continue;
    kernel.col(done).swap(kernel.col(done + pivot));
    kernel.col(done) /= kernel(i, done);
    for (Eigen::Index j = 0; j < kernel.cols(); ++j)
      if (j != done) kernel.col(j) -= (kernel(i, j) * kernel.col(done)).eval();
    pivots.push_back(i);
  }
  kernel = (kernel.array().abs() < rounding).select(0, kernel).eval();
  kernel = (scale.asDiagonal() * kernel).eval();
  for (std::size_t j = 0; j < pivots.size(); ++j) {
    auto column = kernel.col(static_cast<Eigen::Index>(j));
    column /= double(column[pivots[j]]);
  }
  return kernel;
}

}  // namespace torsor
