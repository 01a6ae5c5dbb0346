#pragma once

#include "torsor/integrators/field.hpp"

namespace torsor {

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
/// singular. The embedded solution has k5 in place of k4 in y'. It satisfies the five order conditions up to
/// order 3 (the sums over c and over a c are the same for k5 and k4) but not those of order 4, so its order
/// is 3. It differs from y' by h/6 (k4 - k5) + O(h^5). Celledoni, Marthinsen, Owren, Future Gener. Comput.
/// Syst. 19 (2003) 341-352; Owren, J. Phys. A 39 (2006) 5585.
template <LieField F>
class Cf4 {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = 4, embedded_order = 3;
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
    if (error) *error = (h / Scalar(6)) * (k4_ - k5_);
  }

  /// f(t + h, y_next), a by-product of the last step.
  const Tangent& last_slope() const { return k5_; }

 private:
  Tangent k2_, k3_, k4_, k5_, u_;
  Point middle_, stage_;
};

}  // namespace torsor
