#pragma once

#include <memory>
#include <span>
#include <utility>

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

/// An output ahead of a run: its time, and the state there once it is known.
struct OutputAhead {
  double t = 0;  ///< s; infinity if no output is left
  State x;
};

/// Steps under error control at which nothing happens but outputs and the choice of the next step size. They
/// lead from the state x at the time `sum` + `rest` (a compensated sum) to a later one.
struct StepsWithOutputs {
  State& x;
  double sum, rest;  ///< s
  double h;          ///< size of the next step, before limits, s
  PiMemory control;
  double min_step, max_step;       ///< s
  double end;                      ///< no step may reach this time, s
  std::span<OutputAhead> outputs;  ///< the next outputs; no step passes the last one, which is not given
  double permitted;                ///< error of a step, in System::error_norm
  long most;                       ///< greatest number of attempts at steps, side steps included
  long accepted = 0, rejected = 0, evaluations = 0;
  std::size_t given = 0;  ///< number of outputs whose states are known
};

/// The evaluations that a step of an explicit method needs only for its error estimate.
template <class Steps>
constexpr long evaluations_for_estimate = [] {
  if constexpr (requires { Steps::estimate_evaluations; }) return long(Steps::estimate_evaluations);
  return 0L;
}();

/// Whether a StepTaker can choose the sizes of the steps of an explicit method. Side steps to outputs need no
/// error estimate; so the estimate must cost no evaluations.
template <class Steps>
constexpr bool estimates_for_free = Steps::embedded_order > 0 && evaluations_for_estimate<Steps> == 0;

/// Takes steps in place of the explicit methods, with the same bits; a StepTaker can take steps of many runs
/// at once.
class StepTaker {
 public:
  virtual ~StepTaker() = default;
  /// False if it does not take this step; the method then takes the step itself.
  virtual bool take(const System& system, StepRequest& request) = 0;
  /// Whether it takes steps of this system with outputs.
  virtual bool takes_outputs(const System&) { return false; }
  /// Takes steps up to the one that passes the last output, or that needs the run for another reason; the run
  /// then takes this step. It makes `most` attempts at most. `a`: the acceleration at x, empty if it is not
  /// known. Only for systems with takes_outputs.
  virtual void take_with_outputs(const System&, StepsWithOutputs&, Vec& /*a*/) {}
};

/// An explicit method that can leave the arithmetic of its steps to a StepTaker.
class StepperWithTaker : public Stepper {
 public:
  /// The taker must outlive the stepper.
  void hand_over(StepTaker& taker) { taker_ = &taker; }
  void hand_over(std::unique_ptr<StepTaker> taker) {
    own_ = std::move(taker);
    taker_ = own_.get();
  }
  /// Whether it has a taker that takes steps of this system with outputs.
  virtual bool takes_outputs(const System& system) const = 0;
  /// As StepTaker::take_with_outputs.
  virtual void take_with_outputs(const System& system, StepsWithOutputs& steps) = 0;

 protected:
  StepTaker* taker_ = nullptr;

 private:
  std::unique_ptr<StepTaker> own_;
};

}  // namespace torsor
