#pragma once

#include <vector>

#include "torsor/coordinates/system_in_coordinates.hpp"
#include "torsor/run/trajectory.hpp"

namespace torsor {

/// Integrates a system in coordinates, as `run` of trajectory.hpp integrates a model. The acceleration
/// residual of the samples is the greater residual of the equations of motion and of the rows, each relative
/// to its greatest term, or to 1 if all its terms are smaller. It is 0 with the treatment `minimal` and for a
/// reduced motion, whose accelerations belong to another velocity. The method integrates the work along with
/// the motion: the work of all forces that are not -dU, and the work done where metric, potential and rows
/// depend on time. Throws std::invalid_argument if the options are not usable with the system. The treatment
/// in the CoordinateOptions of the system, which decides the equations, must equal that in `options`, which
/// decides the form of the method.
Trajectory run(const SystemInCoordinates& system, const State& start, const SimulationOptions& options,
               const std::vector<EventSpec>& events = {}, const SampleSink& sink = {});

}  // namespace torsor
