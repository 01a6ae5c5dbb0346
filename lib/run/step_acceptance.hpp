#pragma once

#include <limits>
#include <span>
#include <string>

#include "singularity_crossing.hpp"
#include "torsor/integrators/step_control.hpp"
#include "trial_step.hpp"

namespace torsor::mechanics {

/// Accepts or rejects the main steps of a run and chooses their sizes. Under a tolerance, a step is rejected
/// if its error estimate is too great or if it failed, and the next attempt is smaller. A fixed step is
/// accepted unless it failed.
class StepAcceptance {
 public:
  enum class Verdict {
    accepted,
    rejected,  ///< the next attempt has another size, and may start from an earlier state
    failed,    ///< no other attempt is worth making: see `status` and `why`
  };

  /// Keeps references to the arguments, which must outlive this object.
  StepAcceptance(const System& system, const SimulationOptions& options, TrialStep& trial);

  /// Chooses the size of the first step. Returns false if the acceleration at the start is not finite. Throws
  /// the exceptions of the system.
  bool begin(const Moment& start);

  /// Sets the latest time at which the next steps may end; at first the end of the run.
  void set_limit(double t) { limit_ = t; }

  /// Judges the last accepted state `from`, before the next step and at the end of the run. Near a singular
  /// configuration, `from` may become an earlier state of the run; the verdict is then `rejected`.
  Verdict look_back(Moment& from) { return judge(from, from.t, from.x, last_); }
  /// The same for the state (t, x) at the end of a step of size h, at which the run may end. The last
  /// accepted state `from` is this state or the beginning of the step.
  Verdict judge(Moment& from, double t, const State& x, double h);
  /// Attempts a step from the last accepted state `from`, and sets h to the size of the step. Near a singular
  /// configuration, `from` may become an earlier state of the run. Throws EvaluationError.
  Verdict attempt(Moment& from, double& h);

  /// Numbers of accepted steps and of outputs.
  struct Taken {
    long steps = 0;
    std::size_t outputs = 0;
  };
  /// Lets the method take steps from `now` and the side steps to the outputs by itself, at most `most`
  /// attempts at steps, if the run needs nothing else. The results are those of `attempt`, StatesInside and
  /// `accept`. Only for systems without constraints, under a tolerance.
  Taken take_with_outputs(Moment& now, std::span<OutputAhead> outputs, long most);

  // Results of a failed attempt.
  StepStatus status() const { return status_; }
  const std::string& why() const { return why_; }
  Part part() const { return part_; }

  /// Moves `now` to the end of the accepted step of size h, at the time t_next.
  void accept(Moment& now, double h, double t_next);

  /// Counts the errors of the attempt, in which the run ends at an event.
  void end_inside() { budget_.accept(trial_.error()), keep_note(); }

  long rejected() const { return rejected_; }
  long evaluations() const { return trial_.evaluations() + first_evaluations_; }
  const SingularityCrossing& crossing() const { return crossing_; }
  const ErrorBudget& budget() const { return budget_; }
  /// A note for the user on the accepted steps, such as a tolerance that was not reached; or empty.
  std::string note() const;

 private:
  Verdict attempt_fixed(const Moment& from, double& h);
  Verdict attempt_controlled(Moment& from, double& h);
  StepStatus try_step(const Moment& from, double h, double& error, double& noise);
  bool try_longer(StepStatus status, double h, double longest, double error);
  bool try_another(double h, double longest, double smaller, double error, double noise);
  Verdict reject(Moment& from, StepStatus status, double error);
  Verdict cross_in_spite_of_noise(const Moment& from, double& h);
  Verdict accepted_with(double t, double rounded, double estimated);
  void keep_note();
  void note_start(const Moment& start);
  std::string note_on_steps() const;
  bool comes_soon(double t, double h) const;
  bool too_small(double t, double h) const;
  bool go_back(Moment& from);
  Verdict fail(StepStatus status, std::string why, Part part = {});
  Verdict fail_near_rank_loss(double t, const std::string& why = {});
  Verdict fail_below_floor(double t);

  const System& system_;
  const ConstrainedSystem* constrained_;  ///< the same system if it has constraints
  const SimulationOptions& options_;
  TrialStep& trial_;
  ErrorBudget budget_;
  PiController control_;
  SingularityCrossing crossing_;
  double limit_;                  ///< s
  double h_ = 0;                  ///< size of the next step, before limits
  double last_ = 0;               ///< size of the last accepted step
  bool starts_in_doubt_ = false;  ///< the next step is the first one, and the rank is in doubt at its start
  double first_size_ = 0;         ///< of the first attempt at this step, s; 0 before it
  int bad_attempts_ = 0;          ///< attempts at this step that failed or had too great an error
  /// Error of the last attempt that has left the neighbourhood of the singular configuration.
  double error_after_start_ = std::numeric_limits<double>::infinity();
  long rejected_ = 0, first_evaluations_ = 0;
  StepStatus status_ = StepStatus::accepted;
  std::string why_, note_, note_on_start_, other_method_;
  double noise_ = 0;                 ///< the error due to rounding in note_
  bool noted_other_method_ = false;  ///< note_ says that another method has made the step
  Part part_;
};

}  // namespace torsor::mechanics
