#include "events.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "compensated_time.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

constexpr int chatter_limit = 1000;

int sign(double x) { return (x > 0) - (x < 0); }

[[noreturn]] void fail(const Event& event, const std::string& why) {
  throw EvaluationError(StepStatus::callback_failed, "event \"" + event.name + "\" " + why);
}

bool crosses(const Event& event, double before, double after) {
  const int from = sign(before), to = sign(after);
  return from != 0 && from != to && (event.direction == 0 || event.direction == -from);
}

}  // namespace

double EventWatch::value(std::size_t i, double t, const State& x) const {
  const Event& event = events_[i];
  double result = 0;
  try {
    result = event.function(t, x);
  } catch (const EvaluationError& error) {
    fail(event, std::string("failed at t = ") + text(t) + ": " + error.what());
  } catch (const std::exception& error) {
    fail(event, std::string("threw at t = ") + text(t) + ": " + error.what());
  } catch (...) {
    fail(event, std::string("threw an object that is not an exception at t = ") + text(t));
  }
  if (!std::isfinite(result)) fail(event, "is not a finite number at t = " + text(t));
  return result;
}

void EventWatch::start(double t, const State& x) {
  value_.resize(events_.size());
  crossed_in_a_row_.assign(events_.size(), 0);
  for (std::size_t i = 0; i < events_.size(); ++i) value_[i] = value(i, t, x);
}

const std::vector<EventRecord>& EventWatch::cross(double t, double h, const State& x_end,
                                                  const SideStep& side, double seen) {
  found_.clear();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const double at_end = value(i, t + h, x_end);
    const bool crossed = crosses(events_[i], value_[i], at_end);
    guard_against_chatter(i, crossed);
    if (crossed) {
      const double s = locate(i, t, h, at_end, side, seen);
      if (s < h) side(s, x_);
      found_.push_back({static_cast<int>(i), t + s, s < h ? x_ : x_end});
    }
    value_[i] = at_end;
  }
  std::stable_sort(found_.begin(), found_.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.t < b.t; });
  return found_;
}

double EventWatch::locate(std::size_t i, double t, double h, double at_end, const SideStep& side,
                          double seen) {
  if (at_end == 0) return h;
  const auto along = [&](double s) {
    side(s, x_);
    return value(i, t + s, x_);
  };
  const double resolution = time_resolution(t + h) / 4;
  const auto narrow = [&](double a, double b) { return b - a <= std::max(resolution, 1e-15 * h); };
  std::uintmax_t most = 100;
  const auto [a, b] = boost::math::tools::toms748_solve(along, seen, h, value_[i], at_end, narrow, most);
  return (a + b) / 2;
}

// Limits the records in memory: bounces can accumulate, and a function can oscillate faster than the steps.
void EventWatch::guard_against_chatter(std::size_t i, bool crossed) {
  crossed_in_a_row_[i] = crossed ? crossed_in_a_row_[i] + 1 : 0;
  if (crossed_in_a_row_[i] < chatter_limit) return;
  fail(events_[i], "crossed zero in each of the last " + std::to_string(chatter_limit) +
                       " steps: the steps do not resolve it");
}

}  // namespace torsor::mechanics
