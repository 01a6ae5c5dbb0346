#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>

#include "torsor/lie/detail/large_angle.hpp"
#include "torsor/lie/scalar.hpp"

/// Sine, cosine and arctangent, the same code for doubles and packs. A lane therefore has the bits of a
/// double, and the bits do not depend on the C library, which selects its variant by processor. Errors are
/// below 1.5 units in the last place (arctan2: 2). float, and long double, which is for reference values, use
/// the standard library.
namespace torsor {

template <class Scalar>
struct SinCos {
  Scalar sin, cos;
};

namespace detail {

/// sum c[first + i] z^i over i < n, from powers[k] = z^(2^k).
template <std::size_t first, std::size_t n, class Scalar, class Real, std::size_t terms>
inline Scalar polynomial_part(const Scalar* powers, const std::array<Real, terms>& c) {
  if constexpr (n == 1 && std::same_as<Real, Scalar>) {
    return c[first];
  } else if constexpr (n == 1) {
    return constant<Scalar>(c[first]);
  } else {
    constexpr std::size_t k = std::bit_width(n - 1) - 1, low = std::size_t{1} << k;
    return polynomial_part<first, low>(powers, c) +
           powers[k] * polynomial_part<first + low, n - low>(powers, c);
  }
}

}  // namespace detail

/// sum c[i] z^i over i < count, by Estrin's scheme (Proc. Western Joint Computer Conf. 1960, 33-40): the
/// longest chain of dependent products has the length log2(count), not count.
template <std::size_t count, class Scalar, class Real, std::size_t n>
inline Scalar polynomial(const Scalar& z, const std::array<Real, n>& c) {
  constexpr std::size_t squarings = std::bit_width(count - 1);
  Scalar powers[squarings];
  powers[0] = z;
  for (std::size_t k = 1; k < squarings; ++k) powers[k] = powers[k - 1] * powers[k - 1];
  return detail::polynomial_part<0, count>(powers, c);
}

/// The same over all of c.
template <class Scalar, class Real, std::size_t n>
inline Scalar polynomial(const Scalar& z, const std::array<Real, n>& c) {
  return polynomial<n>(z, c);
}

/// All terms, except in lanes where `few` is true: there only the first eight, with the bits of
/// polynomial<8>. z^8 is set to 0 in these lanes, so that the compiler can share the powers between
/// polynomials of the same z.
template <class Mask, class Scalar, class Real, std::size_t n>
inline Scalar polynomial(const Scalar& z, const std::array<Real, n>& c, const Mask& few) {
  constexpr std::size_t squarings = std::bit_width(n - 1);
  static_assert(squarings > 3);
  Scalar powers[squarings];
  powers[0] = z;
  for (std::size_t k = 1; k < squarings; ++k) {
    powers[k] = powers[k - 1] * powers[k - 1];
    if (k == 3) powers[k] = torsor::select(few, Scalar(0), powers[k]);
  }
  return detail::polynomial_part<0, n>(powers, c);
}

namespace detail {

// Chebyshev fits: sin x = x + x z S(z), cos x = 1 - z/2 + z^2 C(z) with z = x^2 on |x| <= pi/4, and
// atan(u) = u + u z A(z) with z = u^2 on |u| <= tan(pi/8). Without rounding, their errors are below 0.13
// units in the last place.
inline constexpr std::array<double, 6> sin_fit{-0.16666666666666666,    0.008333333333330936,
                                               -0.00019841269836740532, 2.7557316093198404e-06,
                                               -2.5051129896450185e-08, 1.5917988979397435e-10};
inline constexpr std::array<double, 6> cos_fit{0.041666666666666664,  -0.0013888888888887389,
                                               2.48015872987544e-05,  -2.755731726587808e-07,
                                               2.087614504941318e-09, -1.138254464534925e-11};
inline constexpr std::array<double, 11> atan_fit{
    -0.3333333333333333,  0.1999999999999548,  -0.14285714284657894, 0.11111111014561013,
    -0.09090904549884611, 0.07692182535116648, -0.06664502215671447, 0.058580687568615106,
    -0.05085030492810941, 0.03921955253255129, -0.019162068915902573};
inline constexpr double large_angle = 1e6;
inline constexpr double tan_pi_8 = 0.41421356237309503;
inline constexpr double pi_4 = 0.7853981633974483, pi_4_rest = 3.061616997868383e-17;

/// x rounded to the nearest integer, ties to even, for |x| < 2^51. Uses only addition and subtraction.
template <class Scalar>
inline Scalar nearest_integer(const Scalar& x) {
  const Scalar shift(6755399441055744.0);  // 1.5 * 2^52
  return (x + shift) - shift;
}

/// Cody and Waite's reduction, with pi/2 in pieces of 33, 33 and 53 bits: the products with the first two
/// are exact up to |x| = 1e6. `low` carries the rounding error of the reduced argument.
template <class Scalar>
inline Reduced<Scalar> reduce(const Scalar& x) {
  const Scalar n = nearest_integer<Scalar>(x * Scalar(0.6366197723675814));
  const Scalar first = x - n * Scalar(1.5707963267341256), second = n * Scalar(6.077100506303966e-11);
  const Scalar third = n * Scalar(2.0222662487959506e-21);
  const Scalar sum = first - second;
  const Scalar rest = ((first - sum) - second) - third;
  const Scalar r = sum + rest;
  const Reduced<Scalar> near{r, (sum - r) + rest, n - Scalar(4) * nearest_integer<Scalar>(n * Scalar(0.25))};
  if (!some(torsor::abs(x) > Scalar(large_angle))) return near;
  return with_large_angles(x, large_angle, near);
}

template <class Scalar>
inline SinCos<Scalar> sin_cos_reduced(const Reduced<Scalar>& at) {
  const Scalar r = at.r, low = at.low;
  const Scalar z = r * r, half = Scalar(0.5) * z;
  const Scalar s = r + (r * z * polynomial(z, sin_fit) + low * (Scalar(1) - half));
  const Scalar top = Scalar(1) - half;
  const Scalar c = top + (((Scalar(1) - top) - half) + (z * z * polynomial(z, cos_fit) - r * low));

  // Odd quarter turns exchange sine and cosine; the quarter is -3 to 3.
  const Scalar turn = at.quarter * at.quarter;
  const auto odd = turn == Scalar(1) || turn == Scalar(9);
  const Scalar sine = torsor::select(odd, c, s), cosine = torsor::select(odd, s, c);
  const auto sine_minus = turn == Scalar(4) || at.quarter == Scalar(-1) || at.quarter == Scalar(3);
  const auto cosine_minus = turn == Scalar(4) || at.quarter == Scalar(1) || at.quarter == Scalar(-3);
  return {torsor::select(sine_minus, Scalar(-sine), sine),
          torsor::select(cosine_minus, Scalar(-cosine), cosine)};
}

/// The arctangent of the lesser coordinate over the greater one, reduced below pi/8, then converted back to
/// the octant of the point.
template <class Scalar>
inline Scalar arctan2_near(const Scalar& y, const Scalar& x) {
  const Scalar ax = torsor::abs(x), ay = torsor::abs(y);
  const auto steep = ax < ay;
  const Scalar large = torsor::select(steep, ay, ax), small = torsor::select(steep, ax, ay);
  const auto middle = small > Scalar(tan_pi_8) * large;
  const Scalar over = torsor::select(middle, Scalar(small - large), small);
  const Scalar under = torsor::select(middle, Scalar(small + large), large);
  const Scalar u = over / torsor::select(under == Scalar(0), Scalar(1), under);
  const Scalar z = u * u;
  const Scalar hi = torsor::select(middle, Scalar(pi_4), Scalar(0));
  const Scalar lo = torsor::select(middle, Scalar(pi_4_rest), Scalar(0));
  // head + tail is the angle; `turn` takes its complement to pi/2 or to pi. tail keeps the rounding errors
  // of head.
  Scalar tail = u * z * polynomial(z, atan_fit) + lo;
  Scalar head = hi + u;
  tail = tail + ((hi - head) + u);
  const auto turn = [&](const auto& mask, double multiple) {
    const Scalar whole(multiple * pi_4), turned = whole - head;
    const Scalar dropped = ((whole - turned) - head) + (Scalar(multiple * pi_4_rest) - tail);
    head = torsor::select(mask, turned, head);
    tail = torsor::select(mask, dropped, tail);
  };
  turn(steep, 2);
  turn(x < Scalar(0), 4);
  const Scalar angle = head + tail;
  return torsor::select(y < Scalar(0), Scalar(-angle), angle);
}

}  // namespace detail

/// sin x and cos x.
template <class Scalar>
inline SinCos<Scalar> sin_cos(const Scalar& x) {
  if constexpr (requires { ScalarOps<Scalar>::sin_cos(x); }) {
    return ScalarOps<Scalar>::sin_cos(x);
  } else if constexpr (std::same_as<Scalar, long double> || std::same_as<Scalar, float>) {
    return {std::sin(x), std::cos(x)};
  } else {
    return detail::sin_cos_reduced(detail::reduce(x));
  }
}

/// The angle of the point (x, y), in [-pi, pi]; arctan2(0, 0) = 0. Not named atan2, since packs have an
/// atan2 with different bits. Both components must be below 1e307.
template <class Scalar>
inline Scalar arctan2(const Scalar& y, const Scalar& x) {
  if constexpr (requires { ScalarOps<Scalar>::arctan2(y, x); }) {
    return ScalarOps<Scalar>::arctan2(y, x);
  } else if constexpr (std::same_as<Scalar, long double> || std::same_as<Scalar, float>) {
    return std::atan2(y, x);
  } else {
    return detail::arctan2_near(y, x);
  }
}

}  // namespace torsor
