#pragma once

#include "lane_fields.hpp"
#include "lane_kernel.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::batch {

/// A method of the library as a LaneStepper, compiled for one instruction set.
template <class Field, template <class> class Method>
class LaneMethod final : public LaneStepper {
 public:
  explicit LaneMethod(const Model* model) : field_(model), y_(field_.point()), next_(y_) {
    for (int i = 0; i < field_.nq(); ++i) y_.q[i] = Pack(0);
    for (int i = 0; i < field_.nv(); ++i) y_.v[i] = Pack(0);
    slope_.resize(field_.dim()), given_.resize(field_.dim());
    for (int i = 0; i < field_.dim(); ++i) given_[i] = Pack(0);
  }

  bool take(LaneStep* const* steps) override try {
    load(steps);
    const Counted f(field_);
    field_.refresh(y_);
    if (every(known_ > Pack(0))) {
      for (int i = 0; i < n(); ++i) slope_[i] = y_.v[i], slope_[n() + i] = given_[n() + i];
    } else {
      f.rate(t_, y_, slope_);
      for (int i = 0; i < n(); ++i)
        slope_[n() + i] = torsor::select(known_ > Pack(0), given_[n() + i], slope_[n() + i]);
    }
    const long before = f.evaluations();
    step(f);
    store(steps, f.evaluations() - before);
    return true;
  } catch (const EvaluationError&) {
    return false;
  }

 private:
  using Counted = detail::CountingField<Field>;
  using Steps = Method<Counted>;
  using Tangent = typename Field::Tangent;
  static constexpr int width = lanes<Pack>;

  int n() const { return field_.nv(); }

  /// For a top, all functions that the step calls are inlined, since calls would pass the numbers of the
  /// stages through memory. A tree keeps its numbers in memory in any case.
  void step(const Counted& f) {
    if constexpr (Field::own_constants)
      flat_step(f);
    else
      any_step(f);
  }
  [[gnu::flatten]] void flat_step(const Counted& f) { any_step(f); }
  void any_step(const Counted& f) {
    method_.step(f, y_, slope_, t_, h_, next_, Steps::embedded_order > 0 ? &error_ : nullptr);
  }

  static double& at(Pack& p, int lane) { return reinterpret_cast<double*>(&p)[lane]; }

  /// A lane without a case repeats the first case of the pack; its results are not used.
  void load(LaneStep* const* steps) {
    int any = 0;
    while (!steps[any]) ++any;
    for (int lane = 0; lane < width; ++lane) {
      const LaneStep& step = *steps[steps[lane] ? lane : any];
      if constexpr (Field::own_constants) field_.set(lane, *step.body);
      at(t_, lane) = step.t, at(h_, lane) = step.h;
      for (int i = 0; i < field_.nq(); ++i) at(y_.q[i], lane) = step.q[i];
      for (int i = 0; i < n(); ++i) at(y_.v[i], lane) = step.v[i];
      at(known_, lane) = step.a ? 1 : 0;
      for (int i = 0; step.a && i < n(); ++i) at(given_[n() + i], lane) = step.a[i];
    }
  }

  void store(LaneStep* const* steps, long evaluations) {
    const auto all = [](double* to, const auto& from, int lane, int begin, int count) {
      for (int i = 0; i < count; ++i) to[i] = torsor::lane(from[begin + i], lane);
    };
    for (int lane = 0; lane < width; ++lane) {
      if (!steps[lane]) continue;
      LaneStep& step = *steps[lane];
      all(step.q_next, next_.q, lane, 0, field_.nq());
      all(step.v_next, next_.v, lane, 0, n());
      if constexpr (Steps::embedded_order > 0)
        if (step.error) all(step.error, error_, lane, 0, 2 * n());
      if constexpr (requires { method_.chart(); }) all(step.chart, method_.chart(), lane, 0, n());
      if constexpr (Steps::first_same_as_last) all(step.last_a, method_.last_slope(), lane, n(), n());
      step.evaluations = evaluations + (step.a ? 0 : 1);
    }
  }

  Field field_;
  Steps method_;
  typename Field::Point y_, next_;
  Tangent slope_, given_, error_;
  Pack t_{0}, h_{0}, known_{0};
};

}  // namespace torsor::batch
