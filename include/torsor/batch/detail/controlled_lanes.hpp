#pragma once

#include "torsor/batch/detail/waiting_copies.hpp"

namespace torsor {

/// `integrate` for the lanes of one pack, each with its own t, h, acceptance and step-size control.
template <template <class> class Field, template <class> class Method>
class ControlledLanes {
 public:
  static void run(const Copies& copies, double t, double t_end, const IntegrateOptions& options,
                  IntegrateResult* results) {
    Waiting waiting(copies, t, t_end, options);
    ControlledLanes lanes_of_pack(waiting, copies, t, t_end, options, results);
    while (lanes_of_pack.live()) lanes_of_pack.advance();
  }

 private:
  using Waiting = WaitingCopies<Field, Method>;
  using F = typename Waiting::F;
  using Row = typename Waiting::Row;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;
  using Mask = Pack::mask_type;
  static constexpr int width = lanes<Pack>;

  ControlledLanes(Waiting& waiting, const Copies& copies, double t, double t_end,
                  const IntegrateOptions& options, IntegrateResult* results)
      : waiting_(waiting),
        copies_(copies),
        options_(options),
        results_(results),
        steps_({t, t_end, options.max_step, options.max_steps}, estimate_order_of<Method<F>>) {
    y_.fill(Pack(0)), parameters_.fill(Pack(0));
    for (int i = 0; i < slope_.size(); ++i) slope_[i] = Pack(0);
    for (int lane = 0; lane < width; ++lane) refill(lane);
  }

  bool live() const { return live_count_ > 0; }

  /// Takes one step in all lanes. If some lanes cannot take a step, ends these lanes instead.
  [[gnu::flatten]] void advance() {
    const auto step = steps_.next();
    const Mask live = live_ > Pack(0), stuck = live && (step.tiny || step.beyond);
    if (some(stuck)) return end_lanes(stuck, step.tiny);

    const Field<Pack> field = Row::field(parameters_);
    const F f(field);
    const Point y = Point::from(y_.data());
    Point y_next = y;
    Tangent error;
    method_.step(f, y, slope_, steps_.t(), steps_.signed_size(step), y_next, &error);
    evaluations_a_step_ = f.evaluations();
    const Mask accept =
        steps_.judge(step, Pack(f.step_error(y, y_next, error) * Pack(1 / options_.tolerance)), live);
    keep(accept, y_next, f);
    const Mask done = accept && steps_.arrived();
    if (some(done)) end_lanes(done, Mask(false));
  }

  /// Stores the accepted points and the slopes there.
  void keep(const Mask& accept, const Point& y_next, const F& f) {
    typename Row::Numbers next;
    y_next.to(next.data());
    for (std::size_t i = 0; i < next.size(); ++i) y_[i] = torsor::select(accept, next[i], y_[i]);
    if constexpr (Method<F>::first_same_as_last) {
      const Tangent& slope = method_.last_slope();
      for (int i = 0; i < slope.size(); ++i) slope_[i] = torsor::select(accept, slope[i], slope_[i]);
    } else {
      f.rate(steps_.t(), Point::from(y_.data()), slope_);
    }
  }

  [[gnu::noinline]] void end_lanes(const Mask& ended, const Mask& tiny) {
    for (int lane = 0; lane < width; ++lane) {
      if (!ended[static_cast<std::size_t>(lane)]) continue;
      give(lane, arrived(lane)                          ? StepStatus::reached_end
                 : tiny[static_cast<std::size_t>(lane)] ? StepStatus::underflow
                                                        : StepStatus::step_limit);
      refill(lane);
    }
  }

  void give(int lane, StepStatus status) {
    const std::size_t copy = copy_[static_cast<std::size_t>(lane)];
    const auto number = [&](const Pack& p) { return static_cast<long>(torsor::lane(p, lane)); };
    for (std::size_t i = 0; i < y_.size(); ++i)
      copies_.points[i * copies_.copies + copy] = torsor::lane(y_[i], lane);
    const long accepted = number(steps_.accepted()), attempts = number(steps_.attempts());
    const long again = Method<F>::first_same_as_last ? 0 : accepted;
    results_[copy - copies_.begin] = {status, torsor::lane(steps_.t(), lane), accepted, attempts - accepted,
                                      waiting_.evaluations() + attempts * evaluations_a_step_ + again};
    ScalarOps<Pack>::set(live_, lane, 0);
    --live_count_;
  }

  /// Loads the next copy into a lane, if there is one. Copies end at once if t_end equals t.
  void refill(int lane) {
    while (waiting_.any()) {
      double h = 0;
      copy_[static_cast<std::size_t>(lane)] = waiting_.take(lane, y_, slope_, parameters_, h);
      steps_.begin(lane, h);
      ScalarOps<Pack>::set(live_, lane, 1);
      ++live_count_;
      if (!arrived(lane)) return;
      give(lane, StepStatus::reached_end);
    }
  }

  bool arrived(int lane) const { return steps_.arrived()[static_cast<std::size_t>(lane)]; }

  Waiting& waiting_;
  Copies copies_;
  const IntegrateOptions& options_;
  IntegrateResult* results_;
  detail::ControlledSteps<Pack> steps_;
  std::array<std::size_t, width> copy_{};
  int live_count_ = 0;
  long evaluations_a_step_ = 0;
  Method<F> method_;
  typename Row::Numbers y_;
  typename Row::Parameters parameters_;
  Tangent slope_;
  Pack live_{0};
};

}  // namespace torsor
