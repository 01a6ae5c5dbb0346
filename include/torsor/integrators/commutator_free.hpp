#pragma once

#include <array>
#include <utility>

#include "torsor/integrators/field.hpp"

namespace torsor {

/// The Lie-Euler method: each step follows one autoparallel of the canonical connection, with the velocity at
/// its start:
///
///   y' = y exp(h f(t, y)).
///
/// Order 1, one evaluation. For a mechanical system this is q' = q exp(h v), v' = v + h a(t, q, v).
template <LieField F>
class LieEuler {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = 1, embedded_order = 0;
  static constexpr bool first_same_as_last = false;

  /// y_next from y; `slope` is f(t, y).
  void step(const F& f, const Point& y, const Tangent& slope, Scalar, Scalar h, Point& y_next,
            Tangent* = nullptr) {
    u_ = h * slope;
    f.retract(y, u_, y_next);
  }

 private:
  Tangent u_;
};

/// Commutator-free method of order 4, left-trivialised:
///
///   k1 = f(t, y)
///   k2 = f(t + h/2, y exp(h/2 k1))
///   k3 = f(t + h/2, y exp(h/2 k2))
///   k4 = f(t + h,   y exp(h/2 k1) exp(h (k3 - k1/2)))
///   y' = y exp(h/12 (3 k1 + 2 k2 + 2 k3 - k4)) exp(h/12 (-k1 + 2 k2 + 2 k3 + 3 k4))
///   k5 = f(t + h, y'), the k1 of the next step.
///
/// The method evaluates neither dexp nor a bracket, and it has no exponential chart that could become
/// singular. The error estimate needs one more slope, at 3/4 of the step,
///
///   k6 = f(t + 3/4 h, y exp(h/32 (6 k1 + 9 k2 + 9 k3))),   h/18 (-k1 + 3 k2 + 3 k3 + 3 k4 - 8 k6).
///
/// This is the difference of the weights of y' from those of an embedded solution of order 3, which on R^n
/// has the nodes and weights of Bogacki and Shampine: 2/9 at 0, 1/3 at 1/2, 4/9 at 3/4. An estimate from k1
/// to k5 alone is zero for fields of time alone: at the times of k1 to k5, Simpson's rule is the only
/// quadrature of order 3. Celledoni, Marthinsen, Owren, Future Gener. Comput. Syst. 19 (2003) 341-352; Owren,
/// J. Phys. A 39 (2006) 5585; Bogacki, Shampine, Appl. Math. Lett. 2 (1989) 321-325.
template <LieField F>
class Cf4 {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = 4, embedded_order = 3;
  static constexpr int estimate_evaluations = 1;  ///< that a step needs only for its error estimate
  static constexpr bool first_same_as_last = true;

  /// y_next from y; `k1` is f(t, y).
  void step(const F& f, const Point& y, const Tangent& k1, Scalar t, Scalar h, Point& y_next,
            Tangent* error = nullptr) {
    const Scalar half = h / Scalar(2), twelfth = h / Scalar(12), two(2), three(3);
    u_ = half * k1;
    f.retract(y, u_, middle_);
    f.rate(t + half, middle_, k2_);
    u_ = half * k2_;
    f.retract(y, u_, stage_);
    f.rate(t + half, stage_, k3_);
    u_ = h * k3_ - half * k1;
    f.retract(middle_, u_, stage_);
    f.rate(t + h, stage_, k4_);
    u_ = twelfth * (three * k1 + two * k2_ + two * k3_ - k4_);
    f.retract(y, u_, stage_);
    u_ = twelfth * (two * k2_ + two * k3_ + three * k4_ - k1);
    f.retract(stage_, u_, y_next);
    f.rate(t + h, y_next, k5_);
    if (error) estimate(f, y, k1, t, h, *error);
  }

  /// f(t + h, y_next), a by-product of the last step.
  const Tangent& last_slope() const { return k5_; }

 private:
  void estimate(const F& f, const Point& y, const Tangent& k1, Scalar t, Scalar h, Tangent& error) {
    const Scalar three(3), three_quarters(0.75);
    u_ = (h / Scalar(32)) * (Scalar(6) * k1 + Scalar(9) * k2_ + Scalar(9) * k3_);
    f.retract(y, u_, stage_);
    f.rate(t + three_quarters * h, stage_, k6_);
    error = (h / Scalar(18)) * (three * k2_ + three * k3_ + three * k4_ - k1 - Scalar(8) * k6_);
  }

  Tangent k2_, k3_, k4_, k5_, k6_, u_;
  Point middle_, stage_;
};

/// Coefficients of an explicit method with s stages; the sum of row i of a is c_i.
template <int Stages>
struct Tableau {
  static constexpr int stages = Stages;
  std::array<std::array<double, Stages>, Stages> a;
  std::array<double, Stages> b, c;
};

/// Three stages, order 3. Owren, Marthinsen, BIT 39 (1999) 116-142.
inline constexpr Tableau<3> cg3_tableau = {{{{0, 0, 0}, {3. / 4, 0, 0}, {119. / 216, 17. / 108, 0}}},
                                           {13. / 51, -2. / 3, 24. / 17},
                                           {0, 3. / 4, 17. / 24}};

/// Five stages, order 4. Jackiewicz, Marthinsen, Owren, Adv. Comput. Math. 13 (2000) 405-415.
inline constexpr Tableau<5> cg4_tableau = {
    {{{0, 0, 0, 0, 0},
      {0.8177227988124852, 0, 0, 0, 0},
      {0.3199876375476427, 0.0659864263556022, 0, 0, 0},
      {0.9214417194464946, 0.4997857776773573, -1.0969984448371582, 0, 0},
      {0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113465, 0}}},
    {0.1370831520630755, -0.0183698531564020, 0.7397813985370780, -0.1907142565505889, 0.3322195591068374},
    {0, 0.8177227988124852, 0.3859740639032449, 0.3242290522866937, 0.8768903263420429}};

/// Crouch-Grossman methods: stages and step are products of exponentials of single slopes,
///
///   Y_i = y exp(h a_i1 k_1) ... exp(h a_i,i-1 k_i-1),   k_i = f(t + c_i h, Y_i),
///   y'  = y exp(h b_1 k_1) ... exp(h b_s k_s).
///
/// They need only the exponential map: s(s + 1)/2 exponentials per step. No error estimate.
/// Crouch, Grossman, J. Nonlinear Sci. 3 (1993) 1-33.
template <LieField F, const auto& tableau, int Order>
class CrouchGrossman {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int stages = std::remove_cvref_t<decltype(tableau)>::stages;
  static constexpr int order = Order, embedded_order = 0;
  static constexpr bool first_same_as_last = false;

  /// y_next from y; `slope` is f(t, y).
  void step(const F& f, const Point& y, const Tangent& slope, Scalar t, Scalar h, Point& y_next,
            Tangent* = nullptr) {
    k_[0] = slope;
    for (int i = 1; i < stages; ++i) {
      product(f, y, h, tableau.a[i], i, y_next);
      f.rate(t + Scalar(tableau.c[i]) * h, y_next, k_[i]);
    }
    product(f, y, h, tableau.b, stages, y_next);
  }

 private:
  void product(const F& f, const Point& y, Scalar h, const std::array<double, stages>& weights, int n,
               Point& out) {
    out = y;
    for (int j = 0; j < n; ++j) {
      u_ = (Scalar(weights[j]) * h) * k_[j];
      f.retract(out, u_, factor_);
      std::swap(out, factor_);
    }
  }

  std::array<Tangent, stages> k_;
  Tangent u_;
  Point factor_;
};

template <LieField F>
using Cg3 = CrouchGrossman<F, cg3_tableau, 3>;
template <LieField F>
using Cg4 = CrouchGrossman<F, cg4_tableau, 4>;

}  // namespace torsor
