#include "block_factor.hpp"

#include <algorithm>
#include <type_traits>

#include "kkt_kernels.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::model_detail {
namespace {

constexpr int in_order[6] = {0, 1, 2, 3, 4, 5};

template <int N>
void copy_block(const Elimination::Entry& entry, const double* block, double* to) {
  const double sign = entry.sign;
  if (entry.transposed)
    each<6>([&](auto j) { each<N>([&](auto i) { to[j * entry.stride + i] = sign * block[6 * i + j]; }); });
  else
    each<N>([&](auto i) { each<6>([&](auto j) { to[i * entry.stride + j] = sign * block[6 * i + j]; }); });
}

/// Adds the terms Z_ri W_ri of the pivot of a body to the size of each constraint row i and to its doubt, the
/// estimate of its rounding errors (block_factor.hpp).
template <int N>
[[gnu::flatten]] void add_terms(Rows<const double> Z, Rows<const double> W, double* size, double* doubt) {
  Row<N> sum{};
  each<6>([&](auto r) {
    const auto z = Row<N>::read(Z.begin + r * Z.stride), w = Row<N>::read(W.begin + r * W.stride);
    each<Row<N>::lanes>([&](auto k) { sum.lane[k] += z.lane[k] * w.lane[k]; });
  });
  each<N>([&](auto i) {
    size[i] += sum[i];
    doubt[7 * i] += sum[i];
  });
}

/// doubt += T^T F T with T = L^-T W, all in the order of the pivots. `doubt` is a lower triangle with the stride 6.
template <int K, int N>
[[gnu::flatten]] void pass_doubts(const double (&inverse_L)[K][K], const double (&F)[K][K],
                                  Rows<const double> W, double* doubt) {
  Row<N> T[K];
  each<K>([&](auto m) { T[m] = Row<N>::read(W.begin + m * W.stride); });
  each<K>([&](auto m) {
    each<K - 1 - m>([&](auto n) { T[m].template add<N>(inverse_L[m + 1 + n][m], T[m + 1 + n]); });
  });
  each<Row<N>::lanes>([&](auto lane) {
    Lane FT[K] = {};
    each<K>([&](auto n) { each<K>([&](auto m) { FT[m] += F[m][n] * T[n].lane[lane]; }); });
    each<N - 2 * lane>([&](auto i) {
      double* const at = doubt + 6 * (2 * lane + i) + 2 * lane;
      auto sum = read<Lane>(at);
      each<K>([&](auto m) { sum += T[m][2 * lane + i] * FT[m]; });
      write(sum, at);
    });
  });
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
      doubt_(6 * static_cast<std::size_t>(plan.rows)),
      order_(plan.rows),
      redundant_(plan.rows, 0),
      row_growth_(plan.rows, 0) {}

void BlockFactor::factor(const double* G, const double* A, const Rules& rules) {
  std::fill(size_.begin(), size_.end(), 0.);
  std::fill(doubt_.begin(), doubt_.end(), 0.);
  Copied copied;
  PivotRule rule{rules.tolerance, rules.regular->data(), rules.redundant_inverse->data(), redundant_.data(),
                 row_growth_.data()};
  auto pair = plan_->pairs.begin();
  for (std::size_t k = 0; k < plan_->pivots.size(); ++k) {
    const auto& pivot = plan_->pivots[k];
    if (G) copy_in(plan_->last_updated(pivot.pair ? plan_->pivots[k + 1] : pivot), G, A, copied);
    if (!pivot.pair) {
      with_rows(pivot.size, [&](auto size) { factor_node<size()>(pivot, rule); });
      continue;
    }
    double* factor = values_.data() + pair->diagonal;
    const Rows<double> to_parent{values_.data() + pair->parent_diagonal, pair->parent_stride};
    const auto metric = [&](int body) { return Rows<const double>{G + 36L * body, 6}; };
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

/// Copies in the numbers of the equations, up to the pivot whose unknowns begin at last_row. This is done just before
/// the first update of a pivot, so that its numbers are still in the cache for the update.
void BlockFactor::copy_in(int last_row, const double* G, const double* A, Copied& copied) {
  const auto& pivots = plan_->pivots;
  for (; copied.pivots < pivots.size() && pivots[copied.pivots].row <= last_row; ++copied.pivots) {
    const auto& pivot = pivots[copied.pivots];
    if (pivot.pair_end) continue;
    double* to = values_.data() + pivot.diagonal;
    const long numbers = static_cast<long>(pivot.size) * pivot.stride;
    if (!pivot.pair && !pivot.free) std::fill_n(to, numbers, 0.);
    if (pivot.sign > 0 && !pivot.fresh) {
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
  std::fill(values_.begin(), values_.end(), 0.);
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
    reduce_panel<6, 3>(L, d, in_order, pivot.width, {P.begin + 6, P.stride}, panel_.data());
  } else {
    each<6>([&](auto i) { each<i + 1>([&](auto j) { L[i][j] = P.begin[i * P.stride + j]; }); });
    factor_pivot(L, d, inverse);
    reduce_panel(L, d, in_order, pivot.width, {P.begin + 6, P.stride}, panel_.data());
  }
  store(L, d, P.begin, P.stride);
  add_sizes(pivot);
}

/// Factors the rows as L D L^T. The row with the greatest pivot relative to its size comes first. A row that
/// nearly depends on another must not come first, since its rounding error would hide that a third row is
/// redundant. The elimination transforms [ P  1 ] into [ D L^T  L^-1 ]. Row v of L^-1 holds the coefficients
/// of the combination of rows to which the pivot belongs, so the doubt of the pivot is v^T F v.
template <int K>
[[gnu::flatten]] void BlockFactor::factor_constraint(const Elimination::Pivot& pivot, PivotRule& rule) {
  const int first = plan_->first_row(pivot);
  const Rows<double> P{values_.data() + pivot.diagonal, pivot.stride};
  double rows[K][2 * K], l[K][K], size[K];
  bool left[K];
  each<K>([&](auto i) {
    each<K>([&](auto j) {
      rows[i][j] = P.begin[std::max<int>(i, j) * P.stride + std::min<int>(i, j)];
      rows[i][K + j] = i == j;
    });
    rows[i][i] += rule.added[first + i];
    size[i] = size_[first + i];
    left[i] = true;
  });
  double L[K][K], d[K], inverse_L[K][K];
  int* const order = order_.data() + first;
  each<K>([&](auto step) {
    int at = -1;
    each<K>([&](auto j) {
      if (left[j] && (at < 0 || rows[j][j] * size[at] > rows[at][at] * size[j])) at = j;
    });
    order[step] = at;
    left[at] = false;
    const double* v = rows[at] + K;
    double doubt = bound_of_doubt<K>(first, v);
    if (!(rows[at][at] > rule.tolerance * doubt)) doubt = doubt_of<K>(first, v);
    d[step] = rule.inverse(rows[at][at], size[at], doubt, first + at);
    each<K>([&](auto n) {
      l[step][n] = left[n] ? rows[n][at] * d[step] : 0;
      if (left[n]) each<2 * K>([&](auto c) { rows[n][c] -= l[step][n] * rows[at][c]; });
    });
  });
  each<K>([&](auto i) {
    each<i>([&](auto j) { L[i][j] = l[j][order[i]]; });
    each<i>([&](auto j) { inverse_L[i][j] = rows[order[i]][K + order[j]]; });
  });
  store(L, d, P.begin, P.stride);
  reduce_panel(L, d, order, pivot.width, {P.begin + K, P.stride}, panel_.data());
  if (rule.tolerance > 0) add_doubts<K>(pivot, inverse_L);
}

/// K sum_i F_ii v_i^2 >= v^T F v.
template <int K>
double BlockFactor::bound_of_doubt(int first, const double* v) const {
  double sum = 0;
  each<K>([&](auto i) { sum += doubt_[6 * first + 7 * i] * v[i] * v[i]; });
  return K * sum;
}

/// v^T F v.
template <int K>
double BlockFactor::doubt_of(int first, const double* v) const {
  double sum = 0;
  for (int i = 0; i < K; ++i) {
    const double* F = doubt_.data() + 6 * (first + i);
    double below = 0;
    for (int j = 0; j < i; ++j) below += F[j] * v[j];
    sum += v[i] * (2 * below + F[i] * v[i]);
  }
  return sum;
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
}

/// Adds the terms of the pivot of a body to the size and the doubt of each constraint row.
void BlockFactor::add_sizes(const Elimination::Pivot& pivot) {
  const double* Z = panel_.data();
  const double* W = values_.data() + pivot.panel;
  for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
    const int size = plan_->parts[part].size, row = plan_->parts[part].constraint_row;
    if (row >= 0)
      with_rows(size, [&](auto rows) {
        add_terms<rows()>({Z, pivot.width}, {W, pivot.stride}, size_.data() + row, doubt_.data() + 6 * row);
      });
    Z += size, W += size;
  }
}

/// If a row of a later constraint contains the combination of the rows of the pivot with the coefficients T,
/// the doubt T^T F T of this combination is added to the doubt of the later row.
template <int K>
void BlockFactor::add_doubts(const Elimination::Pivot& pivot, const double (&inverse_L)[K][K]) {
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
        pass_doubts<K, rows()>(inverse_L, F, {W, pivot.stride}, doubt_.data() + 6 * row);
      });
    W += size;
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
    const int size = plan_->parts[part].size, row = plan_->parts[part].row;
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
