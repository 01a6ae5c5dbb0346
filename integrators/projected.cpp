#include "integrators/projected.hpp"

#include <stdexcept>
#include <utility>

#include "constrained.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {
namespace {

constexpr const char* nothing_to_project = "projection needs constraints, and the system has none";

}  // namespace

Projected::Projected(std::unique_ptr<Stepper> method) : method_(std::move(method)) {}

std::optional<std::string> Projected::why_unsuitable(const System& system) const {
  if (!as_constrained(system)) return nothing_to_project;
  return method_->why_unsuitable(system);
}

StepStatus Projected::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] {
    const ConstrainedSystem* const found = as_constrained(system);
    if (!found) throw std::logic_error(nothing_to_project);
    const ConstrainedSystem& constrained = *found;
    trial_ = x;
    const StepStatus status = method_->do_step(system, trial_, t, h, error);
    if (status != StepStatus::accepted) {
      message_ = method_->message();
      part_ = method_->part();
      return status;
    }
    constrained.project_position(t + h, trial_.q);
    constrained.project_velocity(t + h, trial_.q, trial_.v);
    if (!finite(trial_, message_)) return StepStatus::non_finite;
    if (error && constrained.conditioning().near_rank_loss()) take_away(constrained, t + h, *error);
    memory::drop(trial_);
    std::swap(x, trial_);
    return StepStatus::accepted;
  });
}

/// Reduces the normal part of an error estimate, which the projection removes, to second order: multiplies
/// it by its own maximum norm, since the projection leaves a second-order error. The tangential part stays.
void Projected::take_away(const ConstrainedSystem& system, double t, Vec& error) {
  const auto n = error.size() / 2;
  lambda_.resize(system.rows());
  zero_.setZero(system.rows());
  for (Eigen::Ref<Vec> e : {error.head(n), error.tail(n)}) {
    along_.resize(n);
    system.metric_times(t, trial_.q, e, along_);
    system.solve(t, trial_.q, along_, zero_, along_, lambda_);
    e -= along_;
    e *= without_quadratures(system, e).lpNorm<Eigen::Infinity>();
    e += along_;
  }
}

}  // namespace torsor
