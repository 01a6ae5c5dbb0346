#include "driver.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "first_step.hpp"
#include "make_stepper.hpp"
#include "start_size.hpp"
#include "system/text.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor::sim {
namespace {

/// The share of the tolerance that one step may use, since errors add up over a run.
constexpr double share = 1. / 30;

constexpr double never = -std::numeric_limits<double>::infinity();

double square(double x) { return x * x; }

bool finite(const State& x) { return x.q.allFinite() && x.v.allFinite(); }

SimulationOptions with_tolerance(SimulationOptions options) {
  options.tolerance = options.tolerance_in_force();
  return options;
}

/// Whether a smaller step may succeed. A user's function that threw is not called again.
bool worth_retrying(StepStatus status) { return status != StepStatus::callback_failed; }

}  // namespace

Driver::Driver(const System& system, const SimulationOptions& options, const Observer& at_output,
               const Observer& at_step)
    : system_(system),
      constrained_(dynamic_cast<const ConstrainedSystem*>(&system)),
      options_(with_tolerance(options)),
      at_output_(at_output),
      at_step_(at_step),
      stepper_(make_stepper(system, options)),
      time_(options_.t_begin),
      schedule_(options_),
      events_(options_.events),
      side_([this](double h, State& x) { side_step(h, x); }),
      started_(std::chrono::steady_clock::now()),
      error_(2 * system.nv()),
      regular_start_{never, time_, {}},
      furthest_(regular_start_),
      place_(std::numeric_limits<double>::quiet_NaN()),
      given_(never) {}

RunSummary Driver::run(const State& start) {
  check_size(start, system_.nq(), system_.nv());
  Go go = begin(start);
  while (go == Go::on) go = step();
  tell_rounding();
  result_.evaluations += stepper_->evaluations() + (projected_ ? projected_->evaluations() : 0);
  if (constrained_) result_.general_solutions = constrained_->general_solutions();
  result_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return std::move(result_);
}

Driver::Go Driver::begin(const State& start) {
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

Driver::Go Driver::choose_first_step() {
  const double span = options_.t_end - t_;
  h_ = options_.step ? *options_.step : options_.first_step.value_or(span);
  if (options_.tolerance) {
    const int lower = std::min(stepper_->order(), stepper_->embedded_order());
    control_ = PiController(lower);
    if (!options_.first_step && system_.nv() > 0) {
      try {
        system_.begin_step(t_, result_.x.q);
        h_ = first_step(system_, result_.x, t_, lower, share * *options_.tolerance);
        result_.evaluations += 2;
      } catch (...) {
        return fail_as_thrown(h_);
      }
      if (std::isnan(h_)) return fail(StepStatus::non_finite, span, "the acceleration is not finite");
      h_ = std::min(std::max({h_, options_.min_step, 2 * step_floor(t_)}), span);
    }
  }
  return Go::on;
}

/// Makes one accepted step, or ends the run.
Driver::Go Driver::step() {
  double h = 0;
  try {
    if (step_until_accepted(h) == Go::ended) return Go::ended;
    const double left = options_.t_end - t_;
    const double t_next = h == left ? options_.t_end : time_.after(h);
    if (!repeats(t_next) && look_inside(h, t_next) == Go::ended) return Go::ended;
    accept(h, t_next);
  } catch (...) {
    return fail_as_thrown(h);
  }
  if (options_.t_end - t_ > time_resolution(options_.t_end) / 2) return Go::on;
  result_.t = options_.t_end;
  return end(StepStatus::reached_end);
}

void Driver::accept(double h, double t_next) {
  std::swap(result_.x, trial_);
  if (!helped_.empty() && result_.note.empty()) result_.note = helped_;
  ahead_ = false;
  if (constrained_ && !near_rank_loss()) keep_regular_start();
  regular_before_ = std::exchange(regular_, constrained_ && !going_over_ ? 1 / std::sqrt(condition_) : 0);
  t_before_ = t_;
  time_.add(h);
  result_.t = t_ = t_next;
  ++result_.accepted;
  if (options_.tolerance) step_errors_ += owed();
  if (options_.tolerance && rounded_ > share * *options_.tolerance)
    rounded_squares_ += square(std::max(rounded_, estimated_));
  if (repeats(t_)) return;
  if (at_step_) at_step_(t_, result_.x);
  if (options_.progress) call_user("progress", [&] { options_.progress(t_); });
}

/// Repeats the step with smaller sizes until it is accepted; its state is `trial_`. The last step ends at the
/// end of the run.
Driver::Go Driver::step_until_accepted(double& h) {
  for (;;) {
    if (check_limits() == Go::ended) return Go::ended;
    const double wish = std::min(h_, options_.max_step), left = options_.t_end - t_;
    if (!options_.step && near_rank_loss() && wish < least_at_rank_loss()) {
      if (go_back()) continue;
      return fail(StepStatus::singular, wish, rank_loss());
    }
    if (std::min(wish, options_.t_end - options_.t_begin) < step_floor(t_))
      return fail(StepStatus::underflow, wish,
                  "the step size is below its lower limit " + brief(step_floor(t_)));
    h = std::min({options_.step ? wish : over_rank_loss(wish), options_.max_step, left});

    double error = 0, noise = 0;
    const StepStatus status = attempt_somehow(h, error, noise);
    if (options_.step) {
      if (status == StepStatus::accepted) return Go::on;
      const bool unsolved = status == StepStatus::newton_failed || status == StepStatus::constraint_lost;
      const double ahead = rank_loss_ahead();
      if (unsolved && (near_rank_loss() || (0 < ahead && ahead < 4 * h)))
        return fail(StepStatus::singular, h, rank_loss() + "; " + why_);
      return fail(status, h, why_);
    }
    if (!worth_retrying(status)) return fail(status, h, why_);
    const auto [stands, factor] = control_.judge(std::max(error, noise));
    const double next = h * factor;
    if (stands) {
      if (h == wish || going_over_) h_ = next;
      if (!near_rank_loss()) ordinary_ = h;
      return step_stands(acceleration_noise(h, condition_));
    }
    ++result_.rejected;
    if (going_over_) {
      if (try_elsewhere(h, error, noise)) continue;
      if (std::isfinite(least_noise_)) return go_over_in_spite_of_noise(h);
    }
    h_ = next;
    const double least =
        std::max({options_.min_step, step_floor(t_), near_rank_loss() ? least_at_rank_loss() : 0});
    if (!(h_ < least) || (near_rank_loss() && go_back())) continue;
    if (status != StepStatus::accepted && status != StepStatus::rejected) return fail(status, h, why_);
    if (near_rank_loss()) return fail(StepStatus::singular, h, rank_loss());
    return fail(StepStatus::underflow, h,
                status == StepStatus::accepted
                    ? "its error is " + brief(error) +
                          " times the allowed error of a step, and a smaller step would be below " +
                          brief(least) + if_rounding(error * allowed_error())
                    : why_);
  }
}

/// An explanation if the error of the smallest step is due to rounding; otherwise empty.
std::string Driver::if_rounding(double error) const {
  if (!(error < rounding / share)) return {};
  return ": the error is due to rounding, and a tolerance below " + brief(error / share) + " cannot be met";
}

/// The total error that an accepted step may have.
double Driver::owed() const { return allowed_error() + (near_rank_loss() ? least_owed() : 0); }

/// The error of a step of size h due to rounding of the accelerations, away from singular configurations
/// (near them: acceleration_noise).
double Driver::find_rounding(double h) {
  if (!constrained_ || near_rank_loss()) return 0;
  none_.setZero(system_.nv());
  rounding_.resize(system_.nv());
  constrained_->acceleration_rounding(rounding_);
  return h * system_.error_norm(trial_, none_, rounding_);
}

/// Adds a note if rounding errors, added up as random errors, exceed the tolerance.
void Driver::tell_rounding() {
  const double all = std::sqrt(rounded_squares_);
  if (!options_.tolerance || !(all > *options_.tolerance) || !result_.note.empty()) return;
  result_.note = "the tolerance was not reached: the constraint forces on \"" +
                 constrained_->most_rounded_body() +
                 "\" nearly cancel, and rounding alone causes an error of about " + brief(all);
}

/// The error that one step may have: its share of the tolerance plus the error due to rounding, which smaller
/// steps would hardly reduce. If the rounding error exceeds the tolerance (a note reports it), ten times its
/// estimate is allowed. Near a singular configuration, velocities are accurate to eps times the condition of
/// the constraints; this is allowed up to the whole tolerance.
double Driver::allowed_error() const {
  const double tolerance = *options_.tolerance;
  const double noise = near_rank_loss() ? 10 * rounding * condition_ : 0;
  const double forgiven = rounded_ > tolerance ? 10 * rounded_ : rounded_;
  return std::max({share * tolerance, std::min(noise, tolerance), forgiven});
}

StepStatus Driver::take_step(double h) {
  trial_ = result_.x;
  system_.begin_step(t_, trial_.q);
  return stepper_->do_step(system_, trial_, t_, h, options_.tolerance ? &error_ : nullptr);
}

/// Attempts a step from the last accepted state into `trial_`. `error` and `noise` (due to rounding of the
/// accelerations) are relative to the allowed error; `error` is NaN if there is no estimate.
StepStatus Driver::attempt(double h, double& error, double& noise) {
  error = noise = 0;
  tried_ = h;
  inside_.clear();
  if (system_.nv() == 0) {
    trial_ = result_.x;
    return StepStatus::accepted;
  }
  StepStatus status = take_step(h);
  if (status == StepStatus::accepted && constrained_ && !constrained_->end_step(t_ + h, trial_.q))
    status = take_step(h);
  why_ = stepper_->message();
  if (status == StepStatus::accepted) settle(h, trial_);
  if (status == StepStatus::accepted && constrained_ && leaves_branch(h))
    status = StepStatus::constraint_lost;
  if (constrained_) condition_ = constrained_->conditioning();
  if (!options_.tolerance) return status;
  error = std::numeric_limits<double>::quiet_NaN();
  if (status == StepStatus::accepted && error_.allFinite()) {
    noise = acceleration_noise(h, condition_) / least_owed();
    rounded_ = find_rounding(h);
    estimated_ = system_.error_norm(trial_, error_.head(system_.nv()), error_.tail(system_.nv())) + rounding;
    error = estimated_ / allowed_error();
  }
  return status;
}

/// Sets the dependent velocities after a step of size h.
void Driver::settle(double h, State& x) {
  if (system_.maps_velocity()) system_.velocity(t_ + h, x.q, x.v, x.v);
}

}  // namespace torsor::sim
