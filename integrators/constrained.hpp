#pragma once

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// The system with its constraints, nullptr where it has none.
inline const ConstrainedSystem* as_constrained(const System& system) {
  const auto* constrained = dynamic_cast<const ConstrainedSystem*>(&system);
  return constrained && constrained->rows() > 0 ? constrained : nullptr;
}

}  // namespace torsor
