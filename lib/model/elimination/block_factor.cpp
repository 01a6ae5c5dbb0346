#include "block_factor.hpp"

#include <algorithm>
#include <type_traits>

#include "kkt_kernels.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::model_detail {
namespace {

constexpr int in_order[6] = {0, 1, 2, 3, 4, 5};

/// Calls use(std::integral_constant<int, rows>) for a number of rows from 1 to 6.
template <class Use>
void with_rows(int rows, Use use) {
  switch (rows) {
    case 1:
      return use(std::integral_constant<int, 1>{});
    case 2:
      return use(std::integral_constant<int, 2>{});
    case 3:
      return use(std::integral_constant<int, 3>{});
    case 4:
      return use(std::integral_constant<int, 4>{});
    case 5:
      return use(std::integral_constant<int, 5>{});
    default:
      return use(std::integral_constant<int, 6>{});
  }
}

void check(const PivotRule& rule) {
  if (rule.spoilt != 0)
    throw EvaluationError(StepStatus::non_finite, "a number of the equations of motion is not finite");
  if (!(rule.least_body > 0))
    throw EvaluationError(StepStatus::singular, "the mass matrix of a body is not positive definite");
}

}  // namespace

BlockFactor::BlockFactor(const Elimination& plan)
    : plan_(&plan),
      values_(plan.size),
      panel_(6 * static_cast<std::size_t>(plan.widest)),
      size_(plan.rows),
      doubt_(plan.rows),
      order_(plan.rows),
      redundant_(plan.rows, 0),
      row_growth_(plan.rows, 0) {}

void BlockFactor::factor(const double* G, int metric_step, const double* A, const Rules& rules) {
  copy_in(G, metric_step, A);
  PivotRule rule{rules.tolerance, rules.regular->data(), rules.redundant_inverse->data(), redundant_.data(),
                 row_growth_.data()};
  auto pair = plan_->pairs.begin();
  for (std::size_t k = 0; k < plan_->pivots.size(); ++k) {
    if (!plan_->pivots[k].pair) {
      with_rows(plan_->pivots[k].size, [&](auto size) { factor_node<size()>(plan_->pivots[k], rule); });
      continue;
    }
    double* factor = values_.data() + pair->diagonal;
    double* to_parent = values_.data() + pair->parent_diagonal;
    const double* from = pair->reads_metric ? G + static_cast<long>(metric_step) * pair->body : factor;
    const double* parent =
        pair->parent_metric ? G + static_cast<long>(metric_step) * pair->parent : to_parent;
    const double* A_p = pair->parent < 0 ? nullptr : A + pair->parent_block;
    with_rows(pair->rows, [&](auto rows) {
      factor_pair<rows()>(rule, from, A + pair->body_block, A_p, parent, factor, to_parent,
                          pair->constraint_row);
    });
    ++pair, ++k;
  }
  check(rule);
  growth_ = rule.growth;
  growth_row_ = rule.growth_row;
}

void BlockFactor::copy_in(const double* G, int metric_step, const double* A) {
  for (const auto& pivot : plan_->pivots) {
    if (pivot.pair_end) continue;
    double* diagonal = values_.data() + pivot.diagonal;
    const long numbers = pivot.size * pivot.size;
    if (pivot.sign < 0)
      std::fill_n(diagonal, numbers, 0.);
    else if (!pivot.fresh)
      std::copy_n(G + static_cast<long>(metric_step) * pivot.node, 36, diagonal);
    if (!pivot.pair)
      std::fill_n(values_.data() + pivot.panel, static_cast<long>(pivot.size) * pivot.width, 0.);
  }
  std::fill(size_.begin(), size_.end(), 0.);
  std::fill(doubt_.begin(), doubt_.end(), 0.);
  for (std::size_t b = 0; b < plan_->entries.size(); ++b) {
    const auto& entry = plan_->entries[b];
    if (!entry.copied) continue;
    const double* block = A + plan_->block_value[b];
    double* to = values_.data() + entry.to;
    for (int i = 0; i < entry.rows; ++i)
      for (int j = 0; j < 6; ++j)
        to[entry.transposed ? j * entry.stride + i : i * entry.stride + j] += block[6 * i + j];
  }
}

template <int K>
void BlockFactor::factor_node(const Elimination::Pivot& pivot, PivotRule& rule) {
  double P[K][K], d[K];
  int order[K];
  double* to = values_.data() + pivot.diagonal;
  each<K>([&](auto i) {
    order[i] = i;
    each<i + 1>([&](auto j) { P[i][j] = to[i * K + j]; });
  });
  if (pivot.sign > 0) {
    factor_pivot(
        P, d, [](int i) { return i; },
        [&](int, double p) {
          rule.body(p);
          return 1 / p;
        });
  } else {
    factor_constraint(plan_->first_row(pivot), P, d, order, rule);
  }
  store(P, d, to);
  reduce_panel(P, d, order, pivot.width, values_.data() + pivot.panel, panel_.data());
  add_updates<K>(pivot);
}

/// Eliminates the rows in the order of their pivots relative to their size. A row that nearly depends on
/// another must not come first, since its rounding error would hide that a third row is redundant. A pivot
/// p of growth g has the relative error g eps, and so has its contribution to the pivot of another row.
template <int K>
void BlockFactor::factor_constraint(int first, double (&P)[K][K], double (&d)[K], int (&order)[K],
                                    PivotRule& rule) {
  each<K>([&](auto i) { P[i][i] += rule.added[first + i]; });
  const auto next = [&](int i) {
    int best = i;
    for (int j = i + 1; j < K; ++j)
      if (P[j][j] * size_[first + order[best]] > P[best][best] * size_[first + order[j]]) best = j;
    std::swap(order[i], order[best]);
    return best;
  };
  factor_pivot(P, d, next, [&](int i, double p) {
    const int row = first + order[i];
    const double inverse = rule.inverse(p, size_[row], doubt_[row], row);
    const double growth = inverse * doubt_[row];
    for (int j = i + 1; j < K; ++j) doubt_[first + order[j]] += P[j][i] * P[j][i] * inverse * growth;
    return inverse;
  });
  std::copy_n(order, K, order_.data() + first);
}

template <int K>
void BlockFactor::add_updates(const Elimination::Pivot& pivot) {
  const int width = pivot.width;
  for (int k = pivot.update_begin; k < pivot.update_end; ++k) {
    const auto& u = plan_->updates[k];
    const double* Z = panel_.data() + u.row;
    const double* W = values_.data() + pivot.panel + u.column;
    with_rows(u.columns, [&](auto columns) {
      add_product<K, columns()>(u.sign, u.rows, width, Z, W, values_.data() + u.to, u.stride);
    });
    if (u.constraint_row < 0) continue;
    const double* d = values_.data() + pivot.diagonal;
    const int* order = order_.data() + plan_->first_row(pivot);
    for (int r = 0; r < K; ++r) {
      const double weight = pivot.sign > 0 ? 1 : doubt_[plan_->first_row(pivot) + order[r]] * d[r * (K + 1)];
      for (int i = 0; i < u.rows; ++i) {
        const double term = Z[r * width + i] * W[r * width + i];
        if (pivot.sign > 0) size_[u.constraint_row + i] += term;
        doubt_[u.constraint_row + i] += weight * term;
      }
    }
  }
}

void BlockFactor::solve(double* b) const {
  forward(b);
  backward(b);
}

void BlockFactor::forward(double* b) const {
  auto pair = plan_->pairs.begin();
  for (std::size_t k = 0; k < plan_->pivots.size(); ++k) {
    const auto& pivot = plan_->pivots[k];
    if (pivot.pair) {
      with_rows(pair->rows, [&](auto rows) {
        forward_pair<rows()>(values_.data() + pair->diagonal, b + pair->row,
                             pair->parent < 0 ? nullptr : b + pair->parent_row);
      });
      ++pair, ++k;
    } else {
      with_rows(pivot.size, [&](auto size) { forward_node<size()>(pivot, b); });
    }
  }
}

template <int K>
void BlockFactor::forward_node(const Elimination::Pivot& pivot, double* b) const {
  const double* L = values_.data() + pivot.diagonal;
  const int* order = pivot.sign < 0 ? order_.data() + plan_->first_row(pivot) : in_order;
  double t[K];
  each<K>([&](auto i) { t[i] = b[pivot.row + order[i]]; });
  solve_lower(L, t);
  each<K>([&](auto i) {
    b[pivot.row + i] = pivot.sign * L[i * (K + 1)] * t[i];
    t[i] *= pivot.sign;
  });
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    double* to = b + plan_->parts[part].row;
    for (int c = 0; c < plan_->parts[part].size; ++c, ++W)
      each<K>([&](auto r) { to[c] -= W[r * pivot.width] * t[r]; });
  }
}

void BlockFactor::backward(double* b) const {
  auto pair = plan_->pairs.end();
  for (std::size_t k = plan_->pivots.size(); k-- > 0;) {
    const auto& pivot = plan_->pivots[k];
    if (pivot.pair_end) {
      --pair, --k;
      with_rows(pair->rows, [&](auto rows) {
        backward_pair<rows()>(values_.data() + pair->diagonal, b + pair->row,
                              pair->parent < 0 ? nullptr : b + pair->parent_row);
      });
    } else {
      with_rows(pivot.size, [&](auto size) { backward_node<size()>(pivot, b); });
    }
  }
}

template <int K>
void BlockFactor::backward_node(const Elimination::Pivot& pivot, double* b) const {
  double sum[K] = {}, x[K];
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const double* from = b + plan_->parts[part].row;
    for (int c = 0; c < plan_->parts[part].size; ++c, ++W)
      each<K>([&](auto r) { sum[r] += W[r * pivot.width] * from[c]; });
  }
  each<K>([&](auto r) { x[r] = b[pivot.row + r] - pivot.sign * sum[r]; });
  solve_upper(values_.data() + pivot.diagonal, x);
  const int* order = pivot.sign < 0 ? order_.data() + plan_->first_row(pivot) : in_order;
  each<K>([&](auto r) { b[pivot.row + order[r]] = x[r]; });
}

}  // namespace torsor::model_detail
