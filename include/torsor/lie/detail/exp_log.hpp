#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "torsor/lie/detail/trigonometry.hpp"

/// Exponential and logarithm, the same code for doubles and packs, for uses that need at most twelve
/// digits, such as step-size control. Like the functions of trigonometry.hpp, they have the same bits in
/// every lane and on every processor.
namespace torsor {

/// The integer type with 64 bits per lane that holds the bits of a scalar.
template <class Scalar>
struct BitPattern;
template <>
struct BitPattern<double> {
  using type = std::uint64_t;
};

namespace detail {

inline constexpr std::array<double, 8> log_terms{1. / 3,  1. / 5,  1. / 7,  1. / 9,
                                                 1. / 11, 1. / 13, 1. / 15, 1. / 17};
inline constexpr std::array<double, 12> exp_terms{1,          1,           1. / 2,       1. / 6,
                                                  1. / 24,    1. / 120,    1. / 720,     1. / 5040,
                                                  1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800};
inline constexpr double ln_2 = 0.6931471805599453;

}  // namespace detail

/// ln x for normal x > 0, with an error below 1e-13 times the greater of 1 and |ln x|. With x = 2^k m and m
/// between sqrt(1/2) and sqrt(2), it is k ln 2 + 2 artanh((m - 1) / (m + 1)). The result is zero at x = 1
/// and has the right sign on both sides.
template <class Scalar>
inline Scalar natural_log(const Scalar& x) {
  using Bits = typename BitPattern<Scalar>::type;
  constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t fraction = 0xfffffffffffff, whole = 0x4330000000000000;  // 2^52 as a double
  const Bits moved = std::bit_cast<Bits>(x) + Bits(one - root_half);
  const Bits mantissa = (moved & Bits(fraction)) + Bits(root_half);
  const Bits exponent = (moved >> 52) | Bits(whole);
  const Scalar k = std::bit_cast<Scalar>(exponent) - Scalar(0x1p52 + 1023),
               m = std::bit_cast<Scalar>(mantissa);
  const Scalar f = (m - Scalar(1)) / (m + Scalar(1)), z = f * f;
  return k * Scalar(detail::ln_2) + Scalar(2) * (f + f * z * polynomial(z, detail::log_terms));
}

/// e^x for |x| <= 700, with a relative error below 1e-13.
template <class Scalar>
inline Scalar exponential(const Scalar& x) {
  using Bits = typename BitPattern<Scalar>::type;
  constexpr std::uint64_t one = 0x3ff0000000000000;
  const Scalar shift(0x1.8p52);  // adding it puts the rounded integer in the last bits
  const Scalar sum = x * Scalar(1 / detail::ln_2) + shift, n = sum - shift;
  const Bits power = (std::bit_cast<Bits>(sum) << 52) + Bits(one);
  const Scalar r = x - n * Scalar(detail::ln_2);
  return std::bit_cast<Scalar>(power) * polynomial(r, detail::exp_terms);
}

}  // namespace torsor
