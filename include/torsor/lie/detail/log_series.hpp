#pragma once

#include <array>

#include "torsor/lie/detail/series.hpp"

/// The coefficients of the logarithm of a unit quaternion (w, v) with w = cos(theta/2) >= 0, as functions of
/// s = 1 - w in [0, 1]:
///
///   log_scale   theta / sin(theta/2) = 2 arccos(1 - s) / sqrt(s (2 - s)),   log = log_scale v
///   log_d       d = (1 - theta/2 cot(theta/2)) / theta^2 of the same angle
///
/// Both are analytic there; the nearest singularity is theta = 2 pi at s = 2. Polynomials can therefore
/// replace square root, quotient and arctangent. They are Chebyshev fits on [0, 1] with 22 terms, of which
/// the first eight are enough below 1/64. Relative error below 4 eps.
namespace torsor::series {

inline constexpr double short_log_limit = 0.015625;

inline constexpr std::array<double, 22> log_scale_fit{2.0,
                                                      0.66666666666667545,
                                                      0.2666666666652554,
                                                      0.11428571437561779,
                                                      0.050793647764034704,
                                                      0.023088085533311992,
                                                      0.010655152092667812,
                                                      0.0049811385726870941,
                                                      0.0022807628676215955,
                                                      0.0014277937588629721,
                                                      -0.00079349979138720549,
                                                      0.0045176793989185547,
                                                      -0.010709709701244123,
                                                      0.021781607793321959,
                                                      -0.034370474039261041,
                                                      0.042789909715833124,
                                                      -0.041295660182703434,
                                                      0.030361227534082563,
                                                      -0.016435001795309637,
                                                      0.0061947809444271763,
                                                      -0.0014562547286763033,
                                                      0.00016242014505678345};
inline constexpr std::array<double, 22> log_d_fit{
    0.083333333333333333,    0.011111111111111224,   0.0039682539682358657,   0.0016225749570614979,
    0.0007027951083780454,   0.00031429438513714501, 0.00014342945135695368,  6.6499204878661614e-5,
    3.0286939973979609e-5,   1.8730861610819991e-5,  -1.0008602012856155e-5,  5.802260905797668e-5,
    -0.00013735499126788241, 0.00027943164382973867, -0.00044091472632346922, 0.00054894213771838957,
    -0.00052978310803839702, 0.0003895180373954073,  -0.00021085976511044688, 7.9482536227030211e-5,
    -1.868574430881422e-5,   2.0842940935687167e-6};

template <class Scalar, std::size_t n>
inline Scalar in_two_tiers(const Scalar& s, const std::array<double, n>& fit) {
  const auto tiny = s < Scalar(short_log_limit);
  if (every(tiny)) return polynomial<8>(s, fit);
  return polynomial(s, fit, tiny);
}

template <class Scalar>
inline Scalar log_scale(const Scalar& s) {
  if constexpr (std::same_as<RealOf<Scalar>, long double>) {
    // The power series 2 sum_k s^k prod_{j<k} (j + 1) / (2 j + 3): each term less than half of the one
    // before.
    Scalar term(2), sum(0);
    for (int k = 0; k < 72; ++k) {
      sum = sum + term;
      term = term * s * Scalar((k + 1.L) / (2 * k + 3));
    }
    return sum;
  } else {
    return in_two_tiers(s, log_scale_fit);
  }
}

template <class Scalar>
inline Scalar log_d(const Scalar& s) {
  if constexpr (std::same_as<RealOf<Scalar>, long double>) {
    const Scalar scale = log_scale(s);
    return coefficient<D>(Scalar(scale * scale * s * (Scalar(2) - s)));
  } else {
    return in_two_tiers(s, log_d_fit);
  }
}

}  // namespace torsor::series
