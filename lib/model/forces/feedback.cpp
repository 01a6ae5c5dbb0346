#include "feedback.hpp"

#include <cmath>
#include <limits>
#include <new>
#include <unordered_set>

#include "force_kind.hpp"
#include "model/declared_joint.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/model/motion.hpp"

namespace torsor {
namespace {

using Quantity = Measured::Quantity;

bool of_joint(const Measured& input) {
  return input.quantity == Quantity::joint_coordinate || input.quantity == Quantity::joint_rate;
}

/// Calls use(function, where, in_field) with each function of the state of a mechanism. `in_field`: whether
/// the function is part of the vector field. The function of a sampled value is not: it acts only at the
/// samples.
template <class Use>
void each_function(const Mechanism& mechanism, const Use& use) {
  const auto if_of_state = [&](const TimeFunction& function, const std::string& where, bool in_field) {
    if (function.of_state()) use(function, where, in_field);
  };
  for (const Force& force : mechanism.forces)
    with_kind(force, [&](const auto& kind, const auto& law) {
      for (const TimeFunction* function : kind.functions(law))
        if_of_state(*function, "force \"" + force.name + "\"", true);
    });
  for (const Constraint& constraint : mechanism.constraints)
    if (const auto* law = std::get_if<VelocityLaw>(&constraint.law))
      if_of_state(law->value, "constraint \"" + constraint.name + "\"", true);
  for (const OwnState& state : mechanism.states)
    if_of_state(state.function, "state \"" + state.name + "\"", state.period == 0);
}

/// The quantities that a function uses: its inputs, where the inputs of a named function replace the
/// function.
std::vector<Measured> all_inputs(const StateFunction& function, const Mechanism& mechanism) {
  std::vector<Measured> all;
  for (const Measured& input : function.inputs) {
    if (input.quantity != Quantity::function) {
      all.push_back(input);
      continue;
    }
    const auto& inner = mechanism.functions[static_cast<std::size_t>(input.index)].function.inputs;
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

int components(const Measured& input, const Mechanism& mechanism) {
  switch (input.quantity) {
    case Quantity::joint_coordinate:
      return coordinate_count(mechanism.joints[input.index].kind);
    case Quantity::joint_rate:
      return freedom_count(mechanism.joints[input.index].kind);
    case Quantity::rotation:
      return 9;
    case Quantity::own_state:
    case Quantity::function:
      return 1;
    default:
      return 3;
  }
}

bool is_valid(const Measured& input, const Mechanism& mechanism) {
  const auto within = [](int index, std::size_t size) {
    return index >= 0 && index < static_cast<int>(size);
  };
  if (of_joint(input) && !within(input.index, mechanism.joints.size())) return false;
  if (input.quantity == Quantity::own_state && !within(input.index, mechanism.states.size())) return false;
  if (input.quantity == Quantity::function && !within(input.index, mechanism.functions.size())) return false;
  if (input.point.body != world && !within(input.point.body, mechanism.bodies.size())) return false;
  return within(input.component, static_cast<std::size_t>(components(input, mechanism)));
}

/// Why the value of a velocity constraint has no rate; empty if it has one.
std::string why_no_rate(const TimeFunction& value, const Mechanism& mechanism) {
  const StateFunction* const of_state = value.of_state();
  if (!of_state) return {};
  if (!of_state->rate) return "the value is a function of the state without a rate";
  for (const Measured& input : of_state->inputs)
    if (input.quantity == Quantity::function)
      return "the value cannot depend on a function that a program gives, because its rate is not known";
    else if (input.quantity == Quantity::own_state && is_valid(input, mechanism) &&
             mechanism.states[input.index].period > 0)
      return "the value cannot depend on the sampled value \"" + mechanism.states[input.index].name +
             "\", because a velocity cannot jump; use a state that follows the sampled value";
    else if (input.quantity == Quantity::joint_rate || input.quantity == Quantity::velocity ||
             input.quantity == Quantity::angular_velocity ||
             input.quantity == Quantity::angular_velocity_body)
      return "the value cannot depend on a velocity, because its rate would depend on accelerations; use "
             "positions, or a state that follows the velocity";
    else if (input.quantity == Quantity::joint_coordinate && is_valid(input, mechanism) &&
             joint_type(mechanism.joints[input.index].kind).quaternion)
      return "the value cannot depend on coordinates of the joint \"" + mechanism.joints[input.index].name +
             "\", because its rates are not their derivatives; use positions and rotations of bodies";
  return {};
}

}  // namespace

std::string why_function_invalid(const TimeFunction& function, const Mechanism& mechanism) {
  const StateFunction* const of_state = function.of_state();
  if (!of_state) return {};
  if (!of_state->function) return "a function of the state is empty";
  if (of_state->kinks < 0) return "a function of the state has a negative number of kinks";
  for (const Measured& input : of_state->inputs)
    if (!is_valid(input, mechanism)) return "a function of the state uses a quantity that does not exist";
  return {};
}

Reasons why_feedback_invalid(const Mechanism& mechanism) {
  Reasons reasons;
  const auto reject = [&](const std::string& of, const std::string& why) {
    reasons.push_back({{}, {}, of + ": " + why});
  };
  std::unordered_set<std::string> taken;
  const auto check_name = [&](const std::string& name, const std::string& of) {
    if (!name.empty() && !taken.insert(of).second) reject(of, "the name is taken twice");
  };
  each_function(mechanism, [&](const TimeFunction& function, const std::string& of, bool) {
    if (const std::string why = why_function_invalid(function, mechanism); !why.empty()) reject(of, why);
  });
  for (const auto& [name, function] : mechanism.functions) {
    const std::string of = "function \"" + name + "\"";
    check_name(name, of);
    if (!function.function)
      reject(of,
             "no function of this name is given; programs that run the scene give it, in Python by "
             "torsor.load(..., functions=...)");
    for (const Measured& input : function.inputs)
      if (input.quantity == Quantity::function || !is_valid(input, mechanism))
        reject(of, "an input is a quantity that does not exist, or another function");
  }
  for (int i = 0; i < static_cast<int>(mechanism.constraints.size()); ++i) {
    const Constraint& constraint = mechanism.constraints[i];
    if (const auto* law = std::get_if<VelocityLaw>(&constraint.law))
      if (const std::string why = why_no_rate(law->value, mechanism); !why.empty())
        reasons.push_back({constraint_part(i), {}, "constraint \"" + constraint.name + "\": " + why});
  }
  for (const OwnState& state : mechanism.states) {
    const std::string of = "state \"" + state.name + "\"";
    check_name(state.name, of);
    if (!std::isfinite(state.start)) reject(of, "the start is not finite");
    if (state.function.is_constant() && !std::isfinite(state.function(0)))
      reject(of, "its function is not finite");
    if (!(state.period >= 0) || std::isinf(state.period))
      reject(of, "the period must be positive and finite");
  }
  return reasons;
}

std::vector<int> measured_bodies(const TimeFunction& function, const Mechanism& mechanism) {
  std::vector<int> bodies;
  if (const StateFunction* const of_state = function.of_state())
    for (const Measured& input : all_inputs(*of_state, mechanism)) {
      if (input.quantity == Quantity::own_state) continue;
      if (of_joint(input))
        bodies.insert(bodies.end(),
                      {mechanism.joints[input.index].parent, mechanism.joints[input.index].child});
      else
        bodies.push_back(input.point.body);
    }
  return bodies;
}

Feedback::Feedback(const Model& model) : model_(model), states_(model.mechanism().states.size()) {
  const Mechanism& mechanism = model.mechanism();
  for (std::size_t i = 0; i < mechanism.states.size(); ++i)
    states_[static_cast<Eigen::Index>(i)] = mechanism.states[i].start;
  each_function(mechanism, [&](const TimeFunction& function, const std::string& of, bool in_field) {
    add(function, of, in_field);
  });
}

void Feedback::add(const TimeFunction& function, const std::string& of, bool in_field) {
  const StateFunction& of_state = *function.of_state();
  for (const Measured& input : all_inputs(of_state, model_.mechanism())) {
    if (input.quantity == Quantity::own_state) continue;
    needs_kinematics_ |= !of_joint(input) || model_.link_of_joint[input.index] < 0;
  }
  if (of_state.inputs.size() >= inputs_.size()) inputs_.resize(of_state.inputs.size() + 1);
  if (of_state.kinks == 0 || !in_field) return;
  kinked_.push_back({&of_state, kinks_, of});
  first_kink_.emplace(&of_state, kinks_);
  kinks_ += of_state.kinks;
}

double Feedback::measure(const Measured& input, VecIn q, VecIn v, const Workspace<double>& work) const {
  const auto of_body = [&](const auto& component) {
    return input.point.body == world ? 0. : component(model_.link_of_body[input.point.body]);
  };
  switch (input.quantity) {
    case Quantity::joint_coordinate:
      return declared_motion(model_, input.index, q, v, work).q[input.component];
    case Quantity::joint_rate:
      return declared_motion(model_, input.index, q, v, work).v[input.component];
    case Quantity::position:
      return point_motion(model_, work, input.point).x[input.component];
    case Quantity::velocity:
      return point_motion(model_, work, input.point).v[input.component];
    case Quantity::angular_velocity:
      return of_body([&](int link) { return work.w_WB[link][input.component]; });
    case Quantity::angular_velocity_body:
      return of_body([&](int link) { return work.R_WB[link].col(input.component).dot(work.w_WB[link]); });
    case Quantity::rotation: {
      const int row = input.component / 3, column = input.component % 3;
      if (input.point.body == world) return row == column ? 1 : 0;
      return work.R_WB[model_.link_of_body[input.point.body]](row, column);
    }
    case Quantity::own_state:
      return states_[input.index];
    case Quantity::function:
      break;
  }
  return call(model_.mechanism().functions[input.index].function, q, v, work);
}

/// The value of a named function, at the time of the function that uses it.
double Feedback::call(const StateFunction& function, VecIn q, VecIn v, const Workspace<double>& work) const {
  inputs_of_named_.assign(1, inputs_[0]);
  for (const Measured& input : function.inputs) inputs_of_named_.push_back(measure(input, q, v, work));
  return function.function(inputs_of_named_.data(), nullptr, nullptr);
}

/// The rate of a quantity that is not a velocity.
double Feedback::rate_of(const Measured& input, double t, VecIn q, VecIn v,
                         const Workspace<double>& work) const {
  const auto of_quantity = [&](Quantity quantity) {
    Measured rate = input;
    rate.quantity = quantity;
    return measure(rate, q, v, work);
  };
  switch (input.quantity) {
    case Quantity::joint_coordinate:
      return of_quantity(Quantity::joint_rate);
    case Quantity::position:
      return of_quantity(Quantity::velocity);
    case Quantity::rotation: {
      if (input.point.body == world) return 0;
      const int link = model_.link_of_body[input.point.body];
      return work.w_WB[link].cross(Vec3(work.R_WB[link].col(input.component % 3)))[input.component / 3];
    }
    case Quantity::own_state:
      return state_value(model_.mechanism().states[input.index], t, q, v, work);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

TimeFunction::Value Feedback::with_rate(const TimeFunction& function, double t, VecIn q, VecIn v,
                                        const Workspace<double>& work) const {
  const StateFunction* const of_state = function.of_state();
  if (!of_state) return function.with_derivatives(t);
  rates_.assign(1, 1);
  for (const Measured& input : of_state->inputs) rates_.push_back(rate_of(input, t, q, v, work));
  measure_all(*of_state, t, q, v, work);
  const auto with_sides = [&](const signed char* sides) -> TimeFunction::Value {
    return {of_state->function(inputs_.data(), sides, nullptr),
            of_state->rate(inputs_.data(), rates_.data(), sides), 0};
  };
  const TimeFunction::Value held = with_sides(sides_of(*of_state));
  return std::isnan(held.value + held.rate) ? with_sides(nullptr) : held;
}

void Feedback::measure_all(const StateFunction& function, double t, VecIn q, VecIn v,
                           const Workspace<double>& work) const {
  const std::size_t count = function.inputs.size();
  if (count >= inputs_.size()) inputs_.resize(count + 1);  // the constructor does not see functions of events
  inputs_[0] = t;
  for (std::size_t i = 0; i < count; ++i) inputs_[i + 1] = measure(function.inputs[i], q, v, work);
}

/// The sides at which the kinks of a function are held; nullptr if they are not held.
const signed char* Feedback::sides_of(const StateFunction& function) const {
  if (function.kinks == 0 || sides_.empty()) return nullptr;
  const auto found = first_kink_.find(&function);
  return found == first_kink_.end() ? nullptr : sides_.data() + found->second;
}

/// A branch may have no value beyond its kink, such as max(0, x)^1.5 for x < 0. There the sides of the state
/// itself are taken; the step that led there is repeated up to the kink.
double Feedback::value(const TimeFunction& function, double t, VecIn q, VecIn v,
                       const Workspace<double>& work) const {
  const StateFunction* const of_state = function.of_state();
  if (!of_state) return function(t);
  measure_all(*of_state, t, q, v, work);
  const double held = of_state->function(inputs_.data(), sides_of(*of_state), nullptr);
  return std::isnan(held) ? of_state->function(inputs_.data(), nullptr, nullptr) : held;
}

void Feedback::switching_of(const TimeFunction& function, double t, VecIn q, VecIn v,
                            const Workspace<double>& work, double* values) const {
  const StateFunction* const of_state = function.of_state();
  if (!of_state || of_state->kinks == 0) return;
  measure_all(*of_state, t, q, v, work);
  of_state->function(inputs_.data(), nullptr, values);
}

double Feedback::state_value(const OwnState& state, double t, VecIn q, VecIn v,
                             const Workspace<double>& work) const try {
  return value(state.function, t, q, v, work);
} catch (const EvaluationError&) {
  throw;  // of a plugin: its message names the force
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  throw EvaluationError(StepStatus::callback_failed, "state \"" + state.name + "\": " + error.what());
} catch (...) {
  throw EvaluationError(StepStatus::callback_failed,
                        "state \"" + state.name + "\" threw an object that is not an exception");
}

const std::string& Feedback::kink_name(int kink) const {
  const auto after = std::upper_bound(kinked_.begin(), kinked_.end(), kink,
                                      [](int k, const Kinked& kinked) { return k < kinked.first; });
  return std::prev(after)->of;
}

/// The switching functions of one function, at the inputs that `inputs` gives. An exception becomes an
/// EvaluationError that names the part with this function.
template <class Inputs>
void Feedback::evaluate(const Kinked& kinked, VecOut values, const Inputs& inputs) const try {
  kinked.function->function(inputs(), sides_of(*kinked.function), values.data() + kinked.first);
} catch (const EvaluationError&) {
  throw;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  throw EvaluationError(StepStatus::callback_failed, kinked.of + ": " + error.what());
} catch (...) {
  throw EvaluationError(StepStatus::callback_failed, kinked.of + " threw an object that is not an exception");
}

void Feedback::switching(double t, VecIn q, VecIn v, const Workspace<double>& work, VecOut values) const {
  for (const Kinked& kinked : kinked_)
    evaluate(kinked, values, [&] {
      measure_all(*kinked.function, t, q, v, work);
      return inputs_.data();
    });
}

bool Feedback::switching_of_time(double t, VecOut values) const {
  values.setZero();
  bool any = false;
  for (const Kinked& kinked : kinked_) {
    if (!kinked.function->inputs.empty()) continue;
    evaluate(kinked, values, [&t] { return &t; });
    any = true;
  }
  return any;
}

}  // namespace torsor
