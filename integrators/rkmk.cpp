// The Runge-Kutta-Munthe-Kaas methods with steppers of Boost.Odeint.
#include "explicit_stepper.hpp"
#include "make.hpp"
#include "torsor/integrators/detail/rkmk_odeint.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk4() { return std::make_unique<ExplicitStepper>(explicit_method<Rkmk4>()); }
std::unique_ptr<Stepper> make_rkmk_ck54() {
  return std::make_unique<ExplicitStepper>(explicit_method<RkmkCk54>());
}

}  // namespace torsor
