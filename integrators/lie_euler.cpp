#include "torsor/integrators/lie_euler.hpp"

#include "explicit_stepper.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_lie_euler() { return std::make_unique<ExplicitStepper<LieEuler>>(); }

}  // namespace torsor
