#pragma once

#include <optional>
#include <string>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// The system as a ConstrainedSystem, or nullptr if it has no constraints.
inline const ConstrainedSystem* as_constrained(const System& system) {
  const auto* constrained = dynamic_cast<const ConstrainedSystem*>(&system);
  return constrained && constrained->rows() > 0 ? constrained : nullptr;
}

/// Why a method that solves the equations of motion with the metric G cannot take the system, if it cannot.
inline std::optional<std::string> why_not_by_metric(const System& system) {
  const auto* constrained = as_constrained(system);
  if (!constrained || !constrained->mass_of_velocity()) return std::nullopt;
  return "under constraints it needs a mass matrix that does not depend on velocities";
}

}  // namespace torsor
