#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "torsor/lie/detail/real_functions.hpp"

/// The elementary functions of users' formulas over doubles, and over dual numbers and series of doubles,
/// with exact derivatives. Most functions are given by their value on numbers and by their slope, f' =
/// slope(f, x), from which the scalar computes the derivatives (ScalarOps::grown): Griewank, Walther,
/// Evaluating Derivatives, 13.2. The others use functions of the scalar: sin_cos, arctan2 and
/// ScalarOps::expanded.
namespace torsor {

template <class S>
concept Differentiable = !std::floating_point<S> && requires(const S& x) {
  ScalarOps<S>::grown(
      x, [](const auto& y) { return y; }, [](const auto& y, const auto&) { return y; });
};

/// The floating-point number inside a scalar, and whether all derivatives that the scalar carries are zero.
template <std::floating_point S>
S real_part(const S& x) {
  return x;
}
template <Differentiable S>
RealOf<S> real_part(const S& x) {
  return real_part(ScalarOps<S>::value(x));
}
template <std::floating_point S>
bool is_plain(const S&) {
  return true;
}
template <Differentiable S>
bool is_plain(const S& x) {
  return ScalarOps<S>::all_derivatives(x, [](const auto& d) { return real_part(d) == 0 && is_plain(d); }) &&
         is_plain(ScalarOps<S>::value(x));
}

template <class S>
S sin(const S& x) {
  return torsor::sin_cos(x).sin;
}
template <class S>
S cos(const S& x) {
  return torsor::sin_cos(x).cos;
}
template <class S>
S tan(const S& x) {
  const SinCos<S> at = torsor::sin_cos(x);
  return at.sin / at.cos;
}
template <class S>
S atan2(const S& y, const S& x) {
  return torsor::arctan2(y, x);
}

template <std::same_as<double> S>
S exp(const S& x) {
  return real::exp(x);
}
template <Differentiable S>
S exp(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::exp(y); }, [](const auto& f, const auto&) { return f; });
}

template <std::same_as<double> S>
S log(const S& x) {
  return real::log(x);
}
template <Differentiable S>
S log(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::log(y); }, [](const auto&, const auto& y) { return 1 / y; });
}

template <std::same_as<double> S>
S asin(const S& x) {
  return real::asin(x);
}
template <Differentiable S>
S asin(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::asin(y); },
      [](const auto&, const auto& y) { return 1 / torsor::sqrt(decltype(y * y)((1 - y) * (1 + y))); });
}

template <std::same_as<double> S>
S acos(const S& x) {
  return real::acos(x);
}
template <Differentiable S>
S acos(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::acos(y); },
      [](const auto&, const auto& y) { return -1 / torsor::sqrt(decltype(y * y)((1 - y) * (1 + y))); });
}

template <std::same_as<double> S>
S atan(const S& x) {
  return real::atan(x);
}
template <Differentiable S>
S atan(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::atan(y); },
      [](const auto&, const auto& y) { return 1 / (1 + y * y); });
}

namespace detail {

/// sqrt(1 + f^2), the slope of f = sinh x. For |f| above 2^28, 1 is below the rounding of f^2, and |f| is
/// returned, since f^2 may overflow.
template <class S>
S slope_of_sinh(const S& f) {
  constexpr double large = 1 << 28;
  const auto size = real_part(f);
  return size > large ? f : size < -large ? S(-f) : S(torsor::sqrt(S(1 + f * f)));
}

}  // namespace detail

template <std::same_as<double> S>
S sinh(const S& x) {
  return real::sinh(x);
}
template <Differentiable S>
S sinh(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::sinh(y); },
      [](const auto& f, const auto&) { return detail::slope_of_sinh(f); });
}

template <std::same_as<double> S>
S cosh(const S& x) {
  return real::cosh(x);
}
template <Differentiable S>
S cosh(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::cosh(y); },
      [](const auto&, const auto& y) { return torsor::sinh(y); });
}

template <std::same_as<double> S>
S tanh(const S& x) {
  return real::tanh(x);
}
template <Differentiable S>
S tanh(const S& x) {
  return ScalarOps<S>::grown(
      x, [](const auto& y) { return torsor::tanh(y); }, [](const auto& f, const auto&) { return 1 - f * f; });
}

/// x^n for a number n. At x = 0 the derivatives of an order below n are 0, as are those of an order above a
/// natural n.
template <std::same_as<double> S>
S power(const S& x, S n) {
  return real::pow(x, n);
}
template <Differentiable S>
S power(const S& x, RealOf<S> n) {
  return ScalarOps<S>::expanded(x, [n](int k, const auto& y) {
    using Y = std::remove_cvref_t<decltype(y)>;
    RealOf<S> binomial(1);
    for (int i = 0; i < k; ++i) binomial *= (n - i) / (i + 1);
    return binomial == 0 ? Y(0) : Y(binomial * torsor::power(y, n - k));
  });
}
/// x^w; x > 0 where w varies. The value is the power of the numbers, so it exists at 0^0 too.
template <std::same_as<double> S>
S pow(const S& x, const S& w) {
  return real::pow(x, w);
}
template <Differentiable S>
S pow(const S& x, const S& w) {
  if (is_plain(w)) return torsor::power(x, real_part(w));
  using Ops = ScalarOps<S>;
  return Ops::grown(
      S(w * torsor::log(x)), [&](const auto&) { return torsor::pow(Ops::value(x), Ops::value(w)); },
      [](const auto& f, const auto&) { return f; });
}

}  // namespace torsor
