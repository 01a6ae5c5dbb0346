#include "torsor/integrators/projected.hpp"

#include <utility>

#include "constrained.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {

Projected::Projected(std::unique_ptr<Stepper> method) : method_(std::move(method)) {}

std::optional<std::string> Projected::why_unsuitable(const System& system) const {
  if (!as_constrained(system)) return "projection needs constraints, and the system has none";
  return method_->why_unsuitable(system);
}

StepStatus Projected::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, h, [&] {
    const ConstrainedSystem& constrained = *as_constrained(system);
    trial_ = x;
    const StepStatus status = method_->do_step(system, trial_, t, h, error);
    if (status != StepStatus::accepted) {
      message_ = method_->message();
      return status;
    }
    constrained.project_position(t + h, trial_.q);
    constrained.project_velocity(t + h, trial_.q, trial_.v);
    if (!finite(trial_, message_)) return StepStatus::non_finite;
    memory::drop(trial_);
    std::swap(x, trial_);
    return StepStatus::accepted;
  });
}

}  // namespace torsor
