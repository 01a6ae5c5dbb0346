#pragma once

#include <memory>
#include <string_view>

#include "pivoted_bodies.hpp"
#include "torsor/lie/arrays.hpp"
#include "torsor/model/model.hpp"

namespace torsor::batch {

/// One step of one case: from (q, v) at t by h. The numbers behind the pointers are those of a StepRequest.
struct LaneStep {
  double t, h;
  const double *q, *v;
  const double* a;  ///< at the start, nullptr where nobody knows it
  double *q_next, *v_next;
  double* error;  ///< nullptr where nobody asks for it
  double *chart, *last_a;
  const sim::PivotedBody<double>* body;  ///< of the case, where it is one top
  long evaluations = 0;
};

/// One method on one mechanism in the lanes of packs: the explicit methods of the library over the recursions
/// of the library, a case a lane, with the bits of its own run.
class LaneStepper {
 public:
  virtual ~LaneStepper() = default;
  /// Steps for the lanes that are not nullptr, `lanes` in all. False where a case of them cannot be evaluated
  /// (they are to step one by one).
  virtual bool take(LaneStep* const* steps) = 0;
};

/// Methods that run in lanes.
bool runs_in_lanes(std::string_view method);

/// For one instruction set, by its own lane_kernels.cpp; of tops that differ where `model` is nullptr.
template <Isa isa>
std::unique_ptr<LaneStepper> make_lane_stepper(std::string_view method, const Model* model);
/// The one for rkmk-dop853, by lane_dop853.cpp.
template <Isa isa>
std::unique_ptr<LaneStepper> make_dop853_lanes(const Model* model);

}  // namespace torsor::batch
