#include "model/kkt.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "block_factor.hpp"
#include "coordinate_factor.hpp"
#include "kkt_kernels.hpp"
#include "least_norm.hpp"
#include "self_stress.hpp"
#include "sparse_lu.hpp"

namespace torsor {

using model_detail::BlockFactor;
using model_detail::CoordinateFactor;
using model_detail::Elimination;
using model_detail::JointCoordinates;
using model_detail::LeastNorm;
using model_detail::SelfStress;
using model_detail::SparseLu;

namespace {

/// Pivot growth below which errors of x stay below 1e-12. The limit of trees is greater, since their pivots
/// are sums of positive terms, without cancellation.
constexpr double healthy_tree = 1e5, healthy_loops = 100;
constexpr double unmet_above = 1e-11;       // residual / terms of a redundant row; above it x is refined
constexpr double settled_below = 1e-9;      // change of x by the last refinement / size of x
constexpr double contradicts_above = 1e-6;  // residual / terms of a redundant row
constexpr int most_passes = 4;

double greatest(const std::vector<double>& v) {
  double out = 0;
  for (double value : v) out = std::max(out, std::abs(value));
  return out;
}

}  // namespace

struct KktSolver::Parts {
  explicit Parts(KktGraph of) : graph(std::move(of)), plan(graph) {
    if (const JointCoordinates joints(graph); joints.any()) in_coordinates.emplace(graph, joints);
    const auto rows = static_cast<std::size_t>(plan.rows);
    for (auto* over_rows : {&none, &dy, &s_left}) over_rows->assign(rows, 0);
    scale.assign(rows, 1);
    const auto unknowns = static_cast<std::size_t>(6 * plan.bodies);
    r_left.resize(unknowns);
    dx.resize(unknowns);
    work.resize(static_cast<std::size_t>(plan.unknowns));
    unmet.reserve(rows);
  }

  bool factor(const double* G_of_bodies, const double* blocks, const double* r, const double* s);
  /// The factor of the last factorisation.
  const BlockFactor& main() const { return uses_coordinates ? in_coordinates->rows() : *free; }
  const Elimination& of_elimination() const { return in_coordinates ? in_coordinates->plan() : plan; }
  /// In a tree of joints, the elimination pairs each joint with its outer body. A tree without a joint to the
  /// ground has one more body.
  bool has_loops() const {
    return static_cast<std::size_t>(plan.bodies) + plan.pairs.size() != plan.pivots.size();
  }
  void pass(const double* r, const double* s, double* x, double* y) const;
  void gather(const double* r, const double* s) const;
  void end_pass(double* x, double* y) const;
  void end_solution(const double* r, const double* s, double* x, double* y, Multipliers which) const;
  void residual(const double* r, const double* s, const double* x, const double* y) const;
  double refine(const double* r, const double* s, double* x, double* y) const;
  void solve_generally(const double* r, const double* s, double moved, double* x, double* y) const;
  void prepare_norm() const;
  void least_norm(double* y) const;
  void find_unmet(double part, const double* s, const double* x) const;

  KktGraph graph;
  Elimination plan;
  std::optional<CoordinateFactor> in_coordinates;  // of bodies in loops
  std::optional<BlockFactor> free;                 // of the velocities of all bodies
  bool uses_coordinates = false;                   // by the last factorisation
  mutable std::optional<SelfStress> stress;
  mutable std::optional<LeastNorm> norm;
  mutable enum class Norm { unknown, by_states, by_reactions } norm_ready = Norm::unknown;
  mutable SparseLu general;
  mutable enum class General { unknown, ready, fails } state_of_general = General::unknown;
  mutable long general_solutions = 0;
  const double* G = nullptr;
  const double* A = nullptr;
  std::vector<double> scale, none;
  double length = 1;
  mutable std::vector<double> r_left, s_left, dx, dy, work;
  int redundant_rows = 0;
  mutable int passes = 0;
  mutable std::vector<int> unmet;
};

KktSolver::KktSolver(KktGraph graph) : parts_(std::make_unique<Parts>(std::move(graph))) {}
KktSolver::~KktSolver() = default;
KktSolver::KktSolver(KktSolver&&) noexcept = default;
KktSolver& KktSolver::operator=(KktSolver&&) noexcept = default;

int KktSolver::bodies() const { return parts_->plan.bodies; }
int KktSolver::rows() const { return parts_->plan.rows; }
void KktSolver::set_row_scale(const std::vector<double>& w, double length) {
  parts_->scale = w;
  parts_->length = length;
}

void KktSolver::factor(const double* G, const double* A) { parts_->factor(G, A, nullptr, nullptr); }

void KktSolver::factor_and_solve(const double* G, const double* A, const double* r, const double* s,
                                 double* x, double* y, Multipliers which) {
  if (parts_->factor(G, A, r, s))
    parts_->end_pass(x, y);
  else
    parts_->pass(r, s, x, y);
  parts_->end_solution(r, s, x, y, which);
}

/// If joint coordinates are too inaccurate, the velocities of all bodies are the unknowns. Given r and s, the
/// factorisation may also do the first half of a `pass`, which then takes less time; returns whether it did.
bool KktSolver::Parts::factor(const double* G_of_bodies, const double* blocks, const double* r,
                              const double* s) {
  G = G_of_bodies, A = blocks;
  norm_ready = Norm::unknown;
  state_of_general = General::unknown;
  const BlockFactor::Rules rules{redundant_below, &none, &none};
  uses_coordinates = in_coordinates && in_coordinates->factor(G, A, rules);
  const bool begins = !uses_coordinates && r;
  if (begins) gather(r, s);
  if (!uses_coordinates) {
    if (!free) free.emplace(plan);
    free->factor(G, A, rules, begins ? work.data() : nullptr);
  }
  const auto& redundant = main().redundant();
  redundant_rows = static_cast<int>(std::count(redundant.begin(), redundant.end(), 1));
  return begins;
}

/// One solution without refinement.
void KktSolver::Parts::pass(const double* r, const double* s, double* x, double* y) const {
  if (uses_coordinates) return in_coordinates->solve(A, r, s, x, y);
  gather(r, s);
  free->forward(work.data());
  end_pass(x, y);
}

void KktSolver::Parts::gather(const double* r, const double* s) const {
  std::copy_n(r, 6 * plan.bodies, work.begin());
  std::copy_n(s, plan.rows, work.begin() + 6 * plan.bodies);
}

void KktSolver::Parts::end_pass(double* x, double* y) const {
  free->backward(work.data());
  std::copy_n(work.begin(), 6 * plan.bodies, x);
  std::transform(work.begin() + 6 * plan.bodies, work.end(), y, std::negate<>());
}

/// r_left = r - G x + A^T y, s_left = s - A x
void KktSolver::Parts::residual(const double* r, const double* s, const double* x, const double* y) const {
  for (int b = 0; b < plan.bodies; ++b) {
    const double *block = G + 36 * b, *at = x + 6 * b;
    model_detail::each<6>([&](auto i) {
      double sum = r[6 * b + i];
      model_detail::each<6>([&](auto j) { sum -= block[i > j ? 6 * i + j : 6 * j + i] * at[j]; });
      r_left[6 * b + i] = sum;
    });
  }
  add_reaction(plan, A, y, r_left.data());
  rows_times(plan, A, x, s_left.data());
  for (int i = 0; i < plan.rows; ++i) s_left[i] = s[i] - s_left[i];
}

/// Lists the redundant rows whose residual at x is more than `part` of the terms |s| + |A| |x|.
void KktSolver::Parts::find_unmet(double part, const double* s, const double* x) const {
  unmet.clear();
  if (redundant_rows == 0) return;
  const auto& redundant = main().redundant();
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row) {
      if (!redundant[row]) continue;
      double left = s[row], terms = std::abs(left);
      for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
        const double* block = A + plan.block_value[b] + 6 * (row - plan.constraint_row[c]);
        for (int j = 0; j < 6; ++j) {
          const double term = block[j] * x[6 * plan.block_body[b] + j];
          left -= term;
          terms += std::abs(term);
        }
      }
      if (!(std::abs(left) <= part * terms)) unmet.push_back(row);
    }
}

/// Corrects x and y by the residuals until x stops changing. Returns the last change of x / size of x. Each
/// pass multiplies the error by about the same factor, so after a first correction below `settled_below` the
/// error is below the square of `settled_below`.
double KktSolver::Parts::refine(const double* r, const double* s, double* x, double* y) const {
  for (double last = HUGE_VAL;;) {
    residual(r, s, x, y);
    pass(r_left.data(), s_left.data(), dx.data(), dy.data());
    double change = greatest(dx), size = 0;
    for (int i = 0; i < 6 * plan.bodies; ++i) size = std::max(size, std::abs(x[i]));
    if (!(change < last)) return change / size;
    for (int i = 0; i < 6 * plan.bodies; ++i) size = std::max(size, std::abs(x[i] += dx[i]));
    double size_y = 0;
    for (int i = 0; i < plan.rows; ++i) size_y = std::max(size_y, std::abs(y[i] += dy[i]));
    const bool next_is_rounding =
        passes == 0 && change <= settled_below * size && greatest(dy) <= settled_below * size_y;
    if (++passes == most_passes || next_is_rounding || change <= 1e-14 * size)
      return change == 0 ? 0 : change / size;
    last = change / 2;
  }
}

/// Solves by a factorisation that chooses its pivots by size. Its solution replaces x and y only if its last
/// refinement changes x by less than `moved`, the last change in `refine`.
void KktSolver::Parts::solve_generally(const double* r, const double* s, double moved, double* x,
                                       double* y) const {
  if (state_of_general == General::unknown)
    state_of_general = general.factor(plan, G, A, main().redundant()) ? General::ready : General::fails;
  if (state_of_general == General::fails || !(general.solve(r, s, dx.data(), dy.data()) < moved)) return;
  std::copy(dx.begin(), dx.end(), x);
  std::copy(dy.begin(), dy.end(), y);
  ++general_solutions;
}

void KktSolver::solve(const double* r, const double* s, double* x, double* y, Multipliers which) const {
  parts_->pass(r, s, x, y);
  parts_->end_solution(r, s, x, y, which);
}

/// Refines the solution of the first pass where it is needed.
void KktSolver::Parts::end_solution(const double* r, const double* s, double* x, double* y,
                                    Multipliers which) const {
  passes = 0;
  find_unmet(unmet_above, s, x);
  if (!unmet.empty() || !(main().growth() < (has_loops() ? healthy_loops : healthy_tree))) {
    const double moved = refine(r, s, x, y);
    if (!(moved < settled_below)) solve_generally(r, s, moved, x, y);
    find_unmet(contradicts_above, s, x);
  }
  if (which == Multipliers::least_norm) least_norm(y);
}

/// Prepares the least norm: by the states of self-stress, which cost less, if they are found and sparse; else
/// by the reactions.
void KktSolver::Parts::prepare_norm() const {
  if (uses_coordinates && !stress) stress.emplace(*in_coordinates);
  if (uses_coordinates && stress->sparse() && stress->factor(A, scale, redundant_rows)) {
    norm_ready = Norm::by_states;
    return;
  }
  if (!norm) norm.emplace(graph, plan);
  norm->factor(A, scale, length);
  norm_ready = Norm::by_reactions;
}

void KktSolver::least_norm(double* y) const { parts_->least_norm(y); }

void KktSolver::Parts::least_norm(double* y) const {
  if (redundant_rows == 0) return;
  if (norm_ready == Norm::unknown) prepare_norm();
  if (norm_ready == Norm::by_states) return stress->reduce(scale, y);
  std::vector<double>& f = r_left;
  std::fill(f.begin(), f.end(), 0.);
  add_reaction(plan, A, y, f.data());
  if (norm->solve(A, scale, f.data(), y)) return;
  // The passes have not converged. The main factor adds multipliers for the rest of f, so the norm is not the
  // least.
  for (double& value : f) value = -value;
  std::fill(s_left.begin(), s_left.end(), 0.);
  pass(f.data(), s_left.data(), dx.data(), dy.data());
  for (int i = 0; i < plan.rows; ++i) y[i] += dy[i];
}

const std::vector<char>& KktSolver::redundant() const { return parts_->main().redundant(); }
int KktSolver::redundant_rows() const { return parts_->redundant_rows; }
const std::vector<int>& KktSolver::contradictory() const { return parts_->unmet; }
double KktSolver::pivot_growth() const { return parts_->main().growth(); }

bool KktSolver::has_loops() const { return parts_->has_loops(); }

const std::vector<double>& KktSolver::row_growth() const { return parts_->main().row_growth(); }
bool KktSolver::uses_coordinates() const { return parts_->uses_coordinates; }
int KktSolver::pivot_growth_row() const { return parts_->main().growth_row(); }
int KktSolver::passes() const { return parts_->passes; }
long KktSolver::general_solutions() const { return parts_->general_solutions; }
long KktSolver::factor_size() const { return parts_->of_elimination().size; }
long KktSolver::factor_cost() const { return parts_->of_elimination().cost; }

}  // namespace torsor
