#include "torsor/integrators/rkmk_ck54.hpp"

#include "explicit_stepper.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_ck54() { return std::make_unique<ExplicitStepper<RkmkCk54>>(); }

}  // namespace torsor
