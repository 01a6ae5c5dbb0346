#pragma once

#include "torsor/integrators/system.hpp"

namespace torsor::sim {

/// The first step of an error-controlled run (step_control.hpp) in the chart at the start, where the field is
/// (v, a): its size and, by a short explicit Euler step, how fast it changes. Two accelerations; throws what
/// they throw, and is not finite when the one at the start isn't.
double first_step(const System& system, const State& start, double t, int error_order, double tolerance);

}  // namespace torsor::sim
