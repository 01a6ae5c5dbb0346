#pragma once

#include "lane_kernel.hpp"
#include "run/compensated_time.hpp"
#include "run/error_budget.hpp"
#include "torsor/lie/pack.hpp"

namespace torsor::batch {

/// Time and step size of cases between their outputs, one case in each lane. The decisions are those of
/// StepLoop and StepAcceptance, with the same bits. A step for which they need more than the error norm is
/// left to the run.
class LaneControl {
 public:
  using Mask = Pack::mask_type;

  explicit LaneControl(int error_order) : pi_(error_order) {}

  void begin(int lane, const StepsBetweenOutputs& from) {
    const auto set = [lane](Pack& to, double number) { ScalarOps<Pack>::set(to, lane, number); };
    set(active_, 1), set(sum_, from.sum), set(rest_, from.rest), set(h_, from.h);
    set(min_step_, from.min_step), set(max_step_, from.max_step), set(end_, from.end);
    set(output_, from.output), set(permitted_, from.permitted), set(left_, static_cast<double>(from.most));
    for (Pack* count : {&accepted_, &rejected_, &evaluations_}) set(*count, 0);
    pi_.begin(lane, from.control);
  }
  void end(int lane, StepsBetweenOutputs& to) {
    const auto count = [lane](const Pack& from) { return static_cast<long>(torsor::lane(from, lane)); };
    to.sum = torsor::lane(sum_, lane), to.rest = torsor::lane(rest_, lane), to.h = torsor::lane(h_, lane);
    to.control = pi_.memory(lane);
    to.accepted = count(accepted_), to.rejected = count(rejected_), to.evaluations = count(evaluations_);
    ScalarOps<Pack>::set(active_, lane, 0);
  }
  bool any() const { return some(active_ > Pack(0)); }

  Pack t() const { return sum_ + rest_; }
  /// The size of the next step.
  Pack h() const { return torsor::min(h_, max_step_); }

  struct Verdict {
    Mask done;      ///< accepted or rejected here
    Mask accepted;  ///< of these
    Mask goes_on;   ///< the next step may be taken here too
  };
  /// Judges the steps of size `h()` by the size of their errors. `sound`: nothing else is against them.
  Verdict judge(const Pack& error, const Mask& sound, const Pack& evaluations) {
    const Pack h = this->h(), size = error + Pack(mechanics::rounding);
    PiControl<Pack> pi = pi_;
    const auto decision = pi.judge(Pack(size / permitted_));
    mechanics::CompensatedSum<Pack> time(sum_, rest_);
    time.add(h);
    const Pack next = h * decision.factor, wish = torsor::min(next, max_step_);
    const Pack t_next = torsor::select(decision.accept, time.value(), t());
    // A run looks for outputs and its end within half of `near`. The limit 64 eps is 4 times step_floor.
    const Pack near = Pack(8 * eps) * torsor::max(Pack(1), torsor::abs(t_next));
    const Mask large = wish > min_step_ && wish > Pack(64 * eps) * torsor::max(Pack(1), torsor::abs(t_next));
    Verdict verdict;
    verdict.done = active_ > Pack(0) && sound && size - size == Pack(0) && left_ > Pack(0) &&
                   ((decision.accept && t_next + near < output_) || (!decision.accept && large));
    verdict.accepted = verdict.done && decision.accept;
    left_ -= Pack(1);
    verdict.goes_on = verdict.done && large && left_ > Pack(0) && t_next + wish < end_;
    keep(verdict, time, next, pi);
    evaluations_ += torsor::select(verdict.done, evaluations, Pack(0));
    return verdict;
  }

 private:
  static constexpr double eps = std::numeric_limits<double>::epsilon();

  void keep(const Verdict& verdict, const mechanics::CompensatedSum<Pack>& time, const Pack& next,
            const PiControl<Pack>& pi) {
    sum_ = torsor::select(verdict.accepted, time.sum(), sum_);
    rest_ = torsor::select(verdict.accepted, time.rest(), rest_);
    h_ = torsor::select(verdict.done, next, h_);
    accepted_ += torsor::select(verdict.accepted, Pack(1), Pack(0));
    rejected_ += torsor::select(verdict.done && !verdict.accepted, Pack(1), Pack(0));
    const PiControl<Pack> before = pi_;
    pi_ = pi;
    for (int lane = 0; lane < lanes<Pack>; ++lane)
      if (!verdict.done[static_cast<std::size_t>(lane)]) pi_.begin(lane, before.memory(lane));
  }

  PiControl<Pack> pi_;
  Pack active_{0};  ///< 1 in the lanes that have begun and not ended
  Pack sum_{0}, rest_{0}, h_{0}, min_step_{0}, max_step_{0}, end_{0}, output_{0}, permitted_{0};
  Pack left_{0}, accepted_{0}, rejected_{0}, evaluations_{0};
};

}  // namespace torsor::batch
