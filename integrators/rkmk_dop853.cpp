#include "torsor/integrators/rkmk_dop853.hpp"

#include "explicit_stepper.hpp"
#include "make.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_dop853() { return std::make_unique<ExplicitStepper<RkmkDop853>>(); }

}  // namespace torsor
