#include "block_factor.hpp"
static const double CAP = std::atof(getenv("CAP") ? getenv("CAP") : "1e3");
#include <algorithm>
#include <type_traits>

#include "kkt_kernels.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::model_detail {
namespace {

/// use(std::integral_constant<int, rows>) for 1 to 6 rows.
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
      panel_(static_cast<std::size_t>(plan.longest) * plan.widest),
      size_(plan.rows),
      doubt_(plan.rows),
      scratch_(plan.longest),
      order_(plan.rows),
      refused_(plan.rows, 0) {}

void BlockFactor::factor(const double* G, int metric_step, const double* A, const Rules& rules) {
  copy_in(G, metric_step, A);
  PivotRule rule{rules.tolerance, rules.regular->data(), rules.otherwise->data(), refused_.data()};
  auto pair = plan_->pairs.begin();
  for (std::size_t k = 0; k < plan_->pivots.size(); ++k) {
    if (!plan_->pivots[k].pair) {
      factor_node(plan_->pivots[k], rule);
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
    const int rows = static_cast<int>(plan_->block_value[b + 1] - plan_->block_value[b]) / 6;
    double* to = values_.data() + entry.to;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < 6; ++j)
        to[entry.transposed ? j * entry.stride + i : i * entry.stride + j] += block[6 * i + j];
  }
}

void BlockFactor::factor_node(const Elimination::Pivot& pivot, PivotRule& rule) {
  double* diagonal = values_.data() + pivot.diagonal;
  double* panel = values_.data() + pivot.panel;
  if (pivot.sign > 0)
    factor_pivot(
        pivot.size, pivot.width, diagonal, panel, [](int i) { return i; },
        [&](int, double p) {
          rule.body(p);
          return 1 / p;
        });
  else
    factor_constraint(pivot, rule);
  const int n = pivot.size, width = pivot.width;
  std::copy_n(panel, static_cast<long>(n) * width, panel_.begin());
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < width; ++c) panel[i * width + c] *= diagonal[i * n + i];
  add_updates(pivot);
}

/// Rows in the order of their pivots in parts of their size: a row that nearly depends on another, taken
/// before its time, would hide in rounding that a third one does.
void BlockFactor::factor_constraint(const Elimination::Pivot& pivot, PivotRule& rule) {
  const int n = pivot.size, first = plan_->constraint_row[pivot.node - plan_->bodies];
  double* P = values_.data() + pivot.diagonal;
  int* order = order_.data() + first;
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    P[i * n + i] += rule.added[first + i];
  }
  const auto next = [&](int i) {
    int best = i;
    for (int j = i + 1; j < n; ++j)
      if (P[j * n + j] * size_[first + order[best]] > P[best * n + best] * size_[first + order[j]]) best = j;
    std::swap(order[i], order[best]);
    return best;
  };
  factor_pivot(n, pivot.width, P, values_.data() + pivot.panel, next, [&](int i, double p) {
    const int row = first + order[i];
    const double inverse = rule.inverse(p, size_[row], doubt_[row], row);
    const double growth = inverse * doubt_[row];
    for (int j = i + 1; j < n; ++j)
      doubt_[first + order[j]] += P[j * n + i] * P[j * n + i] * inverse * growth;
    return inverse;
  });
}

/// Size of a row in parts of its pivot.
double BlockFactor::growth(const Elimination::Pivot& pivot, int i) const {
  const int first = plan_->constraint_row[pivot.node - plan_->bodies];
  return doubt_[first + order_[first + i]] * values_[pivot.diagonal + i * (pivot.size + 1)];
}

/// A pivot p of growth g is known to g eps, and what it takes from the pivot of another row is as doubtful.
void BlockFactor::add_updates(const Elimination::Pivot& pivot) {
  const double* panel = values_.data() + pivot.panel;
  for (int k = pivot.update_begin; k < pivot.update_end; ++k) {
    const auto& u = plan_->updates[k];
    double* to = values_.data() + u.to;
    for (int r = 0; r < pivot.size; ++r) {
      const double* Z = panel_.data() + r * pivot.width + u.row;
      const double* W = panel + r * pivot.width + u.column;
      for (int i = 0; i < u.rows; ++i)
        for (int j = 0; j < (u.diagonal ? i + 1 : u.columns); ++j)
          to[i * u.stride + j] += u.sign * (Z[i] * W[j]);
      if (u.constraint_row < 0) continue;
      double* doubt = doubt_.data() + u.constraint_row;
      if (pivot.sign > 0)
        for (int i = 0; i < u.rows; ++i) size_[u.constraint_row + i] += Z[i] * W[i], doubt[i] += Z[i] * W[i];
      else
        for (int i = 0; i < u.rows; ++i) doubt[i] += Z[i] * W[i] * growth(pivot, r);
    }
  }
}

void BlockFactor::solve(double* b) const {
  forward(b);
  backward(b);
}

void BlockFactor::forward(double* b) const {
  auto pair = plan_->pairs.begin();
  double* t = scratch_.data();
  for (std::size_t k = 0; k < plan_->pivots.size(); ++k) {
    const auto& pivot = plan_->pivots[k];
    if (pivot.pair) {
      with_rows(pair->rows, [&](auto rows) {
        forward_pair<rows()>(values_.data() + pair->diagonal, b + pair->row,
                             pair->parent < 0 ? nullptr : b + pair->parent_row);
      });
      ++pair, ++k;
      continue;
    }
    arrange(pivot, b + pivot.row);
    solve_lower(pivot.size, values_.data() + pivot.diagonal, pivot.sign, b + pivot.row, t);
    for (int r = 0; r < pivot.size; ++r) {
      const double* W = values_.data() + pivot.panel + static_cast<long>(r) * pivot.width;
      const double factor = pivot.sign * t[r];
      for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
        double* to = b + plan_->parts[part].row;
        for (int c = 0; c < plan_->parts[part].size; ++c) to[c] -= *W++ * factor;
      }
    }
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
      continue;
    }
    double* x = b + pivot.row;
    for (int r = 0; r < pivot.size; ++r) {
      const double* W = values_.data() + pivot.panel + static_cast<long>(r) * pivot.width;
      double sum = 0;
      for (int part = pivot.part_begin; part < pivot.part_end; ++part) {
        const double* from = b + plan_->parts[part].row;
        for (int c = 0; c < plan_->parts[part].size; ++c) sum += *W++ * from[c];
      }
      x[r] -= pivot.sign * sum;
    }
    solve_upper(pivot.size, values_.data() + pivot.diagonal, x);
    arrange_back(pivot, x);
  }
}

/// Into the order of the pivots of a constraint.
void BlockFactor::arrange(const Elimination::Pivot& pivot, double* b) const {
  if (pivot.sign > 0) return;
  const int* order = order_.data() + plan_->constraint_row[pivot.node - plan_->bodies];
  std::copy_n(b, pivot.size, scratch_.data());
  for (int i = 0; i < pivot.size; ++i) b[i] = scratch_[order[i]];
}

void BlockFactor::arrange_back(const Elimination::Pivot& pivot, double* b) const {
  if (pivot.sign > 0) return;
  const int* order = order_.data() + plan_->constraint_row[pivot.node - plan_->bodies];
  std::copy_n(b, pivot.size, scratch_.data());
  for (int i = 0; i < pivot.size; ++i) b[order[i]] = scratch_[i];
}

}  // namespace torsor::model_detail
