#include "switching_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>

#include "compensated_time.hpp"
#include "error_budget.hpp"
#include "model/words.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// If this many steps in a row end at a kink, the motion may stay on a kink.
constexpr int chatter_limit = 1000;

/// Values of switching functions are cut at this size, because interpolation between infinite values gives NaN.
/// Its square is finite.
constexpr double largest_value = 1e150;

/// A switching function that at the start of a step is not on its side, or rests at 0, is evaluated at these fractions
/// of the time until it has left its side, given as exponents of 2.
constexpr int parts_near_start[] = {-30, -20, -15, -10, -5, -1, 0};

/// Functions of the time alone are examined at the inner ends of this number of Chebyshev intervals of each step, since
/// no period divides the lengths of all of them.
constexpr int points_within = 16;

bool contains(const std::vector<int>& kinks, std::size_t k) {
  return std::find(kinks.begin(), kinks.end(), static_cast<int>(k)) != kinks.end();
}

}  // namespace

SwitchingWatch::SwitchingWatch(const System& system, double begin, double end, double tolerance)
    : system_(system),
      switching_(system.switching()),
      begin_(begin),
      end_(end),
      tolerance_(tolerance),
      limit_(end),
      kink_at_(never) {
  if (!switching_) return;
  sides_.assign(static_cast<std::size_t>(switching_->kinks()), 1);
  values_.resize(switching_->kinks());
  before_.resize(switching_->kinks());
  inside_.resize(switching_->kinks());
}

void SwitchingWatch::start(State& x) {
  if (!switching_) return;
  switching_->sample(begin_, begin_, x.q, x.v);
  switching_->hold({});
  take_sides(begin_, x);
  rounding_.setZero(switching_->kinks());
  find_rounding(begin_, x);
  find_limit(begin_);
}

/// Adapts the rounding errors of the switching functions to the state x.
void SwitchingWatch::find_rounding(double t, const State& x) {
  if (sides_.empty()) return;
  const Vec here = rounding_of(system_, t, x, [this](double at, const State& moved) {
    functions_beside(at, moved, values_);
    return values_;
  });
  rounding_ = rounding_.cwiseMax(here);
}

void SwitchingWatch::go_back(double t, const std::vector<signed char>& sides) {
  if (!switching_) return;
  sides_ = sides;
  switching_->hold(sides_);
  kink_at_ = never;
  crossed_.clear();
  settled_.clear();
  at_start_.known = false;
  find_limit(t);
}

/// Sets the side of each kink that is not in settled_ from the value of its switching function; 0 stays 0. The
/// functions of outer kinks depend on the sides of inner ones, so all are evaluated again until no side changes.
void SwitchingWatch::take_sides(double t, const State& x) {
  bool changed = !sides_.empty();
  for (std::size_t depth = 0; changed && depth <= sides_.size(); ++depth) {
    changed = false;
    switching_->functions(t, x.q, x.v, values_);
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      if (contains(settled_, k)) continue;
      const double now = values_[static_cast<Eigen::Index>(k)];
      const signed char side = now < 0 ? -1 : now == 0 ? 0 : 1;
      changed = changed || side != sides_[k];
      sides_[k] = side;
    }
    switching_->hold(sides_);
  }
}

void SwitchingWatch::find_limit(double t) {
  const double sample = switching_->next_sample(begin_, t);
  limit_ = std::min({end_, kink_at_, sample < end_ - time_resolution(end_) ? sample : end_});
}

/// The value of a switching function times its side: negative on the other side. The side 0 counts as 1. If a branch
/// that is not taken evaluates to NaN, its switching functions are NaN too and count as on their sides.
double SwitchingWatch::on_side(const Left& left, double t, const State& x) {
  if (left.of_time)
    switching_->functions_of_time(t, values_);
  else
    switching_->functions(t, x.q, x.v, values_);
  const bool negative = sides_[static_cast<std::size_t>(left.kink)] < 0;
  const double value = negative ? -values_[left.kink] : values_[left.kink];
  return std::isnan(value) ? 1 : std::clamp(value, -largest_value, largest_value);
}

/// The time from t until the function leaves its side; 0 if it is not on its side at t nor at the fractions
/// parts_near_start of the time until `left.s`.
double SwitchingWatch::locate(const Left& left, double t, double h, const State& x, const State& x_end,
                              const SideStep& side) {
  const auto along = [&](double s) {
    if (!left.of_time && s < h) side(s, x_);
    return on_side(left, t + s, s < h ? x_ : x_end);
  };
  double from = 0, at_from = on_side(left, t, x);
  for (const int power : parts_near_start) {
    if (at_from > 0 || power == 0) break;
    from = std::ldexp(left.s, power), at_from = along(from);
  }
  if (!(at_from > 0)) return 0;
  return zero_between(along, t, from, left.s, at_from, along(left.s));
}

bool SwitchingWatch::has_left(std::size_t k, const Vec& values) const {
  const double value = values[static_cast<Eigen::Index>(k)];
  return sides_[k] == 0 ? value < 0 || value > 0 : value * sides_[k] < 0;
}

void SwitchingWatch::find_left_of_time(double t, double h) {
  left_.clear();
  for (int i = 1; i < points_within; ++i) {
    const double root = std::sin(std::numbers::pi / 2 * i / points_within), s = h * root * root;
    if (!switching_->functions_of_time(t + s, values_)) break;
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      const auto is_k = [k](const Left& each) { return each.kink == static_cast<int>(k); };
      if (has_left(k, values_) && std::none_of(left_.begin(), left_.end(), is_k))
        left_.push_back({static_cast<int>(k), s, true});
    }
  }
}

/// The switching functions at a state beside the motion. They are NaN if they fail, since no step needs them there.
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

/// A time at which function k has just left its side for the first time within the step; infinity if it does not.
double SwitchingWatch::first_change(std::size_t k, double t, const State& x, double h, const SideStep& side) {
  const auto i = static_cast<Eigen::Index>(k);
  const auto point = [&](double s, const Values& at) {
    const double value = sides_[k] * std::clamp(at.values[i], -largest_value, largest_value);
    return PointOfFunction{s, s > 0 ? value : std::max(value, 0.),
                           at.known ? sides_[k] * at.rates[i] : std::nan("")};
  };
  const auto at = [&](double s, double d) {
    side(s, x_);
    find_values(t + s, x_, d, within_);
    return point(s, within_);
  };
  const auto search = [&] {
    changes_.find(point(0, at_start_), point(h, at_end_), sides_[k] * inside_[i], rounding_[i], at, true);
  };
  search();
  if (changes_.too_many()) find_rounding(t, x), search();
  const auto& found = changes_.found();
  if (found.empty() && changes_.too_many())
    throw EvaluationError(
        StepStatus::callback_failed,
        switching_->name(static_cast<int>(k)) +
            " may have so many kinks in one step that they cannot be told apart: set a smaller max_step");
  return found.empty() || !(found.front().second.value < 0) ? never : found.front().second.s;
}

/// Finds the functions that are not on their side within the step or at its end. At a known kink, the functions that
/// cross there may be on either side.
void SwitchingWatch::find_left(double t, const State& x, double h, const State& x_end, const SideStep& side) {
  find_left_of_time(t, h);
  const bool at_kink = t + h >= kink_at_ - time_resolution(kink_at_);
  if (!at_start_.known) find_values(t, x, part_for_rates * h, at_start_);
  find_values(t + h, x_end, -part_for_rates * h, at_end_);
  interpolate_part(system_, x, h, x_end, x_);
  functions_beside(t + part_before * h, x_, inside_);
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const auto is_k = [k](const Left& each) { return each.kink == static_cast<int>(k); };
    if (at_kink && contains(crossed_, k)) continue;
    if (std::any_of(left_.begin(), left_.end(), is_k)) continue;
    const double first = sides_[k] == 0 ? never : first_change(k, t, x, h, side);
    if (first < h || has_left(k, at_end_.values))
      left_.push_back({static_cast<int>(k), std::min(first, h), false});
  }
}

/// Gives each function that rested at 0 the side on which it is soon after it leaves 0. Returns whether a function
/// leaves 0. A function that leaves 0 later than another one, or after the time `first` of a crossing, keeps the side
/// 0: it may leave 0 only because an inner kink is held beyond its crossing.
bool SwitchingWatch::leaves_zero(double t, State& x, double h, const State& x_end, double first,
                                 const SideStep& side) {
  const std::vector<signed char> before = sides_;
  const auto rests = [&](const Left& left) { return before[static_cast<std::size_t>(left.kink)] == 0; };
  double until = first;
  for (const Left& left : left_)
    if (rests(left)) until = std::min(until, left.s);
  for (const int power : parts_near_start) {
    const double s = std::ldexp(until, power);
    if (s == first) break;
    for (const Left& left : left_) {
      if (!rests(left)) continue;
      if (!left.of_time && s < h) side(s, x_);
      const double value = on_side(left, t + s, s < h ? x_ : x_end);
      if (value == 0) continue;
      sides_[static_cast<std::size_t>(left.kink)] = value < 0 ? -1 : 1;
      settled_.push_back(left.kink);
    }
    if (sides_ != before) break;
  }
  if (sides_ == before) return false;
  switching_->hold(sides_);
  take_sides(t, x);
  x.memory.resize(0);
  return true;
}

bool SwitchingWatch::crosses(double t, State& x, double h, const State& x_end, const SideStep& side) {
  if (sides_.empty()) return false;
  find_left(t, x, h, x_end, side);
  if (left_.empty()) {
    std::swap(at_start_, at_end_);
    return false;
  }
  at_start_.known = false;
  double first = never;
  std::vector<std::pair<double, int>> found;
  for (const Left& left : left_) {
    if (sides_[static_cast<std::size_t>(left.kink)] == 0) continue;
    found.emplace_back(locate(left, t, h, x, x_end, side), left.kink);
    first = std::min(first, found.back().first);
  }
  if (leaves_zero(t, x, h, x_end, first, side)) return true;
  crossed_.clear();
  for (const auto& [s, k] : found)
    if (s <= first + time_resolution(t + h)) crossed_.push_back(k);
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
/// the sides of the other kinks. A state (t, x) that is not at the crossing shows this.
void SwitchingWatch::find_flipped(double t, const State& x) {
  flipped_ = crossed_;
  if (crossed_.size() < 2) return;
  switching_->functions(t, x.q, x.v, before_);
  const auto depends = [&](int kink) {
    std::vector<signed char> sides = sides_;
    for (const int k : crossed_)
      if (k != kink) sides[static_cast<std::size_t>(k)] *= -1;
    switching_->hold(sides);
    switching_->functions(t, x.q, x.v, values_);
    return values_[kink] < before_[kink] || values_[kink] > before_[kink];
  };
  std::erase_if(flipped_, depends);
  if (flipped_.empty()) flipped_ = crossed_;  // each depends on another
  switching_->hold(sides_);
}

/// The velocity residuals of the constraints.
Vec SwitchingWatch::velocity_rows(double t, const State& x) const {
  const ConstrainedSystem* const constrained = system_.constrained();
  Vec rows(constrained ? constrained->rows() : 0);
  if (constrained) constrained->velocity_residual(t, x.q, x.v, rows);
  return rows;
}

/// Throws if the velocity rows jump by `change` at a kink. The state there has an error, since more than one step may
/// have led to the kink; the rows of continuous functions change by no more than errors of the state explain.
void SwitchingWatch::check_jump(double t, const State& x, const Vec& change) const {
  const auto rounded = [&](bool time_too) {
    const auto rows = [&](double at, const State& moved) { return velocity_rows(time_too ? at : t, moved); };
    return rounding_of(system_, t, x, rows);
  };
  const Vec most = (rounded(true) / std::sqrt(rounding)).cwiseMax(tolerance_ / rounding * rounded(false));
  if (!((change.cwiseAbs() - most).maxCoeff() > 0)) return;
  throw EvaluationError(
      StepStatus::callback_failed,
      at_time("the value of " + switching_->name(crossed_.front()) + " jumps", t) +
          ": a velocity cannot jump; use a continuous function, such as the sine of an angle by atan2");
}

/// Whether many steps in a row have ended at a kink, and the functions of the last crossing did not leave 0 inside the
/// step by more than the error of the state.
bool SwitchingWatch::stays_on_kink(double t, const State& x) {
  if (++in_a_row_ < chatter_limit) return false;
  in_a_row_ = 0;
  const Vec rounded = rounding_of(system_, t, x, [&](double, const State& moved) {
    functions_beside(t, moved, values_);
    return values_;
  });
  const double roundings = tolerance_ / rounding;
  return std::all_of(crossed_.begin(), crossed_.end(),
                     [&](int k) { return std::abs(inside_[k]) <= roundings * rounded[k]; });
}

/// Crosses the kinks at t. They keep their new sides until the next step, since rounding decides the signs of their
/// functions here; but one that the crossing brought to 0 exactly may rest there.
void SwitchingWatch::cross(double t, const State& x) {
  if (++without_progress_ > 4 * static_cast<int>(sides_.size()) || stays_on_kink(t, x))
    throw EvaluationError(
        StepStatus::callback_failed,
        at_time(switching_->name(crossed_.front()) +
                    " changes its branch again and again: on both sides of the jump the motion "
                    "returns to the jump. Make the function continuous: for example, "
                    "write clamp(x/width, -1, 1) in place of sign(x)",
                t));
  const Vec rows = velocity_rows(t, x);
  for (const int k : flipped_) sides_[static_cast<std::size_t>(k)] *= -1;
  switching_->hold(sides_);
  switching_->functions(t, x.q, x.v, values_);
  for (const int k : flipped_)
    if (values_[k] != 0 || without_progress_ > 1) settled_.push_back(k);
  take_sides(t, x);
  if (const Vec change = velocity_rows(t, x) - rows; !change.isZero(0)) check_jump(t, x, change);
  kink_at_ = never;
  crossed_.clear();
  find_limit(t);
}

bool SwitchingWatch::arrive(double t, State& x) {
  if (!switching_) return false;
  without_progress_ = 0;
  settled_.clear();
  if (t < kink_at_ - time_resolution(t)) in_a_row_ = 0;
  if (t < limit_ - time_resolution(t)) return false;
  at_start_.known = false;
  x.memory.resize(0);  // the values that a method keeps belong to the field before the kink or sample
  take_samples(t, x);
  const bool at_kink = t >= kink_at_ - time_resolution(t);
  if (at_kink) kink_at_ = never;
  if (at_kink && !crossed_.empty())
    cross(t, x);
  else
    take_sides(t, x);
  without_progress_ = 0;
  find_limit(t);
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

}  // namespace torsor::mechanics
