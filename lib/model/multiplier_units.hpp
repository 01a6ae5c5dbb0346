#pragma once

#include <string>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// The units of a constraint's multipliers, row by row: "N" or "N m"; empty where the unit depends on the law
/// (a sum of displacements and angles, rows of a user's function).
std::vector<std::string> multiplier_units(const Constraint& constraint, const Mechanism& mechanism);

}  // namespace torsor
