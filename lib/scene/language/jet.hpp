#pragma once

#include <cmath>
#include <numbers>

#include "torsor/lie/real_functions.hpp"

namespace torsor::scene {

/// A number with its first two derivatives with respect to t (a dual number of order two), so that
/// derivatives of expressions are exact. The functions give the same bits on every processor. The default
/// constructor leaves the numbers uninitialised, which makes stacks of jets cheap.
struct Jet {
  double value, rate, acceleration;

  static Jet constant(double x) { return {x, 0, 0}; }
  static Jet variable(double x) { return {x, 1, 0}; }
  bool is_constant() const { return rate == 0 && acceleration == 0; }
};

/// f(u), where f has the value f0 and the derivatives f1, f2 at u.
inline Jet chain(const Jet& u, double f0, double f1, double f2) {
  // If u is constant, so is f(u), even where the derivative of f is infinite (sqrt at 0).
  if (u.is_constant()) return Jet::constant(f0);
  return {f0, f1 * u.rate, f2 * u.rate * u.rate + f1 * u.acceleration};
}

inline Jet operator-(const Jet& u) { return {-u.value, -u.rate, -u.acceleration}; }
inline Jet operator+(const Jet& u, const Jet& w) {
  return {u.value + w.value, u.rate + w.rate, u.acceleration + w.acceleration};
}
inline Jet operator-(const Jet& u, const Jet& w) { return u + -w; }
inline Jet operator*(const Jet& u, const Jet& w) {
  return {u.value * w.value, u.rate * w.value + u.value * w.rate,
          u.acceleration * w.value + 2 * u.rate * w.rate + u.value * w.acceleration};
}
inline Jet operator/(const Jet& u, const Jet& w) {
  const double ratio = u.value / w.value, rate = (u.rate - ratio * w.rate) / w.value;
  return {ratio, rate, (u.acceleration - 2 * rate * w.rate - ratio * w.acceleration) / w.value};
}

inline Jet sin(const Jet& u) {
  const auto [s, c] = torsor::sin_cos(u.value);
  return chain(u, s, c, -s);
}
inline Jet cos(const Jet& u) {
  const auto [s, c] = torsor::sin_cos(u.value);
  return chain(u, c, -s, -c);
}
inline Jet tan(const Jet& u) { return sin(u) / cos(u); }
inline Jet asin(const Jet& u) {
  const double slope = 1 / std::sqrt(1 - u.value * u.value);
  return chain(u, real::asin(u.value), slope, u.value * slope * slope * slope);
}
inline Jet acos(const Jet& u) { return Jet::constant(std::numbers::pi / 2) - asin(u); }
inline Jet atan(const Jet& u) {
  const double slope = 1 / (1 + u.value * u.value);
  return chain(u, real::atan(u.value), slope, -2 * u.value * slope * slope);
}
/// The polar angle of the point (x, y). Its rate is (x y' - y x') / r^2.
inline Jet atan2(const Jet& y, const Jet& x) {
  const double angle = torsor::arctan2(y.value, x.value);
  if (y.is_constant() && x.is_constant()) return Jet::constant(angle);
  const double r2 = x.value * x.value + y.value * y.value;
  const double rate = (x.value * y.rate - y.value * x.rate) / r2;
  const double r2_rate = 2 * (x.value * x.rate + y.value * y.rate);
  return {angle, rate, (x.value * y.acceleration - y.value * x.acceleration - rate * r2_rate) / r2};
}
inline Jet sinh(const Jet& u) {
  const double s = real::sinh(u.value);
  return chain(u, s, real::cosh(u.value), s);
}
inline Jet cosh(const Jet& u) {
  const double c = real::cosh(u.value);
  return chain(u, c, real::sinh(u.value), c);
}
inline Jet tanh(const Jet& u) {
  const double f = real::tanh(u.value), slope = 1 - f * f;
  return chain(u, f, slope, -2 * f * slope);
}
inline Jet exp(const Jet& u) {
  const double f = real::exp(u.value);
  return chain(u, f, f, f);
}
inline Jet log(const Jet& u) { return chain(u, real::log(u.value), 1 / u.value, -1 / (u.value * u.value)); }
inline Jet sqrt(const Jet& u) {
  const double root = std::sqrt(u.value);
  return chain(u, root, 0.5 / root, -0.25 / (root * u.value));
}
inline Jet pow(const Jet& u, const Jet& w) {
  if (!w.is_constant()) {
    Jet power = exp(w * log(u));
    power.value = real::pow(u.value, w.value);  // 0^0 and similar powers have a value but no slope
    return power;
  }
  const double n = w.value;
  // Powers 0 and 1 have derivatives at u = 0, where 0 u^(n-1) and 0 u^(n-2) would evaluate to NaN.
  const double f1 = n == 0 ? 0 : n * real::pow(u.value, n - 1);
  const double f2 = n == 0 || n == 1 ? 0 : n * (n - 1) * real::pow(u.value, n - 2);
  return chain(u, real::pow(u.value, n), f1, f2);
}

}  // namespace torsor::scene
