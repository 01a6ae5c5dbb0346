#include "switching_watch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>

#include "compensated_time.hpp"
#include "error_budget.hpp"
#include "model/words.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// If this many steps in a row end at a kink, the motion may stay on a kink.
constexpr int kinks_in_a_row = 1000;

/// The number of times within a step whose values are kept. The search for one kink rarely asks for more.
constexpr int kept_within = 32;

}  // namespace

SwitchingWatch::SwitchingWatch(const System& system, double begin, double end, double tolerance)
    : system_(system),
      switching_(system.switching()),
      begin_(begin),
      end_(end),
      tolerance_(tolerance),
      limit_(end),
      kink_at_(never),
      crossing_times_(switching_) {
  if (!switching_) return;
  sides_.assign(static_cast<std::size_t>(switching_->kinks()), 1);
  values_.resize(switching_->kinks());
  before_.resize(switching_->kinks());
  for (Vec& one : inside_) one.resize(switching_->kinks());
  within_.resize(sides_.empty() ? 0 : kept_within);
  settled_.assign(sides_.size(), 0);
}

void SwitchingWatch::start(State& x) {
  if (!switching_) return;
  switching_->sample(begin_, begin_, x.q, x.v);
  switching_->hold({});
  take_sides(begin_, x);
  rounding_.setZero(switching_->kinks());
  find_rounding(begin_, x);
  sample_at_ = switching_->next_sample(begin_, begin_);
  find_limit();
}

/// Adapts the rounding errors of the switching functions to the state x.
void SwitchingWatch::find_rounding(double t, const State& x) {
  if (sides_.empty()) return;
  const auto functions = [this](double at, const State& moved, Vec& out) {
    out.resize(switching_->kinks());
    functions_beside(at, moved, out);
  };
  rounding_ = rounding_.cwiseMax(beside_.rounding_of(system_, t, x, functions));
}

void SwitchingWatch::go_back(double t, const std::vector<signed char>& sides) {
  if (!switching_) return;
  sides_ = sides;
  switching_->hold(sides_);
  kink_at_ = never;
  crossed_.clear();
  settled_.assign(sides_.size(), 0);
  at_start_.known = false;
  sample_at_ = switching_->next_sample(begin_, t);
  find_limit();
}

/// Sets the side of each kink that is not settled from the value of its switching function; 0 stays 0. The
/// functions of outer kinks depend on the sides of inner ones, so all are evaluated again until no side
/// changes.
void SwitchingWatch::take_sides(double t, const State& x) {
  bool changed = !sides_.empty();
  for (std::size_t depth = 0; changed && depth <= sides_.size(); ++depth) {
    changed = false;
    switching_->functions(t, x.q, x.v, values_);
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      if (settled_[k]) continue;
      const double now = values_[static_cast<Eigen::Index>(k)];
      const signed char side = now < 0 ? -1 : now == 0 ? 0 : 1;
      changed = changed || side != sides_[k];
      sides_[k] = side;
    }
    switching_->hold(sides_);
  }
}

void SwitchingWatch::find_limit() {
  limit_ = std::min({end_, kink_at_, sample_at_ < end_ - time_resolution(end_) ? sample_at_ : end_});
}

bool SwitchingWatch::has_left(std::size_t k, double value) const {
  return sides_[k] == 0 ? value < 0 || value > 0 : value * sides_[k] < 0;
}

void SwitchingWatch::fail_of_many_kinks(int k) const {
  throw EvaluationError(StepStatus::callback_failed,
                        switching_->name(k) +
                            " may have so many kinks in one step that they cannot be told "
                            "apart: set a smaller step, or a smaller max_step under a tolerance");
}

/// Functions of the time alone need no other search.
void SwitchingWatch::find_left_of_time(double t, double h) {
  left_.clear();
  found_.assign(sides_.size(), 0);
  const auto at = [&](double s, Vec& values) {
    values.resize(switching_->kinks());
    return switching_->functions_of_time(t + s, values);
  };
  const bool to_kink = t + h >= kink_at_ - time_resolution(kink_at_);
  const auto has_left = [&](std::size_t k, double s, double value) {
    const bool at_kink = to_kink && s >= h &&
                         std::find(crossed_.begin(), crossed_.end(), static_cast<int>(k)) != crossed_.end();
    return !at_kink && this->has_left(k, value);
  };
  const auto left = [&](std::size_t k, double from, double s) {
    left_.push_back({static_cast<int>(k), s, true, from});
  };
  if (!scan_.scan(h, std::cref(at), std::cref(has_left), std::cref(left))) return;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    found_[k] = scan_.is_of_time(k) ? 1 : 0;
    if (found_[k] && !scan_.is_complete()) fail_of_many_kinks(static_cast<int>(k));
  }
}

/// The switching functions at a state beside the motion. They are NaN if they fail, since no step needs them
/// there.
void SwitchingWatch::functions_beside(double t, const State& x, Vec& out) const {
  try {
    switching_->functions(t, x.q, x.v, out);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

/// The switching functions at (t, x), and their rates by differences over the time d.
void SwitchingWatch::find_values(double t, const State& x, double d, Values& out) {
  out.values.resize(switching_->kinks()), out.rates.resize(switching_->kinks());
  switching_->functions(t, x.q, x.v, out.values);
  look_ahead(system_, t, x, d, ahead_);
  out.known = ahead_.v.size() > 0;
  if (!out.known) return;
  functions_beside(t + d, ahead_, out.rates);
  out.rates = (out.rates - out.values) / d;
}

/// The values at the time s after the start of the step, with differences over the time d. The searches for
/// the kinks of different functions ask for them at the same times, so the last ones of the step are kept.
const SwitchingWatch::Values& SwitchingWatch::values_within(const SwitchingStep& step, double s, double d) {
  const auto end = within_.begin() + static_cast<std::ptrdiff_t>(std::min(count_within_, within_.size()));
  const auto known =
      std::find_if(within_.begin(), end, [&](const Values& at) { return at.s == s && at.d == d; });
  if (known != end) return *known;
  Values& out = within_[count_within_++ % within_.size()];
  step.side(s, x_);
  out.s = out.d = std::nan("");  // if a function throws
  find_values(step.t + s, x_, d, out);
  out.s = s, out.d = d;
  return out;
}

/// A time before which function k is on its side, and a time at which it has just left this side for the
/// first time within the step; infinity if it does not.
SignChanges::TimeInterval SwitchingWatch::first_change(std::size_t k, const SwitchingStep& step) {
  const auto i = static_cast<Eigen::Index>(k);
  const auto point = [&](double s, const Values& at) {
    const double value =
        sides_[k] * std::clamp(at.values[i], -largest_switching_value, largest_switching_value);
    return PointOfFunction{s, s > 0 ? value : std::max(value, 0.),
                           at.known ? sides_[k] * at.rates[i] : std::nan("")};
  };
  const auto at = [&](double s, double d) { return point(s, values_within(step, s, d)); };
  std::array<ValueAtPart, parts_inside.size()> inside{};
  for (std::size_t p = 0; p < inside.size(); ++p) inside[p] = {parts_inside[p], sides_[k] * inside_[p][i]};
  const auto search = [&] {
    changes_.find_first(point(0, at_start_), point(step.h, at_end_), inside, gap_, rounding_[i],
                        std::cref(at));
  };
  search();
  if (changes_.too_many()) find_rounding(step.t, step.x), search();
  const auto& found = changes_.found();
  if (found.empty() && changes_.too_many()) fail_of_many_kinks(static_cast<int>(k));
  if (found.empty() || !(found.front().second.value < 0)) return {0, never};
  return {found.front().first.s, found.front().second.s};
}

/// Finds the functions that are not on their side within the step or at its end. At a known kink, the
/// functions that cross there may be on either side.
void SwitchingWatch::find_left(const SwitchingStep& step) {
  const auto& [t, h, x, x_end, side, sides] = step;
  find_left_of_time(t, h);
  count_within_ = 0;
  if (t + h >= kink_at_ - time_resolution(kink_at_))
    for (const int k : crossed_) found_[static_cast<std::size_t>(k)] = 1;
  if (!at_start_.known) find_values(t, x, part_for_rates * h, at_start_);
  find_values(t + h, x_end, -part_for_rates * h, at_end_);
  interpolated_.begin(system_, x, h, x_end);
  for (std::size_t p = 0; p < parts_inside.size(); ++p) {
    interpolated_.at(system_, x, parts_inside[p], x_);
    functions_beside(t + parts_inside[p] * h, x_, inside_[p]);
  }
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (found_[k]) continue;
    const auto [from, first] = sides_[k] == 0 ? SignChanges::TimeInterval{0, never} : first_change(k, step);
    if (first < h || has_left(k, at_end_.values[static_cast<Eigen::Index>(k)]))
      left_.push_back({static_cast<int>(k), std::min(first, h), false, from});
  }
}

/// The velocity residuals of the constraints.
void SwitchingWatch::velocity_rows(double t, const State& x, Vec& out) const {
  const ConstrainedSystem* const constrained = system_.constrained();
  out.resize(constrained ? constrained->rows() : 0);
  if (constrained) constrained->velocity_residual(t, x.q, x.v, out);
}

/// Throws if the velocity rows jump by `change` at a kink. The state there has an error, since more than one
/// step may have led to the kink; the rows of continuous functions change by no more than errors of the state
/// explain.
void SwitchingWatch::check_jump(double t, const State& x, const Vec& change) {
  const auto rounded = [&](bool time_too) -> const Vec& {
    return beside_.rounding_of(system_, t, x, [&](double at, const State& moved, Vec& out) {
      velocity_rows(time_too ? at : t, moved, out);
    });
  };
  Vec most = rounded(true) / std::sqrt(rounding);
  most = most.cwiseMax(tolerance_ / rounding * rounded(false));
  if (!(change.array().abs() > most.array()).any()) return;
  throw EvaluationError(StepStatus::callback_failed,
                        at_time("the value of " + switching_->name(crossed_.front()) + " jumps", t) +
                            ": a velocity cannot jump; use a continuous function, such as the sine of an "
                            "angle that atan2 gives");
}

/// Whether many steps in a row have ended at a kink, and the functions of the last crossing did not leave 0
/// inside the step by more than the error of the state.
bool SwitchingWatch::stays_on_kink(double t, const State& x) {
  if (++in_a_row_ < kinks_in_a_row) return false;
  in_a_row_ = 0;
  const Vec& rounded = beside_.rounding_of(system_, t, x, [&](double, const State& moved, Vec& out) {
    out.resize(switching_->kinks());
    functions_beside(t, moved, out);
  });
  const double roundings = tolerance_ / rounding;
  return std::all_of(crossed_.begin(), crossed_.end(),
                     [&](int k) { return std::abs(inside_[0][k]) <= roundings * rounded[k]; });
}

/// Crosses the kinks at t. They keep their new sides until the next step, since rounding decides the signs of
/// their functions here. A kink may rest at 0 if the crossing has brought its function to 0 exactly.
void SwitchingWatch::cross(double t, const State& x) {
  if (++without_progress_ > 4 * static_cast<int>(sides_.size()) || stays_on_kink(t, x))
    throw EvaluationError(
        StepStatus::callback_failed,
        at_time(switching_->name(crossed_.front()) +
                    " changes its branch again and again: on both sides of the jump the motion "
                    "returns to the jump. Make the function continuous: for example, "
                    "write clamp(x/width, -1, 1) in place of sign(x)",
                t));
  velocity_rows(t, x, rows_);
  for (const int k : flipped_) sides_[static_cast<std::size_t>(k)] *= -1;
  switching_->hold(sides_);
  switching_->functions(t, x.q, x.v, values_);
  for (const int k : flipped_)
    if (values_[k] != 0 || without_progress_ > 1) settled_[static_cast<std::size_t>(k)] = 1;
  take_sides(t, x);
  velocity_rows(t, x, rows_after_);
  rows_after_ -= rows_;
  if (!rows_after_.isZero(0)) check_jump(t, x, rows_after_);
  kink_at_ = never;
  crossed_.clear();
  find_limit();
}

bool SwitchingWatch::arrive(double t, State& x) {
  if (!switching_) return false;
  without_progress_ = 0;
  settled_.assign(sides_.size(), 0);
  if (t < kink_at_ - time_resolution(t)) in_a_row_ = 0;
  if (t < limit_) return false;
  at_start_.known = false;
  x.memory.resize(0);  // the values that a method keeps belong to the field before the kink or sample
  if (switching_->next_sample(begin_, t) > sample_at_) take_samples(t, x);
  const bool at_kink = t >= kink_at_ - time_resolution(t);
  if (at_kink) kink_at_ = never;
  if (at_kink && !crossed_.empty())
    cross(t, x);
  else
    take_sides(t, x);
  without_progress_ = 0;
  sample_at_ = switching_->next_sample(begin_, t);
  find_limit();
  return true;
}

/// A sample can change a switching function by a jump. The jump is not a crossing.
void SwitchingWatch::take_samples(double t, State& x) {
  if (!sides_.empty()) switching_->functions(t, x.q, x.v, before_);
  switching_->sample(begin_, t, x.q, x.v);
  if (sides_.empty()) return;
  switching_->functions(t, x.q, x.v, values_);
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (values_[i] == before_[i]) continue;
    std::erase(crossed_, static_cast<int>(k));
    std::erase(flipped_, static_cast<int>(k));
  }
}

/// Gives each function that rested at 0 the side on which it is soon after it leaves 0. Returns whether a
/// function leaves 0. A function that leaves 0 later than another one, or after the time `first` of a
/// crossing, keeps the side 0: it may leave 0 only because an inner kink is held beyond its crossing.
bool SwitchingWatch::leaves_zero(const SwitchingStep& step, State& x, double first) {
  const std::vector<signed char> before = sides_;
  const auto rests = [&](const LeftSide& left) { return before[static_cast<std::size_t>(left.kink)] == 0; };
  if (std::none_of(left_.begin(), left_.end(), rests)) return false;
  double until = first;
  for (const LeftSide& left : left_)
    if (rests(left)) until = std::min(until, left.s);
  for (const int power : parts_near_start) {
    const double s = std::ldexp(until, power);
    if (s == first) break;
    for (const bool of_time : {true, false}) {
      const auto concerns = [&](const LeftSide& left) { return rests(left) && left.of_time == of_time; };
      if (std::none_of(left_.begin(), left_.end(), concerns)) continue;
      crossing_times_.functions_along(step, s, of_time, values_);
      for (const LeftSide& left : left_) {
        if (!concerns(left)) continue;
        const double value = on_side(left.kink, values_, sides_);
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
  const SwitchingStep step{t, h, x, x_end, side, sides_};
  find_left(step);
  if (left_.empty()) {
    std::swap(at_start_, at_end_);
    return false;
  }
  at_start_.known = false;
  const double first = crossing_times_.find_first(step, at_start_.values, left_);
  if (leaves_zero(step, x, first)) return true;
  crossed_.clear();
  for (const LeftSide& left : left_)
    if (left.at < never && left.at <= first + time_resolution(t + h)) crossed_.push_back(left.kink);
  find_flipped(t + h, x_end);
  kink_at_ = t + first;
  gap_ = std::max(kink_at_ - last_kink_, gap_before_);
  gap_before_ = kink_at_ - last_kink_, last_kink_ = kink_at_;
  if (first <= time_resolution(t)) {
    x.memory.resize(0);
    cross(t, x);
  } else {
    find_limit();
  }
  return true;
}

/// Finds the kinks in crossed_ that change their side. The function of an outer kink may leave its side only
/// because an inner kink is held on its side beyond the crossing: an example is max(t, 1) < t at t = 1. Such
/// a function depends on the sides of the other kinks. A state (t, x) that is not at the crossing shows this.
/// No function depends on its own side, so all sides are changed at once.
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
