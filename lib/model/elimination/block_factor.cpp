#include "block_factor.hpp"

#include <algorithm>

#include "kkt_kernels.hpp"
#include "panel_kernels.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::model_detail {
namespace {

constexpr int in_order[6] = {0, 1, 2, 3, 4, 5};

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
      doubt_(6 * static_cast<std::size_t>(plan.rows)),
      order_(plan.rows),
      redundant_(plan.rows, 0),
      row_growth_(plan.rows, 1) {}

void BlockFactor::clear_sizes(const Elimination::Pivot& pivot) {
  const int first = plan_->first_row(pivot);
  std::fill_n(size_.begin() + first, pivot.size, 0.);
  std::fill_n(doubt_.begin() + 6 * first, 6 * pivot.size, 0.);
}

void BlockFactor::clear() {
  for (const auto& pivot : plan_->pivots)
    if (pivot.sign < 0) clear_sizes(pivot);
  std::fill(values_.begin(), values_.end(), 0.);
}

void BlockFactor::factor(const double* G, const double* A, const Rules& rules, double* b) {
  Copied copied;
  PivotRule rule{rules.tolerance, rules.regular->data(), rules.redundant_inverse->data(), redundant_.data(),
                 row_growth_.data()};
  for (const auto& run : plan_->runs) {
    for (int k = run.pair_begin; k < run.pair_end; ++k) {
      const auto& pair = plan_->pairs[k];
      if (pair.copied >= 0) copy_in(pair.copied, G, A, copied);
      with_rows(pair.rows, [&](auto rows) {
        factor_pair_of<rows()>(pair, rule, G, A);
        if (b) forward_pair_of<rows()>(pair, b);
      });
    }
    for (int k = run.pivot_begin; k < run.pivot_end; ++k) {
      if (G) copy_in(plan_->last_updated(k), G, A, copied);
      const auto& pivot = plan_->pivots[k];
      with_rows(pivot.size, [&](auto size) {
        factor_node<size()>(pivot, rule);
        if (b) forward_node<size()>(pivot, b);
      });
    }
  }
  check(rule);
  growth_ = rule.growth;
  growth_row_ = rule.growth_row;
}

template <int M>
[[gnu::always_inline]] inline void BlockFactor::factor_pair_of(const Elimination::Pair& pair, PivotRule& rule,
                                                               const double* G, const double* A) {
  double* const factor = values_.data() + pair.diagonal;
  const Rows<double> to_parent{values_.data() + pair.parent_diagonal, pair.parent_stride};
  const auto metric = [&](int body) { return Rows<const double>{G + 36L * body, 6}; };
  const Rows<const double> from = pair.reads_metric ? metric(pair.body) : Rows<const double>{factor, 6 + M};
  const Rows<const double> parent =
      pair.parent_metric ? metric(pair.parent) : Rows<const double>{to_parent.begin, to_parent.stride};
  const double* const A_p = pair.parent < 0 ? nullptr : A + pair.parent_block;
  factor_pair<M>(rule, from, A + pair.body_block, A_p, parent, factor, to_parent, pair.constraint_row);
}

/// Copies in the numbers of the equations, up to the pivot with the index `last`. This is done just before
/// the first update of a pivot, so that its numbers are still in the cache for the update.
void BlockFactor::copy_in(int last, const double* G, const double* A, Copied& copied) {
  for (; copied.pivots <= last; ++copied.pivots) {
    const auto& pivot = plan_->pivots[copied.pivots];
    if (pivot.pair_end) continue;
    double* to = values_.data() + pivot.diagonal;
    const long numbers = static_cast<long>(pivot.size) * pivot.stride;
    if (!pivot.pair && !pivot.free && !plan_->coordinates) std::fill_n(to, numbers, 0.);
    if (pivot.sign < 0 && !plan_->coordinates) clear_sizes(pivot);
    if (pivot.sign > 0 && pivot.size == 6 && !pivot.fresh) {
      const double* metric = G + 36L * pivot.node;
      each<6>([&](auto i) { Row<6>::read(metric + 6 * i).write(to + i * pivot.stride); });
    }
    for (; copied.blocks < plan_->copies.size(); ++copied.blocks) {
      const int block = plan_->copies[copied.blocks];
      const auto& entry = plan_->entries[block];
      if (entry.to >= pivot.diagonal + numbers) break;
      with_rows(entry.rows, [&](auto rows) {
        copy_block<rows()>(entry, A + plan_->block_value[block], values_.data() + entry.to);
      });
    }
  }
}

void BlockFactor::start(const double* A) {
  clear();
  for (const int block : plan_->copies) {
    const auto& entry = plan_->entries[block];
    with_rows(entry.rows, [&](auto rows) {
      copy_block<rows()>(entry, A + plan_->block_value[block], values_.data() + entry.to);
    });
  }
}

template <int K>
void BlockFactor::factor_node(const Elimination::Pivot& pivot, PivotRule& rule) {
  if (pivot.sign < 0)
    factor_constraint<K>(pivot, rule);
  else if constexpr (K == 6)
    factor_body(pivot, rule);
  else
    factor_joint<K>(pivot, rule);
  add_updates<K>(pivot);
}

void BlockFactor::factor_body(const Elimination::Pivot& pivot, PivotRule& rule) {
  const Rows<double> P{values_.data() + pivot.diagonal, pivot.stride};
  const auto inverse = [&](int, double p) {
    rule.body(p);
    return 1 / p;
  };
  double L[6][6] = {}, d[6];
  if (pivot.free) {  // the inertia: its linear part is diagonal, and not coupled to its angular part
    double J[3][3], e[3];
    each<3>([&](auto i) {
      each<i + 1>([&](auto j) { J[i][j] = P.begin[(3 + i) * P.stride + 3 + j]; });
      d[i] = inverse(i, P.begin[i * (P.stride + 1)]);
    });
    factor_pivot(J, e, inverse);
    each<3>([&](auto i) {
      each<i>([&](auto j) { L[3 + i][3 + j] = J[i][j]; });
      d[3 + i] = e[i];
    });
    reduce_panel<6, 3>(pivot, L, d, in_order);
  } else {
    each<6>([&](auto i) { each<i + 1>([&](auto j) { L[i][j] = P.begin[i * P.stride + j]; }); });
    factor_pivot(L, d, inverse);
    reduce_panel(pivot, L, d, in_order);
  }
  store(L, d, P.begin, P.stride);
  add_sizes<6>(pivot);
}

/// The unknowns of a joint. A pivot that is not positive shows that it has lost its digits, not that the
/// inertia of a body is wrong. Its inverse is then 0, and CoordinateFactor does not use the factor.
template <int K>
[[gnu::flatten]] void BlockFactor::factor_joint(const Elimination::Pivot& pivot, PivotRule& rule) {
  const Rows<double> P{values_.data() + pivot.diagonal, pivot.stride};
  double L[K][K] = {}, d[K];
  each<K>([&](auto i) { each<i + 1>([&](auto j) { L[i][j] = P.begin[i * P.stride + j]; }); });
  factor_pivot(L, d, [&](int, double p) {
    rule.spoilt += 0 * p;
    return p > 0 ? 1 / p : 0;
  });
  reduce_panel(pivot, L, d, in_order);
  store(L, d, P.begin, P.stride);
  add_sizes<K>(pivot);
}

template <int K, int Unit>
void BlockFactor::reduce_panel(const Elimination::Pivot& pivot, const double (&L)[K][K], const double (&d)[K],
                               const int* order) {
  const Rows<double> panel{values_.data() + pivot.panel, pivot.stride}, Z{panel_.data(), pivot.width};
  const auto parts = plan_->parts.data();
  for_strips(parts + pivot.part_begin, parts + pivot.part_end, [&](auto width, int at) {
    reduce_columns<K, width(), Unit>(L, d, order, {panel.begin + at, panel.stride}, {Z.begin + at, Z.stride});
  });
}

/// Factors the rows as L D L^T. The row with the greatest pivot relative to its size comes first. A row that
/// nearly depends on another must not come first, since its rounding error would hide that a third row is
/// redundant. The pivot belongs to a combination of rows with the coefficients v, a row of L^-1, so its doubt
/// is v^T F v. Since sqrt(v^T F v) is a norm, 2 (b_n + l^2 b) bounds the doubt of row n minus l times a row
/// with the bound b.
template <int K>
[[gnu::flatten]] void BlockFactor::factor_constraint(const Elimination::Pivot& pivot, PivotRule& rule) {
  const int first = plan_->first_row(pivot);
  const Rows<double> P{values_.data() + pivot.diagonal, pivot.stride};
  Row<K> rows[K];
  double L[K][K], d[K], l[K][K], pivots[K], size[K], bound[K];
  int left[K];
  each<K>([&](auto i) {
    double row[K];
    each<K>([&](auto j) { row[j] = P.begin[std::max<int>(i, j) * P.stride + std::min<int>(i, j)]; });
    row[i] += rule.added[first + i];
    rows[i] = Row<K>::read(row);
    size[i] = size_[first + i];
    bound[i] = doubt_[6 * first + 7 * i];
    pivots[i] = row[i];
    left[i] = i;
  });
  int* const order = order_.data() + first;
  each<K>([&](auto step) {
    int place = 0;
    each<K - 1 - step>([&](auto n) {
      const int at = left[place], other = left[n + 1];
      if (pivots[other] * size[at] > pivots[at] * size[other]) place = n + 1;
    });
    const int at = left[place];
    order[step] = at;
    each<step>([&](auto j) { L[step][j] = l[j][at]; });
    double doubt = bound[at];
    if (!(pivots[at] > rule.tolerance * doubt)) doubt = doubt_of<K, step>(first, L);
    d[step] = rule.inverse(pivots[at], size[at], doubt, first + at);
    each<K - 1 - step>([&](auto n) {
      if (n >= place) left[n] = left[n + 1];
      const int other = left[n];
      const double factor = l[step][other] = rows[other][at] * d[step];
      rows[other].subtract(factor, rows[at]);
      pivots[other] = rows[other][other];
      bound[other] = 2 * (bound[other] + factor * factor * bound[at]);
    });
  });
  store(L, d, P.begin, P.stride);
  reduce_panel(pivot, L, d, order);
  if (rule.tolerance > 0) add_doubts<K>(pivot, L);
}

/// v^T F v, where v belongs to the pivot in row `Step` of L.
template <int K, int Step>
double BlockFactor::doubt_of(int first, const double (&L)[K][K]) const {
  const int* const order = order_.data() + first;
  double v[Step + 1], sum = 0;
  v[Step] = 1;
  each<Step>([&](auto n) {
    constexpr int j = Step - 1 - n;
    v[j] = 0;
    each<Step - j>([&](auto m) { v[j] -= L[j + 1 + m][j] * v[j + 1 + m]; });
  });
  for (int i = 0; i <= Step; ++i) {
    double others = 0;
    for (int j = 0; j < i; ++j) {
      const auto [column, row] = std::minmax(order[i], order[j]);
      others += doubt_[6 * (first + row) + column] * v[j];
    }
    sum += v[i] * (2 * others + doubt_[6 * first + 7 * order[i]] * v[i]);
  }
  return sum;
}

template <int K>
void BlockFactor::add_updates(const Elimination::Pivot& pivot) {
  for (int k = pivot.update_begin; k < pivot.update_end; ++k) {
    const auto& update = plan_->updates[k];
    update.sign > 0 ? add_update<K, true>(pivot, update) : add_update<K, false>(pivot, update);
  }
}

template <int K, bool Subtract>
void BlockFactor::add_update(const Elimination::Pivot& pivot, const Elimination::Update& update) {
  const Rows<const double> Z{panel_.data() + update.row, pivot.width};
  Rows<const double> W{values_.data() + pivot.panel + update.column, pivot.stride};
  Rows<double> to{values_.data() + update.to, update.stride};
  const auto parts = plan_->parts.data(), end = parts + update.part_end;
  auto part = parts + update.part_begin;
  if (update.diagonal) {
    with_rows(update.rows, [&](auto rows) { add_square<K, rows(), Subtract>(Z, W, to); });
    W.begin += update.rows, to.begin += update.rows, ++part;
  }
  for_strips(part, end, [&](auto width, int at) {
    add_product<K, width(), Subtract>(update.rows, Z, {W.begin + at, W.stride}, {to.begin + at, to.stride});
  });
}

/// Adds the terms of the pivot of a body or of a joint to the size and the doubt of each constraint row.
template <int K>
void BlockFactor::add_sizes(const Elimination::Pivot& pivot) {
  const double* Z = panel_.data();
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const int size = plan_->parts[part].size, row = plan_->parts[part].constraint_row;
    if (row >= 0)
      with_rows(size, [&](auto rows) {
        add_terms<K, rows()>({Z, pivot.width}, {W, pivot.stride}, size_.data() + row,
                             doubt_.data() + 6 * row);
      });
    Z += size, W += size;
  }
}

/// If a row of a later constraint contains the combination of the rows of the pivot with the coefficients T,
/// the doubt T^T F T of this combination is added to the doubt of the later row.
template <int K>
void BlockFactor::add_doubts(const Elimination::Pivot& pivot, const double (&L)[K][K]) {
  const int first = plan_->first_row(pivot);
  const int* const order = order_.data() + first;
  double F[K][K];
  each<K>([&](auto m) {
    each<m + 1>([&](auto n) {
      const auto [column, row] = std::minmax(order[m], order[n]);
      const double doubt = doubt_[6 * (first + row) + column];
      F[m][n] = doubt;
      F[n][m] = doubt;
    });
  });
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const int size = plan_->parts[part].size, row = plan_->parts[part].constraint_row;
    if (row >= 0)
      with_rows(size, [&](auto rows) {
        pass_doubts<K, rows()>(L, F, {W, pivot.stride}, doubt_.data() + 6 * row);
      });
    W += size;
  }
}

void BlockFactor::combination(const Elimination::Pivot& constraint, int step, double* v) const {
  const Rows<const double> L{values_.data() + constraint.diagonal, constraint.stride};
  const int* const order = order_.data() + plan_->first_row(constraint);
  std::fill_n(v, constraint.size, 0.);
  v[order[step]] = 1;
  for (int j = step; j-- > 0;)
    for (int m = j + 1; m <= step; ++m) v[order[j]] -= L.begin[m * L.stride + j] * v[order[m]];
}

void BlockFactor::forward(double* b) const {
  for (const auto& run : plan_->runs) {
    for (int k = run.pair_begin; k < run.pair_end; ++k)
      with_rows(plan_->pairs[k].rows, [&](auto rows) { forward_pair_of<rows()>(plan_->pairs[k], b); });
    for (int k = run.pivot_begin; k < run.pivot_end; ++k)
      with_rows(plan_->pivots[k].size, [&](auto size) { forward_node<size()>(plan_->pivots[k], b); });
  }
}

template <int M>
[[gnu::always_inline]] inline void BlockFactor::forward_pair_of(const Elimination::Pair& pair,
                                                                double* b) const {
  forward_pair<M>(values_.data() + pair.diagonal, b + pair.row, b + pair.joint_row,
                  pair.parent < 0 ? nullptr : b + pair.parent_row);
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
    const int size = plan_->parts[part].size, row = plan_->parts[part].row;
    with_rows(size, [&](auto n) {
      auto sum = Row<n()>::read(b + row);
      each<K>([&](auto r) { sum.subtract(t[r], Row<n()>::read(W + r * pivot.stride)); });
      sum.write(b + row);
    });
    W += size;
  }
}

void BlockFactor::backward(double* b) const {
  for (auto run = plan_->runs.rbegin(); run != plan_->runs.rend(); ++run) {
    for (int k = run->pivot_end; k-- > run->pivot_begin;)
      with_rows(plan_->pivots[k].size, [&](auto size) { backward_node<size()>(plan_->pivots[k], b); });
    for (int k = run->pair_end; k-- > run->pair_begin;) {
      const auto& pair = plan_->pairs[k];
      with_rows(pair.rows, [&](auto rows) {
        backward_pair<rows()>(values_.data() + pair.diagonal, b + pair.row, b + pair.joint_row,
                              pair.parent < 0 ? nullptr : b + pair.parent_row);
      });
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
