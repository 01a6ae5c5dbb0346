#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "driver.hpp"
#include "make_stepper.hpp"
#include "system/text.hpp"

// Steps across singular configurations, where constraints lose rank.

namespace torsor::sim {
namespace {

/// Positions of the singular configuration within the step, as fractions of the step, in the order of the
/// attempts. The methods have no stages there.
constexpr std::array passes{0.56, 0.46, 0.25, 0.75};

/// If the singular configuration is nearer than this fraction of the planned distance, any step passes it.
constexpr double next_door = 0.2;

/// If the step size falls below this fraction of the step size before the singular configuration, the steps
/// end there.
constexpr double lost = 1e-4;

/// The method for steps near singular configurations where other methods fail.
constexpr const char* by_projection = "rkmk-dop853";

}  // namespace

/// The time until the singular configuration: known if steps have ended there, otherwise extrapolated from
/// the last two steps. It is infinite or negative if the motion does not approach one.
double Driver::rank_loss_ahead() const {
  return place_ > t_ ? place_ - t_ : regular_ * (t_ - t_before_) / (regular_before_ - regular_);
}

std::string Driver::rank_loss() const {
  return "the constraints nearly lose rank in \"" + constrained_->worst_conditioned() +
         "\" at t = " + brief(t_) + ": condition " + brief(condition_);
}

/// The size of the next step; `wish` away from singular configurations. Near them accelerations are
/// dominated by rounding, and steps that end there shrink to zero, although the motion is smooth. The
/// square root of the condition grows as the inverse of the time to the singular configuration, so two
/// steps predict that time. One step then begins well before it and ends well after it.
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
  regular_start_.x = trial_;  // the start of the step, since `accept` has swapped the states
}

/// Called if steps have shrunk at a singular configuration because its predicted time was wrong. Its time
/// is now known, so the run continues from the start of the last step away from it. Outputs given since
/// then remain. Returns whether another position within the step is left to try.
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

/// Records a rejected step across a singular configuration and returns whether to try another position within
/// the step. The error estimate contains the noise of the accelerations too, so no smaller error can be
/// demanded: a step is a candidate for the fallback if its error estimate is within `reachable`.
bool Driver::try_elsewhere(double h, double error, double noise) {
  const bool within_reach = error * allowed_error() <= least_owed();
  if (within_reach && noise < least_noise_) least_noise_ = noise, quietest_ = h;
  ++passing_;
  if (++tries_ < passes.size()) return true;
  tries_ = 0;
  return false;
}

/// Accepts the step: clears the record of attempts, and notes rounding errors beyond the tolerance.
Driver::Go Driver::step_stands(double rounded) {
  tries_ = 0;
  least_noise_ = std::numeric_limits<double>::infinity();
  if (rounded > *options_.tolerance && result_.note.empty())
    result_.note = "the tolerance was not reached: " + rank_loss() +
                   ", where rounding alone causes an error of about " + brief(rounded);
  return Go::on;
}

/// Takes the step across a singular configuration with the least rounding error. A smaller step would end
/// nearer to it, where rounding is greater.
Driver::Go Driver::go_over_in_spite_of_noise(double& h) {
  h = quietest_;
  double error = 0, noise = 0;
  if (const StepStatus status = attempt_somehow(h, error, noise); status != StepStatus::accepted)
    return fail(status, h, why_);
  step_errors_ += acceleration_noise(h, condition_) + error * allowed_error();
  return step_stands(std::max(acceleration_noise(h, condition_), error * allowed_error()));
}

/// The error of a step of size h near a singular configuration due to rounding of the accelerations, for this
/// condition of the constraints. Most of it is normal to the constraints. Error estimates miss it if it comes
/// from a stage in the middle of the step.
double Driver::acceleration_noise(double h, double condition) {
  return condition > ConstrainedSystem::nearly_lost ? h * rounding * condition * std::sqrt(condition) / 4 : 0;
}

/// The least error that a step near a singular configuration must reach.
double Driver::least_owed() const { return std::max(options_.tolerance.value_or(0), reachable); }

/// Attempts a step near a singular configuration. A half-explicit method computes the multipliers of its own
/// stages and fails if the step begins or ends too near; the projection method may succeed there. If a
/// half-explicit method has its own error estimate, this estimate misses errors normal to the constraints, so
/// the projection method makes the attempt at once.
StepStatus Driver::attempt_somehow(double h, double& error, double& noise) {
  helped_.clear();
  const bool as_constraints =
      !options_.constraints ||
      *options_.constraints <= Treatment::index_1;  // the treatments that keep the constraints as rows
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
