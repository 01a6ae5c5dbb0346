#include "sparse.hpp"

#include <Eigen/SparseQR>
#include <cmath>
#include <limits>
#include <numeric>

namespace torsor::linear {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// A kernel of at most this dimension is computed; the cost is that of as many solutions.
constexpr Eigen::Index small_kernel = 50;

template <class Use>
void each_entry(const Sparse& A, const Use& use) {
  for (int column = 0; column < A.outerSize(); ++column)
    for (Sparse::InnerIterator at(A, column); at; ++at) use(static_cast<int>(at.row()), column, at.value());
}

/// Entries below this fraction of the least pivot are rounding.
constexpr double rounding_of_pivot = 1e-6;

Sparse without_rounding(Sparse A, double least) {
  A.prune([least](Eigen::Index, Eigen::Index, double value) {
    return !(std::abs(value) < rounding_of_pivot * least);
  });
  return A;
}

Sparse from(const Triplets& entries, Eigen::Index rows, Eigen::Index columns) {
  Sparse out(rows, columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The first `rank` rows of R in A P = Q R.
Sparse upper_rows(const Sparse& R, Eigen::Index rank) {
  Triplets entries;
  each_entry(R, [&](int i, int j, double value) {
    if (i < rank) entries.emplace_back(i, j, value);
  });
  return from(entries, rank, R.cols());
}

/// The solution of [R1 R2] x = c with the smallest norm, R1 upper triangular and regular. With N = -R1^-1 R2,
/// all solutions are x = (R1^-1 c + N z, z).
Vec smallest_by_kernel(const Sparse& R, const Vec& c) {
  const Eigen::Index rank = R.rows(), free = R.cols() - rank;
  const Sparse R1 = R.leftCols(rank);
  const Vec particular = R1.triangularView<Eigen::Upper>().solve(c);
  if (free == 0) return particular;
  Vec right(R.cols());
  right.setZero();
  right.head(rank) = -particular;
  Mat N(R.cols(), free);
  N.topRows(rank) = -R1.triangularView<Eigen::Upper>().solve(Mat(R.rightCols(free)));
  N.bottomRows(free).setIdentity();
  const Vec z = Eigen::HouseholderQR<Mat>(N).solve(right);
  return N * z - right;
}

/// The same with R^T P = Q [L^T; 0], L lower triangular: x = Q [y; 0] with L y = P^T c.
Vec smallest_by_rows(const Sparse& R, const Vec& c) {
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(0);
  qr.compute(Sparse(R.transpose()));
  const Sparse L = Sparse(upper_rows(qr.matrixR(), R.rows()).transpose());
  Vec y = Vec::Zero(R.cols());
  const Vec permuted = qr.colsPermutation().transpose() * c;
  y.head(R.rows()) = L.triangularView<Eigen::Lower>().solve(permuted);
  return qr.matrixQ() * y;
}

}  // namespace

Sparse columns(const Sparse& A, const std::vector<int>& which) {
  Sparse out(A.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t j = 0; j < which.size(); ++j) {
    out.startVec(static_cast<Eigen::Index>(j));
    for (Sparse::InnerIterator at(A, which[j]); at; ++at)
      out.insertBack(at.row(), static_cast<Eigen::Index>(j)) = at.value();
  }
  out.finalize();
  return out;
}

Sparse product(const Sparse& A, const Sparse& B) { return A * B; }

Sparse above(const Sparse& A, const Sparse& B) {
  Triplets entries;
  each_entry(A, [&](int i, int j, double value) { entries.emplace_back(i, j, value); });
  const auto below = static_cast<int>(A.rows());
  each_entry(B, [&](int i, int j, double value) { entries.emplace_back(below + i, j, value); });
  return from(entries, A.rows() + B.rows(), A.cols());
}

std::vector<CoupledPart> coupled_parts(const Sparse& A) {
  const auto n = static_cast<int>(A.cols());
  std::vector<int> root(static_cast<std::size_t>(n)), column_of_row(static_cast<std::size_t>(A.rows()), -1);
  std::iota(root.begin(), root.end(), 0);
  const auto root_of = [&](int k) {
    while (root[k] != k) k = root[k] = root[root[k]];
    return k;
  };
  each_entry(A, [&](int i, int j, double) {
    if (column_of_row[i] < 0) column_of_row[i] = j;
    const int other = root_of(column_of_row[i]);
    root[root_of(j)] = other;
  });
  std::vector<CoupledPart> parts;
  std::vector<int> part_of_root(root.size(), -1);
  const auto part = [&](int column) -> CoupledPart& {
    int& index = part_of_root[root_of(column)];
    if (index < 0) index = static_cast<int>(parts.size()), parts.emplace_back();
    return parts[index];
  };
  for (int j = 0; j < n; ++j) part(j).columns.push_back(j);
  for (int i = 0; i < static_cast<int>(A.rows()); ++i)
    if (column_of_row[i] >= 0) part(column_of_row[i]).rows.push_back(i);
  return parts;
}

/// A P = Q [R1 R2; 0 0], by Householder transformations in an order that keeps R sparse.
Vec least_squares(const Sparse& all, const Vec& b, double least) {
  const Sparse A = without_rounding(all, least);
  if (!std::isfinite(A.norm()) || !b.allFinite())
    return Vec::Constant(A.cols(), std::numeric_limits<double>::quiet_NaN());
  if (A.nonZeros() == 0) return Vec::Zero(A.cols());
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(least);
  qr.compute(A);
  const Eigen::Index rank = qr.rank();
  const Vec c = Vec(qr.matrixQ().transpose() * b).head(rank);
  const Sparse R = upper_rows(qr.matrixR(), rank);
  const Vec x = R.cols() - rank <= small_kernel ? smallest_by_kernel(R, c) : smallest_by_rows(R, c);
  return qr.colsPermutation() * x;
}

SparseSolutionAndKernel least_squares_and_kernel(const Sparse& all, const Vec& b, double least) {
  const Sparse A = without_rounding(all, least);
  Vec x = Vec::Zero(A.cols());
  Triplets kernel;
  int free = 0;
  std::vector<int> place(static_cast<std::size_t>(A.rows()));
  for (const auto& [columns, rows] : coupled_parts(A)) {
    Mat dense = Mat::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<int>(i);
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (Sparse::InnerIterator at(A, columns[j]); at; ++at)
        dense(place[at.row()], static_cast<Eigen::Index>(j)) = at.value();
    const double threshold = rows.empty() ? 1 : least / dense.colwise().norm().maxCoeff();
    SolutionAndKernel part{Vec::Zero(dense.cols()), Mat::Identity(dense.cols(), dense.cols())};
    if (threshold < 1) part = least_squares_and_kernel(dense, b(rows), threshold);
    x(columns) = part.x;
    for (Eigen::Index k = 0; k < part.kernel.cols(); ++k, ++free)
      for (std::size_t j = 0; j < columns.size(); ++j)
        if (const double value = part.kernel(static_cast<Eigen::Index>(j), k); value != 0)
          kernel.emplace_back(columns[j], free, value);
  }
  return {std::move(x), from(kernel, A.cols(), free)};
}

}  // namespace torsor::linear
