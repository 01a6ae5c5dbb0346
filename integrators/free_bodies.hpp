#pragma once

#include <optional>
#include <string>

#include "constrained.hpp"
#include "torsor/integrators/euler_poincare.hpp"

namespace torsor {

/// Why a method for a constant left-invariant metric and forces f(t, q) cannot integrate this system, or
/// nothing.
inline std::optional<std::string> why_not_invariant(const System& system) {
  const EulerPoincare* const equations = system.euler_poincare();
  const auto why =
      equations ? equations->why_not() : "the system, unlike one of rigid bodies, does not provide them";
  if (!why) return std::nullopt;
  return "the method needs a constant mass matrix in body axes and forces that depend on position and time "
         "alone: " +
         *why;
}

/// The same for a method that also requires a system without constraints. Where rattlie cannot integrate the
/// system either, the message names rkmk-dop853: explicit methods take every system.
inline std::optional<std::string> why_not_free_bodies(const System& system) {
  auto why = why_not_invariant(system);
  if (!as_constrained(system)) return why;
  return std::string("the method cannot integrate a system with constraints; ") +
         (why ? "rkmk-dop853 can" : "rattlie can");
}

}  // namespace torsor
