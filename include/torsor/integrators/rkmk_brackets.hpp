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
/// of a small field: of the methods of order 4 here that are not limited to mechanical systems (RkmkNystrom4
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
    [&]<int... k>(std::integer_sequence<int, k...>) { (component(std::integral_constant<int, k>{}), ...); }
    (std::make_integer_sequence<int, Tangent::SizeAtCompileTime>{});
  }
};

/// Nystrom's method of order 4 for q' = q v, v' = a(t, q, v), in the chart q exp(xi), with the one bracket
/// that order 4 needs in place of dexp_inv:
///
///   v2 = v + h/2 a1,   a2 = a(t + h/2, m, v2),   a1 = a(t, q, v),   m = q exp(h/4 (v + v2))
///   v3 = v + h/2 a2,   a3 = a(t + h/2, m, v3),   b = [v, v3]
///   v4 = v + h a3,     a4 = a(t + h, e, v4),     e = q exp(h v3 + h^2/4 b)
///   q' = q exp(h v + h^2/6 (a1 + a2 + a3 + b)),  v' = v + h/6 (a1 + 2 a2 + 2 a3 + a4)
///
/// (signs for left trivialisation). The bracket in e compensates for the one that m leaves out. Four
/// accelerations a step, two of them at the same configuration, no error estimate. It is meant for many
/// copies of a small mechanism: of the methods of order 4 here it needs the least arithmetic. Hairer,
/// Norsett, Wanner, Solving Ordinary Differential Equations I, II.14; Munthe-Kaas, Owren, Computations in a
/// free Lie algebra, Phil. Trans. R. Soc. A 357 (1999) 957-981.
template <NystromField F>
class RkmkNystrom4 {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = 4, embedded_order = 0;
  static constexpr bool first_same_as_last = false;

  /// y_next from y; `slope` is (v; a1).
  void step(const F& f, const Point& y, const Tangent& slope, Scalar t, Scalar h, Point& y_next,
            Tangent* = nullptr) {
    const Scalar half = Scalar(0.5) * h, quarter = Scalar(0.25) * h, sixth = constant<Scalar>(1.L / 6) * h;
    const Scalar quarter_square = quarter * h, sixth_square = sixth * h;
    const Velocity v = velocity([&](auto i) { return slope[i]; });
    const Velocity a1 = velocity([&](auto i) { return slope[n + i]; });

    const Velocity v2 = velocity([&](auto i) { return v[i] + half * a1[i]; });
    const auto m = f.place(y, velocity([&](auto i) { return quarter * (v[i] + v2[i]); }));
    const Velocity a2 = f.acceleration(t + half, m, v2);

    const Velocity v3 = velocity([&](auto i) { return v[i] + half * a2[i]; });
    const Velocity b = f.bracket(v, v3);
    const auto e = f.place(y, velocity([&](auto i) { return h * v3[i] + quarter_square * b[i]; }));
    const Velocity a3 = f.acceleration(t + half, m, v3);
    const Velocity a4 = f.acceleration(t + h, e, velocity([&](auto i) { return v[i] + h * a3[i]; }));

    Tangent u;
    each([&](auto i) {
      const Scalar middle = a2[i] + a3[i], sum = a1[i] + middle;
      u[i] = h * v[i] + sixth_square * (sum + b[i]);
      u[n + i] = sixth * (sum + middle + a4[i]);
    });
    f.retract(y, u, y_next);
  }

 private:
  static constexpr int n = Tangent::SizeAtCompileTime / 2;
  using Velocity = Vector<Scalar, n>;

  /// component(i) for each i < n, unrolled for the reason given in hat.hpp.
  template <class Component>
  static void each(const Component& component) {
    [&]<int... k>(std::integer_sequence<int, k...>) { (component(std::integral_constant<int, k>{}), ...); }
    (std::make_integer_sequence<int, n>{});
  }
  template <class Component>
  static Velocity velocity(const Component& component) {
    Velocity all;
    each([&](auto i) { all[i] = component(i); });
    return all;
  }
};

}  // namespace torsor
