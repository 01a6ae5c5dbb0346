#pragma once

#include <Eigen/Core>

#include "torsor/lie/detail/derivative_products.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

namespace torsor {

/// x + x' e with e^2 = 0: a value and its derivative along one direction. Dual<Dual<T>> carries the second
/// derivative as well. Comparisons use the value alone; select chooses value and derivative together.
template <class T>
struct Dual {
  T value{}, derivative{};

  Dual() = default;
  Dual(const T& v, const T& d) : value(v), derivative(d) {}
  Dual(const T& v) : value(v), derivative(0) {}
  /// Any number is a constant.
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::same_as<Number, T>) Dual(Number v)
      : value(static_cast<RealOf<T>>(v)), derivative(0) {}

  Dual operator-() const { return {-value, -derivative}; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.derivative + a.derivative * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
};

template <class T>
struct ScalarOps<Dual<T>> {
  using Real = RealOf<T>;
  template <class Mask>
  static Dual<T> select(const Mask& mask, const Dual<T>& yes, const Dual<T>& no) {
    return {torsor::select(mask, yes.value, no.value), torsor::select(mask, yes.derivative, no.derivative)};
  }
  static Dual<T> square_root(const Dual<T>& x) {
    const T root = torsor::sqrt(x.value);
    return {root, x.derivative / (root + root)};
  }
  static SinCos<Dual<T>> sin_cos(const Dual<T>& x) {
    const SinCos<T> at = torsor::sin_cos(x.value);
    return {{at.sin, at.cos * x.derivative}, {at.cos, -(at.sin * x.derivative)}};
  }
  static Dual<T> arctan2(const Dual<T>& y, const Dual<T>& x) {
    const T squared = x.value * x.value + y.value * y.value;
    return {torsor::arctan2(y.value, x.value), (x.value * y.derivative - y.value * x.derivative) / squared};
  }

  static const T& value(const Dual<T>& x) { return x.value; }
  template <class Test>
  static bool all_derivatives(const Dual<T>& x, const Test& test) {
    return test(x.derivative);
  }
  /// f(x) of a function with f' = slope(f, x).
  template <class Function, class Slope>
  static Dual<T> grown(const Dual<T>& x, const Function& function, const Slope& slope) {
    const T f = function(x.value);
    return {f, slope(f, x.value) * x.derivative};
  }
  /// f(x) of a function with the Taylor series sum c(k, x_0) (x - x_0)^k.
  template <class Coefficient>
  static Dual<T> expanded(const Dual<T>& x, const Coefficient& c) {
    return {c(0, x.value), c(1, x.value) * x.derivative};
  }
};

}  // namespace torsor

namespace Eigen {

template <class T>
struct NumTraits<torsor::Dual<T>> : GenericNumTraits<torsor::RealOf<T>> {
  using Self = torsor::Dual<T>;
  using Real = Self;
  using NonInteger = Self;
  using Nested = Self;
  using Literal = Self;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 3
  };
};

}  // namespace Eigen
