#include "explicit_stepper.hpp"
#include "torsor/integrators/commutator_free.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_cf4() { return std::make_unique<ExplicitStepper>(explicit_method<Cf4>()); }

}  // namespace torsor
