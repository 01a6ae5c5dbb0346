#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

#include "torsor/integrators/detail/controlled_steps.hpp"
#include "torsor/integrators/field.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {

struct IntegrateOptions {
  double tolerance = 1e-8;  ///< of the error estimate of a step, in the norm of error_size
  double first_step = 0;    ///< in the unit of t; 0: chosen from the field
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 10'000'000;

  /// Throws std::invalid_argument if a time is not finite or an option is not valid.
  void check(double t, double t_end) const {
    if (!std::isfinite(t) || !std::isfinite(t_end))
      throw std::invalid_argument("the times of integrate must be finite");
    if (!(tolerance > 0)) throw std::invalid_argument("the tolerance of integrate must be positive");
    if (!(first_step >= 0 && std::isfinite(first_step)))
      throw std::invalid_argument("the first step of integrate must be finite and not negative");
    if (!(max_step > 0)) throw std::invalid_argument("the greatest step of integrate must be positive");
    if (max_steps < 1) throw std::invalid_argument("max_steps of integrate must be at least 1");
  }
};

struct IntegrateResult {
  StepStatus status = StepStatus::reached_end;  ///< or underflow, step_limit
  double t = 0;
  long accepted = 0, rejected = 0, evaluations = 0;
};

namespace detail {

/// The field with a count of its evaluations.
template <LieField F>
class CountingField {
 public:
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  explicit CountingField(const F& f) : f_(f) {}
  long evaluations() const { return evaluations_; }

  int dim() const { return f_.dim(); }
  void retract(const Point& y, const Tangent& u, Point& out) const { f_.retract(y, u, out); }
  void difference(const Point& y, const Point& z, Tangent& out) const { f_.difference(y, z, out); }
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const { f_.dexp(u, w, out); }
  void rate(const Scalar& t, const Point& y, Tangent& out) const { ++evaluations_, f_.rate(t, y, out); }
  void chart_rate(const Scalar& t, const Point& y, const Tangent& u, Tangent& out) const {
    ++evaluations_, f_.chart_rate(t, y, u, out);
  }
  void rate_from_chart(const Point& z, const Tangent& u, const Tangent& u_rate, Tangent& out) const {
    f_.rate_from_chart(z, u, u_rate, out);
  }
  /// The field's own `error_size`, or else the greatest component. The latter is not finite if a component is
  /// not finite.
  Scalar error_size(const Point& y, const Tangent& error) const {
    if constexpr (requires { f_.error_size(y, error); }) {
      return f_.error_size(y, error);
    } else {
      Scalar size(0), sum(0);
      for (int i = 0; i < error.size(); ++i) {
        const Scalar part = torsor::abs(error[i]);
        size = torsor::max(size, part);
        sum += part;
      }
      return torsor::size_if_finite(size, sum);
    }
  }
  /// The size of the error of a step from y to z. Not finite if z is not finite, so that the step is
  /// rejected.
  Scalar step_error(const Point& y, const Point& z, const Tangent& error) const {
    Scalar not_finite(0);  // 0 or NaN
    if constexpr (requires(Scalar * numbers) { z.to(numbers), Point::nq; }) {
      std::array<Scalar, static_cast<std::size_t>(Point::nq)> numbers;
      z.to(numbers.data());
      for (const Scalar& number : numbers) not_finite += number - number;
    } else {
      Tangent change = error;
      f_.difference(y, z, change);
      for (int i = 0; i < change.size(); ++i) not_finite += change[i] - change[i];
    }
    return torsor::size_if_finite(error_size(y, error), not_finite);
  }

 private:
  const F& f_;
  mutable long evaluations_ = 0;
};

/// The first step size (step_control.hpp), from the slope at y and a short explicit Euler step.
template <class Field>
double chosen_first_step(const Field& f, const typename Field::Point& y, const typename Field::Tangent& slope,
                         double t, double t_end, double tolerance, int error_order) {
  using Scalar = typename Field::Scalar;
  const double rate = static_cast<double>(f.error_size(y, slope)), direction = t_end < t ? -1 : 1;
  const double dt = probe_step(rate, std::abs(t_end - t));
  typename Field::Point y_next = y;
  typename Field::Tangent error;
  const typename Field::Tangent probe = Scalar(direction * dt) * slope;
  f.retract(y, probe, y_next);
  f.rate(Scalar(t + direction * dt), y_next, error);
  error -= slope;
  const double change = static_cast<double>(f.error_size(y, error)) / dt;
  return first_step(rate, change, tolerance, error_order);
}

}  // namespace detail

/// Error-controlled integration of a field known at compile time, from t to t_end (forward or backward), for
/// methods with an embedded solution. y ends at the last accepted state. Errors are measured by the field's
/// `error_size(y, error)` if it has one, else by the greatest magnitude of a component. A step whose error
/// estimate or end is not finite is rejected, so no state that is not finite is accepted, and a start that is
/// not finite ends with `underflow`. A step size below 16 eps max(1, |t|) ends the run with `underflow`,
/// except in the last step, which is shortened to end at t_end. A field that changes only within a small part
/// of a step may look constant to the method; `max_step` limits the steps. Throws std::invalid_argument for
/// times that are not finite and options that are not valid, and passes on the exceptions of the field. The
/// run-time `simulate` also handles output, events and failures of user code, for Systems.
template <template <class> class Method, LieField F>
requires(std::floating_point<typename F::Scalar>) IntegrateResult
    integrate(const F& field, typename F::Point& y, double t, double t_end,
              const IntegrateOptions& options = {}) {
  using Field = detail::CountingField<F>;
  using Scalar = typename F::Scalar;
  options.check(t, t_end);
  const Field f(field);
  Method<Field> method;
  typename F::Tangent slope, error;
  typename F::Point y_next = y;
  static_assert(Method<Field>::embedded_order > 0, "error control needs a method with an embedded solution");

  constexpr int error_order = estimate_order_of<Method<Field>>;
  const double per_tolerance = 1 / options.tolerance;  // the next step would wait for a quotient
  detail::ControlledSteps<double> steps({t, t_end, options.max_step, options.max_steps}, error_order);
  f.rate(Scalar(t), y, slope);
  steps.begin(0, options.first_step > 0
                     ? options.first_step
                     : detail::chosen_first_step(f, y, slope, t, t_end, options.tolerance, error_order));
  StepStatus status = StepStatus::reached_end;
  while (!steps.arrived()) {
    const auto step = steps.next();
    if (step.tiny || step.beyond) {
      status = step.tiny ? StepStatus::underflow : StepStatus::step_limit;
      break;
    }
    method.step(f, y, slope, Scalar(steps.t()), Scalar(steps.signed_size(step)), y_next, &error);
    if (!steps.judge(step, static_cast<double>(f.step_error(y, y_next, error)) * per_tolerance, true))
      continue;
    std::swap(y, y_next);
    if constexpr (Method<Field>::first_same_as_last)
      slope = method.last_slope();
    else
      f.rate(Scalar(steps.t()), y, slope);
  }
  const long accepted = static_cast<long>(steps.accepted()), attempts = static_cast<long>(steps.attempts());
  return {status, steps.t(), accepted, attempts - accepted, f.evaluations()};
}

/// The same with n equal steps and any method, for any Scalar (including packs), without error control.
template <template <class> class Method, LieField F>
void integrate_steps(const F& f, typename F::Point& y, typename F::Scalar t, typename F::Scalar h, long n) {
  using Scalar = typename F::Scalar;
  Method<F> method;
  typename F::Tangent slope;
  typename F::Point y_next = y;
  f.rate(t, y, slope);
  for (long i = 0; i < n; ++i) {
    method.step(f, y, slope, t + Scalar(static_cast<double>(i)) * h, h, y_next);
    std::swap(y, y_next);
    if constexpr (Method<F>::first_same_as_last)
      slope = method.last_slope();
    else
      f.rate(t + Scalar(static_cast<double>(i + 1)) * h, y, slope);
  }
}

}  // namespace torsor
