#include "events.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>

#include "compensated_time.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// If a function crosses zero in this many steps in a row, its crossings may be due to rounding.
constexpr int chatter_limit = 1000;

/// The greatest value of a function. Its rates are differences over times down to about 1e-16 s, and the
/// search for crossings takes sums of a few times these.
constexpr double greatest_value = 0x1p960;  // 1e289

/// A switching function is near zero below this multiple of its rounding error: half of the digits.
constexpr double near_zero = 0x1p26;

/// The time from a kink at t to the points beside it, s. The kink is known to the resolution of time.
double beside_kink(double t) { return time_resolution(t); }

int sign(double x) { return (x > 0) - (x < 0); }

[[noreturn]] void fail(const Event& event, const std::string& why) {
  throw EvaluationError(StepStatus::callback_failed, "event \"" + event.name + "\" " + why);
}

[[noreturn]] void fail_of_many_crossings(const Event& event) {
  fail(event,
       "crosses zero so often in one step that the crossings cannot be told apart: set a smaller step, or a "
       "smaller max_step under a tolerance");
}

/// Whether the event counts a crossing from the value `before`, by its direction.
bool is_wanted(const Event& event, double before) {
  return event.direction == 0 || event.direction == -sign(before);
}

/// NaN if the function fails.
double value_or_nan(const Event& event, double t, const State& x) {
  try {
    return event.function(t, x);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return std::nan("");
  }
}

}  // namespace

double EventWatch::value(std::size_t i, double t, const State& x) const {
  const Event& event = events_[i];
  double result = 0;
  try {
    result = event.function(t, x);
  } catch (const EvaluationError& error) {
    fail(event, std::string("failed at t = ") + text(t) + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(event, std::string("threw at t = ") + text(t) + ": " + error.what());
  } catch (...) {
    fail(event, std::string("threw an object that is not an exception at t = ") + text(t));
  }
  if (!std::isfinite(result)) fail(event, "is not a finite number at t = " + text(t));
  if (std::abs(result) > greatest_value)
    fail(event, "is " + brief(result) + " at t = " + text(t) + ", too large to compute its rate: scale it");
  return result;
}

void EventWatch::start(double t, const State& x) {
  value_.resize(events_.size());
  crossed_in_a_row_.assign(events_.size(), 0);
  for (std::size_t i = 0; i < events_.size(); ++i) value_[i] = value(i, t, x);
  forget_rates();
  if (events_.empty()) return;
  rounding_.setZero(static_cast<Eigen::Index>(events_.size()));
  find_rounding(t, x);
  find_kink_rounding(t, x);
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (std::abs(value_[i]) <= rounding_[static_cast<Eigen::Index>(i)]) value_[i] = 0;
}

/// Raises the rounding errors of the values to those at the state x, where these are greater.
void EventWatch::find_rounding(double t, const State& x) {
  const auto values = [this](double at, const State& moved, Vec& out) {
    out.resize(rounding_.size());
    for (Eigen::Index i = 0; i < out.size(); ++i)
      out[i] = value_or_nan(events_[static_cast<std::size_t>(i)], at, moved);
  };
  rounding_ = rounding_.cwiseMax(beside_.rounding_of(system_, t, x, values));
}

/// Sets the rounding errors of the switching functions at the state x.
void EventWatch::find_kink_rounding(double t, const State& x) {
  kink_rounding_.resize(events_.size()), kink_rest_.resize(events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].kinks <= 0 || !events_[i].switching) continue;
    const auto values = [&](double at, const State& moved, Vec& out) { switching(i, at, moved, out); };
    const Vec& found = beside_.rounding_of(system_, t, x, values);
    if (kink_rounding_[i].size() == 0)
      kink_rounding_[i].setZero(events_[i].kinks), kink_rest_[i].setZero(events_[i].kinks);
    kink_rounding_[i] = kink_rounding_[i].cwiseMax(found);
  }
}

/// The rate of a function with this value at t, by its difference over the time d up to `ahead_`.
double EventWatch::rate(std::size_t i, double value, double t, double d) const {
  return ahead_.v.size() == 0 ? std::nan("") : (value_or_nan(events_[i], t + d, ahead_) - value) / d;
}

void EventWatch::find_rates(double t, const State& x, double d, const std::vector<double>& values,
                            std::vector<double>& rates) {
  look_ahead(system_, t, x, d, ahead_);
  rates.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) rates[i] = rate(i, values[i], t, d);
}

const std::vector<EventRecord>& EventWatch::cross(double t, const State& x, double h, const State& x_end,
                                                  const SideStep& side, double seen) {
  found_.clear();
  if (events_.empty()) return found_;
  const double d = part_for_rates * (h - seen);
  if (rate_.empty() && seen > 0) side(seen, x_);
  if (rate_.empty()) find_rates(t + seen, seen > 0 ? x_ : x, d, value_, rate_);
  value_at_end_.resize(events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) value_at_end_[i] = value(i, t + h, x_end);
  find_rates(t + h, x_end, -d, value_at_end_, rate_at_end_);
  ahead_of_end_ = ahead_, knows_ahead_of_start_ = false;
  if (seen == 0) {
    interpolated_.begin(system_, x, h, x_end);
    for (std::size_t k = 0; k < parts_inside.size(); ++k)
      interpolated_.at(system_, x, parts_inside[k], inside_states_[k]);
  }
  for (std::size_t i = 0; i < events_.size(); ++i)
    guard_against_chatter(i, t + h, x_end, find_changes(i, t, h, x_end, side, seen));
  std::swap(value_, value_at_end_);
  std::swap(rate_, rate_at_end_);
  std::stable_sort(found_.begin(), found_.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.t < b.t; });
  return found_;
}

const std::vector<EventRecord>& EventWatch::jump(double t, const State& x) {
  found_.clear();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const double before = value_[i];
    value_[i] = value(i, t, x);
    const bool jumps = std::abs(value_[i] - before) > rounding_[static_cast<Eigen::Index>(i)];
    if (jumps && sign(before) != 0 && sign(value_[i]) != sign(before) && is_wanted(events_[i], before))
      found_.push_back({static_cast<int>(i), t, x});
  }
  return found_;
}

/// Records the crossings of one function. Returns whether there are any.
bool EventWatch::find_changes(std::size_t i, double t, double h, const State& x_end, const SideStep& side,
                              double seen) {
  const auto at = [&](double s, double d) {
    side(s, x_);
    const double now = value(i, t + s, x_);
    look_ahead(system_, t + s, x_, d, ahead_);
    return PointOfFunction{s, now, rate(i, now, t + s, d)};
  };
  bool any = false;
  const PointOfFunction from{seen, value_[i], rate_[i]}, to{h, value_at_end_[i], rate_at_end_[i]};
  std::array<ValueAtPart, parts_inside.size()> inside{};
  for (std::size_t k = 0; seen == 0 && k < inside.size(); ++k)
    inside[k] = {parts_inside[k], value_or_nan(events_[i], t + parts_inside[k] * h, inside_states_[k])};
  const double& noise = rounding_[static_cast<Eigen::Index>(i)];
  const auto search = [&](const PointOfFunction& a, const PointOfFunction& b,
                          std::span<const ValueAtPart> between) {
    changes_.find(a, b, between, noise, std::cref(at));
    intervals_.insert(intervals_.end(), changes_.found().begin(), changes_.found().end());
    return !changes_.too_many();
  };
  const auto search_part = [&](const PointOfFunction& a, const PointOfFunction& b) {
    const double between = at(a.s + part_before * (b.s - a.s), part_for_rates * (b.s - a.s)).value;
    return search(a, b, std::array{ValueAtPart{part_before, between}});
  };
  const auto search_all = [&] {
    intervals_.clear();
    if (kinks_.empty()) return search(from, to, std::span(inside).first(seen == 0 ? inside.size() : 0));
    PointOfFunction begin = from;
    for (const double kink : kinks_) {
      const double near = beside_kink(t + kink);
      const PointOfFunction before = at(kink - near, -part_for_rates * (kink - begin.s)),
                            after = at(kink + near, part_for_rates * (h - kink));
      if (!search_part(begin, before)) return false;
      if (sign(before.value) != 0 && sign(before.value) != sign(after.value))
        intervals_.emplace_back(before, after);
      begin = after;
    }
    return search_part(begin, to);
  };
  find_kinks(i, t, h, x_end, side, seen);
  bool complete = search_all();
  if (!complete) find_rounding(t + h, x_end), complete = search_all();
  for (const SignChanges::Interval& within : intervals_) {
    if (!is_wanted(events_[i], within.first.value)) continue;
    any = true;
    const double s = locate(i, t, side, within);
    if (s < h) side(s, x_);
    found_.push_back({static_cast<int>(i), t + s, s < h ? x_ : x_end});
  }
  if (!complete) fail_of_many_crossings(events_[i]);
  return any;
}

/// The switching functions of event i at (t, x); NaN where they have no value.
void EventWatch::switching(std::size_t i, double t, const State& x, Vec& out) const {
  out.setConstant(events_[i].kinks, std::nan(""));
  try {
    events_[i].switching(t, x, out.data());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {  // where it matters, the function of the event fails too
  }
}

/// Finds the times of the kinks of one function in the step, in the order of time. A switching function may
/// have no value beyond the zero of another one, as the root in `if(t < 5, abs(sqrt(5 - t) - 1), 0)`. So each
/// is searched between the zeros of those before it, in the parts at whose ends it has a value.
void EventWatch::find_kinks(std::size_t i, double t, double h, const State& x_end, const SideStep& side,
                            double seen) {
  kinks_.clear();
  const Eigen::Index count = events_[i].kinks;
  if (count <= 0 || !events_[i].switching) return;
  Eigen::Index k = 0;
  const double whole = part_for_rates * (h - seen);
  const auto ahead_at = [&](double s, double d, const State& x) -> const State& {
    if (s == h && d == -whole) return ahead_of_end_;
    const bool at_start = s == seen && d == whole;
    State& ahead = at_start ? ahead_of_start_ : ahead_;
    if (!at_start || !knows_ahead_of_start_) look_ahead(system_, t + s, x, d, ahead);
    if (at_start) knows_ahead_of_start_ = true;
    return ahead;
  };
  const SignChanges::At at = [&](double s, double d) {
    if (s < h) side(s, x_);
    const State& x = s < h ? x_ : x_end;
    switching(i, t + s, x, switching_);
    const double now = switching_[k];
    const State& ahead = ahead_at(s, d, x);
    if (ahead.v.size() == 0) return PointOfFunction{s, now, std::nan("")};
    switching(i, t + s + d, ahead, switching_ahead_);
    return PointOfFunction{s, now, (switching_ahead_[k] - now) / d};
  };
  std::vector<double> ends;
  for (k = 0; k < count; ++k) {
    ends = kinks_;
    ends.push_back(h);
    double begin = seen;
    for (const double end : ends) {
      find_kinks_of_part(i, k, t, h, begin == seen ? begin : begin + beside_kink(t + begin),
                         end == h ? end : end - beside_kink(t + end), at);
      begin = end;
    }
    std::sort(kinks_.begin(), kinks_.end());
    double last = seen;
    std::erase_if(kinks_, [&](double s) {
      const double apart = 4 * beside_kink(t + h);
      const bool close = s - last < apart || h - s < apart;
      if (!close) last = s;
      return close;
    });
  }
}

/// Adds the zeros of switching function k between two times. A function that stays near zero, such as the
/// difference of two equal angles, may change its sign again and again by rounding. It then counts as zero at
/// such values.
void EventWatch::find_kinks_of_part(std::size_t i, Eigen::Index k, double t, double h, double begin,
                                    double end, const SignChanges::At& at) {
  const double d = part_for_rates * (end - begin);
  if (!(d > 0)) return;
  const PointOfFunction from = at(begin, d), to = at(end, -d);
  if (std::isnan(from.value) || std::isnan(to.value)) return;
  std::array<ValueAtPart, parts_inside.size()> values{};
  std::span<const ValueAtPart> inside = values;
  if (begin == 0 && end == h) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      switching(i, t + parts_inside[p] * h, inside_states_[p], switching_);
      values[p] = {parts_inside[p], switching_[k]};
    }
  } else {
    values[0] = {part_before, at(begin + part_before * (end - begin), d).value};
    inside = inside.first(1);
  }
  double& rests_below = kink_rest_[i][k];
  const bool may_rest = std::min(std::abs(from.value), std::abs(to.value)) <= rests_below;
  changes_.find(from, to, inside,
                may_rest ? std::max(kink_rounding_[i][k], rests_below) : kink_rounding_[i][k], at);
  if (changes_.too_many()) {
    find_kink_rounding(t + end, x_);
    const double most = std::max(std::abs(from.value), std::abs(to.value));
    if (!(most < near_zero * kink_rounding_[i][k])) fail_of_many_crossings(events_[i]);
    rests_below = 4 * most;
    return;
  }
  for (const auto& [a, b] : changes_.found()) {
    if (std::isnan(a.value) || std::isnan(b.value)) continue;
    const double start = a.value, stop = b.value == 0 ? -start : b.value;
    const auto along = [&](double s) {  // a function that stays at zero has reached it before
      const double now = at(s, d).value;
      return now == 0 || std::isnan(now) ? -start : now;
    };
    kinks_.push_back(zero_between(along, t, a.s, b.s, start, stop));
  }
}

double EventWatch::locate(std::size_t i, double t, const SideStep& side,
                          const SignChanges::Interval& within) {
  const auto& [from, to] = within;
  const double start = from.value;
  const auto along = [&](double s) {
    side(s, x_);
    return value(i, t + s, x_);
  };
  if (to.value != 0) return zero_between(std::cref(along), t, from.s, to.s, start, to.value);
  // A function that stays at zero, such as max(x, 0), has reached it before.
  const auto zero_is_across = [&](double s) {
    const double now = along(s);
    return now == 0 ? -start : now;
  };
  const double before = to.s - time_resolution(t + to.s);
  if (before <= from.s || sign(along(before)) == sign(start)) return to.s;
  return zero_between(std::cref(zero_is_across), t, from.s, before, start, -start);
}

/// A function that stays at zero up to rounding can cross it in every step.
void EventWatch::guard_against_chatter(std::size_t i, double t, const State& x, bool crossed) {
  crossed_in_a_row_[i] = crossed ? crossed_in_a_row_[i] + 1 : 0;
  if (crossed_in_a_row_[i] < chatter_limit) return;
  crossed_in_a_row_[i] = 0;
  find_rounding(t, x);
  if (std::max(std::abs(value_[i]), std::abs(value_at_end_[i])) <= rounding_[static_cast<Eigen::Index>(i)])
    fail(events_[i], "crossed zero in each of the last " + std::to_string(chatter_limit) +
                         " steps, by no more than its rounding error in the step to t = " + text(t));
}

}  // namespace torsor::mechanics
