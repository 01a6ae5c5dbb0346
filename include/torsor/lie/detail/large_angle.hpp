#pragma once

#include <cmath>
#include <cstdint>

#include "torsor/lie/scalar.hpp"

/// Reduction of any finite angle modulo pi/2, exact to the last bit: Payne and Hanek, Radian reduction for
/// trigonometric functions, SIGNUM Newsletter 18 (1983). Used for |x| > 1e6 only.
namespace torsor::detail {

/// An angle minus the nearest multiple of pi/2: the remainder r + low, and the number of quarter turns,
/// -3 to 3.
template <class Scalar>
struct Reduced {
  Scalar r, low, quarter;
};

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

/// The template argument is the scalar that uses it, so that kernels built for different processors share
/// no code.
template <class Scalar>
struct LargeAngle {
  /// The first 1280 bits of 2/pi.
  static constexpr std::uint64_t two_over_pi[20] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
      0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

  /// 64 bits of 2/pi from bit `begin` on; zeros before the point.
  static std::uint64_t bits(int begin) {
    const int shifted = begin + 64, word = shifted / 64 - 1, offset = shifted % 64;
    const auto at = [](int i) { return i < 0 || i > 19 ? std::uint64_t{0} : two_over_pi[i]; };
    return offset == 0 ? at(word) : at(word) << offset | at(word + 1) >> (64 - offset);
  }

  static Reduced<double> reduce(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(std::fabs(x), &exponent);
    const auto m = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
    // |x| = m 2^k. Bits of 2/pi before k - 2 give multiples of four quarter turns, so three words from there
    // on, times m modulo 2^192, are the angle in units of 2^-190 quarter turns.
    const int begin = exponent - 53 - 2;
    const Wide low = Wide{m} * bits(begin + 128);
    const Wide middle = Wide{m} * bits(begin + 64) + (low >> 64);
    const std::uint64_t top = m * bits(begin) + static_cast<std::uint64_t>(middle >> 64);
    const Wide turns = Wide{top} << 64 | static_cast<std::uint64_t>(middle);
    const auto fraction = static_cast<SignedWide>(turns << 2 | static_cast<std::uint64_t>(low) >> 62);
    const int quarter = static_cast<int>(top >> 62) + (fraction < 0 ? 1 : 0);
    const long double half_pi = 1.570796326794896619231321691639751442L;
    const long double rest = std::ldexp(static_cast<long double>(fraction), -128) * half_pi;
    const double r = static_cast<double>(rest), sign = x < 0 ? -1 : 1;
    return {sign * r, sign * static_cast<double>(rest - r), sign * (quarter & 3)};
  }
};

/// Reduces the lanes of x beyond `limit` one by one and puts the results in those lanes of `near`. Not
/// inlined into flattened callers.
template <class Scalar>
[[gnu::noinline, gnu::cold]] Reduced<Scalar> with_large_angles(const Scalar& x, double limit,
                                                               Reduced<Scalar> near) {
  using Ops = ScalarOps<Scalar>;
  for (int i = 0; i < Ops::lanes; ++i) {
    const double angle = Ops::get(x, i);
    if (!(std::fabs(angle) > limit)) continue;
    const double infinite = angle - angle;  // NaN for an infinite angle
    const Reduced<double> one =
        infinite == 0 ? LargeAngle<Scalar>::reduce(angle) : Reduced<double>{infinite, 0, 0};
    Ops::set(near.r, i, one.r);
    Ops::set(near.low, i, one.low);
    Ops::set(near.quarter, i, one.quarter);
  }
  return near;
}

}  // namespace torsor::detail
