#pragma once

#include <string>

#include "guard.hpp"
#include "integrators/step_taker.hpp"
#include "memory.hpp"
#include "system_field.hpp"
#include "torsor/integrators/detail/turn_check.hpp"

namespace torsor {

/// An explicit method, a template over LieField, as a Stepper of the run-time System.
template <template <class> class Method>
class ExplicitStepper final : public StepperWithTaker {
 public:
  int order() const override { return Method<SystemField>::order; }
  int embedded_order() const override { return Method<SystemField>::embedded_order; }
  long evaluations() const override { return field_.evaluations() + taken_evaluations_; }
  std::string message() const override { return message_; }

  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error) override {
    return guarded(message_, h, [&] {
      field_.bind(system);
      Vec* estimate = embedded_order() > 0 ? error : nullptr;
      const bool slope_known = remember_slope(x, t);
      taken_ = taker_ && is_taken(system, x, t, h, slope_known ? &slope_ : nullptr, estimate);
      if (!taken_) {
        if (!slope_known) field_.rate(t, x, slope_);
        method_.step(field_, x, slope_, t, h, next_, estimate);
      }
      const StepStatus status = examine(system, x, h, error);
      if (status == StepStatus::accepted) keep(x, t + h);
      return status;
    });
  }

  void take_between_outputs(const System& system, StepsBetweenOutputs& steps) override {
    State& x = steps.x;
    if (remember_slope(x, steps.sum + steps.rest))
      last_acceleration_ = slope_.tail(x.v.size());
    else
      last_acceleration_.resize(0);
    taker_->take_between_outputs(system, steps, last_acceleration_);
    taken_evaluations_ += steps.evaluations;
    if (first_same_as_last && steps.accepted > 0)
      memory::store(x, memory::Kind::slope, steps.sum + steps.rest, last_acceleration_);
  }

 private:
  static constexpr bool first_same_as_last = Method<SystemField>::first_same_as_last;

  /// Sets slope_ to (v; a) at x if the last step ended there and stored its slope.
  bool remember_slope(const State& x, double t) {
    if (!first_same_as_last || !memory::holds(x, memory::Kind::slope, t)) return false;
    slope_.resize(2 * x.v.size());
    slope_.head(x.v.size()) = x.v;
    slope_.tail(x.v.size()) = memory::values(x);
    return true;
  }

  bool is_taken(const System& system, const State& x, double t, double h, const Vec* slope, Vec* error) {
    StepRequest request{x, t, h, slope, next_, error, chart_, last_acceleration_};
    if (!taker_->take(system, request)) return false;
    taken_evaluations_ += request.evaluations;
    return true;
  }

  StepStatus examine(const System& system, const State& x, double h, const Vec* error) {
    if (!finite(next_, message_)) return StepStatus::non_finite;
    if (turned_too_far(system, x, h)) return StepStatus::rejected;
    if (embedded_order() > 0 && error && !error->allFinite()) {
      message_ = "the error estimate is not finite";
      return StepStatus::rejected;
    }
    return StepStatus::accepted;
  }

  /// A method outside the exponential chart has no chart vector; the check then uses h v of the first
  /// velocity v.
  bool turned_too_far(const System& system, const State& x, double h) {
    if constexpr (requires { method_.chart(); }) {
      if (taken_) return turn_.too_far(system, x.q, next_.q, chart_, message_);
      return turn_.too_far(system, x.q, next_.q, method_.chart().head(x.v.size()), message_);
    } else {
      xi_ = h * x.v;
      if (TurnCheck::surely_near(system, xi_)) return false;
      q_.resize(x.q.size());
      system.retract(x.q, xi_, q_);
      return turn_.too_far(system, x.q, q_, xi_, message_);
    }
  }

  void keep(State& x, double t) {
    x.q.swap(next_.q);
    x.v.swap(next_.v);
    if constexpr (!first_same_as_last)
      x.memory.resize(0);
    else if (taken_)
      memory::store(x, memory::Kind::slope, t, last_acceleration_);
    else
      memory::store(x, memory::Kind::slope, t, method_.last_slope().tail(x.v.size()));
  }

  Method<SystemField> method_;
  SystemField field_;
  TurnCheck turn_;
  State next_;
  Vec slope_, xi_, q_;
  bool taken_ = false;             ///< whether taker_ took the current step
  Vec chart_, last_acceleration_;  ///< of the step that taker_ took
  long taken_evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
