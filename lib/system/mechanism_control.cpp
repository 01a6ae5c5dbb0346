#include "mechanism_control.hpp"

#include <algorithm>
#include <cmath>

#include "model/forces/feedback.hpp"
#include "text.hpp"
#include "time_resolution.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {
namespace {

/// The number of the last sample at or before t.
double sample_number(const OwnState& state, double begin, double t) {
  return std::floor((t + time_resolution(begin, t) - begin) / state.period);
}

}  // namespace

MechanismControl::MechanismControl(const Model& model, const Forces& forces, Workspace<double>& work)
    : model_(model),
      forces_(forces),
      work_(work),
      count_(static_cast<int>(model.mechanism().states.size())) {}

void MechanismControl::lead(const Forces& others) const {
  others_.push_back(&others);
  others.feedback().take(forces_.feedback());
}

void MechanismControl::set(VecIn z) const {
  forces_.feedback().set_states(z);
  for (const Forces* other : others_) other->feedback().set_states(z);
}

void MechanismControl::hold(std::span<const signed char> sides) const {
  forces_.feedback().hold(sides);
  for (const Forces* other : others_) other->feedback().hold(sides);
}

/// Sets z if v contains it, and the kinematics if the functions need them.
void MechanismControl::place(VecIn q, VecIn v) const {
  if (count_ > 0 && v.size() >= model_.nv() + count_) set(v.segment(model_.nv(), count_));
  if (forces_.feedback().needs_kinematics()) forward_kinematics(model_, q, v.head(model_.nv()), work_);
}

void MechanismControl::rates(double t, VecIn q, VecIn v, VecOut out) const {
  place(q, v);
  const std::vector<OwnState>& states = model_.mechanism().states;
  for (int i = 0; i < count_; ++i) {
    out[i] = states[i].period > 0 ? 0 : forces_.feedback().state_value(states[i], t, q, v, work_);
    if (!std::isfinite(out[i]))
      throw EvaluationError(StepStatus::non_finite, "the rate of state \"" + states[i].name +
                                                        "\" is not finite at t = " + text(t) +
                                                        no_value_of(states[i].function));
  }
}

int MechanismControl::kinks() const { return forces_.feedback().kinks(); }

std::string MechanismControl::name(int kink) const { return forces_.feedback().kink_name(kink); }

void MechanismControl::functions(double t, VecIn q, VecIn v, VecOut values) const {
  place(q, v);
  forces_.feedback().switching(t, q, v, work_, values);
}

bool MechanismControl::functions_of_time(double t, VecOut values) const {
  return forces_.feedback().switching_of_time(t, values);
}

double MechanismControl::next_sample(double begin, double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const OwnState& state : model_.mechanism().states)
    if (state.period > 0) next = std::min(next, begin + (sample_number(state, begin, t) + 1) * state.period);
  return next;
}

/// All samples at one instant use the values of z before that instant.
void MechanismControl::sample(double begin, double t, VecIn q, VecOut v) const {
  place(q, v);
  const std::vector<OwnState>& states = model_.mechanism().states;
  const auto falls_on_t = [&](const OwnState& state) {
    return state.period > 0 &&
           t - (begin + sample_number(state, begin, t) * state.period) <= time_resolution(begin, t);
  };
  auto z = v.segment(model_.nv(), count_);
  for (int i = 0; i < count_; ++i) {
    if (!falls_on_t(states[i])) continue;
    z[i] = forces_.feedback().state_value(states[i], t, q, v, work_);
    if (!std::isfinite(z[i]))
      throw EvaluationError(StepStatus::non_finite, "the sampled value \"" + states[i].name +
                                                        "\" is not finite at t = " + text(t) +
                                                        no_value_of(states[i].function));
  }
  set(z);
}

}  // namespace torsor::mechanics
