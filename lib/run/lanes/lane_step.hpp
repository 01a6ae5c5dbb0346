#pragma once

#include "integrators/step_taker.hpp"
#include "system/pivoted_bodies.hpp"

namespace torsor::mechanics {

/// One step of one run: from (q, v) at t by h. The pointers refer to the numbers of a StepRequest. If there
/// are steps `with_outputs`, they come first; the step is then the one that follows them.
struct LaneStep {
  double t, h;
  const double *q, *v;
  const double* a;  ///< acceleration at the start, nullptr if it is not known
  double *q_next, *v_next;
  double* error;  ///< nullptr if no error estimate is wanted
  double *chart, *last_a;
  const PivotedBody<double>* body;  ///< constants of the mechanism, if it is a single top
  long evaluations = 0;
  StepsWithOutputs* with_outputs = nullptr;
  double length = 0;         ///< LinkLengths::greatest, only with steps with_outputs
  double* a_last = nullptr;  ///< acceleration at the start of the step, only with steps with_outputs
  bool a_known = false;      ///< whether a_last was written
  bool goes_on = false;      ///< the lane has begun steps with_outputs and has not ended them
  bool taken = false;        ///< whether the step has been taken
};

/// One explicit method of the library on one mechanism, with one run in each lane. Each run gets the same
/// bits as by the method itself.
class LaneStepper {
 public:
  virtual ~LaneStepper() = default;
  /// Takes steps in the lanes whose request is not nullptr, until at least one request has ended. The others
  /// must be given again, in the same lanes. If a run among them cannot be evaluated, all requests end; the
  /// caller must then step the runs one by one.
  virtual void take(LaneStep* const* steps) = 0;
};

}  // namespace torsor::mechanics
