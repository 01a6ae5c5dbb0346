#include "trial_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "make_stepper.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// The method for steps near singular configurations where other methods fail.
constexpr const char* projection_method = "rkmk-dop853";

/// Greatest error of the velocity in a step of fixed size by projection, where another method failed,
/// relative to the change of the velocity in this step. Stiff motions exceed it.
constexpr double sure = 0.01;

/// If the rounding error of a step of fixed size exceeds this number, half of the digits, the step is made in
/// another way, or has a note.
constexpr double great_noise = 1.5e-8;

/// A step of fixed size is made in parts if this divides its rounding error at least by 10.
constexpr double worth_parts = 0.1;

/// Sizes of the first of two parts of a step, as fractions of the step; 1: the step has one part.
constexpr double first_parts[] = {1, 0.5, 0.3, 0.7};

/// Whether a step may have failed because of a singular configuration.
bool may_be_singular(StepStatus status) {
  return status == StepStatus::singular || status == StepStatus::newton_failed ||
         status == StepStatus::constraint_lost;
}

/// The treatment of the constraints; index 1 if there are none.
Treatment treatment_in(const System& system, const SimulationOptions& options) {
  const ConstrainedSystem* const constrained = system.constrained();
  return constrained ? treatment_of(*constrained, options) : Treatment::index_1;
}

/// Whether a treatment does not project positions.
bool drifts(Treatment treatment) {
  return treatment == Treatment::minimal || treatment == Treatment::dynamic;
}

}  // namespace

TrialStep::TrialStep(const System& system, const SimulationOptions& options, std::unique_ptr<Stepper> stepper,
                     bool estimates)
    : system_(system),
      constrained_(system.constrained()),
      angles_(system.counted_angles()),
      options_(options),
      stepper_(std::move(stepper)),
      with_taker_(dynamic_cast<StepperWithTaker*>(stepper_.get())),
      jumps_(system),
      branch_(system, estimates, drifts(treatment_in(system, options))),
      estimate_(2 * system.nv()),
      estimates_(estimates) {
  const Treatment treatment = treatment_in(system, options);
  may_project_ = constrained_ && treatment <= Treatment::index_1 && options_.method != projection_method;
  const MethodInfo& method = *find_method(options_.method);
  own_multipliers_ = !method.treatments.empty() && method.treatments.front() == Treatment::index_2;
  damps_ = method.damps();
  noisy_ = constrained_ && !estimates_ && !damps_ && treatment <= Treatment::index_1 &&
           (treatment == Treatment::index_1 || own_multipliers_);
  blind_ = may_project_ && own_multipliers_ && method.embedded_order > 0 && estimates_;
}

long TrialStep::evaluations() const {
  return stepper_->evaluations() + (projected_ ? projected_->evaluations() : 0);
}

std::string TrialStep::rank_loss(double t) const {
  const std::string_view worst = constrained_->conditioning().worst();
  return "the constraints nearly lose rank" + (worst.empty() ? "" : " in \"" + std::string(worst) + "\"") +
         " at t = " + brief(t) + (error_.near_singular() ? ": condition " + brief(error_.condition) : "");
}

/// A half-explicit method computes the multipliers of its own stages and fails if the step begins or ends too
/// near a singular configuration; the projection method may succeed there. If a half-explicit method has its
/// own error estimate, this estimate misses errors normal to the constraints. Near a singular configuration,
/// the projection method then makes the attempt at once.
StepStatus TrialStep::attempt(double t, const State& x, double h, bool across) {
  forget_notes();
  branch_.forget_gap();
  if (blind_ && (across || error_.near_singular())) return attempt_by_projection(t, x, h, false);
  const StepStatus status = attempt_with_method(t, x, h);
  if (status == StepStatus::accepted && noisy_ && error_.near_singular()) reduce_noise(t, x, h);
  if (!may_be_singular(status) || !(may_project_ || noisy_)) return status;
  if (status == StepStatus::newton_failed && too_short(x, h)) {  // as up to a kink soon after the start
    const StepStatus by_projection = attempt_by_projection(t, x, h, false);
    note_.clear();
    return by_projection;
  }
  if (status != StepStatus::singular && damps_ && estimates_) return status;  // smaller steps are better
  const bool near =
      error_.near_singular() || !constrained_->conditioning().rank_doubt().empty() || (noisy_ && across);
  if (!near && !(noisy_ && status != StepStatus::constraint_lost)) return status;
  const std::string why = why_;
  const Part part = part_;
  const bool taken = noisy_ ? attempt_in_parts(t, x, h, std::numeric_limits<double>::infinity(),
                                               " cannot take: ", !near && status == StepStatus::newton_failed)
                            : attempt_by_projection(t, x, h, !estimates_) == StepStatus::accepted;
  if (taken) return StepStatus::accepted;
  why_ = why, part_ = part;
  return status;
}

StepStatus TrialStep::attempt_by_projection(double t, const State& x, double h, bool check_estimate) {
  projected();
  const auto exchange = [this] { std::swap(stepper_, projected_), projecting_ = !projecting_; };
  exchange();
  StepStatus status = StepStatus::rejected;
  try {
    status = attempt_with_method(t, x, h);
  } catch (...) {  // the run may go on after a choice of rows that fails
    exchange();
    throw;
  }
  exchange();
  if (status == StepStatus::accepted && check_estimate &&
      !(branch_.size_of(end_, estimate_.tail(system_.nv())) <=
        sure * branch_.change_of_velocity(x, end_) + great_noise * branch_.size_of(x, x.v)))
    return StepStatus::rejected;
  if (status == StepStatus::accepted) take_over(" cannot take: ", rank_loss(t));
  return status;
}

void TrialStep::take_over(const char* why, const std::string& rank_loss) {
  by_projection_ = true;
  note_ = (options_.method == projection_method
               ? "steps were made in two parts, which reduces their rounding errors: "
               : std::string(projection_method) + " took steps that " + options_.method + why) +
          rank_loss;
}

/// With fixed steps, a stage may come very near to a singular configuration by chance. Its acceleration is
/// then dominated by rounding. The projection method makes such a step, in one part or in two, if this
/// divides the error due to rounding by ten or more.
void TrialStep::reduce_noise(double t, const State& x, double h) {
  const double noise = singular_noise(h, error_.condition);
  if (error_.began_singular || !(noise > great_noise)) return;
  const std::string loss = rank_loss(t);
  if (!attempt_in_parts(t, x, h, worth_parts * noise, " takes with greater errors: ", false))
    note_noise(loss, noise);
}

/// Notes the error due to rounding in a step of fixed size if it is great.
void TrialStep::note_noise(const std::string& rank_loss, double noise) {
  if (!(noise > great_noise)) return;
  noise_ = noise;
  note_ = (note_.empty() ? rank_loss : note_) + ", where rounding may cause an error of up to about " +
          brief(noise) + "; with another step size it may be smaller";
}

void TrialStep::forget_notes() {
  by_projection_ = false;
  noise_ = 0;
  note_.clear();
}

/// Attempts a step of size h by projection, in one part and in two parts of different sizes. The attempt with
/// the least error due to rounding is taken if this error is below `least`. Otherwise the results of the last
/// attempt stay. `only_near`: an attempt is taken only if it comes near a singular configuration, and if the
/// motion is not stiff.
bool TrialStep::attempt_in_parts(double t, const State& x, double h, double least, const char* why,
                                 bool only_near) {
  const bool keeps_step = std::isfinite(least);
  State end = end_;
  StepError error = error_;
  std::string loss;
  for (const double part : first_parts) {
    double noise = 0;
    StepError whole;
    State from = x;
    bool accepted = true;
    for (const double begin : {0., part}) {
      if (begin == 1 || !accepted) break;
      const double size = begin == 0 ? part * h : h - part * h;
      accepted = accepts_by_projection(t + begin * h, from, size, only_near);
      noise += singular_noise(size, error_.condition);
      if (begin == 0) whole = error_;
      whole.condition = std::max(whole.condition, error_.condition);
      from = end_;
    }
    if (!accepted || !(noise < least) || (only_near && !whole.near_singular())) continue;
    if (angles_ && turns_too_far(h)) continue;
    end = end_, error = whole;
    least = noise, loss = rank_loss(t);
  }
  end_ = end, error_ = error;
  forget_notes();
  if (keeps_step || !loss.empty()) constrained_->choices().choose(t, x.q);  // for side steps from x
  if (loss.empty()) return false;
  take_over(why, loss);
  note_noise(loss, least);
  return true;
}

/// Whether Newton's iteration may fail in a step of size h since a tenth of the accelerations is rounding:
/// the limit is ten times that which ConstrainedNewton has, 80 eps (1 + |v|) s.
bool TrialStep::too_short(const State& x, double h) const {
  constexpr double shortest = 800 * std::numeric_limits<double>::epsilon();
  return h < shortest * (1 + x.v.head(system_.nv() - system_.additions()).lpNorm<Eigen::Infinity>());
}

/// Whether the projection method makes the step. At the beginning of a part of a step, the choice of rows may
/// fail.
bool TrialStep::accepts_by_projection(double t, const State& x, double h, bool check_estimate) try {
  return attempt_by_projection(t, x, h, check_estimate) == StepStatus::accepted &&
         std::isfinite(error_.condition);
} catch (const EvaluationError& error) {
  if (error.status == StepStatus::callback_failed) throw;
  return false;
}

StepStatus TrialStep::attempt_with_method(double t, const State& x, double h) {
  has_estimate_ = false;
  part_ = {};
  if (system_.nv() == 0) {
    end_ = x;
    return StepStatus::accepted;
  }
  if (jumps_.jumps(t, x, h, why_, part_)) return StepStatus::constraint_lost;
  StepStatus status = take(t, x, h);
  if (status == StepStatus::accepted && constrained_ && !constrained_->choices().still_right(t + h, end_.q))
    status = take(t, x, h);
  if (must_repeat(status, projecting_)) status = take(t, x, h);
  if (status == StepStatus::accepted) {
    why_.clear(), part_ = {};
    settle(t + h, end_);
  } else {
    why_ = stepper_->message(), part_ = stepper_->part();
  }
  if (constrained_) {
    error_.condition = constrained_->conditioning().condition();
    error_.began_singular = constrained_->conditioning().began_singular();
    if (status == StepStatus::accepted) why_ = branch_.why_left(t, x, end_, h, error_);
    if (status == StepStatus::accepted && !why_.empty()) status = StepStatus::constraint_lost;
  }
  if (status == StepStatus::accepted && angles_ && turns_too_far(h)) status = StepStatus::rejected;
  if (!estimates_ || status != StepStatus::accepted || !estimate_.allFinite()) return status;
  error_.rounded = find_rounding(h);
  error_.estimated = size_of_estimate(h) + rounding;
  error_.of_work = system_.quadratures() > 0 ? std::abs(estimate_[estimate_.size() - 1]) : 0;
  has_estimate_ = true;
  return status;
}

/// The norm of the estimate of a step of size h. An error of the velocity counts at least as much as the
/// displacement by which it moves the state in a step of the same size. This matters in steps of more than 1
/// s only, since the norm takes errors of rotation rates relative to 1 rad/s or more.
double TrialStep::size_of_estimate(double h) {
  const Eigen::Index n = system_.nv();
  const double size = system_.error_norm(end_, estimate_.head(n), estimate_.tail(n));
  if (!(h > 1)) return size;
  none_.setZero(n);
  moved_ = h * estimate_.tail(n);
  return std::max(size, system_.error_norm(end_, moved_, none_));
}

/// Whether a step of fixed size is repeated with accelerations on the constraints. `by_projection`: the
/// projection method has made it.
bool TrialStep::must_repeat(StepStatus status, bool by_projection) const {
  return noisy_ && (by_projection || !own_multipliers_) && status != StepStatus::callback_failed &&
         !constrained_->choices().stages_right();
}

StepStatus TrialStep::take(double t, const State& x, double h) {
  end_ = x;
  if (constrained_) constrained_->choices().choose(t, end_.q);
  return stepper_->do_step(system_, end_, t, h, estimates_ || projecting_ ? &estimate_ : nullptr);
}

bool TrialStep::branch_in_doubt(double t, const State& x) {
  why_ = branch_.doubt(t, x, error_);
  return !why_.empty();
}

/// Whether an angle that counts turns may change by half a turn or more in a step of size h. Within the step
/// its rate may exceed the rates at the ends by a tenth.
bool TrialStep::turns_too_far(double h) {
  const double rate = std::max(turning_, angles_->rate(end_.q, end_.v));
  if (h * rate <= std::numbers::pi / 1.1) return false;
  why_ = "a joint whose turns are counted from step to step may turn by half a turn or more in one step";
  return true;
}

/// The error of a step of size h due to rounding of the accelerations, away from singular configurations
/// (near them: singular_noise).
double TrialStep::find_rounding(double h) {
  if (!constrained_ || error_.near_singular()) return 0;
  none_.setZero(system_.nv());
  rounding_.setZero(system_.nv());
  most_rounded_ = constrained_->conditioning().acceleration_rounding(
      rounding_.head(system_.nv() - system_.quadratures()));
  return h * system_.error_norm(end_, none_, rounding_);
}

/// Sets the dependent velocities of a state at t. If this changes the acceleration, the method must not keep
/// it.
void TrialStep::settle(double t, State& x) const {
  const VelocityMap* const map = system_.velocity_map();
  if (!map) return;
  map->velocity(t, x.q, x.v, x.v);
  if (!map->keeps_acceleration()) x.memory.resize(0);
}

/// The method that took the main step takes the side step, since another one may have a great error inside
/// this step. If the method fails, for example because the side step begins or ends near a singular
/// configuration that the main steps pass, a projection method of no lower order takes the side step. Where
/// Newton's iteration of a method for stiff motions fails, the motion may be too stiff for this explicit
/// method, unless the side step is very short. A user's function that threw is not called again.
void TrialStep::side_step(double t, const State& x, double h, State& out) {
  Stepper* method = taken_by_projection() ? &projected() : stepper_.get();
  StepStatus status = StepStatus::rejected;
  const auto step = [&] {
    out = x;
    status = method->do_step(system_, out, t, h, nullptr);
    if (!must_repeat(status, method == projected_.get())) return;
    constrained_->choices().choose(t, x.q);
    out = x;
    status = method->do_step(system_, out, t, h, nullptr);
  };
  step();
  const bool stiff =
      status == StepStatus::newton_failed && find_method(options_.method)->damps() && !too_short(x, h);
  if (status != StepStatus::accepted && status != StepStatus::callback_failed && !stiff && constrained_ &&
      !taken_by_projection()) {
    method = &projected();
    step();
  }
  if (status != StepStatus::accepted)
    throw EvaluationError(status, "in a side step of " + text(h) + ": " + method->message(), method->part());
  settle(t + h, out);
}

double TrialStep::noisy_side_step(double t, const State& x, double h, State& out) {
  constrained_->choices().choose(t, x.q);  // resets the condition for this side step
  side_step(t, x, h, out);
  const Conditioning& conditioning = constrained_->conditioning();
  if (!conditioning.rank_doubt().empty()) return std::numeric_limits<double>::infinity();
  return singular_noise(h, conditioning.condition());
}

Stepper& TrialStep::projected() {
  if (!projected_) projected_ = find_method(projection_method)->make(Treatment::index_1);
  return *projected_;
}

}  // namespace torsor::mechanics
