#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "torsor/lie/detail/trigonometry.hpp"

/// Powers of two and logarithms, the same code for doubles and packs, for uses that need at most ten digits,
/// such as step-size control. Like the functions of trigonometry.hpp, they have the same bits in every lane
/// and on every processor.
namespace torsor {

/// The integer type with 64 bits per lane that holds the bits of a scalar.
template <class Scalar>
struct BitPattern;
template <>
struct BitPattern<double> {
  using type = std::uint64_t;
};

namespace detail {

/// A Chebyshev fit of log2(1 + y) / y between y = sqrt(1/2) - 1 and sqrt(2) - 1.
inline constexpr std::array<double, 16> log_fit{
    1.4426950408890524,  -0.72134752044621243, 0.48089834687110151, -0.36067375951188294,
    0.28853902330508165, -0.24044926230188221, 0.20609838960888553, -0.18033187497677122,
    0.1603232695730357,  -0.14441420502211011, 0.13089265588126772, -0.11803157989277945,
    0.11108048187908302, -0.11895057618328995, 0.11427131919552941, -0.056079883041332642};
/// The power series of 2^x.
inline constexpr auto power_terms = [] {
  std::array<double, 12> c{};
  long double term = 1;
  for (std::size_t j = 0; j < c.size(); ++j) {
    c[j] = static_cast<double>(term);
    term *= 0.6931471805599453094172321L / static_cast<long double>(j + 1);
  }
  return c;
}();

}  // namespace detail

/// A logarithm as the sum of an integer and a rest of magnitude at most 1/2.
template <class Scalar>
struct BinaryLog {
  Scalar whole, rest;
};

/// log2 x for normal x > 0; the error of the rest is below 2e-13. With x = 2^whole m and m between sqrt(1/2)
/// and sqrt(2), the rest is log2 m. It is zero at x = 1 and has the right sign on both sides.
template <class Scalar>
inline BinaryLog<Scalar> binary_log(const Scalar& x) {
  using Bits = typename BitPattern<Scalar>::type;
  constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t fraction = 0xfffffffffffff, whole = 0x4330000000000000;  // 2^52 as a double
  const Bits moved = std::bit_cast<Bits>(x) + Bits(one - root_half);
  const Bits mantissa = (moved & Bits(fraction)) + Bits(root_half);
  const Bits exponent = (moved >> 52) | Bits(whole);
  const Scalar y = std::bit_cast<Scalar>(mantissa) - Scalar(1);
  return {std::bit_cast<Scalar>(exponent) - Scalar(0x1p52 + 1023), y * polynomial(y, detail::log_fit)};
}

/// 2^x for |x| <= 1000, with a relative error below 1e-13.
template <class Scalar>
inline Scalar power_of_two(const Scalar& x) {
  using Bits = typename BitPattern<Scalar>::type;
  constexpr std::uint64_t one = 0x3ff0000000000000;
  const Scalar shift(0x1.8p52);  // adding it puts the rounded integer in the last bits
  const Scalar sum = x + shift, rest = x - (sum - shift);
  const Bits power = (std::bit_cast<Bits>(sum) << 52) + Bits(one);
  return std::bit_cast<Scalar>(power) * polynomial(rest, detail::power_terms);
}

/// 2^x for |x| <= 1/4, with a relative error below 3e-11.
template <class Scalar>
inline Scalar near_power_of_two(const Scalar& x) {
  return polynomial<8>(x, detail::power_terms);
}

}  // namespace torsor
