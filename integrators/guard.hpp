#pragma once

#include <cmath>
#include <exception>
#include <string>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Runs the body of a step, which returns its status and leaves the state alone unless that is `accepted`,
/// and turns what an evaluation throws into a status with a message: nothing leaves a stepper.
template <class Body>
StepStatus guarded(std::string& message, double h, const Body& body) {
  message.clear();
  if (!std::isfinite(h)) {
    message = "the step is not a finite number";
    return StepStatus::non_finite;
  }
  if (h == 0) {
    message = "the step is zero";
    return StepStatus::underflow;
  }
  try {
    return body();
  } catch (const EvaluationError& failure) {
    message = failure.what();
    return failure.status;
  } catch (const std::exception& failure) {
    message = failure.what();
  } catch (...) {
    message = "the system threw something that is not an exception";
  }
  return StepStatus::callback_failed;
}

/// Whether the new state is made of finite numbers; the message says which half is not.
inline bool finite(const State& x, std::string& message) {
  if (!x.q.allFinite())
    message = "the new configuration is not finite";
  else if (!x.v.allFinite())
    message = "the new velocity is not finite";
  else
    return true;
  return false;
}

}  // namespace torsor
