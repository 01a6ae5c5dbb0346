#include "explicit_stepper.hpp"
#include "torsor/integrators/commutator_free.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_cg3() { return std::make_unique<ExplicitStepper>(explicit_method<Cg3>()); }
std::unique_ptr<Stepper> make_cg4() { return std::make_unique<ExplicitStepper>(explicit_method<Cg4>()); }

}  // namespace torsor
