#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <limits>

#include "torsor/lie/detail/series_terms.hpp"
#include "torsor/lie/detail/two.hpp"

/// The evaluation of the coefficients of the exponential maps (series_terms.hpp) at a squared angle x.
///
/// For x < 10, which is above pi^2, the coefficients are polynomials in x without a square root, so that
/// derivatives exist at 0; for larger x they are closed forms. In double, the polynomials are the power
/// series with 11 to 14 terms. The series of D and D1 converge only up to the pole t = 2 pi, so these two use
/// Chebyshev fits on [0, 10], in double with 15 and 17 terms. The relative error is below 6 eps for t <= pi
/// (A and HalfCos: the absolute error, since they vanish at pi). In double the first eight terms are enough
/// for x < 1/4, the range of an integrator's steps, and four for x < 0.002. Each lane selects for itself; a
/// tier is skipped only when no lane needs it.
namespace torsor::series {

inline constexpr double near_limit = 10;
template <class Real>
inline constexpr double short_limit = std::same_as<Real, double> ? 0.25 : 0;
/// Below this limit, in double, the terms after the fourth sum to less than half a unit in the last place,
/// so leaving them out does not change the result. Only for scalars without derivatives, since the series
/// of the derivatives need more terms.
inline constexpr double least_limit = 0.002;
template <class Scalar>
inline constexpr bool has_least = std::same_as<RealOf<Scalar>, double> && !requires(const Scalar& x) {
  ScalarOps<Scalar>::value(x);
};

/// Number of terms before the first term c[j] x^j that is below eps / 8 times c[0] for all x <= limit.
template <class Real>
constexpr std::size_t term_count(const Terms& c, double limit) {
  long double power = 1;
  for (std::size_t j = 0; j < most_terms; ++j, power *= limit) {
    const long double ratio = c[j] * power / c[0];
    if ((ratio < 0 ? -ratio : ratio) < std::numeric_limits<Real>::epsilon() / 8) return j;
  }
  return most_terms;
}

/// The power series of a coefficient, with as many terms as x <= near_limit needs.
template <class Coefficient, class Real>
inline constexpr auto cut = [] {
  constexpr std::size_t n = term_count<Real>(Coefficient::terms, near_limit);
  std::array<Real, n> c{};
  for (std::size_t j = 0; j < n; ++j) c[j] = static_cast<Real>(Coefficient::terms[j]);
  return c;
}();

/// The polynomial for x < near_limit.
template <class Coefficient, class Real>
constexpr const auto& near_terms() {
  if constexpr (!requires { Coefficient::fit; }) {
    return cut<Coefficient, Real>;
  } else if constexpr (std::same_as<Real, long double>) {
    return Coefficient::long_fit;
  } else {
    return Coefficient::fit;
  }
}

/// Term j of the polynomial for x < near_limit, in double; 0 if it has fewer terms.
template <class Coefficient>
constexpr double near_term(std::size_t j) {
  constexpr const auto& c = near_terms<Coefficient, double>();
  return j < c.size() ? c[j] : 0;
}

/// The first terms of two coefficients side by side.
template <std::size_t count, class First, class Second>
inline constexpr auto two_terms = [] {
  std::array<Two<double>, count> c{};
  for (std::size_t j = 0; j < count; ++j) c[j] = Two<double>{near_term<First>(j), near_term<Second>(j)};
  return c;
}();

/// The first 2 n terms of one coefficient, both halves side by side.
template <std::size_t n, class Coefficient>
inline constexpr auto half_terms = [] {
  std::array<Two<double>, n> c{};
  for (std::size_t j = 0; j < n; ++j)
    c[j] = Two<double>{near_term<Coefficient>(j), near_term<Coefficient>(n + j)};
  return c;
}();

/// The first `count` terms, with the bits of polynomial<count>. Equal halves need a power of two.
template <std::size_t count, class Coefficient>
inline double by_halves(double x) {
  if constexpr (!std::has_single_bit(count)) return polynomial(x, near_terms<Coefficient, double>());
  constexpr std::size_t n = count / 2;
  Two<double> power{x, x};
  const auto halves = polynomial<n>(power, half_terms<n, Coefficient>);
  for (std::size_t k = 1; k < n; k *= 2) power = power * power;
  return halves[0] + power[0] * halves[1];
}

/// The values of the coefficients, two at a time: in doubles, two polynomials cost as many instructions as
/// one. So do the two halves of the last one.
template <std::size_t count, class First, class Second, class... Rest>
inline void two_by_two(double x, double* values) {
  const auto both = polynomial<count>(Two<double>{x, x}, two_terms<count, First, Second>);
  values[0] = both[0], values[1] = both[1];
  if constexpr (sizeof...(Rest) > 1) two_by_two<count, Rest...>(x, values + 2);
  if constexpr (sizeof...(Rest) == 1) values[2] = by_halves<count, Rest...>(x);
}

template <std::size_t count, class... Coefficient, class Scalar>
inline std::array<Scalar, sizeof...(Coefficient)> by_first_terms(const Scalar& x) {
  if constexpr (std::same_as<Scalar, double> && sizeof...(Coefficient) > 1) {
    std::array<double, sizeof...(Coefficient)> values;
    two_by_two<count, Coefficient...>(x, values.data());
    return values;
  } else {
    return {polynomial<count>(x, near_terms<Coefficient, RealOf<Scalar>>())...};
  }
}

/// The greatest number of terms for x < near_limit, in double. Estrin's scheme gives the same bits with more
/// terms if these are zero.
template <class... Coefficient>
inline constexpr std::size_t most_near_terms = std::max({near_terms<Coefficient, double>().size()...});

/// The coefficients if some lane is beyond the short series. The values of the polynomials beyond
/// near_limit are discarded. Not inlined into flattened callers, which rarely need it.
template <class... Coefficient, class Scalar>
[[gnu::noinline]] std::array<Scalar, sizeof...(Coefficient)> by_all_tiers(const Scalar& x) {
  using Real = RealOf<Scalar>;
  if constexpr (std::same_as<Scalar, double>) {
    if (x < near_limit) return by_first_terms<most_near_terms<Coefficient...>, Coefficient...>(x);
  }
  const auto tiny = x < Scalar(short_limit<Real>), near = x < Scalar(near_limit);
  std::array<Scalar, sizeof...(Coefficient)> values{polynomial(x, near_terms<Coefficient, Real>(), tiny)...};
  if (every(near)) return values;
  const Angle<Scalar> at(torsor::max(x, Scalar(near_limit)));
  const std::array<Scalar, sizeof...(Coefficient)> far{Coefficient::far(at)...};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = torsor::select(near, values[i], far[i]);
  return values;
}

/// The coefficients at one squared angle x >= 0: `const auto [b, c] = coefficients<series::B, series::C>(x)`.
template <class... Coefficient, class Scalar>
inline std::array<Scalar, sizeof...(Coefficient)> coefficients(const Scalar& x) {
  if constexpr (has_least<Scalar>) {
    if (every(x < Scalar(least_limit))) return by_first_terms<4, Coefficient...>(x);
  }
  if (every(x < Scalar(short_limit<RealOf<Scalar>>))) return by_first_terms<8, Coefficient...>(x);
  return by_all_tiers<Coefficient...>(x);
}

template <class Coefficient, class Scalar>
inline Scalar coefficient(const Scalar& x) {
  return coefficients<Coefficient>(x)[0];
}

}  // namespace torsor::series
