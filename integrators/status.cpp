#include "torsor/lie/status.hpp"

namespace torsor {

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::accepted:
      return "accepted";
    case StepStatus::reached_end:
      return "reached-end";
    case StepStatus::event:
      return "event";
    case StepStatus::rejected:
      return "rejected";
    case StepStatus::underflow:
      return "underflow";
    case StepStatus::newton_failed:
      return "newton-failed";
    case StepStatus::singular:
      return "singular";
    case StepStatus::non_finite:
      return "non-finite";
    case StepStatus::callback_failed:
      return "callback-failed";
    case StepStatus::constraint_lost:
      return "constraint-lost";
    case StepStatus::step_limit:
      return "step-limit";
    case StepStatus::cancelled:
      return "cancelled";
    case StepStatus::connection_lost:
      return "connection-lost";
    case StepStatus::energy_lost:
      return "energy-lost";
  }
  return "unknown";
}

}  // namespace torsor
