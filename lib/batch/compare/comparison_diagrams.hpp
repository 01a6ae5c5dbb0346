#pragma once

#include <string>
#include <vector>

#include "torsor/batch/compare.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::batch {

std::string error_label(const Comparison& all);

/// Units of the position and velocity residuals; empty for a system in coordinates, whose formulas decide
/// the unit.
std::string position_unit(const Comparison& all);
std::string velocity_unit(const Comparison& all);
/// "position residual (m or rad)".
std::string position_label(const Comparison& all);
std::string velocity_label(const Comparison& all);

/// Error over computing time, over evaluations and over the step size (or tolerance). Then drift and
/// residuals over the step size (or tolerance), where there are any. The colour shows the method, the mark
/// shows the method, the treatment of constraints and the connection, a hollow mark shows the second
/// formulation, and dashes show the second group and a method that has the colour of an earlier one.
std::vector<io::Plot> diagrams(const Comparison& all);

}  // namespace torsor::batch
