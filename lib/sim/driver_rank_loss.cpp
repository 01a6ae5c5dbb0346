#include <array>
#include <cmath>
#include <limits>

#include "driver.hpp"
#include "text.hpp"

// How a run goes over places where constraints lose rank.

namespace torsor::sim {
namespace {

/// The parts of a step at which such a place is passed, tried in turn: where the methods have no stages.
constexpr std::array passes{0.56, 0.46, 0.25, 0.75};

/// A place closer than this part of the way to it that was planned is left behind by any step.
constexpr double next_door = 0.2;

}  // namespace

bool Driver::near_rank_loss() const { return constrained_ && constrained_->near_rank_loss(); }

/// The time to the place where constraints lose rank, by the last two steps; beyond all bounds or negative
/// where they do not come nearer to it.
double Driver::rank_loss_ahead() const { return regular_ * (t_ - t_before_) / (regular_before_ - regular_); }

std::string Driver::rank_loss() const {
  return "the constraints nearly lose rank in \"" + constrained_->worst_conditioned() +
         "\" at t = " + brief(t_) + ": condition " + brief(constrained_->conditioning());
}

/// The size of the next step, which is `wish` away from places where constraints lose rank. Next to them
/// accelerations are mostly rounding, and steps that end there shrink to nothing, though the motion itself
/// goes smoothly through. The root of the conditioning grows as one over the time to the place, so that two
/// steps tell when it comes: one step is to begin well before it and to end well beyond.
double Driver::over_rank_loss(double wish) {
  const double before = passes[passing_ % passes.size()] * wish;
  const double ahead = rank_loss_ahead();
  going_over_ = next_door * before < ahead && ahead <= 1.1 * before;
  if (going_over_) return wish * ahead / before;
  return before < ahead && ahead < before + wish ? ahead - before : wish;
}

/// Notes a step over the place that is refused. Whether to try another part of the step. The noise of
/// accelerations is in the estimated error as well, so that no less is asked of it: a step stands for the
/// fallback where its error, if there is one, is within reach.
bool Driver::try_elsewhere(double h, double error, double noise) {
  const bool within_reach = error * allowed_error() <= std::max(*options_.tolerance, reachable);
  if (within_reach && noise < least_noise_) least_noise_ = noise, quietest_ = h;
  ++passing_;
  if (++tries_ < passes.size()) return true;
  tries_ = 0;
  return false;
}

/// A step stands: what was tried to get there is forgotten, and rounding beyond the tolerance is told.
Driver::Go Driver::step_stands(double rounded) {
  tries_ = 0;
  least_noise_ = std::numeric_limits<double>::infinity();
  if (rounded > *options_.tolerance && result_.note.empty())
    result_.note = "the tolerance was not reached: " + rank_loss() +
                   ", where rounding alone makes an error of about " + brief(rounded);
  return Go::on;
}

/// Takes the step over a loss of rank that rounding disturbs least. A smaller one would be nearer to the
/// place, where rounding is greater.
Driver::Go Driver::go_over_in_spite_of_noise(double& h) {
  h = quietest_;
  double error = 0, noise = 0;
  if (const StepStatus status = attempt(h, error, noise); status != StepStatus::accepted)
    return fail(status, h, why_);
  step_errors_ += acceleration_noise(h) + error * allowed_error();
  return step_stands(std::max(acceleration_noise(h), error * allowed_error()));
}

/// What rounding in the accelerations there, which grows faster, puts into a step, most of it across the
/// constraints: estimates of errors do not see it where it is that of a stage in the middle of the step.
double Driver::acceleration_noise(double h) const {
  return near_rank_loss()
             ? h * rounding * constrained_->conditioning() * std::sqrt(constrained_->conditioning()) / 4
             : 0;
}

}  // namespace torsor::sim
