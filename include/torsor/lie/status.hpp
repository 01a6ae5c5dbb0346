#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace torsor {

/// How a step or a run ended. Not a bool, so that the caller learns the reason.
enum class StepStatus {
  accepted,         ///< the step was accepted
  reached_end,      ///< the run came to its end time
  event,            ///< a stopping event was located
  rejected,         ///< the error estimate, or a rotation by half a turn, requires a smaller step
  underflow,        ///< the step size fell below 16 eps max(1, |t|) or min_step
  newton_failed,    ///< the nonlinear solve of an implicit method stalled
  singular,         ///< the mass matrix or the constraints lost rank
  non_finite,       ///< a state, velocity or acceleration is not a finite number
  callback_failed,  ///< a user's force, field or event function threw or returned a non-finite number
  constraint_lost,  ///< the constraints can no longer be met
  step_limit,       ///< the greatest number of steps was taken
  cancelled,        ///< the caller asked to stop, or the wall-time limit passed
  energy_lost,  ///< the run came to its end, and the errors of its steps do not explain the drift of energy
  connection_lost,  ///< the connection of the equations of motion does not give the motion at an output
};

/// "reached-end", "newton-failed", ...: the spelling in result files and messages.
std::string_view to_string(StepStatus status);

/// A part of a mechanism: the `index`-th of its bodies, joints, constraints or forces, from 0.
struct Part {
  enum class Kind { none, body, joint, constraint, force };
  Kind kind = Kind::none;
  int index = -1;
};

/// Thrown within a step by an evaluation that cannot continue (a user's force that threw, a singular mass
/// matrix). A stepper catches the error, returns its status and keeps its message.
class EvaluationError : public std::runtime_error {
 public:
  EvaluationError(StepStatus why, const std::string& message, Part where = {})
      : std::runtime_error(message), status(why), part(where) {}
  StepStatus status;
  Part part;  ///< the part of the mechanism that cannot be evaluated, if it is a single one
};

}  // namespace torsor
