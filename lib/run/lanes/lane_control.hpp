#pragma once

#include <array>
#include <concepts>
#include <limits>

#include "integrators/step_taker.hpp"
#include "run/compensated_time.hpp"
#include "run/error_budget.hpp"
#include "torsor/lie/pack.hpp"

namespace torsor::mechanics {

/// Whether the mask is true in one lane.
template <class Mask>
bool in_lane(const Mask& mask, int lane) {
  if constexpr (std::same_as<Mask, bool>)
    return mask;
  else
    return mask[static_cast<std::size_t>(lane)];
}

/// Time, step size and outputs of runs, one run in each lane of a Scalar. The decisions are those of StepLoop
/// and StepAcceptance, with the same bits. A step that passes outputs waits for side steps to them before it
/// is accepted. A step for which more is needed is left to the run.
template <class Scalar>
class LaneControl {
 public:
  using Mask = decltype(Scalar(0) < Scalar(0));

  explicit LaneControl(int error_order) : pi_(error_order) {}

  void begin(int lane, const StepsWithOutputs& from) {
    const auto set = [lane](Scalar& to, double number) { ScalarOps<Scalar>::set(to, lane, number); };
    set(active_, 1), set(sum_, from.sum), set(rest_, from.rest), set(h_, from.h);
    set(min_step_, from.min_step), set(max_step_, from.max_step), set(end_, from.end);
    set(per_permitted_, 1 / from.permitted), set(left_, static_cast<double>(from.most));
    for (Scalar* count : {&accepted_, &rejected_, &evaluations_, &waits_}) set(*count, 0);
    expect_output(lane, from);
    pi_.begin(lane, from.control);
  }
  void end(int lane, StepsWithOutputs& to) {
    const auto count = [lane](const Scalar& from) { return static_cast<long>(torsor::lane(from, lane)); };
    to.sum = torsor::lane(sum_, lane), to.rest = torsor::lane(rest_, lane), to.h = torsor::lane(h_, lane);
    to.control = pi_.memory(lane);
    to.accepted = count(accepted_), to.rejected = count(rejected_), to.evaluations = count(evaluations_);
    for (Scalar* state : {&active_, &waits_}) ScalarOps<Scalar>::set(*state, lane, 0);
  }
  bool any() const { return some(active_ > Scalar(0)); }

  Scalar t() const { return sum_ + rest_; }
  /// The size of the next step.
  Scalar h() const { return torsor::min(h_, max_step_); }

  struct Verdict {
    Mask done;      ///< accepted or rejected here
    Mask accepted;  ///< of these
    Mask goes_on;   ///< the next step may be taken here too
    Mask passes;    ///< accepted, and waits from now on for side steps
    Mask reached;   ///< the end of a side step is the next output
  };
  /// Judges the steps of size `h()` by the size of their errors, and side steps. `sound`: the steps that may
  /// be judged by their error alone; all others are left to the run.
  Verdict judge(const Scalar& error, const Mask& sound, const Scalar& evaluations) {
    const Scalar h = this->h(), size = error + Scalar(rounding);
    PiControl<Scalar> pi = pi_;
    const auto decision = pi.judge(Scalar(size * per_permitted_));
    CompensatedSum<Scalar> time(sum_, rest_);
    time.add(h);
    const Scalar next = h * decision.factor, wish = torsor::min(next, max_step_);
    const Scalar t_next = torsor::select(decision.accept, time.value(), t());
    // A run looks for outputs and its end within half of `near`. The limit 64 eps is 4 times step_floor.
    const Scalar near = Scalar(8 * eps) * torsor::max(Scalar(1), torsor::abs(t_next));
    const Mask large =
        wish > min_step_ && wish > Scalar(64 * eps) * torsor::max(Scalar(1), torsor::abs(t_next));
    const Mask known = active_ > waits_ && sound && size - size == Scalar(0) && left_ > Scalar(0);
    Verdict verdict;
    verdict.done = known && ((decision.accept && t_next + near < output_) || (!decision.accept && large));
    verdict.accepted = verdict.done && decision.accept;
    verdict.passes =
        known && decision.accept && given_ > Scalar(0) && t() + near < output_ && output_ + near < t_next;
    verdict.reached = waits_ > Scalar(0) && sound;
    left_ -= Scalar(1);
    const Mask more = large && left_ > Scalar(0) && t_next + wish < end_;
    verdict.goes_on = verdict.done && more;
    keep(verdict, time, next, pi);
    evaluations_ += torsor::select(verdict.done || verdict.reached, evaluations, Scalar(0));
    for (int lane = 0; some(verdict.passes) && lane < lanes<Scalar>; ++lane)
      if (in_lane(verdict.passes, lane))
        wait(lane, {torsor::lane(time.sum(), lane), torsor::lane(time.rest(), lane), torsor::lane(next, lane),
                    torsor::lane(near, lane), torsor::lane(evaluations, lane), pi.memory(lane),
                    in_lane(more, lane)});
    return verdict;
  }

  /// Whether the lane has a step that waits.
  bool waits(int lane) const { return torsor::lane(waits_, lane) > 0; }
  /// The size of the side step of a lane to its next output.
  double to_output(int lane) const { return torsor::lane(output_, lane) - torsor::lane(t(), lane); }
  void expect_output(int lane, const StepsWithOutputs& steps) {
    ScalarOps<Scalar>::set(output_, lane, steps.outputs[steps.given].t);
    ScalarOps<Scalar>::set(given_, lane, steps.given + 1 < steps.outputs.size() ? 1 : 0);
  }
  /// Whether the next output needs a side step in the step that waits.
  bool is_inside(int lane) const {
    const Waiting& step = waiting(lane);
    return torsor::lane(given_, lane) > 0 && torsor::lane(output_, lane) + step.near < step.sum + step.rest;
  }
  /// Accepts the step that waits, unless the run must take it because of an output. Returns whether it
  /// accepts.
  bool accept(int lane) {
    const Waiting& step = waiting(lane);
    const auto set = [lane](Scalar& to, double number) { ScalarOps<Scalar>::set(to, lane, number); };
    const auto add = [lane, &set](Scalar& to, double number) { set(to, torsor::lane(to, lane) + number); };
    set(waits_, 0);
    if (!(step.sum + step.rest + step.near < torsor::lane(output_, lane))) return false;
    set(sum_, step.sum), set(rest_, step.rest), set(h_, step.h), pi_.begin(lane, step.control);
    add(accepted_, 1), add(evaluations_, step.evaluations);
    return true;
  }
  /// Whether the next step may be taken here too, after `accept`.
  bool goes_on(int lane) const { return waiting(lane).goes_on; }

 private:
  static constexpr double eps = std::numeric_limits<double>::epsilon();

  /// The results of a step that waits for side steps.
  struct Waiting {
    double sum, rest, h, near, evaluations;
    PiMemory control;
    bool goes_on;
  };
  const Waiting& waiting(int lane) const { return waiting_[static_cast<std::size_t>(lane)]; }
  void wait(int lane, const Waiting& step) {
    waiting_[static_cast<std::size_t>(lane)] = step;
    ScalarOps<Scalar>::set(waits_, lane, 1);
  }

  void keep(const Verdict& verdict, const CompensatedSum<Scalar>& time, const Scalar& next,
            const PiControl<Scalar>& pi) {
    sum_ = torsor::select(verdict.accepted, time.sum(), sum_);
    rest_ = torsor::select(verdict.accepted, time.rest(), rest_);
    h_ = torsor::select(verdict.done, next, h_);
    accepted_ += torsor::select(verdict.accepted, Scalar(1), Scalar(0));
    rejected_ += torsor::select(verdict.done && !verdict.accepted, Scalar(1), Scalar(0));
    if (every(verdict.done)) {
      pi_ = pi;
      return;
    }
    const PiControl<Scalar> before = pi_;
    pi_ = pi;
    for (int lane = 0; lane < lanes<Scalar>; ++lane)
      if (!in_lane(verdict.done, lane)) pi_.begin(lane, before.memory(lane));
  }

  PiControl<Scalar> pi_;
  std::array<Waiting, lanes<Scalar>> waiting_{};
  Scalar active_{0};  ///< 1 in the lanes that have begun and not ended
  Scalar waits_{0};   ///< 1 in the lanes whose step waits
  Scalar given_{0};   ///< 1 in the lanes whose next output may be given here
  Scalar sum_{0}, rest_{0}, h_{0}, min_step_{0}, max_step_{0}, end_{0}, output_{0}, per_permitted_{0};
  Scalar left_{0}, accepted_{0}, rejected_{0}, evaluations_{0};
};

}  // namespace torsor::mechanics
