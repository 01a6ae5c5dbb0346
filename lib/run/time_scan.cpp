#include "time_scan.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "sign_changes.hpp"

namespace torsor::mechanics {
namespace {

/// Number of Chebyshev intervals in which an interval is sampled, at their ends.
constexpr int intervals = 16;
/// The interpolation through half of the samples must meet the others within this part of the range of the
/// function. The interpolation through all of them then has an error of about its square.
constexpr double most_missed = 1. / 16;
/// A limit well above the rounding of the interpolation, relative to the values.
constexpr double interpolation_rounding = 1e-12;
/// The shortest interval, as a part of the step. At a jump, an interval is divided until it is reached.
constexpr double shortest_interval = 1e-4;
/// The greatest number of intervals that are sampled in a step. A function with more periods is not resolved.
constexpr int most_intervals = 2000;
/// Values of the interpolation that are examined between two samples.
constexpr int points_in_gap = 3;

/// The part of an interval at the Chebyshev point x, 0 <= x <= intervals.
double part_at(double x) {
  const double root = std::sin(std::numbers::pi / 2 * x / intervals);
  return root * root;
}

/// The weights of every `stride`-th sample in the interpolation at the point x, by the barycentric formula.
/// Berrut, Trefethen, SIAM Rev. 46 (2004) 501-517.
std::array<double, intervals + 1> weights_at(double x, int stride) {
  std::array<double, intervals + 1> weights{};
  double sum = 0;
  for (int i = 0; i <= intervals; i += stride) {
    const double sign = i / stride % 2 == 0 ? 1 : -1, end = i == 0 || i == intervals ? 0.5 : 1;
    const double weight = sign * end / (part_at(x) - part_at(i));
    weights[static_cast<std::size_t>(i)] = weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

using Weights = Eigen::Matrix<double, intervals + 1, Eigen::Dynamic>;

/// The weights of the even samples at the odd ones, in columns.
const Weights& at_odd_samples() {
  static const Weights all = [] {
    Weights out(intervals + 1, intervals / 2);
    for (int i = 0; i < out.cols(); ++i) {
      const auto weights = weights_at(2 * i + 1, 2);
      out.col(i) = Eigen::Map<const Eigen::Vector<double, intervals + 1>>(weights.data());
    }
    return out;
  }();
  return all;
}
/// The Chebyshev point of value j between the samples; 0 and the last sample beyond the values.
double point_between(int j) {
  if (j < 0) return 0;
  return std::min<double>(intervals, j / points_in_gap + (1. + j % points_in_gap) / (points_in_gap + 1));
}
/// The weights of all samples at the points between them, in columns.
const Weights& at_points_between() {
  static const Weights all = [] {
    Weights out(intervals + 1, intervals * points_in_gap);
    for (int j = 0; j < out.cols(); ++j) {
      const auto weights = weights_at(point_between(j), 1);
      out.col(j) = Eigen::Map<const Eigen::Vector<double, intervals + 1>>(weights.data());
    }
    return out;
  }();
  return all;
}

/// The time between `from` and `to` at which a function has its least value, by Brent's method. The method
/// searches the intervals before and after `guess`, a time near the minimum. The result is accurate to half
/// of the digits.
template <class Value>
double minimum_between(const Value& value, double from, double guess, double to) {
  double found = guess, at_found = value(guess);
  if (at_found < 0) return guess;
  for (const auto& [a, b] : {std::pair(from, guess), std::pair(guess, to)}) {
    std::uintmax_t most = 30;
    const auto [s, at_s] = boost::math::tools::brent_find_minima(value, a, b, 26, most);
    if (at_s < at_found) found = s, at_found = at_s;
  }
  return found;
}

}  // namespace

bool TimeScan::sample(double from, double to, const At& at) {
  for (int i = 0; i <= intervals; ++i) {
    if (!at(from + part_at(i) * (to - from), values_)) return false;
    if (samples_.rows() != values_.size()) samples_.resize(values_.size(), intervals + 1);
    samples_.col(i) = values_;
  }
  return true;
}

/// Functions without a value at some sample are not interpolated.
bool TimeScan::is_resolved() {
  at_odd_.noalias() = samples_ * at_odd_samples();
  for (Eigen::Index k = 0; k < samples_.rows(); ++k) {
    if (!samples_.row(k).allFinite()) continue;
    const double most = samples_.row(k).maxCoeff(), least = samples_.row(k).minCoeff();
    const double permitted =
        most_missed * (most - least) + interpolation_rounding * std::max(std::abs(most), std::abs(least));
    for (Eigen::Index i = 0; i < at_odd_.cols(); ++i)
      if (std::abs(at_odd_(k, i) - samples_(k, 2 * i + 1)) > permitted) return false;
  }
  return true;
}

/// Reports the functions that leave their sides in the interval of the last samples.
bool TimeScan::report(double from, double to, const At& at, const HasLeft& has_left, const Left& left) {
  const auto time = [&](double x) { return from + part_at(x) * (to - from); };
  bool any = false;
  for (Eigen::Index k = 0; k < samples_.rows(); ++k) {
    const auto function = static_cast<std::size_t>(k);
    const auto row = samples_.row(k);
    if (!row.isZero(0)) is_of_time_[function] = 1;
    int first = 1;  // the sample 0 is the start of the step, or the end of the interval before
    while (first <= intervals && !has_left(function, time(first), row[first])) ++first;
    const auto [x, s] = first_between(k, std::min(first, intervals), std::cref(time), at, has_left);
    if (s < to || first <= intervals) {
      any = true;
      if (s < to)
        left(function, time(x), s);
      else
        left(function, time(first - 1), time(first));
    }
  }
  return any;
}

/// A sample, and a time after it at which function k has left its side. This time is near a minimum of the
/// interpolation before the sample `end`; it is infinite if there is none. A function may leave its side and
/// return between two samples if the interpolation has a minimum near 0 there.
std::pair<int, double> TimeScan::first_between(Eigen::Index k, int end,
                                               const std::function<double(double)>& time, const At& at,
                                               const HasLeft& has_left) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto row = samples_.row(k);
  const double near = most_missed * (row.maxCoeff() - row.minCoeff());
  if (!row.allFinite() || row.cwiseAbs().minCoeff() > 4 * near) return {0, never};
  const double side = row.head(end).sum() < 0 ? -1 : 1;
  inside_.noalias() = side * row * at_points_between();
  const auto value = [&](double s) { return at(s, values_), side * values_[k]; };
  for (int j = 0; j < points_in_gap * end; ++j) {
    const double before = inside_[std::max(j - 1, 0)],
                 after = inside_[std::min(j + 1, static_cast<int>(inside_.size()) - 1)];
    if (!(inside_[j] < near && inside_[j] <= before && inside_[j] <= after)) continue;
    const double s = minimum_between(value, time(point_between(j - 1)), time(point_between(j)),
                                     time(point_between(j + 1)));
    at(s, values_);
    const int sample = j / points_in_gap;
    if (has_left(static_cast<std::size_t>(k), s, values_[k]))
      return {s < time(sample) ? std::max(sample - 1, 0) : sample, s};
  }
  return {0, never};
}

bool TimeScan::scan(double h, const At& at, const HasLeft& has_left, const Left& left) {
  ends_.assign({h});
  is_complete_ = true;
  double from = 0;
  for (int n = 0; !ends_.empty() && n < most_intervals; ++n) {
    const double to = ends_.back();
    if (!sample(from, to, at)) return false;
    if (n == 0) is_of_time_.assign(static_cast<std::size_t>(samples_.rows()), 0);
    if (to - from > shortest_interval * h && !is_resolved()) {
      ends_.push_back(from + part_before * (to - from));
      continue;
    }
    if (report(from, to, at, has_left, left)) return true;
    from = to;
    ends_.pop_back();
  }
  is_complete_ = ends_.empty();
  return true;
}

}  // namespace torsor::mechanics
