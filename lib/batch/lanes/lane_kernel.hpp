#pragma once

#include <memory>
#include <string_view>

#include "integrators/step_taker.hpp"
#include "system/pivoted_bodies.hpp"
#include "torsor/lie/arrays.hpp"
#include "torsor/model/model.hpp"

namespace torsor::batch {

/// One step of one case: from (q, v) at t by h. The pointers refer to the numbers of a StepRequest. If there
/// are steps `between` outputs, they come first; the step is then the one that follows them.
struct LaneStep {
  double t, h;
  const double *q, *v;
  const double* a;  ///< acceleration at the start, nullptr if it is not known
  double *q_next, *v_next;
  double* error;  ///< nullptr if no error estimate is wanted
  double *chart, *last_a;
  const mechanics::PivotedBody<double>* body;  ///< constants of the case, if it is a single top
  long evaluations = 0;
  StepsBetweenOutputs* between = nullptr;
  double length = 0;         ///< LinkLengths::greatest, only with steps between outputs
  double* a_last = nullptr;  ///< acceleration at the start of the step, only with steps between outputs
  bool a_known = false;      ///< whether a_last was written
  bool goes_on = false;      ///< the lane has begun steps between outputs and has not ended them
  bool taken = false;        ///< whether the step has been taken
};

/// One explicit method of the library on one mechanism, with one case in each lane of a pack. Each case
/// gets the same bits as in a run of its own.
class LaneStepper {
 public:
  virtual ~LaneStepper() = default;
  /// Takes steps in the lanes of a pack whose request is not nullptr, until at least one request has ended.
  /// The others must be given again, in the same lanes. If a case among them cannot be evaluated, all
  /// requests end; the caller must then step the cases one by one.
  virtual void take(LaneStep* const* steps) = 0;
};

/// Whether a method can run in lanes.
bool runs_in_lanes(std::string_view method);

/// The instruction set that lane_kernels.cpp and lane_pairs.cpp are compiled for, and the doubles in its packs.
#ifdef __x86_64__
constexpr Isa lane_isa = Isa::avx2;
constexpr int lane_width = 4;
#else
constexpr Isa lane_isa = Isa::sse2;
constexpr int lane_width = 2;
#endif

/// Makes a stepper; only for processors with lane_isa. If `model` is nullptr, the stepper is for single tops,
/// each with its own constants.
std::unique_ptr<LaneStepper> make_lane_stepper(std::string_view method, const Model* model);
/// The same for the methods with an ExplicitPair, and nullptr for others.
std::unique_ptr<LaneStepper> make_pair_stepper(std::string_view method, const Model* model);

}  // namespace torsor::batch
