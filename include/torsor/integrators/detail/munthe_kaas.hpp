#pragma once

#include "torsor/integrators/detail/chart_algebra.hpp"
#include "torsor/integrators/field.hpp"

namespace torsor {

/// Runge-Kutta-Munthe-Kaas: a classical explicit method applied to the field in the exponential chart,
///
///   u' = dexp_inv(u) f(t, y exp(u)),  u(t) = 0,      y' = y exp(u(t + h)),
///
/// which has the order of the classical method on every Lie group. The chart is singular where a rotation
/// reaches 2 pi, so a step must not turn that far; the run-time steppers reject turns of pi or more. With e
/// the embedded solution in the chart, and y_e = y exp(e), the classical method estimates its error by the
/// chart vector u - e. `error` receives this vector transported to the group:
///
///   dexp(u)(u - e) = log(y_e^-1 y') + O(|u - e|^2).
///
/// Munthe-Kaas, Appl. Numer. Math. 29 (1999) 115-127; Iserles et al., Acta Numerica 9 (2000) 215-365.
///
/// `Classical` is an explicit stepper of Boost.Odeint over the algebra vectors of the field, with
/// ChartAlgebra, or an ExplicitPair.
template <LieField F, class Classical>
class MuntheKaas {
 public:
  using Field = F;
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  static constexpr int order = Classical::order_value;
  static constexpr int embedded_order = [] {
    if constexpr (requires { Classical::error_order_value; }) return int(Classical::error_order_value);
    return 0;
  }();
  static constexpr bool first_same_as_last = [] {
    if constexpr (requires { Classical::first_same_as_last; }) return Classical::first_same_as_last;
    return false;
  }();

  /// y_next from y; `slope` is f(t, y). `error` only if the method has an embedded solution.
  void step(const F& f, const Point& y, const Tangent& slope, Scalar t, Scalar h, Point& y_next,
            Tangent* error = nullptr) {
    const auto in_chart = [&](const Tangent& u, Tangent& u_rate, Scalar s) { f.chart_rate(s, y, u, u_rate); };
    origin_.setZero(f.dim());
    if constexpr (requires { classical_.leave_out(f.quadratures()); }) classical_.leave_out(f.quadratures());
    classical_step(in_chart, slope, t, h, error);
    f.retract(y, u_, y_next);
    if (error) {
      error->resize(f.dim());
      f.dexp(u_, chart_error_, *error);
    }
    if constexpr (first_same_as_last) f.rate_from_chart(y_next, u_, classical_.last_slope(), last_slope_);
  }

  /// f(t + h, y_next), a by-product of the last step.
  const Tangent& last_slope() const requires first_same_as_last { return last_slope_; }
  /// The chart vector u of the last step: y_next = y exp(u).
  const Tangent& chart() const { return u_; }

 private:
  template <class Rate>
  void classical_step(const Rate& rate, const Tangent& slope, Scalar t, Scalar h, const Tangent* error) {
    if constexpr (embedded_order > 0) {
      if (error)
        classical_.do_step(rate, origin_, slope, t, u_, h, chart_error_);
      else
        classical_.do_step(rate, origin_, slope, t, u_, h);
    } else {
      classical_.do_step(rate, origin_, slope, t, u_, h);
    }
  }

  Classical classical_;
  Tangent origin_, u_, chart_error_, last_slope_;
};

}  // namespace torsor
