#pragma once

#include <string>
#include <variant>

#include "guard.hpp"
#include "integrators/step_taker.hpp"
#include "memory.hpp"
#include "system_field.hpp"
#include "torsor/integrators/detail/turn_check.hpp"

namespace torsor {

/// The steps of an explicit method, a template over LieField, with n velocities.
template <template <class> class Method, int n>
class ExplicitSteps {
 public:
  using Steps = Method<SystemField<n>>;

  void take(const System& system, StepRequest& request) {
    field_.bind(system);
    if (request.slope)
      slope_ = *request.slope;
    else
      field_.rate(request.t, request.x, slope_);
    method_.step(field_, request.x, slope_, request.t, request.h, request.next,
                 request.error ? &error_ : nullptr);
    if (request.error) *request.error = error_;
    if constexpr (requires { method_.chart(); }) request.chart = method_.chart().head(system.nv());
    if constexpr (Steps::first_same_as_last)
      request.last_acceleration = method_.last_slope().tail(system.nv());
  }

  long evaluations() const { return field_.evaluations(); }

 private:
  Steps method_;
  SystemField<n> field_;
  typename Steps::Tangent slope_, error_;
};

/// An explicit method as a Stepper of the run-time System. The numbers of velocities in `sizes` are known to
/// the compiler, which makes steps of small systems faster.
template <template <class> class Method, int... sizes>
class ExplicitStepper final : public StepperWithTaker {
 public:
  int order() const override { return Steps::order; }
  int embedded_order() const override { return Steps::embedded_order; }
  long evaluations() const override { return evaluations_ + own_evaluations(); }
  std::string message() const override { return message_; }

  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error) override {
    return guarded(message_, part_, h, [&] {
      const bool slope_known = remember_slope(x, t);
      Vec* const estimate = embedded_order() > 0 ? error : nullptr;
      StepRequest request{x,     t,        h,      slope_known ? &slope_ : nullptr,
                          next_, estimate, chart_, last_acceleration_};
      if (taker_ && taker_->take(system, request)) {
        evaluations_ += request.evaluations;
      } else {
        choose_steps(system.nv());
        std::visit([&](auto& steps) { steps.take(system, request); }, steps_);
      }
      const StepStatus status = examine(system, x, h, error);
      if (status == StepStatus::accepted) keep(x, t + h);
      return status;
    });
  }

  bool takes_outputs(const System& system) const override {
    return estimates_for_free<Steps> && taker_ && taker_->takes_outputs(system);
  }
  void take_with_outputs(const System& system, StepsWithOutputs& steps) override {
    State& x = steps.x;
    if (remember_slope(x, steps.sum + steps.rest))
      last_acceleration_ = slope_.tail(x.v.size());
    else
      last_acceleration_.resize(0);
    taker_->take_with_outputs(system, steps, last_acceleration_);
    evaluations_ += steps.evaluations;
    if (first_same_as_last && steps.accepted > 0)
      memory::store(x, memory::Kind::slope, steps.sum + steps.rest, last_acceleration_);
  }

 private:
  using Steps = Method<SystemField<>>;
  static constexpr bool first_same_as_last = Steps::first_same_as_last;

  /// Sets slope_ to (v; a) at x if the last step ended there and stored its slope.
  bool remember_slope(const State& x, double t) {
    if (!first_same_as_last || !memory::holds(x, memory::Kind::slope, t)) return false;
    slope_.resize(2 * x.v.size());
    slope_.head(x.v.size()) = x.v;
    slope_.tail(x.v.size()) = memory::values(x);
    return true;
  }

  long own_evaluations() const {
    return std::visit([](const auto& steps) { return steps.evaluations(); }, steps_);
  }

  /// Puts the steps for nv velocities into steps_, unless they are there already.
  void choose_steps(int nv) {
    const int size = ((nv == sizes) || ...) ? nv : Eigen::Dynamic;
    if (size == size_) return;
    evaluations_ += own_evaluations();
    steps_.template emplace<ExplicitSteps<Method, Eigen::Dynamic>>();
    ((size == sizes ? (steps_.template emplace<ExplicitSteps<Method, sizes>>(), 0) : 0), ...);
    size_ = size;
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
    if constexpr (requires(const Steps& steps) { steps.chart(); }) {
      return turn_.too_far(system, x.q, next_.q, chart_, message_);
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
    else
      memory::store(x, memory::Kind::slope, t, last_acceleration_);
  }

  std::variant<ExplicitSteps<Method, Eigen::Dynamic>, ExplicitSteps<Method, sizes>...> steps_;
  int size_ = Eigen::Dynamic;  ///< the number of velocities of steps_
  TurnCheck turn_;
  State next_;
  Vec slope_, chart_, last_acceleration_, xi_, q_;
  long evaluations_ = 0;  ///< of taker_ and of earlier steps_
  std::string message_;
};

}  // namespace torsor
