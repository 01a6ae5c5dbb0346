#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "torsor/lie/detail/trigonometry.hpp"

/// Powers of two and logarithms, the same code for doubles and packs, for uses that need at most six digits.
/// Their series are short: in step-size control, the next step waits for them. Like the functions of
/// trigonometry.hpp, they have the same bits in every lane and on every processor.
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
inline constexpr std::array<double, 8> log_fit{1.4426949948930465,  -0.7213529313629764, 0.48091670800020553,
                                               -0.3602251824608613, 0.2872888823742363,  -0.2492718220765446,
                                               0.2326525788199725,  -0.1427597343539436};
/// The power series of 2^x.
inline constexpr auto power_terms = [] {
  std::array<double, 8> c{};
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

/// log2 x for normal x > 0; the error of the rest is below 1e-7. With x = 2^whole m and m between sqrt(1/2)
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

/// 2^x for |x| <= 1000, with a relative error below 8e-9.
template <class Scalar>
inline Scalar power_of_two(const Scalar& x) {
  using Bits = typename BitPattern<Scalar>::type;
  constexpr std::uint64_t one = 0x3ff0000000000000;
  const Scalar shift(0x1.8p52);  // adding it puts the rounded integer in the last bits
  const Scalar sum = x + shift, rest = x - (sum - shift);
  const Bits power = (std::bit_cast<Bits>(sum) << 52) + Bits(one);
  return std::bit_cast<Scalar>(power) * polynomial(rest, detail::power_terms);
}

/// 2^x for |x| <= 1/4, with a relative error below 5e-8.
template <class Scalar>
inline Scalar near_power_of_two(const Scalar& x) {
  return polynomial<6>(x, detail::power_terms);
}

}  // namespace torsor
