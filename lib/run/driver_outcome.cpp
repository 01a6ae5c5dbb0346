#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "driver.hpp"
#include "system/text.hpp"

// Events and outputs inside a step, and the end of a run.

namespace torsor::sim {

/// Whether the step has left its branch. Constraints can have several solutions, and a projection may
/// converge to one that the motion does not lead to; the step is then longer than the velocities at its
/// ends allow. A chord is not longer than the path; in the coordinates of a screw of half a turn the chord is
/// at most pi/2 times the path.
bool Driver::leaves_branch(double h) {
  const auto size = [this](const State& x, const Vec& xi) { return system_.error_norm(x, xi, none_); };
  none_.setZero(system_.nv());
  moved_.resize(system_.nv());
  system_.local_difference(result_.x.q, trial_.q, moved_);
  const double moved = size(result_.x, moved_);
  const double speed = std::max(size(result_.x, result_.x.v), size(trial_, trial_.v));
  if (moved <= std::numbers::pi * h * speed + std::sqrt(std::numeric_limits<double>::epsilon())) return false;
  why_ = "the state moves by " + brief(moved) +
         " (rad, or relative to the size of the mechanism), but the velocities at the ends " +
         "of the step allow at most " + brief(h * speed) + ": the step leaves the branch of the constraints";
  return true;
}

/// Handles events and outputs between the last accepted state and `trial_`.
Driver::Go Driver::look_inside(double h, double t_next) {
  for (const EventRecord& record : events_.cross(t_, h, trial_, side_, std::max(furthest_.t - t_, 0.))) {
    result_.events.push_back(record);
    if (!options_.events[static_cast<std::size_t>(record.event)].stop) continue;
    return give_outputs(h, record.t) == Go::ended ? Go::ended : stop_at(record);
  }
  return give_outputs(h, t_next);
}

Driver::Go Driver::give_outputs(double h, double until) {
  const double t_next = t_ + h, near = time_resolution(t_next);
  for (; schedule_.next() <= until + near; schedule_.pop()) {
    const double t = schedule_.next();
    if (t >= t_next - near) {
      give(t, trial_);
    } else if (t <= t_ + near) {
      give(t, result_.x);
    } else {
      if (check_limits() == Go::ended) return Go::ended;
      side_step(t - t_, output_);
      give(t, output_);
      ahead_ = true;
    }
  }
  const bool every_step = options_.output_step == 0 && options_.output_times.empty();
  if (every_step && until >= t_next - near && t_next < options_.t_end - near) give(until, trial_);
  return Go::on;
}

void Driver::give(double t, const State& x) {
  given_ = t;
  if (!at_output_ || refused_) return;
  refused_ = true;
  call_user("the observer", [&] { at_output_(t, x); });
  refused_ = false;
}

Driver::Go Driver::stop_at(const EventRecord& record) {
  ++result_.accepted;
  ahead_ = false;
  result_.t = record.t;
  result_.x = record.x;
  const Event& event = options_.events[static_cast<std::size_t>(record.event)];
  return end(StepStatus::event, "event \"" + event.name + "\" at t = " + text(record.t));
}

Driver::Go Driver::check_limits() {
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

Driver::Go Driver::limit(const std::string& which, StepStatus status) {
  return end(status, options_.method + ": " + which + " at t = " + text(std::max(t_, given_)));
}

/// Ends the run. An output inside a step that failed is a valid state and later than the start of the step,
/// so the run ends there.
Driver::Go Driver::end(StepStatus status, std::string message) {
  if (furthest_.t > result_.t) result_.t = furthest_.t, std::swap(result_.x, furthest_.x);
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
void Driver::give_last() {
  try {
    give(result_.t, result_.x);
  } catch (const EvaluationError& error) {
    if (result_.status != StepStatus::reached_end && result_.status != StepStatus::event) return;
    result_.status = error.status;
    result_.message = options_.method + ": " + error.what();
    result_.part = error.part;
  }
}

Driver::Go Driver::fail(StepStatus status, double h, const std::string& why) {
  return end(status,
             options_.method + ": step from t = " + text(t_) + " with h = " + text(h) + " failed: " + why);
}

Driver::Go Driver::fail_as_thrown(double h) {
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

void tell_thrown_by(const char* name) {
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

}  // namespace torsor::sim
