#include "explicit_stepper.hpp"
#include "torsor/integrators/rkmk.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_fehlberg78() {
  return std::make_unique<ExplicitStepper<RkmkFehlberg78>>();
}

}  // namespace torsor
