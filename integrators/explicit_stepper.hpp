#pragma once

#include <memory>
#include <string>

#include "integrators/step_taker.hpp"
#include "system_field.hpp"
#include "torsor/integrators/detail/turn_check.hpp"

namespace torsor {

/// The steps of an explicit method for systems with a certain number of velocities.
class ExplicitSteps {
 public:
  virtual ~ExplicitSteps() = default;
  virtual void take(const System& system, StepRequest& request) = 0;
  virtual long evaluations() const = 0;
};

/// The steps of `Method`, a template over LieField. `n` is the number of velocities if the compiler knows it.
template <template <class> class Method, int n>
class StepsOf final : public ExplicitSteps {
 public:
  using Steps = Method<SystemField<n>>;

  void take(const System& system, StepRequest& request) override {
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

  long evaluations() const override { return field_.evaluations(); }

 private:
  Steps method_;
  SystemField<n> field_;
  typename Steps::Tangent slope_, error_;
};

/// An explicit method as ExplicitStepper sees it.
struct ExplicitMethod {
  int order, embedded_order;
  bool first_same_as_last, estimates_for_free;
  bool in_chart;  ///< the steps give their chart vector
  std::unique_ptr<ExplicitSteps> (*make_steps)(int nv);
};

/// The numbers of velocities in `sizes` are known to the compiler, which makes steps of small systems faster.
template <template <class> class Method, int... sizes>
ExplicitMethod explicit_method() {
  using Steps = Method<SystemField<>>;
  constexpr bool in_chart = requires(const Steps& steps) { steps.chart(); };
  const auto make_steps = [](int nv) {
    std::unique_ptr<ExplicitSteps> steps;
    ((nv == sizes ? (steps = std::make_unique<StepsOf<Method, sizes>>(), 0) : 0), ...);
    if (!steps) steps = std::make_unique<StepsOf<Method, Eigen::Dynamic>>();
    return steps;
  };
  return {Steps::order, Steps::embedded_order, Steps::first_same_as_last, estimates_for_free<Steps>, in_chart,
          make_steps};
}

/// An explicit method as a Stepper of the run-time System.
class ExplicitStepper final : public StepperWithTaker {
 public:
  explicit ExplicitStepper(const ExplicitMethod& method) : method_(method) {}

  int order() const override { return method_.order; }
  int embedded_order() const override { return method_.embedded_order; }
  long evaluations() const override { return evaluations_ + (steps_ ? steps_->evaluations() : 0); }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error) override;

  bool takes_outputs(const System& system) const override;
  void take_with_outputs(const System& system, StepsWithOutputs& steps) override;

 private:
  bool remember_slope(const State& x, double t);
  void choose_steps(int nv);
  StepStatus examine(const System& system, const State& x, double h, const Vec* error);
  bool turned_too_far(const System& system, const State& x, double h);
  void keep(State& x, double t);

  const ExplicitMethod method_;
  std::unique_ptr<ExplicitSteps> steps_;  ///< for nv_ velocities; nullptr before the first step
  int nv_ = 0;
  TurnCheck turn_;
  State next_;
  Vec slope_, chart_, last_acceleration_, xi_, q_;
  long evaluations_ = 0;  ///< of taker_ and of earlier steps_
  std::string message_;
};

}  // namespace torsor
