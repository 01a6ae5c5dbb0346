#include "switching_watch.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "compensated_time.hpp"
#include "model/words.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// If this many steps in a row end at a kink, the steps do not resolve the motion.
constexpr int chatter_limit = 1000;

/// Values of switching functions are cut at this size, because interpolation between infinite values gives NaN.
/// Its square is finite.
constexpr double largest_value = 1e150;

/// A switching function that is not on its side at the start of a step is evaluated at these fractions of the
/// step, given as exponents of 2.
constexpr int parts_near_start[] = {-30, -20, -15, -10, -5, -1};

}  // namespace

SwitchingWatch::SwitchingWatch(const System& system, double begin, double end)
    : switching_(system.switching()), begin_(begin), end_(end), limit_(end), kink_at_(never) {
  if (!switching_) return;
  sides_.assign(static_cast<std::size_t>(switching_->kinks()), 1);
  values_.resize(switching_->kinks());
}

void SwitchingWatch::start(State& x) {
  if (!switching_) return;
  switching_->sample(begin_, begin_, x.q, x.v);
  switching_->hold({});
  take_sides(begin_, x, true);
  find_limit(begin_);
}

void SwitchingWatch::go_back(double t, const std::vector<signed char>& sides) {
  if (!switching_) return;
  sides_ = sides;
  switching_->hold(sides_);
  kink_at_ = never;
  crossed_.clear();
  find_limit(t);
}

/// Sets the side of each kink from the value of its switching function. Unless `all`, leaves out the kinks
/// in crossed_.
void SwitchingWatch::take_sides(double t, const State& x, bool all) {
  if (sides_.empty()) return;
  switching_->functions(t, x.q, x.v, values_);
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const bool crossed =
        !all && std::find(crossed_.begin(), crossed_.end(), static_cast<int>(k)) != crossed_.end();
    const double now = values_[static_cast<Eigen::Index>(k)];
    if (!crossed && now != 0) sides_[k] = now < 0 ? -1 : 1;
  }
  switching_->hold(sides_);
}

void SwitchingWatch::find_limit(double t) {
  const double sample = switching_->next_sample(begin_, t);
  limit_ = std::min({end_, kink_at_, sample < end_ - time_resolution(end_) ? sample : end_});
}

/// The value of a switching function times its side: negative on the other side. If a branch that is not
/// taken evaluates to NaN, its switching functions are NaN too and count as on their sides.
double SwitchingWatch::on_side(int kink, double t, const State& x) {
  switching_->functions(t, x.q, x.v, values_);
  const double value = sides_[static_cast<std::size_t>(kink)] * values_[kink];
  return std::isnan(value) ? 1 : std::clamp(value, -largest_value, largest_value);
}

/// The time from t until a switching function leaves its side; 0 if the function is not on its side at t nor
/// at the fractions parts_near_start of the step.
double SwitchingWatch::locate(int kink, double t, const State& x, double h, const State& x_end,
                              const SideStep& side) {
  const auto along = [&](double s) {
    side(s, x_);
    return on_side(kink, t + s, x_);
  };
  double from = 0, at_from = on_side(kink, t, x);
  for (const int power : parts_near_start) {
    if (at_from > 0) break;
    from = std::ldexp(h, power), at_from = along(from);
  }
  if (!(at_from > 0)) return 0;
  const double resolution = time_resolution(t + h) / 4;
  const auto narrow = [&](double a, double b) { return b - a <= std::max(resolution, 1e-15 * h); };
  std::uintmax_t most = 100;
  const double at_end = on_side(kink, t + h, x_end);
  const auto [a, b] = boost::math::tools::toms748_solve(along, from, h, at_from, at_end, narrow, most);
  return (a + b) / 2;
}

bool SwitchingWatch::crosses(double t, const State& x, double h, const State& x_end, const SideStep& side) {
  if (sides_.empty()) return false;
  const bool at_kink = t + h >= kink_at_ - time_resolution(kink_at_);
  switching_->functions(t + h, x_end.q, x_end.v, values_);
  std::vector<int> left;
  for (int k = 0; k < static_cast<int>(sides_.size()); ++k) {
    const bool known = at_kink && std::find(crossed_.begin(), crossed_.end(), k) != crossed_.end();
    if (!known && values_[k] * sides_[static_cast<std::size_t>(k)] < 0) left.push_back(k);
  }
  if (left.empty()) return false;
  double first = h;
  std::vector<std::pair<double, int>> found;
  for (const int k : left) {
    found.emplace_back(locate(k, t, x, h, x_end, side), k);
    first = std::min(first, found.back().first);
  }
  crossed_.clear();
  for (const auto& [s, k] : found)
    if (s <= first + time_resolution(t + h)) crossed_.push_back(k);
  kink_at_ = t + first;
  if (first <= time_resolution(t))
    cross(t, x);
  else
    find_limit(t);
  return true;
}

/// Crosses the kinks at t.
void SwitchingWatch::cross(double t, const State& x) {
  if (++without_progress_ > 4 * static_cast<int>(sides_.size()) || ++in_a_row_ > chatter_limit)
    throw EvaluationError(
        StepStatus::callback_failed,
        at_time(switching_->name(crossed_.front()) +
                    " changes its branch again and again: on both sides of the jump the motion "
                    "returns to the jump. Make the function continuous: for example, "
                    "write clamp(x/width, -1, 1) in place of sign(x)",
                t));
  for (const int k : crossed_) sides_[static_cast<std::size_t>(k)] *= -1;
  switching_->hold(sides_);
  take_sides(t, x, false);
  kink_at_ = never;
  crossed_.clear();
  find_limit(t);
}

void SwitchingWatch::arrive(double t, State& x) {
  if (!switching_) return;
  without_progress_ = 0;
  if (t < kink_at_ - time_resolution(t)) in_a_row_ = 0;
  if (t < limit_ - time_resolution(t)) return;
  x.memory.resize(0);  // the values that a method keeps belong to the field before the kink or sample
  switching_->sample(begin_, t, x.q, x.v);
  if (t >= kink_at_ - time_resolution(t))
    cross(t, x);
  else
    take_sides(t, x, false);
  without_progress_ = 0;
  find_limit(t);
}

}  // namespace torsor::mechanics
