#pragma once

#include "torsor/integrators/field.hpp"

namespace torsor {

/// Each step follows one autoparallel of the canonical connection, with the velocity at its start:
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

}  // namespace torsor
