// All Runge-Kutta-Munthe-Kaas methods. The build compiles this source alone, not in a group, so a change of
// explicit_pair.hpp does not compile a group again.
#include "torsor/integrators/rkmk.hpp"

#include "explicit_stepper.hpp"
#include "make.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk4() { return std::make_unique<ExplicitStepper<Rkmk4>>(); }
std::unique_ptr<Stepper> make_rkmk_ck54() { return std::make_unique<ExplicitStepper<RkmkCk54>>(); }
std::unique_ptr<Stepper> make_rkmk_dopri5() { return std::make_unique<ExplicitStepper<RkmkDopri5>>(); }
std::unique_ptr<Stepper> make_rkmk_fehlberg78() {
  return std::make_unique<ExplicitStepper<RkmkFehlberg78>>();
}
std::unique_ptr<Stepper> make_rkmk_dop853() { return std::make_unique<ExplicitStepper<RkmkDop853>>(); }
std::unique_ptr<Stepper> make_rkmk_dopri8() { return std::make_unique<ExplicitStepper<RkmkDopri8>>(); }

}  // namespace torsor
