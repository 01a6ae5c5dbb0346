#pragma once

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

/// Takes steps in place of the explicit methods, with the same bits; a StepTaker can take steps of many runs
/// at once.
class StepTaker {
 public:
  virtual ~StepTaker() = default;
  /// False if it does not take this step; the method then takes the step itself.
  virtual bool take(const System& system, StepRequest& request) = 0;
};

/// An explicit method that can leave the arithmetic of its steps to a StepTaker.
class StepperWithTaker : public Stepper {
 public:
  /// The taker must outlive the stepper.
  void hand_over(StepTaker& taker) { taker_ = &taker; }

 protected:
  StepTaker* taker_ = nullptr;
};

}  // namespace torsor
