#pragma once

#include <span>
#include <vector>

#include "trial_step.hpp"

namespace torsor::mechanics {

/// States inside a main step, for outputs and events: each is the end of a side step from the start of the
/// step, with the same method. Where rounding disturbs side steps near a singular configuration, a state is
/// the value of a polynomial through states of the main step with little rounding error, since the motion is
/// smooth.
class StatesInside {
 public:
  /// `noise_limit`: the greatest error due to rounding that a side step may have.
  StatesInside(const System& system, TrialStep& steps, double noise_limit)
      : system_(system), steps_(steps), noise_limit_(noise_limit) {}

  /// Prepares for the step of size h from (t, start) to `end`. Keeps references to both states.
  void begin(double t, const State& start, double h, const State& end);

  /// The state x at the time s after the start of the step. Throws EvaluationError.
  void at(double s, State& x);

 private:
  /// A state inside the step: the time s after its start, the error due to rounding, xi = log(q_start^-1 q),
  /// and v.
  struct Inside {
    double s, noise;
    Vec xi, v;
  };

  void at_near_singular(double s, State& x);
  void find_states();
  double interpolate(double s, std::size_t count, State& x) const;
  static std::vector<double> lagrange(double s, std::span<const Inside* const> through);

  const System& system_;
  TrialStep& steps_;
  const double noise_limit_;
  double t_ = 0, h_ = 0;
  const State *start_ = nullptr, *end_ = nullptr;
  std::vector<Inside> states_;  ///< sorted by noise; empty if they are not needed yet
};

}  // namespace torsor::mechanics
