#include "step_acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "first_step.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// A step that leaves a singular configuration is worth an attempt if it is longer by this factor than the
/// attempt with the least noise: it then has at most 0.83 of that noise.
constexpr double worth_trying = 1.1;

/// Whether a smaller step may succeed. A user's function that threw is not called again.
bool worth_retrying(StepStatus status) { return status != StepStatus::callback_failed; }

/// A clause for the message if the relative error of the smallest step is due to rounding; otherwise empty.
std::string if_rounding(double error) {
  if (!(error < rounding / step_share)) return {};
  return ": the error is due to rounding, and a tolerance below " + brief(error / step_share) +
         " cannot be met";
}

/// Circuits whose distance is at most this one may be taken for one: the dimensions that part them differ by no
/// more than the tolerance.
double greatest_gap(double tolerance) { return std::sqrt(tolerance); }

/// Whether the equations of the step could not be solved.
bool unsolved(StepStatus status) {
  return status == StepStatus::newton_failed || status == StepStatus::constraint_lost;
}

}  // namespace

StepAcceptance::StepAcceptance(const System& system, const SimulationOptions& options, TrialStep& trial)
    : system_(system),
      constrained_(system.constrained()),
      options_(options),
      trial_(trial),
      budget_(options.tolerance_in_force()),
      control_(trial.error_order()),
      crossing_(options.t_begin),
      limit_(options.t_end) {}

bool StepAcceptance::begin(const Moment& start) {
  const double span = options_.t_end - start.t;
  h_ = options_.step ? *options_.step : options_.first_step.value_or(span);
  if (!budget_.tolerance() || options_.first_step || system_.nv() == 0) return true;
  if (constrained_) {
    constrained_->choices().choose(start.t, start.x.q);
    starts_in_doubt_ = !constrained_->conditioning().rank_doubt().empty();
  }
  h_ = first_step(system_, start.x, start.t, span, trial_.error_order(), step_share * *budget_.tolerance());
  first_evaluations_ = 2;
  if (std::isnan(h_)) return false;
  h_ = std::min(std::max({h_, options_.min_step, 2 * step_floor(start.t)}), span);
  return true;
}

StepAcceptance::Verdict StepAcceptance::judge(Moment& from, double t, const State& x, double h) {
  if (trial_.branch_in_doubt(t, x)) {
    if (budget_.tolerance() && go_back(from)) return Verdict::rejected;
    return fail_near_rank_loss(t, "; " + trial_.why());
  }
  if (options_.step && note_.empty()) note_ = trial_.drift_note(t, h);
  return Verdict::accepted;
}

StepAcceptance::Verdict StepAcceptance::attempt(Moment& from, double& h) {
  h = h_;
  if (const Verdict verdict = look_back(from); verdict != Verdict::accepted) return verdict;
  return options_.step ? attempt_fixed(from, h) : attempt_controlled(from, h);
}

/// Whether a singular configuration is predicted within the next four steps of size h.
bool StepAcceptance::comes_soon(double t, double h) const {
  const double ahead = crossing_.ahead(t);
  return 0 < ahead && ahead < 4 * h;
}

StepAcceptance::Verdict StepAcceptance::attempt_fixed(const Moment& from, double& h) {
  h = std::min(h_, options_.max_step);
  if (too_small(from.t, h)) return fail_below_floor(from.t);
  h = std::min(h, limit_ - from.t);
  double error = 0, noise = 0;
  const StepStatus status = try_step(from, h, error, noise);
  if (status == StepStatus::accepted) return Verdict::accepted;
  if (unsolved(status) && (trial_.error().near_singular() || comes_soon(from.t, h)))
    return fail_near_rank_loss(from.t, "; " + trial_.why());
  return fail(status, trial_.why(), trial_.part());
}

/// Attempts a step under error control. A step is shortened to end at the limit. A step that approaches a
/// singular configuration and is not planned to cross it is judged by its error estimate, without rounding:
/// smaller steps would have as much rounding error in all, and would end nearer to the singular
/// configuration.
StepAcceptance::Verdict StepAcceptance::attempt_controlled(Moment& from, double& h) {
  const double wish = h = std::min(h_, options_.max_step), left = limit_ - from.t;
  if (trial_.error().near_singular() && wish < crossing_.least_step())
    return go_back(from) ? Verdict::rejected : fail_near_rank_loss(from.t, trial_.rejected_passage());
  if (too_small(from.t, wish)) return fail_below_floor(from.t);
  h = std::min({crossing_.choose(from.t, wish), options_.max_step, left});

  double error = 0, noise = 0;
  const StepStatus status = try_step(from, h, error, noise);
  if (!worth_retrying(status)) return fail(status, trial_.why(), trial_.part());
  if (starts_in_doubt_) {
    if (first_size_ == 0) first_size_ = h;
    if (try_longer(status, h, std::min(options_.max_step, left), error)) return Verdict::rejected;
    if (std::isfinite(crossing_.quietest_step())) return cross_in_spite_of_noise(from, h);
  }
  const bool leaves = trial_.error().leaves_singular();
  const bool only_approaches = crossing_.approaches() && !crossing_.across();
  const bool rounding_counts = leaves ? !(error > 1) : !only_approaches;
  const auto [accepted, factor] = control_.judge(rounding_counts ? std::max(error, noise) : error);
  const double next = h * factor;
  if (accepted) {
    if (h == wish || crossing_.across()) h_ = next;
    if (leaves || !trial_.error().near_singular()) crossing_.ordinary_step(h);
    const double rounded = singular_noise(h, trial_.error().condition);
    budget_.add(std::max(0., rounded - budget_.permitted_near_singular()));
    return accepted_with(from.t, rounded, 0);
  }
  ++rejected_;
  if (leaves || crossing_.across()) {
    if (try_another(h, std::min(options_.max_step, left), next, error, noise)) return Verdict::rejected;
    if (std::isfinite(crossing_.quietest_step())) return cross_in_spite_of_noise(from, h);
  }
  h_ = next;
  return reject(from, status, error);
}

/// After an attempt at the first step, of size h, from a start where the rank is in doubt: whether to make
/// another attempt. A shorter step has more rounding error, and its error estimate may miss it. So the sizes
/// double until an attempt has left the neighbourhood of the singular configuration with a permitted error.
/// If the error of the attempts that have left it grows, the one with the least error is taken, if this error
/// is permitted near singular configurations. After three other attempts that failed or had too great an
/// error, and after the longest size, the first size counts, as at other starts.
bool StepAcceptance::try_longer(StepStatus status, double h, double longest, double error) {
  starts_in_doubt_ = false;
  const bool taken = status == StepStatus::accepted, permitted = taken && error <= 1;
  const bool left = taken && constrained_->conditioning().start_was_near();
  if (trial_.error().leaves_singular() || (left && permitted)) {
    crossing_.forget_attempts();
    return false;
  }
  ++rejected_;
  const bool within_reach = error * budget_.permitted(trial_.error()) <= budget_.permitted_near_singular();
  const bool falls = left && error < error_after_start_;
  if (left) crossing_.reject(h, within_reach, error), error_after_start_ = error;
  if (!permitted && !falls) ++bad_attempts_;
  if (2 * h <= longest && bad_attempts_ < 3 && !(left && !falls)) {
    starts_in_doubt_ = true;
    h_ = 2 * h;
    return true;
  }
  const bool some_left = std::isfinite(crossing_.quietest_step());
  h_ = some_left ? crossing_.quietest_step() : first_size_;
  return !some_left;
}

/// After a rejected step of size h that crosses or leaves a singular configuration: whether to try another
/// step. A step that leaves a singular configuration has more noise if it is smaller. So the next attempt is
/// longer as long as this makes less noise, and has the size `smaller` if the error estimate is too great.
bool StepAcceptance::try_another(double h, double longest, double smaller, double error, double noise) {
  const bool within_reach = error * budget_.permitted(trial_.error()) <= budget_.permitted_near_singular();
  const bool less_noise = crossing_.reject(h, within_reach, noise);
  if (!trial_.error().leaves_singular()) return crossing_.try_elsewhere();
  h_ = error <= 1 ? SingularityCrossing::farther(h, noise) : smaller;
  return error <= 1 ? less_noise && h < longest : smaller > worth_trying * crossing_.quietest_step();
}

/// Attempts a step of size h. Both `error` and `noise`, the error due to rounding of the accelerations, are
/// relative to the permitted error. Under a tolerance, `error` is NaN if the step has no error estimate; a
/// fixed step has 0 for both.
StepStatus StepAcceptance::try_step(const Moment& from, double h, double& error, double& noise) {
  const bool across = options_.step ? comes_soon(from.t, h) : crossing_.across();
  const StepStatus status = trial_.attempt(from.t, from.x, h, across);
  error = noise = 0;
  if (!budget_.tolerance() || system_.nv() == 0) return status;
  error = std::numeric_limits<double>::quiet_NaN();
  if (!trial_.has_estimate()) return status;
  noise = singular_noise(h, trial_.error().condition) / budget_.permitted_near_singular();
  error = trial_.error().estimated * (1 / budget_.permitted(trial_.error()));  // as in LaneControl
  return status;
}

/// Rejects a step. The next attempt has the size h_. If h_ is too small, the run goes back or fails.
StepAcceptance::Verdict StepAcceptance::reject(Moment& from, StepStatus status, double error) {
  const bool near = trial_.error().near_singular();
  const double least = std::max({options_.min_step, step_floor(from.t), near ? crossing_.least_step() : 0});
  if (!(h_ < least) || (near && go_back(from))) return Verdict::rejected;
  if (near && (unsolved(status) || status == StepStatus::singular))
    return fail_near_rank_loss(from.t, "; " + trial_.why());
  if (status != StepStatus::accepted && status != StepStatus::rejected)
    return fail(status, trial_.why(), trial_.part());
  if (near) return fail_near_rank_loss(from.t, trial_.rejected_passage());
  if (status != StepStatus::accepted) return fail(StepStatus::underflow, trial_.why(), trial_.part());
  return fail(StepStatus::underflow,
              "its error is " + brief(error) +
                  " times the permitted error of a step, and a smaller step would be below " + brief(least) +
                  if_rounding(error * budget_.permitted(trial_.error())));
}

/// Takes the step across a singular configuration with the least rounding error. A smaller step would end
/// nearer to it, where rounding is greater.
StepAcceptance::Verdict StepAcceptance::cross_in_spite_of_noise(const Moment& from, double& h) {
  h = crossing_.quietest_step();
  double error = 0, noise = 0;
  if (const StepStatus status = try_step(from, h, error, noise); status != StepStatus::accepted)
    return fail(status, trial_.why(), trial_.part());
  if (trial_.error().leaves_singular()) crossing_.ordinary_step(h);
  const double rounded = singular_noise(h, trial_.error().condition);
  const double estimated = error * budget_.permitted(trial_.error());
  budget_.add(rounded + estimated);
  return accepted_with(from.t, rounded, estimated);
}

/// Accepts the step that began at t. Writes a note if its error exceeds the tolerance.
StepAcceptance::Verdict StepAcceptance::accepted_with(double t, double rounded, double estimated) {
  crossing_.forget_attempts();
  if (const double error = std::max(rounded, estimated); error > *budget_.tolerance() && note_.empty())
    note_ = "the tolerance was not reached: " + trial_.rank_loss(t) +
            (rounded >= estimated ? ", where rounding alone may cause an error of about "
                                  : ", and the step across it has an error of about ") +
            brief(error);
  return Verdict::accepted;
}

/// Whether a step of size h, or the whole run, is below the smallest meaningful step size.
bool StepAcceptance::too_small(double t, double h) const {
  return std::min(h, options_.t_end - options_.t_begin) < step_floor(t);
}

/// Goes back to the start of the last step that did not come near the singular configuration. Later outputs
/// are kept. If the steps have shrunk at a gap between circuits, they may pass it from now on.
bool StepAcceptance::go_back(Moment& from) {
  const Moment* const to = crossing_.go_back(from);
  if (!to) return false;
  from = *to;
  trial_.pass_gaps(greatest_gap(*budget_.tolerance()));
  h_ = crossing_.ordinary_step();
  trial_.forget_condition();
  return true;
}

/// Keeps the first note on a step that another method has made, and the note with the greatest error due to
/// rounding.
void StepAcceptance::keep_note() {
  if (trial_.note().empty()) return;
  if (trial_.taken_by_projection() && other_method_.empty()) other_method_ = trial_.note();
  if (!note_.empty() && !(trial_.noted_noise() > noise_)) return;
  note_ = trial_.note(), noise_ = trial_.noted_noise();
  noted_other_method_ = trial_.taken_by_projection();
}

/// A motion that begins at rest in a singular configuration has no velocity that chooses its branch.
void StepAcceptance::note_start(const Moment& start) {
  if (!trial_.error().began_singular || !start.x.v.head(system_.nv() - system_.additions()).isZero(0)) return;
  note_on_start_ =
      "the motion begins at rest in a singular configuration: other motions satisfy the equations too";
}

void StepAcceptance::accept(Moment& now, double h, double t_next) {
  keep_note();
  note_start(now);
  if (constrained_) crossing_.accept(now, trial_.error());
  last_ = h;
  trial_.accept(now.x, h);
  std::swap(now.x, trial_.end());
  now.time.add(h);
  if (now.time.value() != t_next) now.time = CompensatedTime(t_next);  // a sample, a kink or the end
  now.t = t_next;
  budget_.accept(trial_.error());
}

StepAcceptance::Taken StepAcceptance::take_with_outputs(Moment& now, std::span<OutputAhead> outputs,
                                                        long most) {
  const double wish = std::min(h_, options_.max_step);
  const double end =
      limit_ - 2 * time_resolution(options_.t_begin, limit_);  // later steps may end at the limit
  if (wish <= options_.min_step || wish < 4 * step_floor(now.t) || !(now.t + wish < end)) return {};
  StepsWithOutputs steps{now.x,
                         now.time.sum(),
                         now.time.rest(),
                         h_,
                         control_.memory(0),
                         options_.min_step,
                         options_.max_step,
                         end,
                         outputs,
                         budget_.permitted(StepError()),
                         most};
  trial_.take_with_outputs(steps);
  now.time = CompensatedTime(steps.sum, steps.rest);
  now.t = now.time.value();
  h_ = steps.h;
  control_.begin(0, steps.control);
  rejected_ += steps.rejected;
  budget_.accept(StepError(), steps.accepted);
  return {steps.accepted, steps.given};
}

std::string StepAcceptance::note() const {
  std::string all;
  for (const std::string& one : {note_on_start_, trial_.note_on_circuits(), note_on_steps()})
    all += (all.empty() || one.empty() ? "" : "; ") + one;
  return all;
}

std::string StepAcceptance::note_on_steps() const {
  if (!note_.empty())
    return other_method_.empty() || noted_other_method_ ? note_ : other_method_ + "; " + note_;
  if (const auto all = budget_.rounding_beyond_tolerance())
    return "the tolerance was not reached: the constraint forces on \"" + std::string(trial_.most_rounded()) +
           "\" nearly cancel, and rounding alone causes an error of about " + brief(*all);
  const double sum = budget_.estimated(), tolerance = budget_.tolerance().value_or(sum);
  if (!trial_.estimates_own_error() || !(sum > greatest_multiple * tolerance)) return {};
  return "the tolerance may not have been reached: the estimated errors of the steps add up to " +
         brief(sum) + ", " + brief(sum / tolerance) +
         " times the tolerance; a method of higher order takes fewer steps";
}

StepAcceptance::Verdict StepAcceptance::fail(StepStatus status, std::string why, Part part) {
  status_ = status;
  why_ = std::move(why);
  part_ = part;
  return Verdict::failed;
}

StepAcceptance::Verdict StepAcceptance::fail_near_rank_loss(double t, const std::string& why) {
  return fail(StepStatus::singular, trial_.rank_loss(t) + why, trial_.rank_loss_part());
}

StepAcceptance::Verdict StepAcceptance::fail_below_floor(double t) {
  return fail(StepStatus::underflow, "the step size is below its lower limit " + brief(step_floor(t)));
}

}  // namespace torsor::mechanics
