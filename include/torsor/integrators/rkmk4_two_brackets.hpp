#pragma once

#include <utility>

#include "torsor/integrators/field.hpp"

namespace torsor {

/// Runge-Kutta-Munthe-Kaas method of order 4 with the classical coefficients. In place of dexp_inv at each
/// stage it has the two brackets that order 4 needs:
///
///   k1 = f(t, y)
///   k2 = f(t + h/2, y exp(h/2 k1))
///   k3 = f(t + h/2, y exp(h/2 k2 + h^2/8 [k1, k2]))
///   k4 = f(t + h,   y exp(h k3))
///   y' = y exp(h/6 (k1 + 2 k2 + 2 k3 + k4) + h^2/12 [k1, k4])
///
/// (signs for left trivialisation). Four evaluations a step, no error estimate. It is meant for many copies
/// of a small field: of the methods of order 4 here that are not limited to mechanical systems (rkmk_nystrom4
/// is), it needs the least arithmetic.
/// Munthe-Kaas, Owren, Computations in a free Lie algebra, Phil. Trans. R. Soc. A 357 (1999) 957-981.
template <BracketField F>
class Rkmk4TwoBrackets {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = 4, embedded_order = 0;
  static constexpr bool first_same_as_last = false;

  /// y_next from y; `k1` is f(t, y).
  void step(const F& f, const Point& y, const Tangent& k1, Scalar t, Scalar h, Point& y_next,
            Tangent* = nullptr) {
    const Scalar half = Scalar(0.5) * h, sixth = constant<Scalar>(1.L / 6) * h;
    Tangent u, k2, k3, k4;
    each([&](auto i) { u[i] = half * k1[i]; });
    f.rate_at(t + half, y, u, k2);
    each([&](auto i) { u[i] = half * k2[i]; });
    f.add_bracket(Scalar(0.5) * half * half, k1, k2, u);
    f.rate_at(t + half, y, u, k3);
    each([&](auto i) { u[i] = h * k3[i]; });
    f.rate_at(t + h, y, u, k4);
    each([&](auto i) {
      const Scalar middle = k2[i] + k3[i];
      u[i] = sixth * ((k1[i] + k4[i]) + (middle + middle));
    });
    f.add_bracket(half * sixth, k1, k4, u);
    f.retract(y, u, y_next);
  }

 private:
  /// component(i) for each component i, unrolled for the reason given in hat.hpp.
  template <class Component>
  static void each(const Component& component) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (component(std::integral_constant<int, I>{}), ...); }
    (std::make_integer_sequence<int, Tangent::SizeAtCompileTime>{});
  }
};

}  // namespace torsor
