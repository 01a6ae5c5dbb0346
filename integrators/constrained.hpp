#pragma once

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// The system as a ConstrainedSystem, or nullptr if it has no constraints.
inline const ConstrainedSystem* as_constrained(const System& system) {
  const auto* constrained = system.constrained();
  return constrained && constrained->rows() > 0 ? constrained : nullptr;
}

}  // namespace torsor
