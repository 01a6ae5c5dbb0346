#include "explicit_stepper.hpp"
#include "make.hpp"
#include "torsor/integrators/rkmk.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk4() { return std::make_unique<ExplicitStepper<Rkmk4>>(); }

}  // namespace torsor
