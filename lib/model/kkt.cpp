#include "torsor/model/kkt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "block_factor.hpp"

namespace torsor {

using model_detail::BlockFactor;
using model_detail::Elimination;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double redundant_below = 100 * eps;  // of a row's own size
constexpr double healthy_growth = 1e3;         // below it the factor is as good as its refinement
constexpr double contradicts_above = 1e-6;     // of the terms of a row
constexpr double least_norm_weight = 1e-11;    // of the rows: far above rounding, far below what is resolved
constexpr int most_passes = 4, most_norm_passes = 12;

constexpr double unit_block[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                   0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};

double greatest(const std::vector<double>& v) {
  double out = 0;
  for (double value : v) out = std::max(out, std::abs(value));
  return out;
}

}  // namespace

struct KktSolver::Parts {
  explicit Parts(const KktGraph& graph) : plan(graph), main(plan), norm(plan) {
    const auto rows = static_cast<std::size_t>(plan.rows);
    for (auto* over_rows : {&none, &regular, &otherwise, &dy, &s_left, &s_terms}) over_rows->assign(rows, 0);
    scale.assign(rows, 1);
    const auto unknowns = static_cast<std::size_t>(6 * plan.bodies);
    r_left.resize(unknowns);
    dx.resize(unknowns);
    work.resize(static_cast<std::size_t>(plan.unknowns));
    contradictory.reserve(rows);
    for (const auto& pivot : plan.pivots)
      if (pivot.sign < 0)
        for (int i = 0; i < pivot.size; ++i)
          row_place.push_back({plan.constraint_row[pivot.node - plan.bodies] + i, pivot.row + i});
  }

  void pass(const BlockFactor& factor, const double* r, const double* s, double* x, double* y) const;
  void add_reaction(const double* y, double* out) const;
  void residual(const double* r, const double* s, const double* x, const double* y) const;
  void rows_times(const double* x, double* out) const;

  Elimination plan;
  BlockFactor main;
  mutable BlockFactor norm;
  mutable bool norm_ready = false;
  const double* G = nullptr;
  const double* A = nullptr;
  std::vector<std::pair<int, int>> row_place;
  std::vector<double> scale, none;
  mutable std::vector<double> regular, otherwise, r_left, s_left, s_terms, dx, dy, work;
  int redundant_rows = 0;
  mutable int passes = 0;
  mutable std::vector<int> contradictory;
};

KktSolver::KktSolver(KktGraph graph) : parts_(std::make_unique<Parts>(graph)) {}
KktSolver::~KktSolver() = default;
KktSolver::KktSolver(KktSolver&&) noexcept = default;
KktSolver& KktSolver::operator=(KktSolver&&) noexcept = default;

int KktSolver::bodies() const { return parts_->plan.bodies; }
int KktSolver::rows() const { return parts_->plan.rows; }
void KktSolver::set_row_scale(const std::vector<double>& w) { parts_->scale = w; }

void KktSolver::factor(const double* G, const double* A) {
  Parts& p = *parts_;
  p.G = G;
  p.A = A;
  p.norm_ready = false;
  p.main.factor(G, 36, A, {redundant_below, &p.none, &p.none});
  const auto& refused = p.main.refused();
  p.redundant_rows = static_cast<int>(std::count(refused.begin(), refused.end(), 1));
}

/// One solution without refinement.
void KktSolver::Parts::pass(const BlockFactor& factor, const double* r, const double* s, double* x,
                            double* y) const {
  for (int b = 0; b < plan.bodies; ++b) std::copy_n(r + 6 * b, 6, work.data() + plan.row_of_node[b]);
  for (auto [row, place] : row_place) work[place] = s[row];
  factor.solve(work.data());
  for (int b = 0; b < plan.bodies; ++b) std::copy_n(work.data() + plan.row_of_node[b], 6, x + 6 * b);
  for (auto [row, place] : row_place) y[row] = -work[place];
}

/// out += A^T y
void KktSolver::Parts::add_reaction(const double* y, double* out) const {
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const double* block = A + plan.block_value[b];
      double* to = out + 6 * plan.block_body[b];
      for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row, block += 6)
        for (int j = 0; j < 6; ++j) to[j] += block[j] * y[row];
    }
}

/// out = A x
void KktSolver::Parts::rows_times(const double* x, double* out) const {
  std::fill_n(out, plan.rows, 0.);
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const double* block = A + plan.block_value[b];
      const double* at = x + 6 * plan.block_body[b];
      for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row, block += 6)
        for (int j = 0; j < 6; ++j) out[row] += block[j] * at[j];
    }
}

/// r_left = r - G x + A^T y, s_left = s - A x, s_terms = |s| + |A| |x|.
void KktSolver::Parts::residual(const double* r, const double* s, const double* x, const double* y) const {
  for (int b = 0; b < plan.bodies; ++b)
    for (int i = 0; i < 6; ++i) {
      double sum = r[6 * b + i];
      for (int j = 0; j < 6; ++j) sum -= G[36 * b + 6 * std::max(i, j) + std::min(i, j)] * x[6 * b + j];
      r_left[6 * b + i] = sum;
    }
  add_reaction(y, r_left.data());
  for (int i = 0; i < plan.rows; ++i) s_terms[i] = std::abs(s_left[i] = s[i]);
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const double* block = A + plan.block_value[b];
      const double* at = x + 6 * plan.block_body[b];
      for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row, block += 6)
        for (int j = 0; j < 6; ++j) {
          s_left[row] -= block[j] * at[j];
          s_terms[row] += std::abs(block[j] * at[j]);
        }
    }
}

void KktSolver::solve(const double* r, const double* s, double* x, double* y, Multipliers which) const {
  const Parts& p = *parts_;
  p.pass(p.main, r, s, x, y);
  p.passes = 0;
  p.contradictory.clear();
  if (p.redundant_rows == 0 && pivot_growth() < healthy_growth) return;
  double last = HUGE_VAL;
  while (p.passes < most_passes) {
    p.residual(r, s, x, y);
    p.pass(p.main, p.r_left.data(), p.s_left.data(), p.dx.data(), p.dy.data());
    const double change = greatest(p.dx);
    if (!(change < last)) break;
    double size = 0;
    for (int i = 0; i < 6 * p.plan.bodies; ++i) size = std::max(size, std::abs(x[i] += p.dx[i]));
    for (int i = 0; i < p.plan.rows; ++i) y[i] += p.dy[i];
    ++p.passes;
    if (change <= 1e-14 * size) break;
    last = change / 2;
  }
  if (p.redundant_rows == 0) return;
  p.residual(r, s, x, y);
  for (int i = 0; i < p.plan.rows; ++i)
    if (p.main.refused()[i] && !(std::abs(p.s_left[i]) <= contradicts_above * p.s_terms[i]))
      p.contradictory.push_back(i);
  if (which == Multipliers::least_norm) least_norm(y);
}

/// With every body's inertia 1 and R = W^2 delta in place of 0,
///
///   u + A^T z = f,   A u - delta W^2 z = 0   =>   z = W^-2 A (u / delta):
///
/// z is in the range of W^-2 A, where the shortest multipliers are (so it is computed from u, whose rounding
/// the next pass mends), and A^T z misses f by delta / sigma^2 of it, sigma the singular values of W^-1 A:
/// what is missed is the next right-hand side.
void KktSolver::least_norm(double* y) const {
  const Parts& p = *parts_;
  if (p.redundant_rows == 0) return;
  if (!p.norm_ready) {
    double greatest_row = 0;
    for (std::size_t c = 0; c + 1 < p.plan.block_begin.size(); ++c)
      for (int b = p.plan.block_begin[c]; b < p.plan.block_begin[c + 1]; ++b) {
        const double* block = p.A + p.plan.block_value[b];
        for (int row = p.plan.constraint_row[c]; row < p.plan.constraint_row[c + 1]; ++row)
          for (int j = 0; j < 6; ++j)
            greatest_row = std::max(greatest_row, std::abs(*block++ / p.scale[row]));
      }
    const double delta = least_norm_weight * std::max(greatest_row * greatest_row, 1e-300);
    for (int i = 0; i < p.plan.rows; ++i) {
      p.regular[i] = delta * p.scale[i] * p.scale[i];
      p.otherwise[i] = 1 / p.regular[i];
    }
    p.norm.factor(unit_block, 0, p.A, {0, &p.regular, &p.otherwise});
    p.norm_ready = true;
  }
  std::vector<double>& f = p.r_left;
  std::fill(f.begin(), f.end(), 0.);
  p.add_reaction(y, f.data());
  std::fill(p.s_left.begin(), p.s_left.end(), 0.);
  std::fill_n(y, p.plan.rows, 0.);
  double last = HUGE_VAL;
  for (int k = 0; k < most_norm_passes; ++k) {
    p.pass(p.norm, f.data(), p.s_left.data(), p.dx.data(), p.dy.data());
    double change = 0, size = 0;
    p.rows_times(p.dx.data(), p.dy.data());
    for (int i = 0; i < p.plan.rows; ++i) {
      y[i] += p.dy[i] /= p.regular[i];
      change = std::max(change, std::abs(p.dy[i]) * p.scale[i]);
      size = std::max(size, std::abs(y[i]) * p.scale[i]);
    }
    if (change <= 1e-14 * size || !(change < last)) break;
    last = change / 2;
    for (double& value : p.dy) value = -value;
    p.add_reaction(p.dy.data(), f.data());
  }
}

const std::vector<char>& KktSolver::redundant() const { return parts_->main.refused(); }
int KktSolver::redundant_rows() const { return parts_->redundant_rows; }
const std::vector<int>& KktSolver::contradictory() const { return parts_->contradictory; }
double KktSolver::pivot_growth() const { return parts_->main.growth(); }
int KktSolver::pivot_growth_row() const { return parts_->main.growth_row(); }
int KktSolver::passes() const { return parts_->passes; }
long KktSolver::factor_size() const { return parts_->plan.size; }
long KktSolver::factor_cost() const { return parts_->plan.cost; }

}  // namespace torsor
