#include "step_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "first_step.hpp"
#include "make_stepper.hpp"
#include "start_size.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

bool finite(const State& x) { return x.q.allFinite() && x.v.allFinite(); }

/// Whether a smaller step may succeed. A user's function that threw is not called again.
bool worth_retrying(StepStatus status) { return status != StepStatus::callback_failed; }

/// An explanation if the error of the smallest step is due to rounding; otherwise empty.
std::string if_rounding(double error) {
  if (!(error < rounding / step_share)) return {};
  return ": the error is due to rounding, and a tolerance below " + brief(error / step_share) +
         " cannot be met";
}

}  // namespace

StepLoop::StepLoop(const System& system, const SimulationOptions& options, const Observer& at_output,
                   const Observer& at_step)
    : system_(system),
      constrained_(dynamic_cast<const ConstrainedSystem*>(&system)),
      options_(options),
      tolerance_(options.tolerance_in_force()),
      at_output_(at_output),
      at_step_(at_step),
      trial_(system, options_, make_stepper(system, options), tolerance_.has_value()),
      budget_(tolerance_),
      singular_(options_.t_begin),
      inside_(system, trial_, budget_.permitted_near_singular()),
      time_(options_.t_begin),
      schedule_(options_),
      events_(options_.events),
      side_([this](double s, State& x) { inside_.at(s, x); }),
      started_(std::chrono::steady_clock::now()),
      given_(-std::numeric_limits<double>::infinity()) {}

RunSummary StepLoop::run(const State& start) {
  check_size(start, system_.nq(), system_.nv());
  Go go = begin(start);
  while (go == Go::on) go = step();
  note_rounding();
  result_.evaluations += trial_.evaluations();
  if (constrained_) result_.general_solutions = constrained_->conditioning().general_solutions();
  result_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return std::move(result_);
}

StepLoop::Go StepLoop::begin(const State& start) {
  t_ = result_.t = options_.t_begin;
  result_.x = start;
  if (!finite(start)) return end(StepStatus::non_finite, "the start state is not finite");
  try {
    events_.start(t_, start);
    give(t_, start);
  } catch (const EvaluationError& error) {
    result_.part = error.part;
    return end(error.status, error.what());
  }
  if (options_.t_end - t_ <= 0) return end(StepStatus::reached_end);
  return choose_first_step();
}

StepLoop::Go StepLoop::choose_first_step() {
  const double span = options_.t_end - t_;
  h_ = options_.step ? *options_.step : options_.first_step.value_or(span);
  if (!tolerance_) return Go::on;
  control_ = PiController(trial_.lower_order());
  if (options_.first_step || system_.nv() == 0) return Go::on;
  try {
    if (constrained_) constrained_->choices().choose(t_, result_.x.q);
    h_ = first_step(system_, result_.x, t_, trial_.lower_order(), step_share * *tolerance_);
    result_.evaluations += 2;
  } catch (...) {
    return fail_as_thrown(h_);
  }
  if (std::isnan(h_)) return fail(StepStatus::non_finite, span, "the acceleration is not finite");
  h_ = std::min(std::max({h_, options_.min_step, 2 * step_floor(t_)}), span);
  return Go::on;
}

/// Makes one accepted step, or ends the run.
StepLoop::Go StepLoop::step() {
  double h = 0;
  try {
    if ((options_.step ? make_fixed_step(h) : make_step(h)) == Go::ended) return Go::ended;
    const double left = options_.t_end - t_;
    const double t_next = h == left ? options_.t_end : time_.after(h);
    if (!singular_.repeats(t_next) && look_inside(h, t_next) == Go::ended) return Go::ended;
    accept(h, t_next);
  } catch (...) {
    return fail_as_thrown(h);
  }
  if (options_.t_end - t_ > time_resolution(options_.t_end) / 2) return Go::on;
  result_.t = options_.t_end;
  return end(StepStatus::reached_end);
}

StepLoop::Go StepLoop::make_fixed_step(double& h) {
  if (check_limits() == Go::ended) return Go::ended;
  const double wish = std::min(h_, options_.max_step);
  if (std::min(wish, options_.t_end - options_.t_begin) < step_floor(t_))
    return fail(StepStatus::underflow, wish,
                "the step size is below its lower limit " + brief(step_floor(t_)));
  h = std::min(wish, options_.t_end - t_);
  double error = 0, noise = 0;
  const StepStatus status = attempt(h, error, noise);
  if (status == StepStatus::accepted) return Go::on;
  const bool unsolved = status == StepStatus::newton_failed || status == StepStatus::constraint_lost;
  const double ahead = singular_.ahead(t_);
  if (unsolved && (trial_.error().near_singular() || (0 < ahead && ahead < 4 * h)))
    return fail(StepStatus::singular, h, trial_.rank_loss(t_) + "; " + trial_.why());
  return fail(status, h, trial_.why());
}

/// Repeats the step with smaller sizes until it is accepted. The last step ends at the end of the run.
StepLoop::Go StepLoop::make_step(double& h) {
  for (;;) {
    if (check_limits() == Go::ended) return Go::ended;
    const double wish = std::min(h_, options_.max_step), left = options_.t_end - t_;
    if (trial_.error().near_singular() && wish < singular_.least_step()) {
      if (go_back()) continue;
      return fail(StepStatus::singular, wish, trial_.rank_loss(t_));
    }
    if (std::min(wish, options_.t_end - options_.t_begin) < step_floor(t_))
      return fail(StepStatus::underflow, wish,
                  "the step size is below its lower limit " + brief(step_floor(t_)));
    h = std::min({singular_.choose(t_, wish), options_.max_step, left});

    double error = 0, noise = 0;
    const StepStatus status = attempt(h, error, noise);
    if (!worth_retrying(status)) return fail(status, h, trial_.why());
    const auto [accepted, factor] = control_.judge(std::max(error, noise));
    const double next = h * factor;
    if (accepted) {
      if (h == wish || singular_.across()) h_ = next;
      if (!trial_.error().near_singular()) singular_.ordinary_step(h);
      return stands(singular_noise(h, trial_.error().condition));
    }
    ++result_.rejected;
    if (singular_.across()) {
      const bool within_reach =
          error * budget_.permitted(trial_.error()) <= budget_.permitted_near_singular();
      if (singular_.try_elsewhere(h, within_reach, noise)) continue;
      if (std::isfinite(singular_.quietest_step())) return cross_in_spite_of_noise(h);
    }
    h_ = next;
    if (repeat_smaller(status, h, error) == Go::ended) return Go::ended;
  }
}

/// Attempts a step from the last accepted state. `error` and `noise` (due to rounding of the accelerations)
/// are relative to the permitted error; `error` is NaN if there is no estimate.
StepStatus StepLoop::attempt(double h, double& error, double& noise) {
  const StepStatus status = trial_.attempt(t_, result_.x, h, singular_.across());
  error = noise = 0;
  if (!tolerance_ || system_.nv() == 0) return status;
  error = std::numeric_limits<double>::quiet_NaN();
  if (!trial_.has_estimate()) return status;
  noise = singular_noise(h, trial_.error().condition) / budget_.permitted_near_singular();
  error = trial_.error().estimated / budget_.permitted(trial_.error());
  return status;
}

/// After a rejected step: goes on with the size h_, or ends the run if this is too small.
StepLoop::Go StepLoop::repeat_smaller(StepStatus status, double h, double error) {
  const bool near = trial_.error().near_singular();
  const double least = std::max({options_.min_step, step_floor(t_), near ? singular_.least_step() : 0});
  if (!(h_ < least) || (near && go_back())) return Go::on;
  if (status != StepStatus::accepted && status != StepStatus::rejected) return fail(status, h, trial_.why());
  if (near) return fail(StepStatus::singular, h, trial_.rank_loss(t_));
  if (status != StepStatus::accepted) return fail(StepStatus::underflow, h, trial_.why());
  return fail(StepStatus::underflow, h,
              "its error is " + brief(error) +
                  " times the allowed error of a step, and a smaller step would be below " + brief(least) +
                  if_rounding(error * budget_.permitted(trial_.error())));
}

/// Takes the step across a singular configuration with the least rounding error. A smaller step would end
/// nearer to it, where rounding is greater.
StepLoop::Go StepLoop::cross_in_spite_of_noise(double& h) {
  h = singular_.quietest_step();
  double error = 0, noise = 0;
  if (const StepStatus status = attempt(h, error, noise); status != StepStatus::accepted)
    return fail(status, h, trial_.why());
  const double rounded = singular_noise(h, trial_.error().condition);
  const double estimated = error * budget_.permitted(trial_.error());
  budget_.add(rounded + estimated);
  return stands(std::max(rounded, estimated));
}

/// Notes rounding errors of the step beyond the tolerance.
StepLoop::Go StepLoop::stands(double rounded) {
  singular_.forget_attempts();
  if (rounded > *tolerance_ && result_.note.empty())
    result_.note = "the tolerance was not reached: " + trial_.rank_loss(t_) +
                   ", where rounding alone causes an error of about " + brief(rounded);
  return Go::on;
}

/// Continues from the last step away from the singular configuration. Outputs given since then remain.
bool StepLoop::go_back() {
  const Moment* const to = singular_.go_back({t_, time_, result_.x});
  if (!to) return false;
  result_.t = t_ = to->t;
  time_ = to->time;
  result_.x = to->x;
  h_ = singular_.ordinary_step();
  trial_.forget_condition();
  return true;
}

void StepLoop::accept(double h, double t_next) {
  std::swap(result_.x, trial_.end());
  if (!trial_.note().empty() && result_.note.empty()) result_.note = trial_.note();
  ahead_ = false;
  if (constrained_) singular_.accept(t_, time_, trial_.end(), trial_.error());
  time_.add(h);
  result_.t = t_ = t_next;
  ++result_.accepted;
  budget_.accept(trial_.error());
  if (singular_.repeats(t_)) return;
  if (at_step_) at_step_(t_, result_.x);
  if (options_.progress) call_user("progress", [&] { options_.progress(t_); });
}

void StepLoop::note_rounding() {
  const auto all = budget_.rounding_beyond_tolerance();
  if (!all || !result_.note.empty()) return;
  result_.note = "the tolerance was not reached: the constraint forces on \"" +
                 std::string(trial_.most_rounded()) +
                 "\" nearly cancel, and rounding alone causes an error of about " + brief(*all);
}

/// Handles events and outputs between the last accepted state and the end of the step.
StepLoop::Go StepLoop::look_inside(double h, double t_next) {
  inside_.begin(t_, result_.x, h, trial_.end());
  const double seen = std::max(singular_.furthest().t - t_, 0.);
  for (const EventRecord& record : events_.cross(t_, h, trial_.end(), side_, seen)) {
    result_.events.push_back(record);
    if (!options_.events[static_cast<std::size_t>(record.event)].stop) continue;
    return give_outputs(h, record.t) == Go::ended ? Go::ended : stop_at(record);
  }
  return give_outputs(h, t_next);
}

StepLoop::Go StepLoop::give_outputs(double h, double until) {
  const double t_next = t_ + h, near = time_resolution(t_next);
  for (; schedule_.next() <= until + near; schedule_.pop()) {
    const double t = schedule_.next();
    if (t >= t_next - near) {
      give(t, trial_.end());
    } else if (t <= t_ + near) {
      give(t, result_.x);
    } else {
      if (check_limits() == Go::ended) return Go::ended;
      inside_.at(t - t_, output_);
      give(t, output_);
      ahead_ = true;
    }
  }
  const bool every_step = options_.output_step == 0 && options_.output_times.empty();
  if (every_step && until >= t_next - near && t_next < options_.t_end - near) give(until, trial_.end());
  return Go::on;
}

void StepLoop::give(double t, const State& x) {
  given_ = t;
  if (!at_output_ || refused_) return;
  refused_ = true;
  call_user("the observer", [&] { at_output_(t, x); });
  refused_ = false;
}

StepLoop::Go StepLoop::stop_at(const EventRecord& record) {
  ++result_.accepted;
  ahead_ = false;
  result_.t = record.t;
  result_.x = record.x;
  const Event& event = options_.events[static_cast<std::size_t>(record.event)];
  return end(StepStatus::event, "event \"" + event.name + "\" at t = " + text(record.t));
}

StepLoop::Go StepLoop::check_limits() {
  if (result_.accepted + result_.rejected >= options_.max_steps)
    return limit("the limit of " + std::to_string(options_.max_steps) + " steps was reached",
                 StepStatus::step_limit);
  if (options_.cancelled && call_user("cancelled", [&] { return options_.cancelled(); }))
    return limit("cancelled", StepStatus::cancelled);
  if (std::isfinite(options_.wall_limit)) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started_;
    if (passed.count() > options_.wall_limit)
      return limit("the wall-time limit of " + text(options_.wall_limit) + " s passed",
                   StepStatus::cancelled);
  }
  return Go::on;
}

StepLoop::Go StepLoop::limit(const std::string& which, StepStatus status) {
  return end(status, options_.method + ": " + which + " at t = " + text(std::max(t_, given_)));
}

/// Ends the run. An output inside a step that failed is a valid state and later than the start of the step,
/// so the run ends there.
StepLoop::Go StepLoop::end(StepStatus status, std::string message) {
  if (singular_.furthest().t > result_.t)
    result_.t = singular_.furthest().t, result_.x = singular_.furthest().x;
  result_.status = status;
  result_.message = std::move(message);
  if (ahead_) std::swap(result_.x, output_);
  if (ahead_ || std::abs(given_ - result_.t) <= time_resolution(result_.t))
    result_.t = given_;
  else
    give_last();
  return Go::ended;
}

/// Gives the last output. If it fails, the run reports this unless it has failed before.
void StepLoop::give_last() {
  try {
    give(result_.t, result_.x);
  } catch (const EvaluationError& error) {
    if (result_.status != StepStatus::reached_end && result_.status != StepStatus::event) return;
    result_.status = error.status;
    result_.message = options_.method + ": " + error.what();
    result_.part = error.part;
  }
}

StepLoop::Go StepLoop::fail(StepStatus status, double h, const std::string& why) {
  return end(status,
             options_.method + ": step from t = " + text(t_) + " with h = " + text(h) + " failed: " + why);
}

StepLoop::Go StepLoop::fail_as_thrown(double h) {
  try {
    throw;
  } catch (const EvaluationError& error) {
    result_.part = error.part;
    return fail(error.status, h, error.what());
  } catch (const std::exception& error) {
    return fail(StepStatus::callback_failed, h, error.what());
  } catch (...) {
    return fail(StepStatus::callback_failed, h, "the system threw an object that is not an exception");
  }
}

void rethrow_as_thrown_by(const char* name) {
  try {
    throw;
  } catch (const EvaluationError&) {
    throw;
  } catch (const std::exception& error) {
    throw EvaluationError(StepStatus::callback_failed, name + std::string(" threw: ") + error.what());
  } catch (...) {
    throw EvaluationError(StepStatus::callback_failed,
                          std::string(name) + " threw an object that is not an exception");
  }
}

}  // namespace torsor::mechanics
