#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "torsor/lie/detail/trigonometry.hpp"

/// Exponential, logarithm, powers, hyperbolic and inverse trigonometric functions of doubles. The C library
/// selects its variant of them by processor, with or without fused multiply-add, and the variants differ in
/// the last bit. The functions here have the same bits on every processor that has the same long double: they
/// compute with its 64 bits (x86-64) and round once, except that asin, acos and atan use arctan2 of doubles.
/// Errors are below one unit in the last place; those of pow are below 1.3, and those of asin, acos and atan
/// are below 2.5. Arguments outside the ranges of the formulas go to the C library. Its results there are the
/// same on every processor: infinite, 0, NaN, +-1 or +-pi/2.
namespace torsor::real {

using Extended = long double;

/// ln 2 in two parts; the first has 41 bits, so that its product with the exponent n of 2^n is exact.
inline constexpr Extended ln_2_head = 0x1.62e42fefa3p-1L, ln_2_rest = 0x9.ef35793c7673007e5edp-45L;

/// 2^n for |n| <= 2044.
inline Extended power_of_two(int n) {
  const auto factor = [](int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52); };
  return static_cast<Extended>(factor(n / 2)) * factor(n - n / 2);
}

/// The coefficients 1/k! of e^x.
inline constexpr auto exp_coefficients = [] {
  std::array<Extended, 20> c{1};
  Extended factorial = 1;  // exact
  for (int k = 1; k < 20; ++k) c[k] = 1 / (factorial *= k);
  return c;
}();

struct Hyperbolic {
  Extended sinh, cosh;
};

/// sinh r and cosh r for |r| <= 0.35 by Taylor's series. The last terms are r^19 / 19! < 2e-26 and r^18 /
/// 18!.
inline Hyperbolic hyperbolic_series(Extended r) {
  const Extended z = r * r;
  Extended even = exp_coefficients[18], odd = exp_coefficients[19];
  for (int k = 16; k >= 0; k -= 2)
    even = even * z + exp_coefficients[k], odd = odd * z + exp_coefficients[k + 1];
  return {r * odd, even};
}

/// e^x: with x = n ln 2 + r and |r| <= ln 2 / 2, 2^n (cosh r + sinh r).
inline Extended exp_extended(Extended x) {
  const Extended n = std::rint(x / (ln_2_head + ln_2_rest));
  const Hyperbolic at = hyperbolic_series((x - n * ln_2_head) - n * ln_2_rest);
  return (at.cosh + at.sinh) * power_of_two(static_cast<int>(n));
}

/// The coefficients 1, 1/3, ..., 1/29 of artanh(f)/f in powers of f^2.
inline constexpr auto artanh_coefficients = [] {
  std::array<Extended, 15> c{};
  for (int k = 0; k < 15; ++k) c[k] = 1 / static_cast<Extended>(2 * k + 1);
  return c;
}();

/// ln x for x > 0: with x = 2^k m and m between sqrt(1/2) and sqrt(2), k ln 2 + 2 artanh f,
/// f = (m - 1) / (m + 1). The series of artanh(f)/f in z = f^2 <= 0.0295 ends with z^14 / 29 < 2e-23.
inline Extended log_extended(double x) {
  int k;
  Extended m = std::frexp(x, &k);
  if (m < 0x1.6a09e667f3bcdp-1L) m *= 2, --k;
  const Extended f = (m - 1) / (m + 1), z = f * f;
  Extended sum = 0;
  for (int i = 14; i >= 0; --i) sum = sum * z + artanh_coefficients[i];
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

/// By the series for small x, where the difference of e^x and e^-x cancels.
inline Hyperbolic hyperbolic(Extended x) {
  if (std::abs(x) < 0.35L) return hyperbolic_series(x);
  const Extended e = exp_extended(x), inverse = 1 / e;
  return {(e - inverse) / 2, (e + inverse) / 2};
}
inline double sinh(double x) {
  return std::abs(x) < exp_limit ? static_cast<double>(hyperbolic(x).sinh) : std::sinh(x);
}
inline double cosh(double x) {
  return std::abs(x) < exp_limit ? static_cast<double>(hyperbolic(x).cosh) : std::cosh(x);
}
/// 1 - tanh 20 = 8e-18 is below the rounding of 1.
inline double tanh(double x) {
  if (!(std::abs(x) < 20)) return std::tanh(x);
  const Hyperbolic at = hyperbolic(x);
  return static_cast<double>(at.sinh / at.cosh);
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
