#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "torsor/model/detail/reason.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// All errors in the own states of a mechanism and in its functions of the state, one sentence each.
Reasons why_feedback_invalid(const Mechanism& mechanism);

/// Why a function cannot be evaluated for a mechanism; empty if it can.
std::string why_function_invalid(const TimeFunction& function, const Mechanism& mechanism);

/// The bodies on whose motion a function depends.
std::vector<int> measured_bodies(const TimeFunction& function, const Mechanism& mechanism);

/// Evaluates the functions of the state in the forces, velocity constraints and own states of a mechanism.
/// The values z of the own states and the sides of the kinks are not arguments: they are those of the last
/// `set_states` and `hold`.
class Feedback {
 public:
  /// Refers to the model, which must live longer.
  explicit Feedback(const Model& model);

  /// Whether a function needs forward_kinematics.
  bool needs_kinematics() const { return needs_kinematics_; }

  void set_states(VecIn z) const {
    if (states_ != z) states_ = z, ++version_;
  }
  const Vec& states() const { return states_; }
  /// Holds each kink on its side, +1, -1 or 0, or releases the kinks if `sides` is empty.
  void hold(std::span<const signed char> sides) const {
    sides_.assign(sides.begin(), sides.end()), ++version_;
  }
  /// Copies z and the sides from `other`, which belongs to the same mechanism in the other formulation.
  void take(const Feedback& other) const { states_ = other.states_, sides_ = other.sides_, ++version_; }

  /// The value of any function at (t, q, v), after forward_kinematics where its inputs need it.
  double value(const TimeFunction& function, double t, VecIn q, VecIn v, const Workspace<double>& work) const;

  /// The values of the switching functions of any function, one for each of its kinks.
  void switching_of(const TimeFunction& function, double t, VecIn q, VecIn v, const Workspace<double>& work,
                    double* values) const;

  /// The value of the function of a state: its rate, or its next sample. An exception becomes an
  /// EvaluationError that names the state.
  double state_value(const OwnState& state, double t, VecIn q, VecIn v, const Workspace<double>& work) const;

  /// The value and its rate, for a function of the state that has one.
  TimeFunction::Value with_rate(const TimeFunction& function, double t, VecIn q, VecIn v,
                                const Workspace<double>& work) const;
  /// A count that changes whenever z or the sides change.
  long version() const { return version_; }

  /// Number of kinks; each has one switching function.
  int kinks() const { return kinks_; }
  /// The part of the mechanism that has a kink, such as `force "brake"`.
  const std::string& kink_name(int kink) const;
  /// Computes the values of all switching functions at (t, q, v), after forward_kinematics.
  void switching(double t, VecIn q, VecIn v, const Workspace<double>& work, VecOut values) const;
  /// The same for the functions of t alone; 0 for all others. Returns whether there are any.
  bool switching_of_time(double t, VecOut values) const;

 private:
  struct Kinked {
    const StateFunction* function;
    int first;  ///< index of its first kink
    std::string of;
  };

  void add(const TimeFunction& function, const std::string& of, bool in_field);
  double rate_of(const Measured& input, double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  template <class Inputs>
  void evaluate(const Kinked& kinked, VecOut values, const Inputs& inputs) const;
  double call(const StateFunction& function, VecIn q, VecIn v, const Workspace<double>& work) const;
  double measure(const Measured& input, VecIn q, VecIn v, const Workspace<double>& work) const;
  void measure_all(const StateFunction& function, double t, VecIn q, VecIn v,
                   const Workspace<double>& work) const;
  const signed char* sides_of(const StateFunction& function) const;

  const Model& model_;
  std::vector<Kinked> kinked_;
  std::unordered_map<const StateFunction*, int> first_kink_;  ///< of each function with kinks in `kinked_`
  int kinks_ = 0;
  bool needs_kinematics_ = false;
  mutable Vec states_;
  mutable std::vector<signed char> sides_;
  mutable std::vector<double> inputs_, rates_;   ///< t and the inputs of one function, and their rates
  mutable std::vector<double> inputs_of_named_;  ///< t and the inputs of a function of Mechanism::functions
  mutable long version_ = 0;
};

/// The end of a message about a number that is not finite: the formula without a finite value, if it has a
/// text.
inline std::string no_value_of(const TimeFunction& function) {
  return function.text().empty() ? "" : ": " + function.text() + " has no finite value";
}

}  // namespace torsor
