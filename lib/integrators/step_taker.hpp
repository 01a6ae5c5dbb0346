#pragma once

#include "torsor/integrators/step_control.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// One step of an explicit method for a StepTaker: from x at the time t by h. The results are `next`, the
/// local error, the chart vector of the step (only for methods in the exponential chart) and, for
/// first-same-as-last methods, the acceleration at the end of the step.
struct StepRequest {
  const State& x;
  double t, h;
  const Vec* slope;  ///< (v; a) at x, nullptr if not known
  State& next;
  Vec* error;  ///< nullptr if not wanted
  Vec &chart, &last_acceleration;
  long evaluations = 0;
};

/// Steps under error control at which nothing happens but the choice of the next step size. They lead from
/// the state x at the time `sum` + `rest` (a compensated sum) to a later one.
struct StepsBetweenOutputs {
  State& x;
  double sum, rest;  ///< s
  double h;          ///< size of the next step, before limits, s
  PiMemory control;
  double min_step, max_step;  ///< s
  double end;                 ///< no step may reach this time, s
  double output;              ///< the next output, s
  double permitted;           ///< error of a step, in System::error_norm
  long most;                  ///< attempts at steps
  long accepted = 0, rejected = 0, evaluations = 0;
};

/// Takes steps in place of the explicit methods, with the same bits; a StepTaker can take steps of many runs
/// at once.
class StepTaker {
 public:
  virtual ~StepTaker() = default;
  /// False if it does not take this step; the method then takes the step itself.
  virtual bool take(const System& system, StepRequest& request) = 0;
  /// Takes steps up to the one that passes the next output, or that needs the run for another reason; the run
  /// then takes this step. It makes `most` attempts at most. `a`: the acceleration at x, empty if it is not
  /// known. Does nothing if it takes no such steps.
  virtual void take_between_outputs(const System&, StepsBetweenOutputs&, Vec& /*a*/) {}
};

/// An explicit method that can leave the arithmetic of its steps to a StepTaker.
class StepperWithTaker : public Stepper {
 public:
  /// The taker must outlive the stepper.
  void hand_over(StepTaker& taker) { taker_ = &taker; }
  bool has_taker() const { return taker_ != nullptr; }
  /// As StepTaker::take_between_outputs; only with a taker.
  virtual void take_between_outputs(const System& system, StepsBetweenOutputs& steps) = 0;

 protected:
  StepTaker* taker_ = nullptr;
};

}  // namespace torsor
