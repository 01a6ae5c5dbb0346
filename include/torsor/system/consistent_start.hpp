#pragma once

#include <array>
#include <string>
#include <vector>

#include "torsor/integrators/treatment.hpp"
#include "torsor/model/start.hpp"

namespace torsor {

/// How to treat an inconsistent start: report an error with every residual, or project the start to the
/// nearest state that meets the constraints.
enum class Consistency { error, project };

/// The state of a model, in either formulation, from the given values of its start at the time t:
///
///   1. start_coordinates and start_rates give coordinates and rates along the spanning tree.
///   2. The least change that meets the constraints determines the values that are not given: first the
///      coordinates (rates) of joints without given values; if that is not enough, all coordinates (rates)
///      that are not given themselves, with the given poses (velocities) of bodies kept as far as possible.
///   3. Residuals up to rounding (1e-9 m, rad and their rates for a mechanism of 1 m; docs/methods.md) are
///      projected out along the metric. Greater residuals are an error, or are projected out as well
///      (`project`).
///
/// Where the `treatment` is viscous, friction replaces the rows in velocities. The start may violate these
/// rows, but does so only if the given values require it.
///
/// `notes` receives how far `project` moved given values, and `angles` the angles of each joint with full
/// turns, as in Joint::angles_near. Accelerations and multipliers follow from the state. Throws StartError
/// with one reason for each joint or constraint that is not met.
State consistent_start(const Model& model, const Start& start, double t = 0,
                       Consistency consistency = Consistency::error,
                       std::vector<std::string>* notes = nullptr, Treatment treatment = Treatment::index_1,
                       std::vector<std::array<double, 2>>* angles = nullptr);

}  // namespace torsor
