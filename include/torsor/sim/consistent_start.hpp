#pragma once

#include <string>
#include <vector>

#include "torsor/model/start.hpp"

namespace torsor {

/// What becomes of a start that the constraints do not allow: an error with every residual, or the nearest
/// state that they do allow.
enum class Consistency { error, project };

/// The state of a model, in either formulation, from what is given of its start at the time t:
///
///   1. make_start along the spanning tree;
///   2. coordinates (rates) of which nothing is given are solved for, the least change that closes the loops;
///   3. what then is off by rounding (1e-9 m, rad and their rates, relative to the mechanism's size) is
///   projected along the metric; what is off by more is an error, or projected as well (`project`).
///
/// `notes` tells how far `project` moved what was given. Accelerations and multipliers follow from the state.
/// Throws StartError with one reason for each joint or constraint that is not met.
State consistent_start(const Model& model, const Start& start, double t = 0,
                       Consistency consistency = Consistency::error,
                       std::vector<std::string>* notes = nullptr);

}  // namespace torsor
