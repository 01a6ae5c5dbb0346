#include "newton_solver.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "newton_factor.hpp"

namespace torsor {

using model_detail::Elimination;
using model_detail::NewtonFactor;
using Pivot = Elimination::Pivot;
using Pairs = NewtonFactor::Pairs;

namespace {

constexpr int most_refinements = 5;

using Block = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Pairs all_pairs(const KktGraph& graph, const Pairs& extra) {
  Pairs out;
  const auto add = [&](int a, int b) {
    if (a != b) out.emplace_back(std::min(a, b), std::max(a, b));
  };
  for (auto [a, b] : extra) add(a, b);
  for (const auto& constraint : graph.constraints)
    for (int a : constraint.bodies)
      for (int b : constraint.bodies) add(a, b);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

struct NewtonSolver::Parts {
  Parts(const KktGraph& graph, const Pairs& extra)
      : pairs(all_pairs(graph, extra)), plan(graph, &pairs), numbers(plan, pairs) {
    for (auto* over_rows : {&s_left, &dy}) over_rows->resize(static_cast<std::size_t>(plan.rows));
    for (auto* over_bodies : {&r_left, &dx}) over_bodies->resize(6 * static_cast<std::size_t>(plan.bodies));
    work.resize(static_cast<std::size_t>(plan.unknowns));
  }

  void pass(const double* r, const double* s, double* x, double* y) const;
  void residual(const double* r, const double* s, const double* x, const double* y) const;

  Pairs pairs;
  Elimination plan;
  NewtonFactor numbers;
  const double* M_diagonal = nullptr;
  const double* M_pairs = nullptr;
  const double* B = nullptr;
  const double* C = nullptr;
  mutable int passes = 0;
  mutable std::vector<double> work, r_left, s_left, dx, dy;
};

/// One solution without refinement; the multipliers of the elimination are -y.
void NewtonSolver::Parts::pass(const double* r, const double* s, double* x, double* y) const {
  for (const Pivot& pivot : plan.pivots)
    std::copy_n(pivot.sign > 0 ? r + 6 * pivot.node : s + plan.first_row(pivot), pivot.size,
                work.data() + pivot.row);
  numbers.solve(work.data());
  for (const Pivot& pivot : plan.pivots)
    for (int i = 0; i < pivot.size; ++i)
      if (pivot.sign > 0)
        x[6 * pivot.node + i] = work[pivot.row + i];
      else
        y[plan.first_row(pivot) + i] = -work[pivot.row + i];
}

/// r_left = r - M x + B^T y, s_left = s - C x
void NewtonSolver::Parts::residual(const double* r, const double* s, const double* x, const double* y) const {
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  const auto subtract = [&](const double* block, int row, int column) {
    Eigen::Map<Vec6>(r_left.data() + 6 * row) -=
        Eigen::Map<const Block>(block) * Eigen::Map<const Vec6>(x + 6 * column);
  };
  std::copy_n(r, 6 * plan.bodies, r_left.begin());
  std::copy_n(s, plan.rows, s_left.begin());
  for (int b = 0; b < plan.bodies; ++b) subtract(M_diagonal + 36 * b, b, b);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    subtract(M_pairs + 72 * k, pairs[k].first, pairs[k].second);
    subtract(M_pairs + 72 * k + 36, pairs[k].second, pairs[k].first);
  }
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const int body = 6 * plan.block_body[b], first = plan.constraint_row[c];
      for (int i = 0; i < plan.entries[b].rows; ++i)
        for (int j = 0; j < 6; ++j) {
          const long at = plan.block_value[b] + 6 * i + j;
          r_left[body + j] += B[at] * y[first + i];
          s_left[first + i] -= C[at] * x[body + j];
        }
    }
}

NewtonSolver::NewtonSolver(const KktGraph& graph, const Pairs& extra_pairs)
    : parts_(std::make_unique<Parts>(graph, extra_pairs)) {}
NewtonSolver::~NewtonSolver() = default;
NewtonSolver::NewtonSolver(NewtonSolver&&) noexcept = default;
NewtonSolver& NewtonSolver::operator=(NewtonSolver&&) noexcept = default;

int NewtonSolver::bodies() const { return parts_->plan.bodies; }
int NewtonSolver::rows() const { return parts_->plan.rows; }
const Pairs& NewtonSolver::pairs() const { return parts_->pairs; }

void NewtonSolver::factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C) {
  Parts& p = *parts_;
  p.M_diagonal = M_diagonal;
  p.M_pairs = M_pairs;
  p.B = B;
  p.C = C;
  p.numbers.factor(M_diagonal, M_pairs, B, C);
}

void NewtonSolver::solve(const double* r, const double* s, double* x, double* y) const {
  const Parts& p = *parts_;
  p.pass(r, s, x, y);
  p.passes = 0;
  for (double last = HUGE_VAL; p.passes < most_refinements;) {
    p.residual(r, s, x, y);
    p.pass(p.r_left.data(), p.s_left.data(), p.dx.data(), p.dy.data());
    double change = 0, size = 0;
    for (double value : p.dx) change = std::max(change, std::abs(value));
    if (!(change < last)) return;
    for (std::size_t i = 0; i < p.dx.size(); ++i) size = std::max(size, std::abs(x[i] += p.dx[i]));
    for (std::size_t i = 0; i < p.dy.size(); ++i) y[i] += p.dy[i];
    ++p.passes;
    if (change <= 1e-12 * size) return;
    last = change / 2;
  }
}

const std::vector<char>& NewtonSolver::redundant() const { return parts_->numbers.redundant(); }
double NewtonSolver::pivot_growth() const { return parts_->numbers.growth(); }
int NewtonSolver::pivot_growth_row() const { return parts_->numbers.growth_row(); }
int NewtonSolver::passes() const { return parts_->passes; }

}  // namespace torsor
