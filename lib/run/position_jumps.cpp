#include "position_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "integrators/row_name.hpp"
#include "system/text.hpp"
#include "system/time_resolution.hpp"

namespace torsor::mechanics {

PositionJumps::PositionJumps(const System& system)
    : system_(system),
      constrained_(system.constrained()),
      watches_(constrained_ && constrained_->positions_move()) {}

void PositionJumps::evaluate(double t, Rows& rows) {
  rows.t = t;
  rows.phi.resize(constrained_->rows()), rows.a0.resize(constrained_->rows());
  constrained_->position_residual(t, q_, rows.phi);
  constrained_->velocity_residual(t, q_, at_rest_, rows.a0);
}

/// Sets middle_ to the rows at an instant between begin_ and end_. A function such as atan2(0, t) has no
/// value at the instant of its jump; another instant is then taken.
void PositionJumps::evaluate_between() {
  const double h = end_.t - begin_.t;
  try {
    evaluate(begin_.t + h / 2, middle_);
    if (middle_.phi.allFinite() && middle_.a0.allFinite()) return;
  } catch (const EvaluationError&) {
  }
  evaluate(begin_.t + 3 * h / 8, middle_);
}

/// The row whose change the rates at both ends explain least; -1 if they explain all changes. `missed`: the
/// size of the difference between the change of this row and h times the mean of its rates. The rates explain
/// a change if this difference is at most h/2 times the greater rate plus rounding.
int PositionJumps::worst(const Rows& begin, const Rows& end, double& missed) const {
  const double h = end.t - begin.t, least = std::sqrt(std::numeric_limits<double>::epsilon());
  int row = -1;
  double beyond = 0;
  for (int i = 0; i < static_cast<int>(end.phi.size()); ++i) {
    if (!constrained_->holonomic()[static_cast<std::size_t>(i)]) continue;
    const double change = end.phi[i] - begin.phi[i],
                 size = std::max(std::abs(begin.phi[i]), std::abs(end.phi[i]));
    const double left = std::abs(change - h / 2 * (begin.a0[i] + end.a0[i])),
                 bound = h / 2 * std::max(std::abs(begin.a0[i]), std::abs(end.a0[i])) +
                         least * std::max(1., size);
    if (left - bound > beyond) row = i, beyond = left - bound, missed = left;
  }
  return row;
}

/// Divides the interval repeatedly, and keeps the part with the greater change that the rates do not explain.
/// In a short interval, the rates explain a smooth change; a jump remains.
bool PositionJumps::jumps(double t, const State& x, double h, std::string& why, Part& part) try {
  if (!watches_) return false;
  q_ = x.q, at_rest_ = x.v;
  at_rest_.head(system_.nv() - system_.additions()).setZero();
  evaluate(t + h, end_);
  evaluate(t, begin_);  // last: the step begins at this state, whose values a system may keep
  double size = 0, other = 0;
  int row = worst(begin_, end_, size);
  // The instants of evaluate_between differ in an interval of this length.
  while (row >= 0 && end_.t - begin_.t > 4 * time_resolution(end_.t)) {
    evaluate_between();
    row = worst(begin_, middle_, size);
    const int later = worst(middle_, end_, other);
    const bool second = row < 0 || (later >= 0 && other > size);
    std::swap(second ? begin_ : end_, middle_);
    if (second) row = later, size = other;
  }
  if (row < 0) return false;
  part = constrained_->part_of_row(row);
  why = "the position of constraint " + quoted_row_name(*constrained_, row) + " jumps by " + brief(size) +
        " at t = " + text(end_.t) +
        ": a position cannot jump; use a continuous function, such as the sine of an angle that atan2 gives";
  return true;
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {  // the rows need not have values at this configuration at other times
  return false;
}

}  // namespace torsor::mechanics
