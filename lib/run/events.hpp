#pragma once

#include <functional>
#include <string>
#include <vector>

#include "torsor/run/simulate.hpp"

namespace torsor::mechanics {

/// Watches event functions over accepted steps and finds where they cross zero.
class EventWatch {
 public:
  /// Computes the state x at the time s after the start of the step.
  using SideStep = std::function<void(double s, State& x)>;

  explicit EventWatch(const std::vector<Event>& events) : events_(events) {}

  /// Evaluates the functions at the start. All functions here throw EvaluationError if an event function
  /// throws or is not finite.
  void start(double t, const State& x);

  /// The crossings in the step from t to t + h in the order of time, without the first `seen` seconds,
  /// which an earlier call has examined. Reaching zero is a crossing, leaving zero is not. Two crossings of
  /// one function within one step are not detected.
  const std::vector<EventRecord>& cross(double t, double h, const State& x_end, const SideStep& side,
                                        double seen);

 private:
  double value(std::size_t i, double t, const State& x) const;
  double locate(std::size_t i, double t, double h, double at_end, const SideStep& side, double seen);
  void guard_against_chatter(std::size_t i, bool crossed);

  const std::vector<Event>& events_;
  std::vector<double> value_;
  std::vector<int> crossed_in_a_row_;
  std::vector<EventRecord> found_;
  State x_;
};

}  // namespace torsor::mechanics
