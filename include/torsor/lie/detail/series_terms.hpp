#pragma once

#include <array>

#include "torsor/lie/detail/trigonometry.hpp"

/// The coefficients of the exponential maps, as functions of the squared angle x = t^2:
///
///   A   sin t / t                                  HalfCos   cos(t/2)
///   B   (1 - cos t) / t^2                          HalfSinc  sin(t/2) / t
///   C   (t - sin t) / t^3                          D   (1 - t/2 cot(t/2)) / t^2 = E / (2 B)
///   Q2  (t^2 + 2 cos t - 2) / (2 t^4)              D1  (dD/dt) / t
///   Q3  (2 t - 3 sin t + t cos t) / (2 t^5)        E   (2 - 2 cos t - t sin t) / t^4
///
/// Each has its power series, or a fit in its place, and its closed form (series.hpp says which applies
/// where).
namespace torsor::series {

inline constexpr std::size_t most_terms = 20;
using Terms = std::array<long double, most_terms>;

/// The coefficients of sum_j (-x)^j term(j).
constexpr Terms alternating(long double (*term)(int j)) {
  Terms c{};
  for (int j = 0; j < static_cast<int>(most_terms); ++j) c[j] = (j % 2 ? -1 : 1) * term(j);
  return c;
}
constexpr long double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/// The quantities that the closed forms share, for x >= near_limit.
template <class Scalar>
struct Angle {
  explicit Angle(const Scalar& squared) : x(squared), t(torsor::sqrt(squared)), per_x(Scalar(1) / squared) {
    const SinCos<Scalar> half = sin_cos<Scalar>(Scalar(0.5) * t);
    sin_half = half.sin, cos_half = half.cos;
  }
  Scalar sine() const { return Scalar(2) * sin_half * cos_half; }
  Scalar x, t, per_x, sin_half, cos_half;
};

struct A {
  static constexpr Terms terms = alternating([](int j) { return 1 / factorial(2 * j + 1); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return at.sine() / at.t;
  }
};
struct B {
  static constexpr Terms terms = alternating([](int j) { return 1 / factorial(2 * j + 2); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return Scalar(2) * at.sin_half * at.sin_half * at.per_x;
  }
};
struct C {
  static constexpr Terms terms = alternating([](int j) { return 1 / factorial(2 * j + 3); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return (at.t - at.sine()) / (at.t * at.x);
  }
};
struct Q2 {
  static constexpr Terms terms = alternating([](int j) { return 1 / factorial(2 * j + 4); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return (Scalar(0.5) - Scalar(2) * at.sin_half * at.sin_half * at.per_x) * at.per_x;
  }
};
struct Q3 {
  static constexpr Terms terms = alternating([](int j) { return (j + 1) / factorial(2 * j + 5); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    const Scalar in_half = at.t * at.cos_half - Scalar(3) * at.sin_half;
    return (Scalar(0.5) + at.cos_half * in_half / at.t) * at.per_x * at.per_x;
  }
};
struct E {
  static constexpr Terms terms = alternating([](int j) { return 2 * (j + 1) / factorial(2 * j + 4); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return Scalar(2) * at.sin_half * (Scalar(2) * at.sin_half - at.t * at.cos_half) * at.per_x * at.per_x;
  }
};
struct HalfCos {
  static constexpr Terms terms = alternating([](int j) { return 1 / factorial(2 * j) / (1L << 2 * j); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return at.cos_half;
  }
};
struct HalfSinc {
  static constexpr Terms terms =
      alternating([](int j) { return 0.5L / factorial(2 * j + 1) / (1L << 2 * j); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return at.sin_half / at.t;
  }
};

/// The power series is sum_j |B_2j+2| x^j / (2j+2)! with Bernoulli's numbers; the fits replace it.
struct D {
  static constexpr std::array<double, 15> fit{
      0.083333333333333334,   0.0013888888888888492,   3.3068783069078855e-5,  8.2671957585252012e-7,
      2.0876758315209402e-8,  5.2841779413710797e-10,  1.3383265242757227e-11, 3.386709585497541e-13,
      8.6710924998326827e-15, 2.001617487550971e-16,   8.0227537581128988e-18, -1.1632690148455092e-19,
      2.1135102640476064e-20, -6.6502160223705109e-22, 1.8721620991907155e-23};
  static constexpr std::array<long double, 18> long_fit{
      0.08333333333333333333299L,   0.001388888888888888911051L,   0.0000330687830687828306442L,
      8.267195767205891417414e-7L,  2.087675698560222177393e-8L,   5.284190169481931995164e-10L,
      1.338253376652145776004e-11L, 3.389697586128483604988e-13L,  8.585281311272544111791e-15L,
      2.177473293730988998241e-16L, 5.443918921119910551454e-18L,  1.517979041338885634623e-19L,
      1.800103109429955778283e-21L, 2.721182888556014480009e-22L,  -1.168429420093793150101e-23L,
      7.973082046755259782665e-25L, -2.344677329180926424938e-26L, 4.640941985606815819898e-28L};
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return (Scalar(1) - Scalar(0.5) * at.t * at.cos_half / at.sin_half) * at.per_x;
  }
};
struct D1 {
  static constexpr std::array<double, 17> fit{
      0.0027777777777777778,  0.00013227513227513199,  4.9603174603201804e-6,  1.6701405589265214e-7,
      5.2841901591439356e-9,  1.6059041375933841e-10,  4.7455718830190202e-12, 1.3736632137494388e-13,
      3.9189556606255331e-15, 1.0897509292757303e-16,  3.3261782365050161e-18, 4.4477996087614868e-20,
      6.9971467415510762e-21, -3.2474494465104123e-22, 2.3934155791877374e-23, -7.5396470997240039e-25,
      1.5863494943949587e-26};
  static constexpr std::array<long double, 20> long_fit{
      0.002777777777777777777776L,   0.0001322751322751322753101L,  0.000004960317460317457956097L,
      1.670140559029572223087e-7L,   5.284190138652930583614e-9L,   1.605904384268508662152e-10L,
      4.745552348731953854942e-12L,  1.373770452893440475669e-13L,  3.914733371565132269836e-15L,
      1.101931666268025343169e-16L,  3.065657589834035483087e-18L,  8.593199297369340848031e-20L,
      2.111649512522488266729e-21L,  9.643467288760311357661e-23L,  -2.130053175926683477827e-24L,
      3.878128433458788777126e-25L,  -2.099660350656625557723e-26L, 1.050930313511044729656e-27L,
      -2.878879288148141859594e-29L, 4.626394249092228273476e-31L};
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    const Scalar cot = at.cos_half / at.sin_half, half_t = Scalar(0.5) * at.t;
    const Scalar slope = Scalar(0.5) * (half_t * (Scalar(1) + cot * cot) - cot) / at.t;
    return (slope - Scalar(2) * (Scalar(1) - half_t * cot) * at.per_x) * at.per_x;
  }
};

}  // namespace torsor::series
