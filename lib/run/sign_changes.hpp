#pragma once

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "torsor/integrators/system.hpp"

namespace torsor::mechanics {

/// A function along a step: its value and its rate at the time s after the start of the step. A rate that is
/// not known is NaN.
struct PointOfFunction {
  double s = 0, value = 0, rate = 0;
};

/// The part of the distance between two points of a function over which differences give its rate: the cube
/// root of the rounding of a number, so that rounding and the curvature of the function change the rate
/// little.
inline constexpr double part_for_rates = 6e-6;
/// Intervals are divided at this part, that of the golden section, since no period fits into both
/// parts a whole number of times.
inline constexpr double part_before = 0.381966011250105;

/// Parts of a step at which functions are compared with their interpolation: multiples of part_before, less
/// whole numbers.
inline constexpr std::array<double, 5> parts_inside{part_before, 2 * part_before, 3 * part_before - 1,
                                                    4 * part_before - 1, 5 * part_before - 1};

/// The value of a function at a part of an interval; NaN if it is not known.
struct ValueAtPart {
  double part, value;
};

/// Finds where a function changes its sign in a step, also more than once. Between two points, Hermite's
/// cubic through the values and the rates, and an estimate of its error, show that the function has no zero
/// or one zero. Otherwise the interval is divided. The function may have several periods in a step, with equal
/// values and rates at both ends. So the cubic must also be near the values of the function inside the step, at
/// states of an interpolated motion, and near the value inside each interval that is not divided. If it is not
/// near the value where an interval is divided, both parts are divided again.
class SignChanges {
 public:
  /// The function at the time s, with differences over `d` for the rate.
  using At = std::function<PointOfFunction(double s, double d)>;
  using Interval = std::pair<PointOfFunction, PointOfFunction>;
  using TimeInterval = std::pair<double, double>;

  /// Finds the intervals between a and b in which the function reaches or crosses zero, each once, in the
  /// order of time. `inside`: approximate values inside the interval. `noise`: the rounding error of values.
  /// `first`: stops at the first interval.
  void find(const PointOfFunction& a, const PointOfFunction& b, std::span<const ValueAtPart> inside,
            double noise, const At& at, bool first = false);
  /// Finds the first of these intervals. The function may have very many zeros in the step, apart by about
  /// `gap`; 0: not known. A part of the step that is a few times longer is then searched first, then a part
  /// that is as many times longer, and so on.
  void find_first(const PointOfFunction& a, const PointOfFunction& b, std::span<const ValueAtPart> inside,
                  double gap, double noise, const At& at);
  const std::vector<Interval>& found() const { return found_; }
  /// Whether the last call gave up, because the function has too many zeros.
  bool too_many() const { return evaluations_ >= most_evaluations; }

 private:
  static constexpr int most_evaluations = 1000;
  void search(const PointOfFunction& a, const PointOfFunction& b, double noise, const At& at, bool first,
              int depth, bool divide);

  std::vector<Interval> found_;
  int evaluations_ = 0;
};

/// The zero of f between `from` and `to`, to the resolution of time. All three are times after the start t of
/// a step, in seconds. The values at_from and at_to of f at both ends have opposite signs.
double zero_between(const std::function<double(double s)>& f, double t, double from, double to,
                    double at_from, double at_to);

/// The state at the time d after (t, x), to first order in d; empty if the acceleration cannot be computed,
/// or if it is mostly rounding since the step comes near a singular configuration.
void look_ahead(const System& system, double t, const State& x, double d, State& out);

/// Approximate states inside a step, by Hermite's cubic. Full turns of joints within the step are kept. The
/// memory is kept from one step to the next.
class InterpolatedStep {
 public:
  /// A step of size h from x to x_end.
  void begin(const System& system, const State& x, double h, const State& x_end);
  /// The state at a part of the step.
  void at(const System& system, const State& x, double part, State& out);

 private:
  double h_ = 0;
  Vec change_, rate_at_end_, v_change_, xi_;
};

/// Evaluates functions at states beside a motion; keeps the memory for these states.
class StatesBeside {
 public:
  /// The values of functions.
  using At = std::function<void(double t, const State& x, Vec& out)>;

  /// How much the rounding of t and of the state x, in the error norm of the system, can change the values of
  /// functions. The result is valid until the next call.
  const Vec& rounding_of(const System& system, double t, const State& x, const At& at);

 private:
  void add_change(const At& at, double t, const State& x);

  Vec values_, moved_values_, all_, none_, direction_, xi_;
  State moved_;
};

}  // namespace torsor::mechanics
