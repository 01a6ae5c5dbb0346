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

/// Adds the terms Z_ri W_ri to the size of each constraint row i (null: the terms are negative), and times their
/// loss of digits to its doubt.
template <int K, int N>
[[gnu::flatten]] void add_terms(Rows<const double> Z, Rows<const double> W, const double (&loss)[K], double* size,
               double* doubt) {
  auto doubts = Row<N>::read(doubt), sizes = size ? Row<N>::read(size) : Row<N>();
  each<K>([&](auto r) {
    const auto z = Row<N>::read(Z.begin + r * Z.stride), w = Row<N>::read(W.begin + r * W.stride);
    each<Row<N>::lanes>([&](auto k) {
      const Lane term = z.lane[k] * w.lane[k];
      sizes.lane[k] += term;
      doubts.lane[k] += loss[r] * term;
    });
  });
  doubts.write(doubt);
  if (size) sizes.write(size);
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
    const Rows<double> to_parent{values_.data() + pair->parent_diagonal, pair->parent_stride};
    const auto metric = [&](int body) {
      return Rows<const double>{G + static_cast<long>(metric_step) * body, 6};
    };
    const Rows<const double> from =
        pair->reads_metric ? metric(pair->body) : Rows<const double>{factor, 6 + pair->rows};
    const Rows<const double> parent =
        pair->parent_metric ? metric(pair->parent) : Rows<const double>{to_parent.begin, to_parent.stride};
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
    double* to = values_.data() + pivot.diagonal;
    if (!pivot.pair) std::fill_n(to, pivot.size * pivot.stride, 0.);
    if (pivot.sign < 0 || pivot.fresh) continue;
    const double* metric = G + static_cast<long>(metric_step) * pivot.node;
    for (int i = 0; i < 6; ++i) std::copy_n(metric + 6 * i, 6, to + i * pivot.stride);
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
        to[entry.transposed ? j * entry.stride + i : i * entry.stride + j] += entry.sign * block[6 * i + j];
  }
}

template <int K>
void BlockFactor::factor_node(const Elimination::Pivot& pivot, PivotRule& rule) {
  double P[K][K], d[K];
  int order[K];
  double* to = values_.data() + pivot.diagonal;
  each<K>([&](auto i) {
    order[i] = i;
    each<i + 1>([&](auto j) { P[i][j] = to[i * pivot.stride + j]; });
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
  store(P, d, to, pivot.stride);
  reduce_panel(P, d, order, pivot.width, pivot.stride, to + K, panel_.data());
  add_updates<K>(pivot);
}

/// Eliminates the rows in the order of their pivots relative to their size. A row that nearly depends on
/// another must not come first, since its rounding error would hide that a third row is redundant. A pivot
/// p of growth g has the relative error g eps, and so has its contribution to the pivot of another row.
template <int K>
[[gnu::flatten]] void BlockFactor::factor_constraint(int first, double (&P)[K][K], double (&d)[K], int (&order)[K],
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
  const double* Z = panel_.data();
  const double* W = values_.data() + pivot.panel;
  for (int k = pivot.update_begin; k < pivot.update_end; ++k) {
    const auto& u = plan_->updates[k];
    add_product<K>(-u.sign, u.rows, u.columns, {Z + u.row, pivot.width}, {W + u.column, pivot.stride},
                   {values_.data() + u.to, u.stride});
  }
  double loss[K];  // relative error of each of the K pivots
  each<K>([&](auto r) {
    const double* d = values_.data() + pivot.diagonal + r * (pivot.stride + 1);
    const int first = plan_->first_row(pivot);
    loss[r] = pivot.sign > 0 ? 1 : doubt_[first + order_[first + r]] * *d;
  });
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const auto& [unknown, size, row] = plan_->parts[part];
    if (row >= 0)
      with_rows(size, [&](auto rows) {
        add_terms<K, rows()>({Z, pivot.width}, {W, pivot.stride}, loss,
                             pivot.sign > 0 ? &size_[row] : nullptr, &doubt_[row]);
      });
    Z += size, W += size;
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
[[gnu::flatten]] void BlockFactor::forward_node(const Elimination::Pivot& pivot, double* b) const {
  const double* L = values_.data() + pivot.diagonal;
  const int* order = pivot.sign < 0 ? order_.data() + plan_->first_row(pivot) : in_order;
  double t[K];
  each<K>([&](auto i) { t[i] = b[pivot.row + order[i]]; });
  solve_lower({L, pivot.stride}, t);
  each<K>([&](auto i) { b[pivot.row + i] = pivot.sign * L[i * (pivot.stride + 1)] * t[i]; });
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const auto& [row, size, constraint_row] = plan_->parts[part];
    for_columns(size, [&](auto type, int column) {
      using T = decltype(type);
      T sum = read<T>(b + row + column);
      each<K>([&](auto r) { sum -= read<T>(W + r * pivot.stride + column) * t[r]; });
      write(sum, b + row + column);
    });
    W += size;
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
[[gnu::flatten]] void BlockFactor::backward_node(const Elimination::Pivot& pivot, double* b) const {
  double sum[K] = {}, x[K];
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const double* from = b + plan_->parts[part].row;
    for (int c = 0; c < plan_->parts[part].size; ++c, ++W)
      each<K>([&](auto r) { sum[r] += W[r * pivot.stride] * from[c]; });
  }
  each<K>([&](auto r) { x[r] = b[pivot.row + r] - sum[r]; });
  solve_upper({values_.data() + pivot.diagonal, pivot.stride}, x);
  const int* order = pivot.sign < 0 ? order_.data() + plan_->first_row(pivot) : in_order;
  each<K>([&](auto r) { b[pivot.row + order[r]] = x[r]; });
}

}  // namespace torsor::model_detail
