#include "explicit_stepper.hpp"
#include "torsor/integrators/rkmk.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_ck54() { return std::make_unique<ExplicitStepper<RkmkCk54>>(); }

}  // namespace torsor
