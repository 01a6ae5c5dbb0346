#pragma once

#include <memory>
#include <string_view>

#include "integrators/step_taker.hpp"

namespace torsor::mechanics {

/// Takes the steps of a single top or spherical pendulum under constant uniform gravity, by a method that is
/// compiled for it as a whole. nullptr for another system or method.
std::unique_ptr<StepTaker> make_top_taker(const System& system, std::string_view method);

}  // namespace torsor::mechanics
