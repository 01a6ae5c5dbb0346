#include "torsor/integrators/rkmk_order8.hpp"

#include "explicit_stepper.hpp"
#include "make.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_dop853() { return std::make_unique<ExplicitStepper<RkmkDop853>>(); }
std::unique_ptr<Stepper> make_rkmk_dopri8() { return std::make_unique<ExplicitStepper<RkmkDopri8>>(); }

}  // namespace torsor
