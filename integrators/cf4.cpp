#include "torsor/integrators/cf4.hpp"

#include "explicit_stepper.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_cf4() { return std::make_unique<ExplicitStepper<Cf4>>(); }

}  // namespace torsor
