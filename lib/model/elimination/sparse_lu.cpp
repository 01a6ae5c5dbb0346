#include "sparse_lu.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::model_detail {

/// The matrix is [ G  A^T ; A  0 ] over (x, -y). Rows and columns are scaled so that the diagonal entries of
/// bodies are 1 and the rows of constraints have length 1.
bool SparseLu::factor(const Elimination& plan, const double* G, const double* A,
                      const std::vector<char>& redundant) {
  bodies_ = plan.bodies, rows_ = plan.rows;
  int unknowns = 6 * bodies_;
  unknown_of_row_.assign(static_cast<std::size_t>(rows_), -1);
  for (int row = 0; row < rows_; ++row)
    if (!redundant[row]) unknown_of_row_[row] = unknowns++;

  scale_.setZero(unknowns);
  for (int i = 0; i < 6 * bodies_; ++i) scale_[i] = 1 / std::sqrt(G[36 * (i / 6) + 7 * (i % 6)]);
  std::vector<Eigen::Triplet<double>> numbers;
  for (int b = 0; b < bodies_; ++b)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const double value = G[36 * b + 6 * std::max(i, j) + std::min(i, j)];
        if (value != 0)
          numbers.emplace_back(6 * b + i, 6 * b + j, value * scale_[6 * b + i] * scale_[6 * b + j]);
      }
  const auto for_rows = [&](auto use) {
    for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
      for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
        const double* block = A + plan.block_value[b];
        for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row)
          for (int j = 0; j < 6; ++j, ++block)
            if (const int at = unknown_of_row_[row]; at >= 0 && *block != 0) {
              const int column = 6 * plan.block_body[b] + j;
              use(at, column, *block * scale_[column]);
            }
      }
  };
  for_rows([&](int row, int, double value) { scale_[row] += value * value; });
  for (int row = 6 * bodies_; row < unknowns; ++row) scale_[row] = 1 / std::sqrt(scale_[row]);
  for_rows([&](int row, int column, double value) {
    numbers.emplace_back(row, column, value * scale_[row]);
    numbers.emplace_back(column, row, value * scale_[row]);
  });
  matrix_.resize(unknowns, unknowns);
  matrix_.setFromTriplets(numbers.begin(), numbers.end());
  lu_.compute(matrix_);
  return lu_.info() == Eigen::Success;
}

double SparseLu::solve(const double* r, const double* s, double* x, double* y) const {
  const int n = 6 * bodies_;
  Eigen::VectorXd b(scale_.size());
  for (int i = 0; i < n; ++i) b[i] = r[i] * scale_[i];
  for (int row = 0; row < rows_; ++row)
    if (const int at = unknown_of_row_[row]; at >= 0) b[at] = s[row] * scale_[at];
  Eigen::VectorXd z = lu_.solve(b), dz(z.size());
  for (int pass = 0; pass < 2; ++pass) {
    dz = lu_.solve(b - matrix_ * z);
    z += dz;
  }
  z.array() *= scale_.array();
  dz.array() *= scale_.array();
  std::copy_n(z.data(), n, x);
  for (int row = 0; row < rows_; ++row) y[row] = unknown_of_row_[row] < 0 ? 0 : -z[unknown_of_row_[row]];
  const double change = dz.head(n).lpNorm<Eigen::Infinity>();
  return change == 0 ? 0 : change / z.head(n).lpNorm<Eigen::Infinity>();
}

}  // namespace torsor::model_detail
