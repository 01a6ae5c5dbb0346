#include "explicit_stepper.hpp"
#include "torsor/integrators/commutator_free.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_lie_euler() {
  return std::make_unique<ExplicitStepper>(explicit_method<LieEuler>());
}

}  // namespace torsor
