#include "newton_factor.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/lie/status.hpp"

namespace torsor::model_detail {
namespace {

constexpr double redundant_below = 100 * std::numeric_limits<double>::epsilon();

using Block = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

/// to[i, j] -= sum_r left[r, i] right[r, j]; left and right have the same stride.
void subtract_product(int n, int stride, const double* left, int rows, const double* right, int columns,
                      double* to, int to_stride) {
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) to[i * to_stride + j] -= left[r * stride + i] * right[r * stride + j];
}

[[noreturn]] void refuse_numbers() {
  throw EvaluationError(StepStatus::non_finite, "a number of the Newton equations is not finite");
}

}  // namespace

NewtonFactor::NewtonFactor(const Elimination& plan, const Pairs& pairs)
    : plan_(&plan),
      pairs_(&pairs),
      upper_(static_cast<std::size_t>(plan.size)),
      lower_(upper_.size()),
      panel_(6 * static_cast<std::size_t>(plan.widest)),
      size_(static_cast<std::size_t>(plan.rows)),
      doubt_(6 * size_.size()),
      redundant_(size_.size(), 0) {}

void NewtonFactor::copy_in(const double* M_diagonal, const double* M_pairs, const double* B,
                           const double* C) {
  for (auto* numbers : {&upper_, &lower_, &size_, &doubt_}) std::fill(numbers->begin(), numbers->end(), 0.);
  for (int b = 0; b < plan_->bodies; ++b) {
    const Pivot& pivot = plan_->pivots[plan_->place_of_node[b]];
    for (int i = 0; i < 6; ++i)
      std::copy_n(M_diagonal + 36 * b + 6 * i, 6, upper_.data() + pivot.diagonal + i * pivot.stride);
  }
  for (std::size_t b = 0; b < plan_->entries.size(); ++b)
    add_block(plan_->entries[b], C + plan_->block_value[b], B + plan_->block_value[b]);
  for (std::size_t k = 0; k < pairs_->size(); ++k) {
    const Block mirrored = Eigen::Map<const Block>(M_pairs + 72 * k + 36).transpose();
    add_block(plan_->pair_entries[k], M_pairs + 72 * k, mirrored.data());
  }
}

/// Adds a block and the transpose of its mirror image across the diagonal. Both have the same position, one
/// in `upper_` and one in `lower_`.
void NewtonFactor::add_block(const Elimination::Entry& entry, const double* block, const double* mirrored) {
  double* straight = (entry.transposed ? lower_ : upper_).data() + entry.to;
  double* turned = (entry.transposed ? upper_ : lower_).data() + entry.to;
  for (int i = 0; i < entry.rows; ++i)
    for (int j = 0; j < 6; ++j) {
      const int at = entry.transposed ? j * entry.stride + i : i * entry.stride + j;
      straight[at] += block[6 * i + j];
      turned[at] += mirrored[6 * i + j];
    }
}

void NewtonFactor::factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C) {
  copy_in(M_diagonal, M_pairs, B, C);
  growth_ = 1;
  growth_row_ = -1;
  for (const Pivot& pivot : plan_->pivots) {
    double* P = upper_.data() + pivot.diagonal;
    if (pivot.sign > 0)
      invert_body(P, pivot.stride);
    else
      invert_constraint(pivot, P);
    const int n = pivot.size, width = pivot.width, stride = pivot.stride;
    double* U = upper_.data() + pivot.panel;
    std::fill_n(panel_.begin(), n * width, 0.);
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < width; ++c) panel_[i * width + c] += P[i * stride + r] * U[r * stride + c];
    for (int i = 0; i < n; ++i) std::copy_n(panel_.begin() + i * width, width, U + i * stride);
    add_updates(pivot);
  }
}

void NewtonFactor::invert_body(double* P, int stride) const {
  Eigen::Map<Block, 0, Eigen::OuterStride<>> block(P, Eigen::OuterStride<>(stride));
  if (!block.allFinite()) refuse_numbers();
  const Block inverse = block.inverse();
  if (!inverse.allFinite())
    throw EvaluationError(StepStatus::singular, "the Newton equations of a body are singular");
  block = inverse;
}

/// Sweeps the diagonal entries one by one, each time the entry that is greatest relative to the size of its
/// row. Rows that are never swept are redundant, and their entries of the inverse are zero. Goodnight, A
/// tutorial on the SWEEP operator, Am. Stat. 33 (1979).
void NewtonFactor::invert_constraint(const Pivot& pivot, double* P) {
  const int n = pivot.size, stride = pivot.stride, first = plan_->first_row(pivot);
  for (int i = 0; i < n; ++i)
    if (!std::all_of(P + i * stride, P + i * stride + n, [](double number) { return std::isfinite(number); }))
      refuse_numbers();
  char* left = redundant_.data() + first;
  const double* size = size_.data() + first;
  double terms[6];  // v^T F v, where v combines the original row i with the swept rows
  const auto find_terms = [&](int i) {
    double v[6] = {};
    for (int m = 0; m < n; ++m)
      if (!left[m]) v[m] = P[i * stride + m];
    v[i] = 1;
    terms[i] = 0;
    for (int m = 0; m < n; ++m)
      for (int k = 0; k < n; ++k) terms[i] += v[m] * doubt_[6 * (first + m) + k] * v[k];
  };
  const auto stands_out = [&](int i, int than) {
    return than < 0 ||
           std::abs(P[i * (stride + 1)]) * size[than] > std::abs(P[than * (stride + 1)]) * size[i];
  };
  std::fill_n(left, n, 1);
  for (;;) {
    for (int i = 0; i < n; ++i)
      if (left[i]) find_terms(i);
    int best = -1;
    for (int i = 0; i < n; ++i)
      if (left[i] && std::abs(P[i * (stride + 1)]) > redundant_below * terms[i] && stands_out(i, best))
        best = i;
    if (best < 0) break;
    left[best] = 0;
    const double p = P[best * (stride + 1)];
    if (size[best] / std::abs(p) > growth_) {
      growth_ = size[best] / std::abs(p);
      growth_row_ = first + best;
    }
    sweep(n, stride, best, P);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (left[i] || left[j]) P[i * stride + j] = 0;
}

/// One Gauss-Jordan step in place: P is the inverse on the rows and columns swept so far.
void NewtonFactor::sweep(int n, int stride, int at, double* P) const {
  const double p = P[at * (stride + 1)];
  for (int i = 0; i < n; ++i) {
    if (i == at) continue;
    const double factor = P[i * stride + at] / p;
    for (int j = 0; j < n; ++j)
      if (j != at) P[i * stride + j] -= factor * P[at * stride + j];
    P[i * stride + at] = -factor;
  }
  for (int j = 0; j < n; ++j)
    if (j != at) P[at * stride + j] /= p;
  P[at * (stride + 1)] = 1 / p;
}

void NewtonFactor::add_updates(const Pivot& pivot) {
  const int n = pivot.size, stride = pivot.stride;
  const double* W = upper_.data() + pivot.panel;
  const double* V = lower_.data() + pivot.panel;
  for (int k = pivot.update_begin; k < pivot.update_end; ++k) {
    const auto& u = plan_->updates[k];
    subtract_product(n, stride, V + u.row, u.rows, W + u.column, u.columns, upper_.data() + u.to, u.stride);
    const int own = u.diagonal ? u.rows : 0;  // the diagonal is in `upper_` only
    subtract_product(n, stride, W + u.row, u.rows, V + u.column + own, u.columns - own,
                     lower_.data() + u.to + own, u.stride);
  }
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const auto& [place, unknown, size, later_row] = plan_->parts[part];
    if (later_row >= 0 && pivot.sign > 0) add_sizes(pivot, V, W, later_row, size);
    if (later_row >= 0 && pivot.sign < 0) add_doubts(pivot, W, later_row, size);
    V += size, W += size;
  }
}

void NewtonFactor::add_sizes(const Pivot& body, const double* V, const double* W, int later_row, int size) {
  for (int r = 0; r < 6; ++r)
    for (int i = 0; i < size; ++i) {
      const double term = std::abs(V[r * body.stride + i] * W[r * body.stride + i]);
      size_[later_row + i] += term;
      doubt_[7 * i + 6 * later_row] += term;
    }
}

/// W = K_kk^-1 K_kn are the combinations of the rows of k that the rows of n contain.
void NewtonFactor::add_doubts(const Pivot& constraint, const double* W, int later_row, int size) {
  const double* F = doubt_.data() + 6 * plan_->first_row(constraint);
  double* to = doubt_.data() + 6 * later_row;
  for (int m = 0; m < constraint.size; ++m)
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int n = 0; n < constraint.size; ++n) sum += F[6 * m + n] * W[n * constraint.stride + j];
      for (int i = 0; i < size; ++i) to[6 * i + j] += W[m * constraint.stride + i] * sum;
    }
}

void NewtonFactor::solve(double* b) const {
  for (const Pivot& pivot : plan_->pivots) {
    const int n = pivot.size;
    const double* inverse = upper_.data() + pivot.diagonal;
    double t[6] = {};
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < n; ++r) t[i] += inverse[i * pivot.stride + r] * b[pivot.row + r];
    std::copy_n(t, n, b + pivot.row);
    for (int r = 0; r < n; ++r) {
      const double* V = lower_.data() + pivot.panel + r * pivot.stride;
      for (int part = pivot.part_begin; part < pivot.part_end; ++part)
        for (int c = 0; c < plan_->parts[part].size; ++c) b[plan_->parts[part].row + c] -= *V++ * t[r];
    }
  }
  for (auto pivot = plan_->pivots.rbegin(); pivot != plan_->pivots.rend(); ++pivot)
    for (int r = 0; r < pivot->size; ++r) {
      const double* W = upper_.data() + pivot->panel + r * pivot->stride;
      double sum = 0;
      for (int part = pivot->part_begin; part < pivot->part_end; ++part)
        for (int c = 0; c < plan_->parts[part].size; ++c) sum += *W++ * b[plan_->parts[part].row + c];
      b[pivot->row + r] -= sum;
    }
}

}  // namespace torsor::model_detail
