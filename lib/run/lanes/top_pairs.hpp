#pragma once

#include <memory>
#include <string_view>

#include "run/lanes/lane_step.hpp"

namespace torsor::mechanics {

/// The steps of a single top by a method with an ExplicitPair. nullptr for another method.
std::unique_ptr<LaneStepper> make_top_pair(std::string_view method);

}  // namespace torsor::mechanics
