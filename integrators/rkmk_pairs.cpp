// The Runge-Kutta-Munthe-Kaas methods with an ExplicitPair. The build compiles this source alone, not in a
// group, so a change of explicit_pair.hpp does not compile a group again.
#include "explicit_stepper.hpp"
#include "make.hpp"
#include "torsor/integrators/detail/rkmk_dopri5.hpp"
#include "torsor/integrators/detail/rkmk_fehlberg78.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor {

namespace {

/// With steps for one coordinate, two, a rotating body, and a free body.
template <template <class> class Method>
std::unique_ptr<Stepper> make_sized() {
  return std::make_unique<ExplicitStepper>(explicit_method<Method, 1, 2, 3, 6>());
}

}  // namespace

std::unique_ptr<Stepper> make_rkmk_fehlberg78() { return make_sized<RkmkFehlberg78>(); }
std::unique_ptr<Stepper> make_rkmk_dopri5() { return make_sized<RkmkDopri5>(); }
std::unique_ptr<Stepper> make_rkmk_dop853() { return make_sized<RkmkDop853>(); }
std::unique_ptr<Stepper> make_rkmk_dopri8() { return make_sized<RkmkDopri8>(); }

}  // namespace torsor
