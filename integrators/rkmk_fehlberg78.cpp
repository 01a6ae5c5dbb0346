#include "torsor/integrators/rkmk_fehlberg78.hpp"

#include "explicit_stepper.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_rkmk_fehlberg78() {
  return std::make_unique<ExplicitStepper<RkmkFehlberg78>>();
}

}  // namespace torsor
