#pragma once

#include <string>
#include <vector>

#include "torsor/batch/compare.hpp"
#include "torsor/io/plot.hpp"

namespace torsor::batch {

std::string error_label(const Comparison& all);

/// Units of the residuals of positions and velocities; empty where only the formulas of the scene know.
std::string position_unit(const Comparison& all);
std::string velocity_unit(const Comparison& all);
/// "position residual (m or rad)".
std::string position_label(const Comparison& all);
std::string velocity_label(const Comparison& all);

/// Error over computing time, evaluations and the step (or tolerance), then over it drift and residuals,
/// where there are any. Colour tells the method, the mark the method and the treatment of constraints, a
/// hollow mark the second formulation, dashes the second group.
std::vector<Plot> diagrams(const Comparison& all);

}  // namespace torsor::batch
