#include "lane_taker.hpp"

#include <algorithm>
#include <utility>

namespace torsor::mechanics {

void LaneTaker::look_at(const System& system) {
  system_ = &system;
  coming_.known = accepted_ = false;
  top_.reset();
  const auto* tree = dynamic_cast<const TreeSystem*>(&system);
  if (!tree) return;
  const Model& model = tree->model();
  if (model.size() == 1 && PivotedBodies::describe(model)) top_.emplace(model);
  accepted_ = accept(model, top_.has_value());
  length_ = tree->lengths().greatest();
}

bool LaneTaker::take(const System& system, StepRequest& request) {
  if (system_ != &system) look_at(system);
  if (!accepted_) return false;
  if (give_coming(request)) return true;
  const int nq = system.nq(), nv = system.nv();
  State& next = request.next;
  next.q.resize(nq), next.v.resize(nv);
  request.chart.resize(nv), request.last_acceleration.resize(nv);
  if (request.error) request.error->resize(2 * nv);
  LaneStep step{request.t,
                request.h,
                request.x.q.data(),
                request.x.v.data(),
                request.slope ? request.slope->data() + nv : nullptr,
                next.q.data(),
                next.v.data(),
                request.error ? request.error->data() : nullptr,
                request.chart.data(),
                request.last_acceleration.data(),
                top_ ? &top_->body(0) : nullptr};
  take(step);
  request.evaluations = step.evaluations;
  return step.taken;
}

bool LaneTaker::give_coming(StepRequest& request) {
  if (!coming_.known) return false;
  coming_.known = false;
  if (request.t != coming_.t || request.h != coming_.h) return false;
  std::swap(request.next.q, coming_.next.q), std::swap(request.next.v, coming_.next.v);
  std::swap(request.chart, coming_.chart);
  std::swap(request.last_acceleration, coming_.last_acceleration);
  if (request.error) std::swap(*request.error, coming_.error);
  request.evaluations = coming_.evaluations;
  return true;
}

bool LaneTaker::takes_outputs(const System& system) {
  if (system_ != &system) look_at(system);
  return top_.has_value();
}

void LaneTaker::take_with_outputs(const System& system, StepsWithOutputs& steps, Vec& a) {
  const int nq = system.nq(), nv = system.nv();
  Coming& coming = coming_;
  coming.next.q.resize(nq), coming.next.v.resize(nv), coming.error.resize(2 * nv);
  coming.chart.resize(nv), coming.last_acceleration.resize(nv), a_last_.resize(nv);
  for (OutputAhead& output : steps.outputs) output.x.q.resize(nq), output.x.v.resize(nv);
  LaneStep step{steps.sum + steps.rest,
                std::min(steps.h, steps.max_step),
                steps.x.q.data(),
                steps.x.v.data(),
                a.size() > 0 ? a.data() : nullptr,
                coming.next.q.data(),
                coming.next.v.data(),
                coming.error.data(),
                coming.chart.data(),
                coming.last_acceleration.data(),
                &top_->body(0)};
  step.with_outputs = &steps, step.length = length_, step.a_last = a_last_.data();
  take(step);
  coming.known = step.taken;
  coming.t = step.t, coming.h = step.h, coming.evaluations = step.evaluations;
  if (step.a_known) a = a_last_;
}

}  // namespace torsor::mechanics
