#include "explicit_stepper.hpp"

#include "guard.hpp"
#include "memory.hpp"

namespace torsor {

StepStatus ExplicitStepper::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] {
    const bool slope_known = remember_slope(x, t);
    Vec* const estimate = method_.embedded_order > 0 ? error : nullptr;
    StepRequest request{x,     t,        h,      slope_known ? &slope_ : nullptr,
                        next_, estimate, chart_, last_acceleration_};
    if (taker_ && taker_->take(system, request)) {
      evaluations_ += request.evaluations;
    } else {
      choose_steps(system.nv());
      steps_->take(system, request);
    }
    const StepStatus status = examine(system, x, h, error);
    if (status == StepStatus::accepted) keep(x, t + h);
    return status;
  });
}

bool ExplicitStepper::takes_outputs(const System& system) const {
  return method_.estimates_for_free && taker_ && taker_->takes_outputs(system);
}

void ExplicitStepper::take_with_outputs(const System& system, StepsWithOutputs& steps) {
  State& x = steps.x;
  if (remember_slope(x, steps.sum + steps.rest))
    last_acceleration_ = slope_.tail(x.v.size());
  else
    last_acceleration_.resize(0);
  taker_->take_with_outputs(system, steps, last_acceleration_);
  evaluations_ += steps.evaluations;
  if (method_.first_same_as_last && steps.accepted > 0)
    memory::store(x, memory::Kind::slope, steps.sum + steps.rest, last_acceleration_);
}

/// Sets slope_ to (v; a) at x if the last step ended there and stored its slope.
bool ExplicitStepper::remember_slope(const State& x, double t) {
  if (!method_.first_same_as_last || !memory::holds(x, memory::Kind::slope, t)) return false;
  slope_.resize(2 * x.v.size());
  slope_.head(x.v.size()) = x.v;
  slope_.tail(x.v.size()) = memory::values(x);
  return true;
}

/// Puts the steps for nv velocities into steps_, unless they are there already.
void ExplicitStepper::choose_steps(int nv) {
  if (steps_ && nv == nv_) return;
  evaluations_ = evaluations();
  steps_ = method_.make_steps(nv);
  nv_ = nv;
}

StepStatus ExplicitStepper::examine(const System& system, const State& x, double h, const Vec* error) {
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turned_too_far(system, x, h)) return StepStatus::rejected;
  if (method_.embedded_order > 0 && error && !error->allFinite()) {
    message_ = "the error estimate is not finite";
    return StepStatus::rejected;
  }
  return StepStatus::accepted;
}

/// A method outside the exponential chart has no chart vector; the check then uses h v of the first velocity
/// v.
bool ExplicitStepper::turned_too_far(const System& system, const State& x, double h) {
  if (method_.in_chart) return turn_.too_far(system, x.q, next_.q, chart_, message_);
  xi_ = h * x.v;
  if (TurnCheck::surely_near(system, xi_)) return false;
  q_.resize(x.q.size());
  system.retract(x.q, xi_, q_);
  return turn_.too_far(system, x.q, q_, xi_, message_);
}

void ExplicitStepper::keep(State& x, double t) {
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  if (!method_.first_same_as_last)
    x.memory.resize(0);
  else
    memory::store(x, memory::Kind::slope, t, last_acceleration_);
}

}  // namespace torsor
