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

/// Whether a motion by xi from q to q_next turned some rotation by pi or more, where a single exponential no
/// longer tells how far it went and the charts come near their singularity at 2 pi. Below pi / sqrt 3 in each
/// coordinate no angle of a space rotation reaches pi, so the logarithm is taken for large steps alone.
class TurnCheck {
 public:
  template <class Xi>
  bool too_far(const System& system, const Vec& q, const Vec& q_next, const Xi& xi, std::string& message) {
    constexpr double certainly_near = 1.8137;
    if (xi.template lpNorm<Eigen::Infinity>() < certainly_near) return false;
    difference_.resize(xi.size());
    system.local_difference(q, q_next, difference_);
    difference_ -= xi;
    const double gap = difference_.template lpNorm<Eigen::Infinity>();
    if (gap <= 1e-6 * (1 + xi.template lpNorm<Eigen::Infinity>())) return false;
    message = "a rotation of more than half a turn in one step";
    return true;
  }

 private:
  Vec difference_;
};

}  // namespace torsor
