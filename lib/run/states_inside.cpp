#include "states_inside.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "system/time_resolution.hpp"

namespace torsor::mechanics {
namespace {

/// Number of states that a polynomial interpolates: the order of the most accurate methods.
constexpr std::size_t interpolated = 8;

/// Number of parts of a step in which `find_states` looks for states with little rounding error.
constexpr int parts = 32;

}  // namespace

void StatesInside::begin(double t, const State& start, double h, const State& end) {
  t_ = t, h_ = h;
  start_ = &start, end_ = &end;
  states_.clear();
}

void StatesInside::at(double s, State& x) {
  // The search for a crossing near the start of the step also uses times s as small as the least positive
  // number.
  if (system_.nv() == 0 || s < time_resolution(t_) / 4) {
    x = *start_;
    return;
  }
  const auto* const constrained = system_.constrained();
  try {
    steps_.side_step(t_, *start_, s, x);
    if (!constrained || !constrained->conditioning().near_rank_loss()) return;
  } catch (const EvaluationError& error) {
    const bool unsolved = steps_.error().near_singular() && (error.status == StepStatus::newton_failed ||
                                                             error.status == StepStatus::constraint_lost);
    if (!constrained || !(error.status == StepStatus::singular || unsolved)) throw;
  }
  at_near_singular(s, x);
}

void StatesInside::at_near_singular(double s, State& x) {
  double noise = std::numeric_limits<double>::infinity();
  std::optional<EvaluationError> why;
  try {
    noise = steps_.noisy_side_step(t_, *start_, s, x);
  } catch (const EvaluationError& error) {
    why = error;
  }
  if (noise <= noise_limit_) return;
  if (states_.empty()) find_states();
  State between, best;
  for (std::size_t count = interpolated; count <= states_.size(); ++count)
    if (const double error = interpolate(s, count, between); error < noise) noise = error, best = between;
  if (best.v.size() > 0)
    x = std::move(best);
  else if (why)
    throw *why;
}

/// Collects both ends of the step, and the ends of side steps at equal intervals of time.
void StatesInside::find_states() {
  const auto add = [&](double s, const State& x, double noise) {
    states_.push_back({s, noise, Vec(system_.nv()), x.v});
    system_.local_difference(start_->q, x.q, states_.back().xi);
  };
  State x;
  add(0, *start_, 0);
  add(h_, *end_, 0);
  for (int i = 1; i < parts; ++i) {
    const double s = h_ * i / parts;
    try {
      const double noise = steps_.noisy_side_step(t_, *start_, s, x);
      add(s, x, noise);
    } catch (const EvaluationError&) {  // skip this state
    }
  }
  std::stable_sort(states_.begin(), states_.end(),
                   [](const Inside& a, const Inside& b) { return a.noise < b.noise; });
}

/// The weights of Lagrange's polynomial through the states, at the time s.
std::vector<double> StatesInside::lagrange(double s, std::span<const Inside* const> through) {
  std::vector<double> weights(through.size(), 1);
  for (std::size_t i = 0; i < through.size(); ++i)
    for (std::size_t j = 0; j < through.size(); ++j)
      if (i != j) weights[i] *= (s - through[j]->s) / (through[i]->s - through[j]->s);
  return weights;
}

/// Interpolates the state x at the time s in the exponential chart of the step's start. Of the `count` states
/// with the least rounding error, the polynomial takes the `interpolated` states nearest to s. Returns an
/// error estimate: the effect of the farthest of these, plus the rounding errors.
double StatesInside::interpolate(double s, std::size_t count, State& x) const {
  std::vector<const Inside*> near;
  for (std::size_t i = 0; i < count; ++i) near.push_back(&states_[i]);
  std::stable_sort(near.begin(), near.end(),
                   [s](const Inside* a, const Inside* b) { return std::abs(a->s - s) < std::abs(b->s - s); });
  near.resize(interpolated);
  const std::vector<double> all = lagrange(s, near),
                            fewer = lagrange(s, std::span(near).first(interpolated - 1));
  Vec xi = Vec::Zero(system_.nv()), v = xi, xi_change = xi, v_change = xi;
  double noise = 0;
  for (std::size_t i = 0; i < interpolated; ++i) {
    const double change = all[i] - (i + 1 < interpolated ? fewer[i] : 0);
    xi += all[i] * near[i]->xi, xi_change += change * near[i]->xi;
    v += all[i] * near[i]->v, v_change += change * near[i]->v;
    noise += std::abs(all[i]) * near[i]->noise;
  }
  x = *start_;
  system_.retract(start_->q, xi, x.q);
  x.v = v;
  return noise + system_.error_norm(x, xi_change, v_change);
}

}  // namespace torsor::mechanics
