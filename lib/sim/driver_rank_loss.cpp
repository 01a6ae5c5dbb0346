#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "driver.hpp"
#include "make_stepper.hpp"
#include "text.hpp"

// How a run goes over places where constraints lose rank.

namespace torsor::sim {
namespace {

/// The parts of a step at which such a place is passed, tried in turn: where the methods have no stages.
constexpr std::array passes{0.56, 0.46, 0.25, 0.75};

/// A place closer than this part of the way to it that was planned is left behind by any step.
constexpr double next_door = 0.2;

/// Steps that shrink to this part of those before the place, accepted or not, end there.
constexpr double lost = 1e-4;

/// The method for steps next to a loss of rank that others cannot take.
constexpr const char* by_projection = "rkmk-dop853";

}  // namespace

/// The time to the place where constraints lose rank, which steps have met, or else by the last two steps;
/// beyond all bounds or negative where they do not come nearer to it.
double Driver::rank_loss_ahead() const {
  return place_ > t_ ? place_ - t_ : regular_ * (t_ - t_before_) / (regular_before_ - regular_);
}

std::string Driver::rank_loss() const {
  return "the constraints nearly lose rank in \"" + constrained_->worst_conditioned() +
         "\" at t = " + brief(t_) + ": condition " + brief(condition_);
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

double Driver::least_at_rank_loss() const { return lost * ordinary_; }

void Driver::keep_regular_start() {
  regular_start_.t = t_;
  regular_start_.time = time_;
  regular_start_.x = trial_;  // where the step began: `accept` has swapped them
}

/// Steps have shrunk into the place: it came later or sooner than was told by the steps before. Now its time
/// is known, and the run goes on from the last step that was away from it. What observers were given on the
/// way stays. Whether there is another part of the step to try.
bool Driver::go_back() {
  if (t_ > place_ + ordinary_) returns_ = 0;
  if (regular_start_.t < options_.t_begin || returns_ == passes.size()) return false;
  if (returns_++ > 0) ++passing_;
  if (t_ > furthest_.t) furthest_ = {t_, time_, result_.x};
  place_ = t_;
  result_.t = t_ = regular_start_.t;
  time_ = regular_start_.time;
  result_.x = regular_start_.x;
  h_ = ordinary_;
  regular_ = regular_before_ = 0;
  tries_ = 0;
  least_noise_ = std::numeric_limits<double>::infinity();
  condition_ = 1;
  return true;
}

/// Notes a step over the place that is refused. Whether to try another part of the step. The noise of
/// accelerations is in the estimated error as well, so that no less is asked of it: a step stands for the
/// fallback where its error, if there is one, is within reach.
bool Driver::try_elsewhere(double h, double error, double noise) {
  const bool within_reach = error * allowed_error() <= least_owed();
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
  if (const StepStatus status = attempt_somehow(h, error, noise); status != StepStatus::accepted)
    return fail(status, h, why_);
  step_errors_ += acceleration_noise(h, condition_) + error * allowed_error();
  return step_stands(std::max(acceleration_noise(h, condition_), error * allowed_error()));
}

/// What rounding in the accelerations under constraints of that condition, which grows faster, puts into a
/// step of h near a loss of rank, most of it across the constraints. Estimates of errors do not see it where
/// it is that of a stage in the middle of the step.
double Driver::acceleration_noise(double h, double condition) {
  return condition > ConstrainedSystem::nearly_lost ? h * rounding * condition * std::sqrt(condition) / 4 : 0;
}

/// The least error that is asked of a step there.
double Driver::least_owed() const { return std::max(options_.tolerance.value_or(0), reachable); }

/// An attempt next to such a place. A half-explicit method asks for the multipliers of its own stages, and
/// cannot make it where it begins or ends too near: the method that passes the place in side steps may. Where
/// the estimate of errors is its own, it does not see what they do across the constraints there, and the
/// other method makes the attempt at once.
StepStatus Driver::attempt_somehow(double h, double& error, double& noise) {
  helped_.clear();
  const bool as_constraints =
      !options_.constraints || *options_.constraints <= Treatment::index_1;  // not in other equations
  const bool may_help = as_constraints && options_.method != by_projection;
  const MethodInfo& method = *find_method(options_.method);
  const bool own_multipliers = !method.treatments.empty() && method.treatments.front() == Treatment::index_2;
  const bool blind = own_multipliers && method.embedded_order > 0 && options_.tolerance;
  if (may_help && blind && (going_over_ || near_rank_loss())) return attempt_by_projection(h, error, noise);
  const StepStatus status = attempt(h, error, noise);
  if (status != StepStatus::singular || !near_rank_loss() || !may_help) return status;
  const std::string why = why_;
  if (attempt_by_projection(h, error, noise) == StepStatus::accepted) return StepStatus::accepted;
  why_ = why;
  return status;
}

StepStatus Driver::attempt_by_projection(double h, double& error, double& noise) {
  make_projected();
  std::swap(stepper_, projected_);
  const StepStatus status = attempt(h, error, noise);
  std::swap(stepper_, projected_);
  if (status == StepStatus::accepted)
    helped_ =
        std::string(by_projection) + " took steps that " + options_.method + " cannot take: " + rank_loss();
  return status;
}

void Driver::make_projected() {
  if (!projected_) projected_ = find_method(by_projection)->make(Treatment::index_1);
}

}  // namespace torsor::sim
