#include <algorithm>
#include <cmath>
#include <functional>

#include "compensated_time.hpp"
#include "switching_watch.hpp"

// The part of SwitchingWatch that finds when switching functions leave their sides, and which of them change sides.

namespace torsor::mechanics {
namespace {

/// A switching function that at the start of a step is not on its side, or rests at 0, is evaluated at these fractions
/// of the time until it has left its side, given as exponents of 2.
constexpr int parts_near_start[] = {-30, -20, -15, -10, -5, -1, 0};

}  // namespace

/// The switching functions at the time s after the start of a step; if `of_time`, those of the time alone.
void SwitchingWatch::functions_along(const Step& step, double s, bool of_time, Vec& out) {
  if (of_time) {
    switching_->functions_of_time(step.t + s, out);
    return;
  }
  if (s > 0 && s < step.h) step.side(s, x_);
  const State& x = s <= 0 ? step.x : s < step.h ? x_ : step.x_end;
  switching_->functions(step.t + s, x.q, x.v, out);
}

/// The value of a switching function times its side: negative on the other side. The side 0 counts as 1. If a branch
/// that is not taken evaluates to NaN, its switching functions are NaN too and count as on their sides.
double SwitchingWatch::on_side(int kink, const Vec& values) const {
  const double value = sides_[static_cast<std::size_t>(kink)] < 0 ? -values[kink] : values[kink];
  return std::isnan(value) ? 1 : std::clamp(value, -largest_value, largest_value);
}

/// The time from t until the function leaves its side; 0 if it is not on its side at t nor at the fractions
/// parts_near_start of the time until `left.s`.
double SwitchingWatch::locate(const Left& left, const Step& step) {
  const auto along = [&](double s) {
    functions_along(step, s, left.of_time, values_);
    return on_side(left.kink, values_);
  };
  double from = 0, at_from = along(0);
  for (const int power : parts_near_start) {
    if (at_from > 0 || power == 0) break;
    from = std::ldexp(left.s, power), at_from = along(from);
  }
  if (!(at_from > 0)) return 0;
  return zero_between(std::cref(along), step.t, from, left.s, at_from, along(left.s));
}

/// The first time at which a function in left_ leaves its side; sets Left::at where it is not later than the resolution
/// of time after the first time. Many functions may leave at one time. A function that is on its side until after the
/// time of another one leaves later, so it need not be located, and of all functions one evaluation shows this. Of the
/// functions that leave earlier, the one whose chord does so first comes next.
double SwitchingWatch::find_first(const Step& step) {
  const double near = time_resolution(step.t + step.h);
  double first = never;
  open_.clear();
  for (Left& left : left_)
    if (sides_[static_cast<std::size_t>(left.kink)] != 0) open_.push_back(&left);
  while (!open_.empty()) {
    const auto next = std::min_element(open_.begin(), open_.end(),
                                       [](const Left* a, const Left* b) { return a->chord < b->chord; });
    const double at = (*next)->at = locate(**next, step);
    open_.erase(next);
    if (at < first && !open_.empty()) leave_later_out(step, at, near);
    first = std::min(first, at);
  }
  return first;
}

/// Removes the functions from open_ that leave their sides later than the time `first`, and those that leave within
/// `near` of it.
void SwitchingWatch::leave_later_out(const Step& step, double first, double near) {
  const bool of_time =
      std::all_of(open_.begin(), open_.end(), [](const Left* left) { return left->of_time; });
  functions_along(step, std::max(first - near, 0.), of_time, before_);
  functions_along(step, std::min(first + near, step.h), of_time, values_);
  std::erase_if(open_, [&](Left* left) {
    const double begin = on_side(left->kink, at_start_.values), before = on_side(left->kink, before_);
    left->chord = begin > 0 && before < 0 ? begin / (begin - before) : 0;
    if (!(before > 0) || left->s < first) return false;
    if (!(on_side(left->kink, values_) > 0)) left->at = first;
    return left->at == first || left->s > first + near;
  });
}

/// Gives each function that rested at 0 the side on which it is soon after it leaves 0. Returns whether a function
/// leaves 0. A function that leaves 0 later than another one, or after the time `first` of a crossing, keeps the side
/// 0: it may leave 0 only because an inner kink is held beyond its crossing.
bool SwitchingWatch::leaves_zero(const Step& step, State& x, double first) {
  const std::vector<signed char> before = sides_;
  const auto rests = [&](const Left& left) { return before[static_cast<std::size_t>(left.kink)] == 0; };
  if (std::none_of(left_.begin(), left_.end(), rests)) return false;
  double until = first;
  for (const Left& left : left_)
    if (rests(left)) until = std::min(until, left.s);
  for (const int power : parts_near_start) {
    const double s = std::ldexp(until, power);
    if (s == first) break;
    for (const bool of_time : {true, false}) {
      const auto concerns = [&](const Left& left) { return rests(left) && left.of_time == of_time; };
      if (std::none_of(left_.begin(), left_.end(), concerns)) continue;
      functions_along(step, s, of_time, values_);
      for (const Left& left : left_) {
        if (!concerns(left)) continue;
        const double value = on_side(left.kink, values_);
        if (value == 0) continue;
        sides_[static_cast<std::size_t>(left.kink)] = value < 0 ? -1 : 1;
        settled_[static_cast<std::size_t>(left.kink)] = 1;
      }
    }
    if (sides_ != before) break;
  }
  if (sides_ == before) return false;
  switching_->hold(sides_);
  take_sides(step.t, x);
  x.memory.resize(0);
  return true;
}

bool SwitchingWatch::crosses(double t, State& x, double h, const State& x_end, const SideStep& side) {
  if (sides_.empty()) return false;
  const Step step{t, h, x, x_end, side};
  find_left(step);
  if (left_.empty()) {
    std::swap(at_start_, at_end_);
    return false;
  }
  at_start_.known = false;
  const double first = find_first(step);
  if (leaves_zero(step, x, first)) return true;
  crossed_.clear();
  for (const Left& left : left_)
    if (left.at < never && left.at <= first + time_resolution(t + h)) crossed_.push_back(left.kink);
  find_flipped(t + h, x_end);
  kink_at_ = t + first;
  if (first <= time_resolution(t)) {
    x.memory.resize(0);
    cross(t, x);
  } else {
    find_limit(t);
  }
  return true;
}

/// Finds the kinks in crossed_ that change their side. The function of an outer kink may leave its side only because an
/// inner kink is held on its side beyond the crossing: an example is max(t, 1) < t at t = 1. Such a function depends on
/// the sides of the other kinks. A state (t, x) that is not at the crossing shows this. No function depends on its own
/// side, so all sides are changed at once.
void SwitchingWatch::find_flipped(double t, const State& x) {
  flipped_ = crossed_;
  if (crossed_.size() < 2) return;
  switching_->functions(t, x.q, x.v, before_);
  std::vector<signed char> sides = sides_;
  for (const int k : crossed_) sides[static_cast<std::size_t>(k)] *= -1;
  switching_->hold(sides);
  switching_->functions(t, x.q, x.v, values_);
  switching_->hold(sides_);
  const auto depends = [this](int k) { return values_[k] < before_[k] || values_[k] > before_[k]; };
  std::erase_if(flipped_, depends);
  if (flipped_.empty()) flipped_ = crossed_;  // each depends on another
}

}  // namespace torsor::mechanics
