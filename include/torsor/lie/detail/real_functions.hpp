#pragma once

#include <cmath>

#include "torsor/lie/detail/trigonometry.hpp"

/// Exponential, logarithm, powers and hyperbolic functions of doubles. The C library selects its variant of
/// them by processor, with or without fused multiply-add, and the variants differ in the last bit. The
/// functions here have the same bits on every processor that has the same long double: they compute with
/// its 64 bits (x86-64) and round once. Errors are below one unit in the last place; those of pow are
/// below 1.3, and those of asin, acos and atan, which use arctan2, are below 2.5. Arguments outside the ranges
/// of the formulas go to the C library. Its results there are the same on every processor: infinite, 0, NaN,
/// +-1 or +-pi/2.
namespace torsor::real {

using Extended = long double;

/// ln 2 in two parts; the first has 41 bits, so that its product with a power's exponent is exact.
inline constexpr Extended ln_2_head = 0x1.62e42fefa3p-1L, ln_2_rest = 0x9.ef35793c7673007e5edp-45L;

/// e^x: with x = n ln 2 + r and |r| <= ln 2 / 2, 2^n times Taylor's series of e^r. Its last term
/// is r^19 / 19! < 2e-26.
inline Extended exp_extended(Extended x) {
  const Extended n = std::rint(x / (ln_2_head + ln_2_rest));
  const Extended r = (x - n * ln_2_head) - n * ln_2_rest;
  Extended sum = 1;
  for (int i = 19; i > 0; --i) sum = 1 + sum * r / static_cast<Extended>(i);
  return std::ldexp(sum, static_cast<int>(n));
}

/// ln x for x > 0: with x = 2^k m and m between sqrt(1/2) and sqrt(2), k ln 2 + 2 artanh((m - 1) / (m + 1)),
/// whose series in the square z <= 0.0295 ends with z^14 / 29 < 2e-23.
inline Extended log_extended(double x) {
  int k;
  Extended m = std::frexp(x, &k);
  if (m < 0x1.6a09e667f3bcdp-1L) m *= 2, --k;
  const Extended f = (m - 1) / (m + 1), z = f * f;
  Extended sum = 0;
  for (int i = 29; i > 0; i -= 2) sum = sum * z + 1 / static_cast<Extended>(i);
  return static_cast<Extended>(k) * ln_2_head + (static_cast<Extended>(k) * ln_2_rest + 2 * f * sum);
}

/// For |x| above this limit, e^x overflows or underflows the range of double, denormal numbers included.
inline constexpr double exp_limit = 750;

inline double exp(double x) {
  return std::abs(x) < exp_limit ? static_cast<double>(exp_extended(x)) : std::exp(x);
}
inline double log(double x) {
  return x > 0 && std::isfinite(x) ? static_cast<double>(log_extended(x)) : std::log(x);
}

/// Uses the series below 1/256, since the difference of e^x and e^-x cancels there.
inline Extended sinh_extended(Extended x) {
  const Extended z = x * x;
  if (std::abs(x) < 0x1p-8L) return x * (1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72))));
  const Extended e = exp_extended(x);
  return (e - 1 / e) / 2;
}
inline Extended cosh_extended(Extended x) {
  const Extended e = exp_extended(x);
  return (e + 1 / e) / 2;
}
inline double sinh(double x) {
  return std::abs(x) < exp_limit ? static_cast<double>(sinh_extended(x)) : std::sinh(x);
}
inline double cosh(double x) {
  return std::abs(x) < exp_limit ? static_cast<double>(cosh_extended(x)) : std::cosh(x);
}
/// 1 - tanh 20 = 8e-18 is below the rounding of 1.
inline double tanh(double x) {
  return std::abs(x) < 20 ? static_cast<double>(sinh_extended(x) / cosh_extended(x)) : std::tanh(x);
}

inline double atan(double x) { return std::abs(x) < 1e300 ? torsor::arctan2(x, 1.) : std::atan(x); }
inline double asin(double x) {
  return std::abs(x) <= 1 ? torsor::arctan2(x, std::sqrt((1 - x) * (1 + x))) : std::asin(x);
}
inline double acos(double x) {
  return std::abs(x) <= 1 ? torsor::arctan2(std::sqrt((1 - x) * (1 + x)), x) : std::acos(x);
}

/// x^w. For an integer w with |w| <= 64 it is computed by repeated squaring, so a result that a double can
/// represent is exact.
inline double pow(double x, double w) {
  const bool whole = w == std::rint(w);
  if (x == 0 || !std::isfinite(x) || !std::isfinite(w) || (x < 0 && !whole)) return std::pow(x, w);
  if (whole && std::abs(w) <= 64) {
    Extended product = 1, square = x;
    for (auto n = static_cast<unsigned>(std::abs(w)); n > 0; n /= 2, square *= square)
      if (n % 2 == 1) product *= square;
    return static_cast<double>(w < 0 ? 1 / product : product);
  }
  const Extended exponent = static_cast<Extended>(w) * log_extended(std::abs(x));
  if (std::abs(exponent) >= exp_limit) return std::pow(x, w);
  const bool odd = whole && std::fmod(w, 2) != 0;
  return static_cast<double>((x < 0 && odd ? -1 : 1) * exp_extended(exponent));
}

}  // namespace torsor::real
