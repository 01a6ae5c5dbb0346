#pragma once

#include "torsor/integrators/system.hpp"

namespace torsor::mechanics {

/// The first step size of an error-controlled run (step_control.hpp), from the field (v, a) in the
/// exponential chart of the start: its size, and its rate of change by a short explicit Euler step, which
/// does not lead beyond t + span. Evaluates two accelerations and throws their exceptions. If the second one
/// is singular, the rate of change is left out instead. The result is not finite if the first one is not.
double first_step(const System& system, const State& start, double t, double span, int error_order,
                  double tolerance);

}  // namespace torsor::mechanics
