#pragma once

#include <string>

#include "support/greatest.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::test {

/// The message with which a start is refused, or "accepted".
inline std::string refusal(const Model& model, const Start& start,
                           Consistency consistency = Consistency::error) {
  try {
    consistent_start(model, start, 0, consistency);
  } catch (const StartError& error) {
    return error.what();
  }
  return "accepted";
}

/// A term that is the rate of the first coordinate of the first joint.
inline VelocityLaw::Term joint_rate() {
  VelocityLaw::Term term;
  term.quantity = VelocityLaw::Term::Quantity::joint_rate;
  return term;
}

/// The greatest residual of the constraints at t.
inline double residual(const Model& model, const State& x, double t = 0) {
  const MechanismSystem system(model, 1);
  Vec phi(system.rows()), psi(system.rows());
  system.position_residual(t, x.q, phi);
  system.velocity_residual(t, x.q, x.v, psi);
  return greatest(phi, psi);
}

}  // namespace torsor::test
