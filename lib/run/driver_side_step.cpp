#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "driver.hpp"
#include "system/text.hpp"

// States inside a step, for outputs and events.

namespace torsor::sim {
namespace {

/// Number of states that a polynomial interpolates: the order of the most accurate methods.
constexpr std::size_t interpolated = 8;

}  // namespace

void Driver::side_step(double h, State& x) {
  x = result_.x;
  if (system_.nv() == 0) return;
  try {
    take_side_step(h, x);
    if (!constrained_ || !constrained_->near_rank_loss()) return;
  } catch (const EvaluationError& error) {
    if (!constrained_ || error.status != StepStatus::singular) throw;
  }
  side_step_near_rank_loss(h, x);
}

void Driver::take_side_step(double h, State& x) {
  StepStatus status = stepper_->do_step(system_, x, t_, h, nullptr);
  if (status == StepStatus::singular && constrained_) status = pass_by_projection(h, x);
  if (status != StepStatus::accepted)
    throw EvaluationError(status, "in a side step of " + text(h) + ": " + stepper_->message());
  settle(h, x);
}

/// A side step to the state x if it or the main step comes near a singular configuration. If rounding
/// disturbs the side step, x is the value of a polynomial through states of the main step with little
/// rounding error: the motion is smooth.
void Driver::side_step_near_rank_loss(double h, State& x) {
  double noise = std::numeric_limits<double>::infinity();
  std::optional<EvaluationError> why;
  try {
    noise = noisy_side_step(h, x);
  } catch (const EvaluationError& error) {
    why = error;
  }
  if (noise <= least_owed()) return;
  if (inside_.empty()) find_inside();
  State between, best;
  for (std::size_t count = interpolated; count <= inside_.size(); ++count)
    if (const double error = interpolate(h, count, between); error < noise) noise = error, best = between;
  if (best.v.size() > 0)
    x = std::move(best);
  else if (why)
    throw *why;
}

/// A side step of size h into x. Returns its error due to rounding.
double Driver::noisy_side_step(double h, State& x) {
  x = result_.x;
  system_.begin_step(t_, x.q);  // resets the condition for this side step
  take_side_step(h, x);
  if (!constrained_->rank_doubt().empty()) return std::numeric_limits<double>::infinity();
  return acceleration_noise(h, constrained_->conditioning());
}

/// Finds both ends of the step and side steps at equal distances, sorted by their rounding error.
void Driver::find_inside() {
  const auto add = [&](double s, const State& x, double noise) {
    inside_.push_back({s, noise, Vec(system_.nv()), x.v});
    system_.local_difference(result_.x.q, x.q, inside_.back().xi);
  };
  constexpr int parts = 32;
  State x;
  add(0, result_.x, 0);
  add(tried_, trial_, 0);
  for (int i = 1; i < parts; ++i) {
    const double s = tried_ * i / parts;
    try {
      const double noise = noisy_side_step(s, x);
      add(s, x, noise);
    } catch (const EvaluationError&) {  // skip this state
    }
  }
  std::stable_sort(inside_.begin(), inside_.end(),
                   [](const Inside& a, const Inside& b) { return a.noise < b.noise; });
}

/// The weights of Lagrange's polynomial through the states, at the time s.
std::vector<double> Driver::lagrange(double s, std::span<const Inside* const> through) {
  std::vector<double> weights(through.size(), 1);
  for (std::size_t i = 0; i < through.size(); ++i)
    for (std::size_t j = 0; j < through.size(); ++j)
      if (i != j) weights[i] *= (s - through[j]->s) / (through[i]->s - through[j]->s);
  return weights;
}

/// Interpolates the state x at the time s in the exponential chart of the step's start, through those of the
/// `count` states with the least rounding error that are nearest to s. Returns an error estimate: the
/// effect of the farthest state, plus the rounding errors.
double Driver::interpolate(double s, std::size_t count, State& x) {
  std::vector<const Inside*> near;
  for (std::size_t i = 0; i < count; ++i) near.push_back(&inside_[i]);
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
  x = result_.x;
  system_.retract(result_.x.q, xi, x.q);
  x.v = v;
  return noise + system_.error_norm(x, xi_change, v_change);
}

/// Makes a side step with a projection method of no lower order. It is for side steps that end so near a
/// singular configuration that the method of the run fails, although its main steps pass it.
StepStatus Driver::pass_by_projection(double h, State& x) {
  make_projected();
  x = result_.x;
  return projected_->do_step(system_, x, t_, h, nullptr);
}

}  // namespace torsor::sim
