#pragma once

#include <string>

#include "guard.hpp"
#include "memory.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/system_field.hpp"
#include "torsor/integrators/turn_check.hpp"

namespace torsor {

/// An explicit method, a template over LieField, as a Stepper of the run-time System.
template <template <class> class Method>
class ExplicitStepper final : public Stepper {
 public:
  int order() const override { return Method<SystemField>::order; }
  int embedded_order() const override { return Method<SystemField>::embedded_order; }
  long evaluations() const override { return field_.evaluations(); }
  std::string message() const override { return message_; }

  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error) override {
    return guarded(message_, h, [&] {
      field_.bind(system);
      first_slope(x, t);
      method_.step(field_, x, slope_, t, h, next_, embedded_order() > 0 ? error : nullptr);
      const StepStatus status = examine(system, x, h, error);
      if (status == StepStatus::accepted) keep(x, t + h);
      return status;
    });
  }

 private:
  static constexpr bool first_same_as_last = Method<SystemField>::first_same_as_last;

  void first_slope(const State& x, double t) {
    if (first_same_as_last && memory::holds(x, memory::Kind::slope, t)) {
      slope_.resize(field_.dim());
      slope_.head(x.v.size()) = x.v;
      slope_.tail(x.v.size()) = memory::values(x);
    } else {
      field_.rate(t, x, slope_);
    }
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

  /// Methods without a chart of their own are judged by the motion at their first velocity.
  bool turned_too_far(const System& system, const State& x, double h) {
    if constexpr (requires { method_.chart(); }) {
      return turn_.too_far(system, x.q, next_.q, method_.chart().head(x.v.size()), message_);
    } else {
      xi_ = h * x.v;
      if (xi_.lpNorm<Eigen::Infinity>() < TurnCheck::surely_near) return false;
      q_.resize(x.q.size());
      system.retract(x.q, xi_, q_);
      return turn_.too_far(system, x.q, q_, xi_, message_);
    }
  }

  void keep(State& x, double t) {
    x.q.swap(next_.q);
    x.v.swap(next_.v);
    if constexpr (first_same_as_last)
      memory::store(x, memory::Kind::slope, t, method_.last_slope().tail(x.v.size()));
    else
      x.memory.resize(0);
  }

  Method<SystemField> method_;
  SystemField field_;
  TurnCheck turn_;
  State next_;
  Vec slope_, xi_, q_;
  std::string message_;
};

}  // namespace torsor
