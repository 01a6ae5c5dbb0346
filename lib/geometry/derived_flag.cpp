#include "torsor/geometry/derived_flag.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dense.hpp"

namespace torsor::geometry::internal {

using Eigen::MatrixXd, Eigen::VectorXd;

void choose_rows(const MatrixXd& A, double tolerance, FlagChoice& choice) {
  MatrixXd scaled = A;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double norm = A.row(i).stableNorm();
    if (norm > 0) scaled.row(i) /= norm;
  }
  Eigen::FullPivLU<MatrixXd> lu(scaled);
  lu.setThreshold(tolerance);
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (lu.permutationP().indices()[i] < lu.rank()) choice.rows.push_back(static_cast<int>(i));
  }
  for (Eigen::Index i = 0; i < lu.rank(); ++i) choice.dependent.push_back(lu.permutationQ().indices()[i]);
  std::sort(choice.dependent.begin(), choice.dependent.end());
}

MatrixXd orthonormal_columns(const MatrixXd& N) {
  const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(N).householderQ();
  return Q.leftCols(N.cols());
}

std::vector<std::pair<int, int>> add_outside(const MatrixXd& brackets, std::vector<std::pair<int, int>> pairs,
                                             double least, MatrixXd& K) {
  const auto outside = [&](Eigen::Index column) {
    const VectorXd z = brackets.col(column);
    const VectorXd once = z - K * (K.transpose() * z);
    return VectorXd(once - K * (K.transpose() * once));
  };
  std::vector<Eigen::Index> candidates(pairs.size());
  std::iota(candidates.begin(), candidates.end(), 0);
  std::vector<std::pair<int, int>> chosen;
  while (!candidates.empty()) {
    const auto farthest = std::max_element(candidates.begin(), candidates.end(), [&](auto a, auto b) {
      return outside(a).norm() < outside(b).norm();
    });
    const VectorXd z = outside(*farthest);
    if (!(z.norm() > least)) break;
    K.conservativeResize(Eigen::NoChange, K.cols() + 1);
    K.rightCols(1) = z.normalized();
    chosen.push_back(pairs[static_cast<std::size_t>(*farthest)]);
    candidates.erase(farthest);
  }
  return chosen;
}

void enter_last_term(const MatrixXd& A, const MatrixXd& K, double tolerance, DerivedFlag& flag) {
  VectorXd unit = A.rowwise().stableNorm();  // of each row, so that rows in any units count alike
  unit = (unit.array() > 0).select(unit, 1).eval();
  MatrixXd outside = unit.cwiseInverse().asDiagonal() * A * K;
  if (K.cols() == 0) outside = MatrixXd::Zero(A.rows(), 1);  // the SVD needs a column
  const double least =
      std::sqrt(tolerance);  // the widened basis carries the rounding of brackets of brackets
  for (Eigen::Index i = 0; i < A.rows(); ++i) flag.integrable.push_back(outside.row(i).norm() <= least);
  if (outside.size() == 0) {  // no rows; the SVD takes no empty matrix
    flag.combinations = MatrixXd::Identity(A.rows(), A.rows());
    return;
  }
  const Eigen::JacobiSVD<MatrixXd> svd(outside, Eigen::ComputeFullU);
  const auto inside = A.rows() - (svd.singularValues().array() > least).count();
  const MatrixXd c = unit.cwiseInverse().asDiagonal() * svd.matrixU().rightCols(inside);
  flag.combinations = orthonormal_columns(c).transpose();
}

}  // namespace torsor::geometry::internal
