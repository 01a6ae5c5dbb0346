#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "compensated_time.hpp"
#include "events.hpp"
#include "output_schedule.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/step_control.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor::sim {

/// The error that rounding of the state causes in every step, relative to the state.
inline constexpr double rounding = std::numeric_limits<double>::epsilon();

/// Call it in a catch block: rethrows the exception as an EvaluationError that names its source.
[[noreturn]] void tell_thrown_by(const char* name);

/// Calls a user's function.
template <class Call>
auto call_user(const char* name, const Call& call) try {
  return call();
} catch (...) {
  tell_thrown_by(name);
}

/// One run of `simulate`, from the start to an outcome.
///
/// Main steps lead from one accepted state to the next. Every state in between (output, event) is the end
/// of a side step from the accepted state before it, with the same method, so outputs do not change the
/// main steps.
class Driver {
 public:
  /// `at_step` is called after every accepted step and after the outputs within it. Throws
  /// std::invalid_argument.
  Driver(const System& system, const SimulationOptions& options, const Observer& at_output,
         const Observer& at_step);

  RunSummary run(const State& start);
  /// Sum of the errors that the tolerance allowed in the accepted steps; 0 with a fixed step.
  double step_errors() const { return step_errors_; }

 private:
  enum class Go { on, ended };

  /// A state inside the step of size `tried_`: the time s since the start of the step, the error due to
  /// rounding, xi = log(q_start^-1 q), and v.
  struct Inside {
    double s, noise;
    Vec xi, v;
  };

  Go begin(const State& start);
  Go choose_first_step();
  Go step();
  Go step_until_accepted(double& h);
  bool near_rank_loss() const { return condition_ > ConstrainedSystem::nearly_lost; }
  double rank_loss_ahead() const;
  std::string rank_loss() const;
  double over_rank_loss(double wish);
  bool go_back();
  double least_at_rank_loss() const;
  void keep_regular_start();
  bool repeats(double t_next) const { return t_next <= furthest_.t; }
  bool try_elsewhere(double h, double error, double noise);
  Go step_stands(double rounded);
  Go go_over_in_spite_of_noise(double& h);
  std::string if_rounding(double error) const;
  double find_rounding(double h);
  void tell_rounding();
  double owed() const;
  double allowed_error() const;
  static double acceleration_noise(double h, double condition);
  StepStatus take_step(double h);
  StepStatus attempt(double h, double& error, double& noise);
  void accept(double h, double t_next);
  Go look_inside(double h, double t_next);
  Go give_outputs(double h, double until);
  void give(double t, const State& x);
  Go stop_at(const EventRecord& record);
  Go check_limits();
  Go limit(const std::string& which, StepStatus status);
  Go end(StepStatus status, std::string message = {});
  void give_last();
  Go fail(StepStatus status, double h, const std::string& why);
  Go fail_as_thrown(double h);  ///< call it in a catch block
  bool leaves_branch(double h);
  void settle(double h, State& x);
  void side_step(double h, State& x);
  void take_side_step(double h, State& x);
  void side_step_near_rank_loss(double h, State& x);
  double noisy_side_step(double h, State& x);
  void find_inside();
  static std::vector<double> lagrange(double s, std::span<const Inside* const> through);
  double interpolate(double s, std::size_t count, State& x);
  double least_owed() const;
  StepStatus pass_by_projection(double h, State& x);
  StepStatus attempt_somehow(double h, double& error, double& noise);
  StepStatus attempt_by_projection(double h, double& error, double& noise);
  void make_projected();

  /// The least error that a step across a singular configuration can reach.
  static constexpr double reachable = 1e-11;

  struct Moment {
    double t;
    CompensatedTime time;
    State x;
  };

  const System& system_;
  const ConstrainedSystem* constrained_;  ///< the same system if it has constraints
  const SimulationOptions options_;       ///< with the tolerance in force
  const Observer& at_output_;
  const Observer& at_step_;
  std::unique_ptr<Stepper> stepper_, projected_;
  PiController control_{0};
  CompensatedTime time_;
  OutputSchedule schedule_;
  EventWatch events_;
  EventWatch::SideStep side_;
  std::chrono::steady_clock::time_point started_;
  State trial_, output_;
  Vec error_, moved_, none_, rounding_;
  std::string why_;     ///< why the last step failed
  std::string helped_;  ///< a note if another method made the last attempt
  double step_errors_ = 0;
  double rounded_ = 0;    ///< error of the last step due to rounding of the accelerations
  double estimated_ = 0;  ///< the error estimate of the method for that step
  double rounded_squares_ =
      0;  ///< sum of rounded_^2 over the accepted steps where it exceeds their tolerance
  double t_ = 0, h_ = 0, tried_ = 0;
  std::vector<Inside> inside_;
  double condition_ = 1;  ///< greatest condition of the constraints in the last attempt
  /// 1 / sqrt(condition of the constraints) after the last two steps; 0 after a step across a singular
  /// configuration.
  double regular_ = 0, regular_before_ = 0, t_before_ = 0;
  double ordinary_ = 0;      ///< size of the last step away from singular configurations
  std::size_t passing_ = 0;  ///< number of rejected steps across singular configurations
  std::size_t tries_ = 0;    ///< the same for the singular configuration ahead
  double least_noise_ = std::numeric_limits<
      double>::infinity();  ///< least noise of the steps that were rejected for rounding alone
  double quietest_ = 0;     ///< the size of that step
  bool going_over_ = false;
  Moment regular_start_;     ///< start of the last step away from singular configurations
  Moment furthest_;          ///< the last accepted state before a return to `regular_start_`
  double place_;             ///< time at which the step size became negligible; NaN if it did not
  std::size_t returns_ = 0;  ///< number of returns from that time
  double given_;             ///< the last time at which output was given
  bool refused_ = false;     ///< the observer threw, so it is not called any more
  bool ahead_ = false;       ///< the last output is inside the current step; its state is `output_`
  RunSummary result_;        ///< its x is the last accepted state
};

}  // namespace torsor::sim
