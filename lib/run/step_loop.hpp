#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "events.hpp"
#include "output_schedule.hpp"
#include "states_inside.hpp"
#include "step_acceptance.hpp"
#include "switching_watch.hpp"

namespace torsor::mechanics {

/// Call it in a catch block: rethrows the exception as an EvaluationError that names its source.
[[noreturn]] void rethrow_as_thrown_by(const char* name);

/// Calls a user's function.
template <class Call>
auto call_user(const char* name, const Call& call) try {
  return call();
} catch (...) {
  rethrow_as_thrown_by(name);
}

/// A count of steps that tells when it has reached 2, 4, 8, ...
class DoublingCount {
 public:
  void restart() { *this = {}; }
  /// Adds steps. Whether the count has reached another power of 2.
  bool add(long steps) {
    count_ += steps;
    if (count_ < next_) return false;
    while (next_ <= count_) next_ *= 2;
    return true;
  }

 private:
  long count_ = 0, next_ = 2;
};

/// One run of `simulate`, from the start to an outcome.
///
/// Main steps lead from one accepted state to the next. Every state in between (output, event) is the end
/// of a side step from the accepted state before it (StatesInside), so outputs do not change the main steps.
/// `integrate` and ensembles, which have fields known at compile time and neither events nor outputs, use the
/// loop of ControlledSteps. Both choose their step sizes by PiControl.
class StepLoop {
 public:
  /// `at_step` is called after every accepted step and after the outputs within it; `at_some_steps` after the
  /// accepted steps 2, 4, 8, ... since the last output, or later where a StepTaker takes many steps at once.
  /// Keeps references to the arguments. Throws std::invalid_argument.
  StepLoop(const System& system, const SimulationOptions& options, const Observer& at_output,
           const Observer& at_step, const Observer& at_some_steps);

  RunSummary run(const State& start);
  /// Sum of the errors that the tolerance permitted in the accepted steps; 0 with a fixed step.
  double step_errors() const { return acceptance_.budget().sum(); }
  double work_error() const { return acceptance_.budget().of_work(); }

 private:
  enum class Go {
    on,
    back,  ///< the run continues from an earlier state
    ended,
  };

  Go begin(const State& start);
  Go step();
  Go take_with_outputs();
  Go make_step(double& h);
  Go follow(StepAcceptance::Verdict verdict, double t, std::optional<double> h);
  Go finish_step(double h);
  void accept(double h, double t_next);
  void count_turns();
  Go look_inside(double h, double t_next);
  Go take_events(double h, const std::vector<EventRecord>& found);
  Go give_outputs(double h, double until);
  void arrive();
  void give(double t, const State& x);
  void give_ahead(double t, const State& x);
  void give_last();
  Go check_limits();
  Go judge_stop(double h, double t, const State& x);
  Go stop_at(double h, const EventRecord& record);
  void check_end(double t, const State& x);
  Go limit(const std::string& which, StepStatus status);
  Go end(StepStatus status, std::string message = {});
  Go fail(StepStatus status, std::optional<double> h, const std::string& why);
  Go fail_as_thrown(std::optional<double> h);  ///< call it in a catch block

  const System& system_;
  const SimulationOptions& options_;
  const Observer& at_output_;
  const Observer& at_step_;
  const Observer& at_some_steps_;
  TrialStep trial_;
  StepAcceptance acceptance_;
  StatesInside inside_;
  SwitchingWatch switching_;
  const CountedAngles* const angles_;  ///< nullptr if there are none
  Moment now_;                         ///< the last accepted state
  OutputSchedule schedule_;
  EventWatch events_;
  EventWatch::SideStep side_;
  const bool only_outputs_;  ///< nothing but outputs happens in the run, and its method takes such steps
  std::chrono::steady_clock::time_point started_;
  State output_, between_;
  /// The next outputs. The StepTaker gives at most all but the last of them.
  std::array<OutputAhead, 17> outputs_;
  long general_before_ = 0;         ///< solutions by the general solver before this run
  double given_;                    ///< the last time at which output was given
  DoublingCount since_output_;      ///< of the accepted steps since then
  double t_next_ = 0;               ///< the end of the step
  std::vector<EventRecord> jumps_;  ///< the events by kinks and samples at t_next_
  bool field_jumps_ = false;        ///< the field jumps at t_next_
  bool arrived_ = false;            ///< SwitchingWatch::arrive was called for t_next_
  bool refused_ = false;            ///< the observer threw, so it is not called any more
  bool ahead_ = false;              ///< the last output is in the current step; its state is `output_`
  RunSummary result_;
};

}  // namespace torsor::mechanics
