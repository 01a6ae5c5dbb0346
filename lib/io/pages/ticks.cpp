#include "ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::io {
namespace {

/// Largest magnitude of a value in a diagram, so that differences of such values are finite.
constexpr double largest_shown = 1e300;

/// The notation of the numbers at ticks. A tick shows its number divided by 10^exponent, with `decimals`
/// digits after the point. `digits` counts all digits of the greatest number that is shown.
struct Notation {
  int exponent, decimals, digits;
};

/// The notation of the multiples of `step` up to `size`.
Notation notation(double size, double step) {
  const int magnitude = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const int exponent = magnitude > 4 || magnitude < -2 ? magnitude : 0;
  const double shown = step / std::pow(10., exponent);
  const bool half = std::abs(shown / std::pow(10., std::floor(std::log10(shown) + 1e-9)) - 2.5) < 1e-6;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(shown) - 1e-9)) + half, 0, 13);
  return {exponent, decimals, std::max(magnitude - exponent, 0) + 1 + decimals};
}

/// The value near the ticks that has as few digits as the length of the axis allows. This value and the ticks
/// `first` to `last` are in units of `step`.
double common_part(double first, double last, double step) {
  const double power = std::pow(10., std::ceil(std::log10((last - first) * step) - 1e-9));
  const double steps = std::round(power / step);
  return std::trunc(first / steps) * steps;
}

Axis linear_axis(double low, double high, int count, bool round_ends) {
  // The smallest range that gets ticks of its own. Within a smaller range, ticks could not be told apart.
  const double told_apart = std::max(1e-13 * std::max(std::abs(low), std::abs(high)), 1 / largest_shown);
  if (!(high - low > told_apart)) {
    const double room = std::max(std::abs(low) * 0.1, std::numeric_limits<double>::min() * 1e6);
    low == 0 ? (low = -1, high = 1) : (low -= room, high += room);
  }
  const double rough = (high - low) / count, power = std::pow(10., std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double nice : {1., 2., 2.5, 5.})
    if (nice * power >= rough * (1 - 1e-9)) {
      step = nice * power;
      break;
    }
  Axis axis;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  axis.low = round_ends ? first * step : low;
  axis.high = round_ends ? last * step : high;
  constexpr int most_digits = 5;  // for which there is room beside a diagram
  Notation numbers = notation(std::max(std::abs(axis.low), std::abs(axis.high)), step);
  double common = 0;
  if (numbers.digits > most_digits) {
    common = common_part(first, last, step);
    numbers = notation(std::max(std::abs(first - common), std::abs(last - common)) * step, step);
  }
  axis.exponent = numbers.exponent;
  axis.offset = common * step;
  const double unit = std::pow(10., axis.exponent);
  for (double k = first; k <= last; ++k) {
    const double at = k * step;
    if (at < axis.low - 1e-9 * step || at > axis.high + 1e-9 * step) continue;
    axis.ticks.push_back(
        {at, k == common ? "0" : fmt::format("{:.{}f}", (k - common) * step / unit, numbers.decimals)});
  }
  return axis;
}

/// The text of m 10^k: as a decimal if `plain` or if k is 0 or 1, else with a power of ten.
std::string product(int m, int k, bool plain) {
  if (plain || k == 0 || k == 1) return fmt::format("{:g}", m * std::pow(10., k));
  return m == 1 ? power_of_ten(k) : fmt::format("{}·{}", m, power_of_ten(k));
}

Axis logarithmic_axis(double low, double high, int count) {
  Axis axis;
  axis.logarithmic = true;
  if (!(low > 0)) low = 1e-1, high = 1;
  const double first = std::floor(std::log10(low) + 1e-9),
               last = std::ceil(std::log10(std::max(high, 1.1 * low)) - 1e-9);
  // An axis of at most three decades ends at 1, 2 or 5 times a power of ten, a longer axis at powers of ten.
  const double finest[] = {1, 2, 5, 10};
  axis.low = std::pow(10., first);
  axis.high = std::pow(10., last);
  if (last - first <= 3) {
    const double below = axis.low, above = axis.high / 10;
    for (const double m : finest)
      if (m * below <= low * (1 + 1e-9)) axis.low = m * below;
    for (const double m : {5., 2.})
      if (m * above >= high * (1 - 1e-9) && m * above > axis.low * (1 + 1e-9)) axis.high = m * above;
  }
  const bool plain = first >= -2 && last <= 3;
  const double every = std::max(1., std::ceil((last - first) / count));
  for (double k = first; k <= last; ++k) {
    if (std::fmod(k - first, every) == 0)
      axis.ticks.push_back({std::pow(10., k), product(1, static_cast<int>(k), plain)});
    if (last - first <= 3 && k < last)
      for (const int m : {2, 5})
        axis.ticks.push_back({m * std::pow(10., k), product(m, static_cast<int>(k), plain)});
  }
  std::sort(axis.ticks.begin(), axis.ticks.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  std::erase_if(axis.ticks, [&](const Axis::Tick& tick) {
    return tick.at < axis.low * (1 - 1e-9) || tick.at > axis.high * (1 + 1e-9);
  });
  return axis;
}

}  // namespace

std::string power_of_ten(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 0) return "1";
  if (exponent == 1) return "10";
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

double Axis::place(double value) const {
  if (logarithmic)
    return value > 0 ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                     : std::numeric_limits<double>::quiet_NaN();
  return (value - low) / (high - low);
}

Axis make_axis(const std::vector<const std::vector<double>*>& values, bool logarithmic, int count,
               bool round_ends) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto* list : values)
    for (const double value : *list) {
      if (!std::isfinite(value) || (logarithmic && !(value > 0))) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) low = high = logarithmic ? -1 : 0;
  const double least = logarithmic && low > 0 ? 1 / largest_shown : -largest_shown;
  low = std::clamp(low, least, largest_shown);
  high = std::clamp(high, least, largest_shown);
  return logarithmic ? logarithmic_axis(low, high, count) : linear_axis(low, high, count, round_ends);
}

}  // namespace torsor::io
