#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>

#include "torsor/lie/detail/derivative_products.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

namespace torsor {

/// A power series c_0 + c_1 x + ... + c_order x^order, higher terms dropped. Nested, Taylor<Taylor<T, j>, i>
/// is a series in two variables. Comparisons look at c_0; select takes all coefficients together. Griewank,
/// Walther, Evaluating Derivatives, 13.
template <class T, int order>
struct Taylor {
  std::array<T, order + 1> c{};

  Taylor() = default;
  Taylor(const T& constant) : Taylor() { c[0] = constant; }
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::same_as<Number, T>) Taylor(Number constant)
      : Taylor(T(static_cast<RealOf<T>>(constant))) {}
  explicit Taylor(const std::array<T, order + 1>& coefficients) : c(coefficients) {}
  /// The series x itself.
  static Taylor variable() {
    Taylor x;
    if constexpr (order > 0) x.c[1] = T(1);
    return x;
  }

  T& operator[](int i) { return c[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return c[static_cast<std::size_t>(i)]; }

  /// The derivative with respect to x. Its term x^order is unknown and set to 0.
  Taylor derivative() const {
    Taylor out;
    for (int i = 0; i < order; ++i) out[i] = T(i + 1) * (*this)[i + 1];
    return out;
  }
  /// The integral from x = 0.
  Taylor integral() const {
    Taylor out;
    for (int i = 1; i <= order; ++i) out[i] = (*this)[i - 1] / T(i);
    return out;
  }
  /// The value of the sum at a number x.
  T at(const T& x) const {
    T sum = c[order];
    for (int i = order - 1; i >= 0; --i) sum = sum * x + (*this)[i];
    return sum;
  }

  Taylor operator-() const {
    Taylor out;
    for (int i = 0; i <= order; ++i) out[i] = -(*this)[i];
    return out;
  }
  Taylor& operator+=(const Taylor& b) {
    for (int i = 0; i <= order; ++i) (*this)[i] += b[i];
    return *this;
  }
  Taylor& operator-=(const Taylor& b) {
    for (int i = 0; i <= order; ++i) (*this)[i] -= b[i];
    return *this;
  }
  friend Taylor operator+(Taylor a, const Taylor& b) { return a += b; }
  friend Taylor operator-(Taylor a, const Taylor& b) { return a -= b; }
  friend Taylor operator*(const Taylor& a, const Taylor& b) {
    Taylor out;
    for (int i = 0; i <= order; ++i) {
      for (int j = 0; j <= i; ++j) out[i] += a[j] * b[i - j];
    }
    return out;
  }
  friend Taylor operator/(const Taylor& a, const Taylor& b) {
    Taylor out;
    for (int i = 0; i <= order; ++i) {
      T rest = a[i];
      for (int j = 0; j < i; ++j) rest -= out[j] * b[i - j];
      out[i] = rest / b[0];
    }
    return out;
  }
  Taylor& operator*=(const Taylor& b) { return *this = *this * b; }
  Taylor& operator/=(const Taylor& b) { return *this = *this / b; }

  friend auto operator<(const Taylor& a, const Taylor& b) { return a[0] < b[0]; }
  friend auto operator>(const Taylor& a, const Taylor& b) { return a[0] > b[0]; }
  friend auto operator<=(const Taylor& a, const Taylor& b) { return a[0] <= b[0]; }
  friend auto operator>=(const Taylor& a, const Taylor& b) { return a[0] >= b[0]; }
  friend auto operator==(const Taylor& a, const Taylor& b) { return a[0] == b[0]; }
  friend auto operator!=(const Taylor& a, const Taylor& b) { return a[0] != b[0]; }
};

template <class T, int order>
struct ScalarOps<Taylor<T, order>> {
  using Series = Taylor<T, order>;
  using Real = RealOf<T>;

  template <class Mask>
  static Series select(const Mask& mask, const Series& yes, const Series& no) {
    Series out;
    for (int i = 0; i <= order; ++i) out[i] = torsor::select(mask, yes[i], no[i]);
    return out;
  }
  /// From r r = x: 2 r_0 r_i = x_i - sum r_j r_{i-j}.
  static Series square_root(const Series& x) {
    Series r(torsor::sqrt(x[0]));
    for (int i = 1; i <= order; ++i) {
      T rest = x[i];
      for (int j = 1; j < i; ++j) rest -= r[j] * r[i - j];
      r[i] = rest / (r[0] + r[0]);
    }
    return r;
  }
  /// From s' = c x', c' = -s x'.
  static SinCos<Series> sin_cos(const Series& x) {
    const SinCos<T> at = torsor::sin_cos(x[0]);
    Series s(at.sin), c(at.cos);
    for (int i = 1; i <= order; ++i) {
      for (int j = 1; j <= i; ++j) {
        const T rate = T(j) * x[j];
        s[i] += rate * c[i - j];
        c[i] -= rate * s[i - j];
      }
      s[i] /= T(i);
      c[i] /= T(i);
    }
    return {s, c};
  }
  /// From (x^2 + y^2) a' = x y' - y x'.
  static Series arctan2(const Series& y, const Series& x) {
    Series angle = ((x * y.derivative() - y * x.derivative()) / (x * x + y * y)).integral();
    angle[0] = torsor::arctan2(y[0], x[0]);
    return angle;
  }

  static const T& value(const Series& x) { return x[0]; }
  template <class Test>
  static bool all_derivatives(const Series& x, const Test& test) {
    return std::all_of(x.c.begin() + 1, x.c.end(), test);
  }
  /// f(x) of a function with f' = slope(f, x): each pass of f = f(x_0) + integral of slope x' determines
  /// one more coefficient.
  template <class Function, class Slope>
  static Series grown(const Series& x, const Function& function, const Slope& slope) {
    Series f(function(x[0]));
    for (int i = 1; i <= order; ++i) {
      const Series rate = slope(f, x) * x.derivative();
      f[i] = rate[i - 1] / T(i);
    }
    return f;
  }
  /// f(x) of a function with the Taylor series sum c(k, x_0) (x - x_0)^k. The term k has no powers
  /// below k.
  template <class Coefficient>
  static Series expanded(const Series& x, const Coefficient& c) {
    Series f, term(1), change = x;
    change[0] = T(0);
    for (int k = 0; k <= order; ++k, term *= change) {
      const T coefficient = c(k, x[0]);
      for (int i = k; i <= order; ++i) f[i] += coefficient * term[i];
    }
    return f;
  }
};

}  // namespace torsor

namespace Eigen {

template <class T, int order>
struct NumTraits<torsor::Taylor<T, order>> : GenericNumTraits<torsor::RealOf<T>> {
  using Self = torsor::Taylor<T, order>;
  using Real = Self;
  using NonInteger = Self;
  using Nested = Self;
  using Literal = Self;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = order + 1,
    AddCost = order + 1,
    MulCost = (order + 1) * (order + 1)
  };
};

}  // namespace Eigen
