#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "branch_watch.hpp"
#include "error_budget.hpp"
#include "integrators/step_taker.hpp"
#include "position_jumps.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/step_control.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor::mechanics {

/// Steps from an accepted state: main steps, which may be repeated with other sizes, and side steps. Near
/// singular configurations a projection method takes the steps that the method of the run cannot take.
class TrialStep {
 public:
  /// `stepper`: the method of the run. `estimates`: whether its error estimate is wanted.
  TrialStep(const System& system, const SimulationOptions& options, std::unique_ptr<Stepper> stepper,
            bool estimates);

  /// Attempts a main step of size h from (t, x). `across`: the step crosses a singular configuration, or the
  /// steps have a fixed size and a singular configuration comes soon.
  StepStatus attempt(double t, const State& x, double h, bool across);

  /// Records that the attempt from x of size h is accepted as a main step.
  void accept(const State& x, double h) { branch_.accept(x, h, error_.near_singular()); }
  /// Call it where the field jumps.
  void forget_change() { branch_.forget_change(); }

  /// Whether the accepted state (t, x) is so far off the constraints that its branch is in doubt. `why` then
  /// gives the reason.
  bool branch_in_doubt(double t, const State& x);

  /// BranchWatch::drift_note of the last step, of size h, which ended at t.
  std::string drift_note(double t, double h) const {
    return branch_.drift_note(error_.near_singular() ? rank_loss(t) : std::string(), h, error_);
  }

  // Results of the last attempt.
  /// Whether the projection method made it in place of the method of the run.
  bool taken_by_projection() const { return by_projection_; }
  State& end() { return end_; }
  /// Whether `error` has an estimate of this attempt.
  bool has_estimate() const { return has_estimate_; }
  const StepError& error() const { return error_; }
  /// Why the attempt failed.
  const std::string& why() const { return why_; }
  /// The part of the mechanism to which that reason belongs, if it is a single one.
  Part part() const { return part_; }
  /// A note if another method made the attempt, or if rounding has a great effect on it; otherwise empty.
  const std::string& note() const { return note_; }
  /// The error due to rounding that this note gives; 0 if it gives none.
  double noted_noise() const { return noise_; }
  /// The body whose acceleration had the greatest rounding error at the last estimate of this error.
  std::string_view most_rounded() const { return most_rounded_; }
  /// Sets the greatest rate of the counted angles at the start of the next steps, rad/s.
  void set_turning(double rate) { turning_ = rate; }
  /// As BranchWatch::pass_gaps and BranchWatch::note.
  void pass_gaps(double greatest) { branch_.pass_gaps(greatest); }
  std::string note_on_circuits() const { return branch_.note(); }
  /// As BranchWatch::rejected, behind "; ".
  std::string rejected_passage() const { return branch_.rejected().empty() ? "" : "; " + branch_.rejected(); }
  /// Forgets the condition of the last attempt.
  void forget_condition() { error_.condition = 1; }

  /// Whether the method can take steps with outputs by itself.
  bool takes_outputs() const { return with_taker_ && with_taker_->takes_outputs(system_); }
  /// As StepTaker::take_with_outputs.
  void take_with_outputs(StepsWithOutputs& steps) { with_taker_->take_with_outputs(system_, steps); }

  /// A step of size h from (t, x) into `out`. Throws EvaluationError.
  void side_step(double t, const State& x, double h, State& out);
  /// The same for a step near a singular configuration. Returns its error due to rounding.
  double noisy_side_step(double t, const State& x, double h, State& out);

  /// Whether the error estimate is that of the solution from which the run continues, and not of a less
  /// accurate one.
  bool estimates_own_error() const { return stepper_->embedded_order() == stepper_->order(); }
  int error_order() const { return estimate_order(stepper_->order(), stepper_->embedded_order()); }
  long evaluations() const;
  /// Sentence that names the constraints that nearly lose rank at t.
  std::string rank_loss(double t) const;
  /// The part of the mechanism that this sentence names, if there is one.
  Part rank_loss_part() const { return constrained_->conditioning().worst_part(); }

 private:
  StepStatus attempt_with_method(double t, const State& x, double h);
  StepStatus attempt_by_projection(double t, const State& x, double h, bool check_estimate);
  void take_over(const char* why, const std::string& rank_loss);
  void reduce_noise(double t, const State& x, double h);
  bool accepts_by_projection(double t, const State& x, double h, bool check_estimate);
  bool too_short(const State& x, double h) const;
  void note_noise(const std::string& rank_loss, double noise);
  void forget_notes();
  bool attempt_in_parts(double t, const State& x, double h, double least, const char* why, bool only_near);
  StepStatus take(double t, const State& x, double h);
  bool must_repeat(StepStatus status, bool by_projection) const;
  bool turns_too_far(double h);
  double size_of_estimate(double h);
  double find_rounding(double h);
  void settle(double t, State& x) const;
  Stepper& projected();

  const System& system_;
  const ConstrainedSystem* constrained_;  ///< the same system if it has constraints
  const CountedAngles* const angles_;     ///< nullptr if there are none
  double turning_ = 0;                    ///< their greatest rate at the start of the step, rad/s
  const SimulationOptions& options_;
  std::unique_ptr<Stepper> stepper_, projected_;
  StepperWithTaker* const with_taker_;  ///< the method of the run; nullptr if it is of another kind
  State end_;
  PositionJumps jumps_;
  BranchWatch branch_;
  Vec estimate_, moved_, none_, rounding_;
  StepError error_;
  const bool estimates_;
  bool has_estimate_ = false;
  bool may_project_ = false;      ///< constraints by index 3 to 1, and the run's method is not rkmk-dop853
  bool projecting_ = false;       ///< the projection method makes the attempt
  double noise_ = 0;              ///< the error in the note
  bool by_projection_ = false;    ///< the projection method made the last attempt
  bool damps_ = false;            ///< the method is for stiff motions
  bool own_multipliers_ = false;  ///< the method solves for the multipliers of its stages
  bool noisy_ = false;            ///< fixed steps of a method whose stages have accelerations
  bool blind_ = false;            ///< the error estimate misses errors normal to the constraints
  std::string why_, note_;
  Part part_;
  std::string_view most_rounded_;
};

}  // namespace torsor::mechanics
