#pragma once

#include <limits>

#include "torsor/integrators/step_control.hpp"

namespace torsor::detail {

/// The steps of an error-controlled integration from t_begin to t_end, forward or backward: which step comes
/// next, whether it is accepted, and where the integration is then. `Scalar` may be a pack: each lane is an
/// integration of its own, with the same bits as over double.
template <class Scalar>
class ControlledSteps {
 public:
  using Mask = typename PiControl<Scalar>::Mask;

  struct Limits {
    double t_begin, t_end, max_step;
    long max_steps;
  };
  ControlledSteps(const Limits& limits, int error_order)
      : limits_(limits), direction_(limits.t_end < limits.t_begin ? -1 : 1), control_(error_order) {}

  /// Puts one lane at t_begin, with h as its first step size. A lane that was never put there must not be
  /// `live` in `judge`, and its results mean nothing.
  void begin(int lane, double h) {
    ScalarOps<Scalar>::set(t_, lane, limits_.t_begin);
    ScalarOps<Scalar>::set(h_, lane, h);
    for (Scalar* count : {&attempts_, &accepted_}) ScalarOps<Scalar>::set(*count, lane, 0);
    control_.begin(lane);
  }

  const Scalar& t() const { return t_; }
  const Scalar& attempts() const { return attempts_; }
  const Scalar& accepted() const { return accepted_; }
  double direction() const { return direction_; }
  Mask arrived() const { return !(Scalar(direction_) * (Scalar(limits_.t_end) - t_) > Scalar(0)); }

  struct Next {
    Scalar size;  ///< positive
    Mask last;    ///< ends at t_end, and may be of any size
    Mask tiny;    ///< at most 16 eps max(1, |t|), and does not end at t_end
    Mask beyond;  ///< max_steps attempts were made
  };
  Next next() const {
    const Scalar left = torsor::abs(Scalar(Scalar(limits_.t_end) - t_));
    const Scalar h = torsor::min(h_, Scalar(limits_.max_step));
    const Mask last = h >= left * Scalar(1 - 1e-12);
    const Scalar least =
        Scalar(16 * std::numeric_limits<double>::epsilon()) * torsor::max(Scalar(1), torsor::abs(t_));
    const Mask beyond = attempts_ >= Scalar(static_cast<double>(limits_.max_steps));
    if (!some(last)) [[likely]]
      return {h, last, !(h > least), beyond};
    const Scalar size = torsor::select(last, left, h);
    return {size, last, !(size > least) && !last, beyond};
  }

  /// The size of a step with the sign of the direction.
  Scalar signed_size(const Next& step) const { return direction_ < 0 ? Scalar(-step.size) : step.size; }

  /// Judges the step by its error relative to the tolerance, in the lanes that are `live`. Returns the lanes
  /// in which it is accepted.
  Mask judge(const Next& step, const Scalar& error, const Mask& live) {
    const auto decision = control_.judge(error);
    const Mask accept = decision.accept && live;
    h_ = step.size * decision.factor;
    attempts_ += Scalar(1);
    accepted_ += torsor::select(accept, Scalar(1), Scalar(0));
    const Scalar ahead = t_ + Scalar(direction_) * step.size;
    t_ = torsor::select(accept, torsor::select(step.last, Scalar(limits_.t_end), ahead), t_);
    return accept;
  }

 private:
  Limits limits_;
  double direction_;
  PiControl<Scalar> control_;
  Scalar t_{0}, h_{0}, attempts_{0}, accepted_{0};
};

}  // namespace torsor::detail
