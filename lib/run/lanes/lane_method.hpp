#pragma once

#include "lane_control.hpp"
#include "lane_step.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {

/// A method of the library as a LaneStepper on a field over packs, or over doubles with one lane. With packs
/// it is compiled for one instruction set.
template <class Field, template <class> class Method>
class LaneMethod final : public LaneStepper {
 public:
  explicit LaneMethod(const Model* model) : field_(model), y_(field_.point()), next_(y_), ahead_(y_) {
    for (int i = 0; i < field_.nq(); ++i) y_.q[i] = Scalar(0);
    for (int i = 0; i < field_.nv(); ++i) y_.v[i] = Scalar(0);
    for (Tangent* one : {&slope_, &given_, &ahead_slope_}) one->resize(field_.dim());
    for (int i = 0; i < field_.dim(); ++i) given_[i] = Scalar(0);
  }

  void take(LaneStep* const* steps) override try {
    load(steps);
    for (bool ended = false; !ended;) {
      const Counted f(field_);
      begin_step(f);
      const long before = f.evaluations();
      step(f);
      const bool estimated = some(estimated_ > Scalar(0));
      ended = end_requests(steps, f.evaluations() - before - (estimated ? for_estimate : 0));
    }
  } catch (const EvaluationError&) {
    for (int lane = 0; lane < width; ++lane)
      if (steps[lane]) give_back(lane, *steps[lane]);
  }

 private:
  using Scalar = typename Field::Scalar;
  using Counted = detail::CountingField<Field>;
  using Steps = Method<Counted>;
  using Tangent = typename Field::Tangent;
  using Control = LaneControl<Scalar>;
  using Mask = typename Control::Mask;
  static constexpr int width = lanes<Scalar>;
  static constexpr long for_estimate = evaluations_for_estimate<Steps>;
  /// Whether the sizes of steps are chosen here.
  static constexpr bool controls = Field::has_error_norm && estimates_for_free<Steps>;

  int n() const { return field_.nv(); }

  /// For a top, all functions that the step calls are inlined except chart_rate, since calls pass numbers
  /// through memory. A tree keeps its numbers in memory in any case.
  void step(const Counted& f) {
    if constexpr (Field::own_constants)
      flat_step(f);
    else
      any_step(f);
  }
  [[gnu::flatten]] void flat_step(const Counted& f) { any_step(f); }
  void any_step(const Counted& f) {
    if constexpr (Steps::embedded_order == 0)
      method_.step(f, y_, slope_, t_, h_, next_);
    else if constexpr (for_estimate == 0)
      method_.step(f, y_, slope_, t_, h_, next_, &error_);
    else
      method_.step(f, y_, slope_, t_, h_, next_, some(estimated_ > Scalar(0)) ? &error_ : nullptr);
  }

  static double& at(Scalar& p, int lane) { return reinterpret_cast<double*>(&p)[lane]; }

  /// A lane without a case repeats the first case of the pack; its results are not used.
  void load(LaneStep* const* steps) {
    int any = 0;
    while (!steps[any]) ++any;
    for (int lane = 0; lane < width; ++lane)
      if (steps[lane] && !steps[lane]->goes_on) load(lane, *steps[lane]);
    for (int lane = 0; lane < width; ++lane)
      if (!steps[lane]) repeat(any, lane);
  }

  void load(int lane, LaneStep& step) {
    if constexpr (Field::own_constants) field_.set(lane, *step.body);
    at(t_, lane) = step.t, at(h_, lane) = step.h;
    for (int i = 0; i < field_.nq(); ++i) at(y_.q[i], lane) = step.q[i];
    for (int i = 0; i < n(); ++i) at(y_.v[i], lane) = step.v[i];
    at(known_, lane) = step.a ? 1 : 0;
    at(estimated_, lane) = step.error ? 1 : 0;
    for (int i = 0; step.a && i < n(); ++i) at(given_[n() + i], lane) = step.a[i];
    if constexpr (controls) {
      at(length_, lane) = step.length;
      if (step.with_outputs) control_.begin(lane, *step.with_outputs);
    }
  }

  void repeat(int from, int to) {
    if constexpr (Field::own_constants) field_.copy(from, to);
    const auto copy = [from, to](Scalar& all) { at(all, to) = at(all, from); };
    copy(t_), copy(h_), copy(known_), copy(estimated_);
    for (int i = 0; i < field_.nq(); ++i) copy(y_.q[i]);
    for (int i = 0; i < n(); ++i) copy(y_.v[i]), copy(given_[n() + i]);
  }

  /// Sets the slope at y_.
  void begin_step(const Counted& f) {
    field_.refresh(y_);
    if (every(known_ > Scalar(0))) {
      for (int i = 0; i < n(); ++i) slope_[i] = y_.v[i], slope_[n() + i] = given_[n() + i];
      return;
    }
    f.rate(t_, y_, slope_);
    for (int i = 0; i < n(); ++i)
      slope_[n() + i] = torsor::select(known_ > Scalar(0), given_[n() + i], slope_[n() + i]);
  }

  /// Ends the requests whose step has been taken. Steps under control go on if nothing else is to be done.
  /// `evaluations`: of the step without an error estimate. Returns whether a request has ended.
  bool end_requests(LaneStep* const* steps, long evaluations) {
    typename Control::Verdict verdict{Mask(false), Mask(false), Mask(false), Mask(false), Mask(false)};
    if constexpr (controls)
      if (control_.any()) verdict = advance(evaluations);
    bool ended = false;
    for (int lane = 0; lane < width; ++lane) {
      if (!steps[lane]) continue;
      LaneStep& step = *steps[lane];
      const bool at_outputs = control_.waits(lane);
      step.goes_on = at_outputs ? visit_outputs(lane, step, in_lane(verdict.passes, lane),
                                                in_lane(verdict.reached, lane))
                                : in_lane(verdict.goes_on, lane);
      if (step.goes_on) continue;
      ended = true;
      give_back(lane, step);
      if (!at_outputs && !in_lane(verdict.done, lane)) store(lane, step, evaluations);
    }
    return ended;
  }

  /// After a step that passes outputs, or a side step to one of them: begins the side step to the next one,
  /// or accepts the step. Returns whether the lane goes on.
  bool visit_outputs(int lane, LaneStep& step, bool passes, bool reached) {
    if constexpr (controls) {
      StepsWithOutputs& steps = *step.with_outputs;
      if (passes) {
        copy_lane(lane, next_, ahead_);
        if constexpr (Steps::first_same_as_last)
          for (int i = 0; i < n(); ++i)
            at(ahead_slope_[n() + i], lane) = torsor::lane(method_.last_slope()[n() + i], lane);
      } else if (!reached) {
        return false;
      } else {
        give_lane(lane, next_, steps.outputs[steps.given++].x);
        control_.expect_output(lane, steps);
      }
      if (control_.is_inside(lane)) {
        at(h_, lane) = control_.to_output(lane);
        return true;
      }
      if (!control_.accept(lane)) return false;
      copy_lane(lane, ahead_, y_);
      at(t_, lane) = torsor::lane(control_.t(), lane), at(h_, lane) = torsor::lane(control_.h(), lane);
      if constexpr (Steps::first_same_as_last) {
        for (int i = 0; i < n(); ++i) at(given_[n() + i], lane) = at(ahead_slope_[n() + i], lane);
        at(known_, lane) = 1;
      }
      return control_.goes_on(lane);
    }
    return false;
  }

  /// Accepts or rejects the steps under control. Steps of more than 1 s are left to the run, which measures
  /// their errors by another norm (TrialStep::size_of_estimate).
  [[gnu::flatten]] typename Control::Verdict advance(long evaluations) {
    Scalar change(0), turn(0);  // the change is not finite if a component is not finite
    for (int i = 0; i < field_.nq(); ++i) change += next_.q[i] - next_.q[i];
    for (int i = 0; i < n(); ++i) {
      change += next_.v[i] - next_.v[i];
      turn = torsor::max(turn, Scalar(torsor::abs(moved(i))));
    }
    const Mask sound = change == Scalar(0) && turn < Scalar(TurnCheck::sure) && h_ <= Scalar(1);
    const Scalar own = torsor::select(known_ > Scalar(0), Scalar(0), Scalar(1));
    const auto verdict = control_.judge(field_.error_norm(next_, error_, length_), sound,
                                        Scalar(Scalar(static_cast<double>(evaluations)) + own));
    const auto move = [&verdict](Scalar& from, const Scalar& to) {
      from = torsor::select(verdict.accepted, to, from);
    };
    for (int i = 0; i < field_.nq(); ++i) move(y_.q[i], next_.q[i]);
    for (int i = 0; i < n(); ++i) move(y_.v[i], next_.v[i]);
    if constexpr (Steps::first_same_as_last) {
      for (int i = 0; i < n(); ++i) move(given_[n() + i], method_.last_slope()[n() + i]);
      move(known_, Scalar(1));
    }
    t_ = torsor::select(verdict.done, control_.t(), t_);
    h_ = torsor::select(verdict.done, control_.h(), h_);
    return verdict;
  }

  /// Component i of the motion whose turn is checked (ExplicitStepper::turned_too_far).
  Scalar moved(int i) const {
    if constexpr (requires { method_.chart(); })
      return method_.chart()[i];
    else
      return h_ * y_.v[i];
  }

  void copy_lane(int lane, typename Field::Point& from, typename Field::Point& to) {
    for (int i = 0; i < field_.nq(); ++i) at(to.q[i], lane) = at(from.q[i], lane);
    for (int i = 0; i < n(); ++i) at(to.v[i], lane) = at(from.v[i], lane);
  }
  /// The vectors of x have their sizes: a kernel must not allocate memory, since Eigen's allocator depends on
  /// the instruction set.
  void give_lane(int lane, typename Field::Point& from, State& x) {
    for (int i = 0; i < field_.nq(); ++i) x.q[i] = at(from.q[i], lane);
    for (int i = 0; i < n(); ++i) x.v[i] = at(from.v[i], lane);
  }

  /// Gives back the state to which steps under control have led.
  void give_back(int lane, LaneStep& step) {
    step.goes_on = false;
    if (!step.with_outputs) return;
    if constexpr (controls) {
      give_lane(lane, y_, step.with_outputs->x);
      control_.end(lane, *step.with_outputs);
      step.t = at(t_, lane), step.h = at(h_, lane);
      step.a_known = at(known_, lane) > 0;
      for (int i = 0; step.a_known && i < n(); ++i) step.a_last[i] = at(given_[n() + i], lane);
    }
  }

  void store(int lane, LaneStep& step, long evaluations) {
    const auto all = [lane](double* to, const auto& from, int begin, int count) {
      for (int i = 0; i < count; ++i) to[i] = torsor::lane(from[begin + i], lane);
    };
    all(step.q_next, next_.q, 0, field_.nq());
    all(step.v_next, next_.v, 0, n());
    if constexpr (Steps::embedded_order > 0)
      if (step.error) all(step.error, error_, 0, 2 * n());
    if constexpr (requires { method_.chart(); }) all(step.chart, method_.chart(), 0, n());
    if constexpr (Steps::first_same_as_last) all(step.last_a, method_.last_slope(), n(), n());
    step.evaluations = evaluations + (step.error ? for_estimate : 0) + (at(known_, lane) > 0 ? 0 : 1);
    step.taken = true;
  }

  Field field_;
  Steps method_;
  typename Field::Point y_, next_;
  typename Field::Point ahead_;  ///< the end of a step that waits for side steps
  Tangent slope_, given_, error_, ahead_slope_;
  Scalar t_{0}, h_{0}, known_{0}, estimated_{0}, length_{1};
  Control control_{estimate_order_of<Steps>};
};

}  // namespace torsor::mechanics
