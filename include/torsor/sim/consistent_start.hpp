#pragma once

#include <string>
#include <vector>

#include "torsor/integrators/treatment.hpp"
#include "torsor/model/start.hpp"

namespace torsor {

/// What becomes of a start that the constraints do not allow: an error with every residual, or the nearest
/// state that they do allow.
enum class Consistency { error, project };

/// The state of a model, in either formulation, from what is given of its start at the time t:
///
///   1. start_coordinates and start_rates along the spanning tree;
///   2. what is not given is solved for, by the least change that meets the constraints: coordinates (rates)
///   of
///      joints of which nothing is given, and where that does not do, all that are not given themselves, with
///      the poses (velocities) of bodies kept as far as they are given;
///   3. what then is off by rounding (1e-9 m, rad and their rates, relative to the mechanism's size) is
///      projected along the metric; what is off by more is an error, or projected as well (`project`).
///
/// Where the `treatment` is viscous, rows of velocities give way to friction: a start may miss them, but does
/// so only if the given values require it.
///
/// `notes` tells how far `project` moved what was given. Accelerations and multipliers follow from the state.
/// Throws StartError with one reason for each joint or constraint that is not met.
State consistent_start(const Model& model, const Start& start, double t = 0,
                       Consistency consistency = Consistency::error,
                       std::vector<std::string>* notes = nullptr, Treatment treatment = Treatment::index_1);

}  // namespace torsor
