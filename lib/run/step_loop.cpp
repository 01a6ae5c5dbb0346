#include "step_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "derivative_check.hpp"
#include "make_stepper.hpp"
#include "start_size.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// The greatest number of steps that a StepTaker takes before the limits of the run are checked again. In a
/// batch of tops by rkmk-dopri5, a step takes 0.2 us and an output 2 us. A check costs less than an output.
/// So checks take less than a tenth of the time, and a run stops at most 20 us after a request to stop.
constexpr long most_unchecked = 100;

bool finite(const State& x) { return x.q.allFinite() && x.v.allFinite(); }

bool every_step_is_output(const SimulationOptions& options) {
  return options.output_step == 0 && options.output_times.empty();
}

}  // namespace

StepLoop::StepLoop(const System& system, const SimulationOptions& options, const Observer& at_output,
                   const Observer& at_step, const Observer& at_some_steps)
    : system_(system),
      options_(options),
      at_output_(at_output),
      at_step_(at_step),
      at_some_steps_(at_some_steps),
      trial_(system, options_, make_stepper(system, options), options.tolerance_in_force().has_value()),
      acceptance_(system, options_, trial_),
      inside_(system, trial_, acceptance_.budget().permitted_near_singular()),
      switching_(system, options.t_begin, options.t_end,
                 options.tolerance_in_force().value_or(*SimulationOptions().tolerance_in_force())),
      angles_(system.counted_angles()),
      now_{options_.t_begin, CompensatedTime(options_.t_begin), {}, {}},
      schedule_(options_),
      events_(system, options_.events),
      side_([this](double s, State& x) { inside_.at(s, x); }),
      only_outputs_(options.tolerance_in_force() && !(at_output && every_step_is_output(options)) &&
                    options.events.empty() && !at_step && !system.constrained() && !system.switching() &&
                    !angles_ && system.additions() == 0 && trial_.takes_outputs()),
      started_(std::chrono::steady_clock::now()),
      given_(-std::numeric_limits<double>::infinity()) {}

RunSummary StepLoop::run(const State& start) {
  check_size(start, system_.nq(), system_.nv());
  Go go = begin(start);
  while (go != Go::ended) go = step();
  result_.rejected = acceptance_.rejected();
  result_.evaluations = acceptance_.evaluations();
  result_.note = acceptance_.note();
  if (const auto* const constrained = system_.constrained())
    result_.general_solutions = constrained->conditioning().general_solutions() - general_before_;
  result_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return std::move(result_);
}

StepLoop::Go StepLoop::begin(const State& start) {
  now_.x = start;
  if (!finite(start)) return end(StepStatus::non_finite, "the start state is not finite");
  try {
    if (const auto* const constrained = system_.constrained()) {
      constrained->choices().begin_run();
      general_before_ = constrained->conditioning().general_solutions();
    }
    if (angles_) angles_->begin_run();
    count_turns();
    switching_.start(now_.x);
    now_.sides = switching_.sides();
    events_.start(now_.t, now_.x);
    std::string why;
    const auto* const constrained = system_.constrained();
    if (constrained &&
        has_wrong_derivative(*constrained, now_.t, now_.x, options_.t_end - now_.t, why, result_.part))
      return end(StepStatus::callback_failed, why);
    give(now_.t, now_.x);
  } catch (const EvaluationError& error) {
    result_.part = error.part;
    return end(error.status, error.what());
  }
  const double span = options_.t_end - now_.t;
  if (span <= 0) return end(StepStatus::reached_end);
  try {
    if (acceptance_.begin(now_)) return Go::on;
  } catch (...) {
    return fail_as_thrown(span);
  }
  return fail(StepStatus::non_finite, span, "the acceleration is not finite");
}

/// Makes one accepted step, or finds a kink in it, or ends the run.
StepLoop::Go StepLoop::step() {
  double h = 0;
  try {
    if (only_outputs_ && take_with_outputs() == Go::ended) return Go::ended;
    if (make_step(h) == Go::ended) return Go::ended;
    inside_.begin(now_.t, now_.x, h, trial_.end());
    if (switching_.crosses(now_.t, now_.x, h, trial_.end(), side_)) {
      if (now_.sides != switching_.sides()) events_.forget_rates(), trial_.forget_change();
      now_.sides = switching_.sides();
      return Go::on;
    }
    const double limit = switching_.limit(), after = now_.time.after(h);
    t_next_ = std::abs(limit - after) <= time_resolution(options_.t_begin, limit) ? limit : after;
    arrived_ = field_jumps_ = false;
    if (!acceptance_.crossing().repeats(t_next_))
      if (const Go go = look_inside(h, t_next_); go != Go::on) return go;
    arrive();
    if (const Go go = take_events(h, jumps_); go != Go::on) return go;
  } catch (...) {
    return fail_as_thrown(h);
  }
  return finish_step(h);
}

/// Accepts the step. At the end of the run, judges its last state.
StepLoop::Go StepLoop::finish_step(double h) try {
  accept(h, t_next_);
  if (options_.t_end - now_.t > time_resolution(options_.t_begin, options_.t_end) / 2) return Go::on;
  const double t = now_.t;
  const auto verdict = acceptance_.look_back(now_);
  if (verdict != StepAcceptance::Verdict::accepted) return follow(verdict, t, {});
  check_end(now_.t, now_.x);
  now_.t = options_.t_end;
  return end(StepStatus::reached_end);
} catch (...) {
  return fail_as_thrown({});
}

/// Lets a StepTaker take steps, and gives the outputs that they pass. The last of these outputs may lie in
/// the step after them. If the observer throws, the run ends at the output before, or where these steps
/// began.
StepLoop::Go StepLoop::take_with_outputs() {
  const Moment before = now_;
  const long accepted = result_.accepted;
  OutputSchedule ahead = schedule_;
  for (OutputAhead& output : outputs_) output.t = ahead.next(), ahead.pop();
  const long left = options_.max_steps - result_.accepted - acceptance_.rejected();
  const auto taken = acceptance_.take_with_outputs(now_, outputs_, std::min(left, most_unchecked));
  result_.accepted += taken.steps;
  try {
    for (std::size_t i = 0; i < taken.outputs; ++i, schedule_.pop()) {
      if (i > 0 && options_.cancelled && call_user("cancelled", [&] { return options_.cancelled(); }))
        return limit("cancelled", StepStatus::cancelled);
      give_ahead(outputs_[i].t, outputs_[i].x);
    }
  } catch (...) {
    if (!ahead_) now_ = before, result_.accepted = accepted;
    return fail_as_thrown({});
  }
  ahead_ = ahead_ && given_ > now_.t;
  if (at_some_steps_ && since_output_.add(taken.steps / static_cast<long>(1 + taken.outputs)))
    at_some_steps_(now_.t, now_.x);
  return Go::on;
}

/// Attempts steps until one of them, of size h, is accepted.
StepLoop::Go StepLoop::make_step(double& h) {
  auto verdict = StepAcceptance::Verdict::rejected;
  while (verdict == StepAcceptance::Verdict::rejected) {
    if (check_limits() == Go::ended) return Go::ended;
    acceptance_.set_limit(switching_.limit());
    const double t = now_.t;
    verdict = acceptance_.attempt(now_, h);
    if (follow(verdict, t, h) == Go::ended) return Go::ended;
  }
  return Go::on;
}

/// Follows a verdict on the state at t, or on a step of size h from it: the run may have gone back, or ends.
StepLoop::Go StepLoop::follow(StepAcceptance::Verdict verdict, double t, std::optional<double> h) {
  if (now_.t < t) count_turns(), switching_.go_back(now_.t, now_.sides);
  if (verdict == StepAcceptance::Verdict::accepted) return Go::on;
  if (verdict == StepAcceptance::Verdict::rejected) return Go::back;
  result_.part = acceptance_.part();
  return fail(acceptance_.status(), h, acceptance_.why());
}

void StepLoop::accept(double h, double t_next) {
  ahead_ = false;
  ++result_.accepted;
  acceptance_.accept(now_, h, t_next);
  if (field_jumps_) trial_.forget_change();
  now_.sides = switching_.sides();
  count_turns();
  if (acceptance_.crossing().repeats(now_.t)) return;
  if (at_step_) at_step_(now_.t, now_.x);
  const bool at_output = given_ >= now_.t;
  if (at_some_steps_ && since_output_.add(at_output ? 0 : 1)) at_some_steps_(now_.t, now_.x);
  if (options_.progress) call_user("progress", [&] { options_.progress(now_.t); });
}

/// Counts full turns up to the last accepted state.
void StepLoop::count_turns() {
  if (angles_) trial_.set_turning(angles_->follow(now_.x.q, now_.x.v));
}

/// Handles events and outputs between the last accepted state and the end of the step.
StepLoop::Go StepLoop::look_inside(double h, double t_next) {
  const double seen = std::max(acceptance_.crossing().furthest().t - now_.t, 0.);
  Go go = take_events(h, events_.cross(now_.t, now_.x, h, trial_.end(), side_, seen));
  const bool may_stop =
      system_.switching() && t_next >= switching_.limit() &&
      std::any_of(options_.events.begin(), options_.events.end(), [](const Event& e) { return e.stop; });
  if (go == Go::on && may_stop) go = judge_stop(h, t_next, trial_.end());
  return go == Go::on ? give_outputs(h, t_next) : go;
}

/// Records events that were found in the step of size h, up to one that stops and others at the same time.
StepLoop::Go StepLoop::take_events(double h, const std::vector<EventRecord>& found) {
  const auto stop = std::find_if(found.begin(), found.end(), [this](const EventRecord& one) {
    return options_.events[static_cast<std::size_t>(one.event)].stop;
  });
  const auto last = std::find_if(stop, found.end(), [&](const EventRecord& one) { return one.t > stop->t; });
  result_.events.insert(result_.events.end(), found.begin(), last);
  if (stop == found.end()) return Go::on;
  const EventRecord record = *stop;  // giving outputs changes `found`
  return stop_at(h, record);
}

/// Crosses the kinks and takes the samples at the end of the step, once the states inside the step are known.
void StepLoop::arrive() {
  if (arrived_) return;
  arrived_ = true;
  jumps_.clear();
  field_jumps_ = switching_.arrive(t_next_, trial_.end());
  if (!field_jumps_) return;
  events_.forget_rates();
  if (!acceptance_.crossing().repeats(t_next_)) jumps_ = events_.jump(t_next_, trial_.end());
}

StepLoop::Go StepLoop::give_outputs(double h, double until) {
  const double t_next = now_.t + h, near = time_resolution(t_next);
  for (; schedule_.next() <= until + near; schedule_.pop()) {
    const double t = schedule_.next();
    if (t >= t_next - near) {
      arrive();
      give_ahead(t, trial_.end());
    } else if (t <= now_.t + near) {
      give(t, now_.x);
    } else {
      if (check_limits() == Go::ended) return Go::ended;
      inside_.at(t - now_.t, between_);
      give_ahead(t, between_);
    }
  }
  if (every_step_is_output(options_) && until >= t_next - near && t_next < options_.t_end - near &&
      given_ < until)
    arrive(), give_ahead(until, trial_.end());
  return Go::on;
}

/// Gives an output later than the last accepted state, and keeps its state: the run ends there if the step
/// fails.
void StepLoop::give_ahead(double t, const State& x) {
  give(t, x);
  output_.q = x.q, output_.v = x.v;
  ahead_ = true;
}

void StepLoop::give(double t, const State& x) {
  if (at_output_ && !refused_) {
    refused_ = true;
    call_user("the observer", [&] { at_output_(t, x); });
    refused_ = false;
  }
  given_ = t;
  since_output_.restart();
}

/// Judges the state (t, x) in the step of size h, at which an event stops the run or may do so. If it cannot
/// be the last state, the run goes back, and the step is examined again. Call it before the outputs in the
/// step are given.
StepLoop::Go StepLoop::judge_stop(double h, double t, const State& x) {
  const double begin = now_.t;
  const auto verdict = acceptance_.judge(now_, t, x, t - begin);
  if (verdict == StepAcceptance::Verdict::accepted) return Go::on;
  events_.take_back();
  const double examined = std::max(begin, acceptance_.crossing().furthest().t);
  std::erase_if(result_.events, [&](const EventRecord& each) { return each.t > examined; });
  return follow(verdict, begin, h);
}

/// Ends the run at an event in the step of size h, after the outputs before it, if the state there can be the
/// last one. The outputs up to the end of the step were given before an event by a jump there, and this state
/// was judged before them.
StepLoop::Go StepLoop::stop_at(double h, const EventRecord& record) {
  if (!arrived_)
    if (const Go go = judge_stop(h, record.t, record.x); go != Go::on) return go;
  if (give_outputs(h, record.t) == Go::ended) return Go::ended;
  check_end(record.t, record.x);
  acceptance_.end_inside();
  ++result_.accepted;
  ahead_ = false;
  now_.t = record.t;
  now_.x = record.x;
  const Event& event = options_.events[static_cast<std::size_t>(record.event)];
  return end(StepStatus::event, "event \"" + event.name + "\" at t = " + text(record.t));
}

StepLoop::Go StepLoop::check_limits() {
  if (result_.accepted + acceptance_.rejected() >= options_.max_steps)
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
  return end(status, options_.method + ": " + which + " at t = " + text(std::max(now_.t, given_)));
}

/// Rows that steps leave out are checked at the beginning of each step, and here after the last one.
void StepLoop::check_end(double t, const State& x) {
  if (const auto* const constrained = system_.constrained()) constrained->choices().check_end(t, x.q);
}

/// Ends the run. An output inside a step that failed is a valid state and later than the start of the step,
/// so the run ends there.
StepLoop::Go StepLoop::end(StepStatus status, std::string message) {
  if (acceptance_.crossing().furthest().t > now_.t)
    now_.t = acceptance_.crossing().furthest().t, now_.x = acceptance_.crossing().furthest().x;
  result_.status = status;
  result_.message = std::move(message);
  if (ahead_) std::swap(now_.x, output_);
  const bool given = ahead_ || std::abs(given_ - now_.t) <= time_resolution(now_.t);
  result_.t = given ? given_ : now_.t;
  result_.x = std::move(now_.x);
  if (!given) give_last();
  return Go::ended;
}

/// Gives the last output. If this output fails, the run reports the failure unless the run has failed before.
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

/// Ends the run because a step of size h from the last accepted state failed or, without h, because of this
/// state.
StepLoop::Go StepLoop::fail(StepStatus status, std::optional<double> h, const std::string& why) {
  const std::string t = "t = " + text(now_.t);
  return end(
      status,
      options_.method +
          (h ? ": step from " + t + " with h = " + text(*h) + " failed: " : ": failed at " + t + ": ") + why);
}

StepLoop::Go StepLoop::fail_as_thrown(std::optional<double> h) {
  try {
    throw;
  } catch (const EvaluationError& error) {
    result_.part = error.part;
    return fail(error.status, h, error.what());
  } catch (const std::bad_alloc&) {  // a lack of memory is not a failure of the motion
    throw;
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
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw EvaluationError(StepStatus::callback_failed, name + std::string(" threw: ") + error.what());
  } catch (...) {
    throw EvaluationError(StepStatus::callback_failed,
                          std::string(name) + " threw an object that is not an exception");
  }
}

}  // namespace torsor::mechanics
