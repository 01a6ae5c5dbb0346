#pragma once

#include <string>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// Compares the derivatives of the constraint rows that a system gives with differences of its values, along
/// the motion q exp(s v) from the state x at t with constant velocity:
///
///   d/ds phi = psi,     d/ds psi = gamma.
///
/// `why` then names a row with a derivative that is certainly wrong, and `part` is its joint or constraint.
/// Returns whether there is one. There is no verdict on rows that are not smooth at the start or have no
/// values around it, nor on systems with own states, which the rows may depend on. `span`: of the run, s.
bool has_wrong_derivative(const ConstrainedSystem& system, double t, const State& x, double span,
                          std::string& why, Part& part);

}  // namespace torsor::mechanics
