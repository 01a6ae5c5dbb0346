#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "torsor/integrators/system.hpp"

namespace torsor::mechanics {

/// The time of an event that does not occur.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Values of switching functions are limited to this size, because interpolation between infinite values
/// gives NaN. Its square is finite.
inline constexpr double largest_switching_value = 1e150;

/// A step of size h from (t, x) to x_end with its switching functions held on `sides`.
struct SwitchingStep {
  double t, h;
  const State& x;
  const State& x_end;
  const std::function<void(double s, State& x)>& side;  ///< computes the state x at the time s after t
  const std::vector<signed char>& sides;
};

/// A switching function that has left its side at the time s after the start of the step.
struct LeftSide {
  int kink;
  double s;
  bool of_time;       ///< whether it is a function of the time alone
  double from = 0;    ///< a time before s up to which it is on its side, s
  double at = never;  ///< when it left its side; `never` if this is not located
  double chord = 0;   ///< where its chord up to the time of another crossing is 0, as a fraction of this time
};

/// The value of a switching function times its side: negative on the other side. The side 0 counts as 1. If a
/// branch that is not taken evaluates to NaN, its switching functions are NaN too and count as on their
/// sides.
double on_side(int kink, const Vec& values, const std::vector<signed char>& sides);

/// Exponents n. A switching function that is not on its side at the start of a step, or rests at 0, is
/// evaluated at the fractions 2^n of LeftSide::s.
inline constexpr int parts_near_start[] = {-30, -20, -15, -10, -5, -1, 0};

/// Locates when switching functions leave their sides within a step.
class CrossingTimes {
 public:
  /// `switching`: nullptr if the field is smooth.
  explicit CrossingTimes(const Switching* switching);

  /// The first time after the start of the step at which a function in `left` leaves its side, s; infinite if
  /// all rest at 0. Sets LeftSide::at at least for the functions that leave within the resolution of time
  /// after the first time. `at_start`: the values of the switching functions at the start of the step.
  double find_first(const SwitchingStep& step, const Vec& at_start, std::vector<LeftSide>& left);

  /// The switching functions at the time s after the start of a step; if `of_time`, those of the time alone.
  void functions_along(const SwitchingStep& step, double s, bool of_time, Vec& out);

 private:
  double locate(const LeftSide& left, const SwitchingStep& step);
  void leave_later_out(const SwitchingStep& step, const Vec& at_start, double first, double near);

  const Switching* switching_;
  std::vector<LeftSide*> open_;  ///< functions that may leave before the first one that is located
  Vec values_, before_;
  State x_;
};

}  // namespace torsor::mechanics
