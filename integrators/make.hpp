#pragma once

#include <memory>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

// The methods that other methods use for their first steps and along geodesics.
std::unique_ptr<Stepper> make_rkmk4();
std::unique_ptr<Stepper> make_rkmk_dop853();

}  // namespace torsor
