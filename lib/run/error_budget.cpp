#include "error_budget.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {
namespace {

/// The least error that a step across a singular configuration can reach, in the norm of step control.
constexpr double reachable = 1e-11;

double square(double x) { return x * x; }

}  // namespace

bool StepError::near_singular() const { return condition > Conditioning::nearly_lost; }

/// Most of this error is normal to the constraints. Error estimates miss it if it comes from a stage in the
/// middle of the step.
double singular_noise(double h, double condition) {
  return condition > Conditioning::nearly_lost ? h * rounding * condition * std::sqrt(condition) / 4 : 0;
}

/// The greatest of three errors: the step's share of the tolerance; the error due to rounding, which smaller
/// steps would hardly reduce (ten times its estimate if it exceeds the tolerance, which a note reports); and
/// near a singular configuration, where velocities are accurate to `rounding` times the condition of the
/// constraints, ten times that error, at most the whole tolerance. A step that begins in a singular
/// configuration, where a smaller step has more noise, may have the whole error permitted there.
double ErrorBudget::permitted(const StepError& error) const {
  if (error.leaves_singular()) return permitted_near_singular();
  const double tolerance = *tolerance_;
  const double noise = error.near_singular() ? 10 * rounding * error.condition : 0;
  const double forgiven = error.rounded > tolerance ? 10 * error.rounded : error.rounded;
  return std::max({step_share * tolerance, std::min(noise, tolerance), forgiven});
}

double ErrorBudget::permitted_in_all(const StepError& error) const {
  return permitted(error) + (error.near_singular() ? permitted_near_singular() : 0);
}

double ErrorBudget::permitted_near_singular() const { return std::max(tolerance_.value_or(0), reachable); }

void ErrorBudget::accept(const StepError& error, long steps) {
  if (!tolerance_) return;
  const double all = permitted_in_all(error);
  const bool rounded = error.rounded > step_share * *tolerance_;
  for (long i = 0; i < steps; ++i) {
    sum_ += all;
    estimated_ += error.estimated;
    of_work_ += error.of_work;
    if (rounded) rounded_squares_ += square(std::max(error.rounded, error.estimated));
  }
}

std::optional<double> ErrorBudget::rounding_beyond_tolerance() const {
  const double all = std::sqrt(rounded_squares_);
  return tolerance_ && all > *tolerance_ ? std::optional(all) : std::nullopt;
}

}  // namespace torsor::mechanics
