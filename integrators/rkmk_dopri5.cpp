#include "explicit_stepper.hpp"
#include "torsor/integrators/rkmk.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_dopri5() { return std::make_unique<ExplicitStepper<RkmkDopri5>>(); }

}  // namespace torsor
