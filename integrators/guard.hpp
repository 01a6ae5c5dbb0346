#pragma once

#include <cmath>
#include <exception>
#include <new>
#include <string>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Runs the body of a step. The body returns a status and changes the state only if that status is
/// `accepted`. An exception from an evaluation becomes a status with a message, so no exception but
/// std::bad_alloc, which is not a failure of the motion, leaves a stepper.
template <class Body>
StepStatus guarded(std::string& message, Part& part, double h, const Body& body) {
  message.clear();
  part = {};
  if (!std::isfinite(h)) {
    message = "the step size is not a finite number";
    return StepStatus::non_finite;
  }
  if (h == 0) {
    message = "the step size is zero";
    return StepStatus::underflow;
  }
  try {
    return body();
  } catch (const EvaluationError& failure) {
    message = failure.what();
    part = failure.part;
    return failure.status;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    message = failure.what();
  } catch (...) {
    message = "the system threw an object that is not an exception";
  }
  return StepStatus::callback_failed;
}

/// Whether all numbers of the new state are finite. If not, the message names the configuration or the
/// velocity.
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
