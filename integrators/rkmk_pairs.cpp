// The Runge-Kutta-Munthe-Kaas methods with an ExplicitPair. The build compiles this source alone, not in a
// group, so a change of explicit_pair.hpp does not compile a group again.
#include "explicit_stepper.hpp"
#include "make.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor {

/// One coordinate, two, a rotating body, a free body.
template <template <class> class Method>
using SizedStepper = ExplicitStepper<Method, 1, 2, 3, 6>;

std::unique_ptr<Stepper> make_rkmk_fehlberg78() { return std::make_unique<SizedStepper<RkmkFehlberg78>>(); }
std::unique_ptr<Stepper> make_rkmk_dopri5() { return std::make_unique<SizedStepper<RkmkDopri5>>(); }
std::unique_ptr<Stepper> make_rkmk_dop853() { return std::make_unique<SizedStepper<RkmkDop853>>(); }
std::unique_ptr<Stepper> make_rkmk_dopri8() { return std::make_unique<SizedStepper<RkmkDopri8>>(); }

}  // namespace torsor
