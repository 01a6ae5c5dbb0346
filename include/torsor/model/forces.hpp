#pragma once

#include <string>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// Everything that is wrong with the forces of a mechanism, one sentence each, naming the force; empty when
/// they can be evaluated. `Model` refuses a mechanism for these reasons.
std::vector<std::string> why_forces_invalid(const Mechanism& mechanism);

}  // namespace torsor
