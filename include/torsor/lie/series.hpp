#pragma once

#include <array>
#include <limits>

#include "torsor/lie/trigonometry.hpp"

/// The coefficients of the exponential maps, as functions of the squared angle x = t^2:
///
///   A   sin t / t                                  HalfCos   cos(t/2)
///   B   (1 - cos t) / t^2                          HalfSinc  sin(t/2) / t
///   C   (t - sin t) / t^3                          D   (1 - t/2 cot(t/2)) / t^2 = E / (2 B)
///   Q2  (t^2 + 2 cos t - 2) / (2 t^4)              D1  (dD/dt) / t
///   Q3  (2 t - 3 sin t + t cos t) / (2 t^5)        E   (2 - 2 cos t - t sin t) / t^4
///
/// Below x = 5 by power series (12 terms at most) without a square root, so that derivatives exist at 0;
/// above by closed forms. Relative error below 6 eps up to t = pi. A shorter series serves x < 1/16, where
/// the steps of an integrator fall. Each lane selects for itself; a tier is skipped only when no lane needs
/// it.
namespace torsor::series {

inline constexpr double short_limit = 0.0625, near_limit = 5;

inline constexpr std::size_t most_terms = 16;
using Terms = std::array<long double, most_terms>;

/// sum_j (-x)^j term(j), the terms as a function of j.
constexpr Terms alternating(long double (*term)(int j)) {
  Terms c{};
  for (int j = 0; j < static_cast<int>(most_terms); ++j) c[j] = (j % 2 ? -1 : 1) * term(j);
  return c;
}
constexpr long double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/// Number of terms after which what is left is below eps / 8 of the first, for x <= limit.
template <class Real>
constexpr std::size_t term_count(const Terms& c, double limit) {
  long double power = 1;
  for (std::size_t j = 0; j < most_terms; ++j, power *= limit) {
    const long double ratio = c[j] * power / c[0];
    if ((ratio < 0 ? -ratio : ratio) < std::numeric_limits<Real>::epsilon() / 8) return j;
  }
  return most_terms;
}

/// The series of a coefficient cut where it serves x <= limit.
template <class Coefficient, class Real, bool is_short>
inline constexpr auto cut = [] {
  constexpr std::size_t n = term_count<Real>(Coefficient::terms, is_short ? short_limit : near_limit);
  std::array<Real, n> c{};
  for (std::size_t j = 0; j < n; ++j) c[j] = static_cast<Real>(Coefficient::terms[j]);
  return c;
}();

template <class Coefficient, class Scalar>
Scalar sum(const Scalar& x) {
  return polynomial(x, cut<Coefficient, RealOf<Scalar>, false>);
}

/// What the closed forms share; x >= near_limit.
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
    return (Scalar(0.5) * at.x - Scalar(2) * at.sin_half * at.sin_half) * at.per_x * at.per_x;
  }
};
struct Q3 {
  static constexpr Terms terms = alternating([](int j) { return (j + 1) / factorial(2 * j + 5); });
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    const Scalar in_half = at.t * at.cos_half - Scalar(3) * at.sin_half;
    return (Scalar(0.5) * at.t + at.cos_half * in_half) / (at.t * at.x * at.x);
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

/// d has poles at t = 2 pi, so its own series serves the short tier alone: sum_j |B_2j+2| x^j / (2j+2)!.
struct D {
  static constexpr Terms terms{1.L / 12,          1.L / 720,
                               1.L / 30240,       1.L / 1209600,
                               1.L / 47900160,    691.L / 1307674368000,
                               1.L / 74724249600, 3617.L / 10670622842880000};
  template <class Scalar>
  static Scalar near(const Scalar& x) {
    return sum<E>(x) / (Scalar(2) * sum<B>(x));
  }
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    return (Scalar(1) - Scalar(0.5) * at.t * at.cos_half / at.sin_half) * at.per_x;
  }
};
/// From (I + bW + cW^2)(I - W/2 + dW^2) = I, differentiated: a d' = b'/2 - c' + d (c + x c') with ' = d/dx.
struct D1 {
  static constexpr Terms terms{2 * D::terms[1],  4 * D::terms[2],  6 * D::terms[3], 8 * D::terms[4],
                               10 * D::terms[5], 12 * D::terms[6], 14 * D::terms[7]};
  template <class Scalar>
  static Scalar near(const Scalar& x) {
    const Scalar c = sum<C>(x), q3 = sum<Q3>(x), d = D::near(x);
    return (sum<Q2>(x) - Scalar(0.5) * c + Scalar(2) * (q3 + d * (c - x * q3))) / (Scalar(1) - x * c);
  }
  template <class Scalar>
  static Scalar far(const Angle<Scalar>& at) {
    const Scalar cot = at.cos_half / at.sin_half, half_t = Scalar(0.5) * at.t;
    const Scalar slope = Scalar(0.5) * (half_t * (Scalar(1) + cot * cot) - cot) / at.t;
    return (slope - Scalar(2) * (Scalar(1) - half_t * cot) * at.per_x) * at.per_x;
  }
};

/// The coefficients at one squared angle x >= 0: `const auto [b, c] = coefficients<series::B, series::C>(x)`.
template <class... Coefficient, class Scalar>
std::array<Scalar, sizeof...(Coefficient)> coefficients(const Scalar& x) {
  using Real = RealOf<Scalar>;
  using Values = std::array<Scalar, sizeof...(Coefficient)>;
  const auto near_value = []<class F>(const Scalar& at, F*) {
    if constexpr (requires { F::near(at); }) {
      return F::near(at);
    } else {
      return sum<F>(at);
    }
  };
  const auto merge = [](const auto& mask, const Values& yes, const Values& no) {
    Values merged;
    for (std::size_t i = 0; i < merged.size(); ++i) merged[i] = torsor::select(mask, yes[i], no[i]);
    return merged;
  };

  const auto tiny = x < Scalar(short_limit), near = x < Scalar(near_limit);
  const Values first{polynomial(x, cut<Coefficient, Real, true>)...};
  if (every(tiny)) return first;
  const Scalar below = torsor::min(x, Scalar(near_limit));
  const Values second = merge(tiny, first, {near_value(below, static_cast<Coefficient*>(nullptr))...});
  if (every(near)) return second;
  const Angle<Scalar> at(torsor::max(x, Scalar(near_limit)));
  return merge(near, second, {Coefficient::far(at)...});
}

template <class Coefficient, class Scalar>
Scalar coefficient(const Scalar& x) {
  return coefficients<Coefficient>(x)[0];
}

}  // namespace torsor::series
