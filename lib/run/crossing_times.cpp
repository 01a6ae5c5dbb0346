#include "crossing_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compensated_time.hpp"
#include "sign_changes.hpp"

namespace torsor::mechanics {

double on_side(int kink, const Vec& values, const std::vector<signed char>& sides) {
  const double value = sides[static_cast<std::size_t>(kink)] < 0 ? -values[kink] : values[kink];
  return std::isnan(value) ? 1 : std::clamp(value, -largest_switching_value, largest_switching_value);
}

CrossingTimes::CrossingTimes(const Switching* switching) : switching_(switching) {
  if (!switching_) return;
  values_.resize(switching_->kinks());
  before_.resize(switching_->kinks());
}

void CrossingTimes::functions_along(const SwitchingStep& step, double s, bool of_time, Vec& out) {
  if (of_time) {
    switching_->functions_of_time(step.t + s, out);
    return;
  }
  if (s > 0 && s < step.h) step.side(s, x_);
  const State& x = s <= 0 ? step.x : s < step.h ? x_ : step.x_end;
  switching_->functions(step.t + s, x.q, x.v, out);
}

/// The time from t until the function leaves its side; 0 if it is on its side neither at `left.from`, nor at
/// t, nor at the fractions parts_near_start of the time until `left.s`.
double CrossingTimes::locate(const LeftSide& left, const SwitchingStep& step) {
  const auto along = [&](double s) {
    functions_along(step, s, left.of_time, values_);
    return on_side(left.kink, values_, step.sides);
  };
  double from = left.from, at_from = along(from);
  if (!(at_from > 0) && from > 0) from = 0, at_from = along(0);
  for (const int power : parts_near_start) {
    if (at_from > 0 || power == 0) break;
    from = std::ldexp(left.s, power), at_from = along(from);
  }
  if (!(at_from > 0)) return 0;
  return zero_between(std::cref(along), step.t, from, left.s, at_from, along(left.s));
}

/// Many functions may leave their sides at one time. A function that is still on its side when another one
/// leaves need not be located, and one evaluation shows this for all functions. Of the functions that leave
/// earlier, the one whose chord is first at 0 is located next.
double CrossingTimes::find_first(const SwitchingStep& step, const Vec& at_start,
                                 std::vector<LeftSide>& left) {
  const double near = time_resolution(step.t + step.h);
  double first = never;
  open_.clear();
  for (LeftSide& one : left)
    if (step.sides[static_cast<std::size_t>(one.kink)] != 0) open_.push_back(&one);
  while (!open_.empty()) {
    const auto next = std::min_element(
        open_.begin(), open_.end(), [](const LeftSide* a, const LeftSide* b) { return a->chord < b->chord; });
    const double at = (*next)->at = locate(**next, step);
    open_.erase(next);
    if (at < first && !open_.empty()) leave_later_out(step, at_start, at, near);
    first = std::min(first, at);
  }
  return first;
}

/// Removes two kinds of functions from open_: functions that leave their sides after the time `first`, and
/// functions that leave within the time `near` of it.
void CrossingTimes::leave_later_out(const SwitchingStep& step, const Vec& at_start, double first,
                                    double near) {
  const bool of_time =
      std::all_of(open_.begin(), open_.end(), [](const LeftSide* left) { return left->of_time; });
  functions_along(step, std::max(first - near, 0.), of_time, before_);
  functions_along(step, std::min(first + near, step.h), of_time, values_);
  std::erase_if(open_, [&](LeftSide* left) {
    const double begin = on_side(left->kink, at_start, step.sides),
                 before = on_side(left->kink, before_, step.sides);
    left->chord = begin > 0 && before < 0 ? begin / (begin - before) : 0;
    if (!(before > 0) || left->s < first) return false;
    if (!(on_side(left->kink, values_, step.sides) > 0)) left->at = first;
    return left->at == first || left->s > first + near;
  });
}

}  // namespace torsor::mechanics
