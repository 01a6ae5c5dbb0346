#pragma once

#include <stdexcept>
#include <utility>

#include "additions.hpp"
#include "make_stepper.hpp"
#include "step_loop.hpp"

/// One run of a system. A sampler takes its states: `take(t, x, work)` at each output, `look(t, x, work)` at
/// some states between them, `judge(...)` at the end.
namespace torsor::mechanics {

template <class Sampler>
RunSummary drive(const System& system, const State& start, const SimulationOptions& options,
                 const Observer& at_output, const Observer& at_step, const Observer& at_some_steps,
                 Sampler& sampler) {
  StepLoop loop(system, options, at_output, at_step, at_some_steps);
  RunSummary summary = loop.run(start);
  sampler.judge(options, loop.step_errors(), loop.work_error(), summary);
  return summary;
}

template <class Sampler>
RunSummary run_conservative(const System& system, const State& start, const SimulationOptions& options,
                            Sampler& sampler) {
  const Observer at_output = [&](double t, const State& x) { sampler.take(t, x, 0); };
  const Observer at_some_steps = [&](double t, const State& x) { sampler.look(t, x, 0); };
  return drive(system, start, options, at_output, {}, at_some_steps, sampler);
}

/// Integrates the work by the trapezoidal rule, over the accepted steps and from the last accepted step to
/// the output.
template <class Sampler>
RunSummary run_with_trapezoids(const System& system, const Powered& powered, const State& start,
                               const SimulationOptions& options, Sampler& sampler) {
  Vec a(system.nv());
  double t_before = options.t_begin, power_before = 0, work = 0;
  const auto power = [&](double t, const State& x) {
    double p = 0;
    powered.acceleration_and_power(t, x.q, x.v, a, p);
    return p;
  };
  const Observer at_step = [&](double t, const State& x) {
    const double p = power(t, x);
    work += (t - t_before) / 2 * (power_before + p);
    t_before = t, power_before = p;
  };
  const Observer at_output = [&](double t, const State& x) {
    sampler.take(t, x, t == t_before ? work : work + (t - t_before) / 2 * (power_before + power(t, x)));
  };
  const Observer at_some_steps = [&](double t, const State& x) { sampler.look(t, x, work); };
  try {
    power_before = power(t_before, start);
  } catch (const EvaluationError&) {  // the run meets the same failure and reports it
  }
  return drive(system, start, options, at_output, at_step, at_some_steps, sampler);
}

/// Splits a state of a system with additions: sets `motion` to the state of the motion and the own states,
/// and returns the work.
inline double split(const System& with_additions, const State& x, State& motion) {
  motion.q = x.q, motion.v = x.v;
  return with_additions.quadratures() > 0 ? take_work(motion) : 0;
}

/// The event functions of the options, and their switching functions, get the state without the work.
inline SimulationOptions without_work(SimulationOptions options, const System& with_additions) {
  for (Event& event : options.events) {
    event.function = [function = std::move(event.function), motion = State(), &with_additions](
                         double t, const State& x) mutable {
      split(with_additions, x, motion);
      return function(t, motion);
    };
    if (!event.switching) continue;
    event.switching = [switching = std::move(event.switching), motion = State(), &with_additions](
                          double t, const State& x, double* values) mutable {
      split(with_additions, x, motion);
      switching(t, motion, values);
    };
  }
  return options;
}

/// `start`: the state of the motion and the own states.
template <class Sampler>
RunSummary run_with_additions(const System& with_additions, const State& start,
                              const SimulationOptions& options, Sampler& sampler) {
  const SimulationOptions own = without_work(options, with_additions);
  State motion;
  const Observer at_output = [&](double t, const State& x) {
    const double work = split(with_additions, x, motion);
    sampler.take(t, motion, work);
  };
  const Observer at_some_steps = [&](double t, const State& x) {
    const double work = split(with_additions, x, motion);
    sampler.look(t, motion, work);
  };
  RunSummary summary = drive(with_additions, mechanics::with_additions(with_additions, start), own, at_output,
                             {}, at_some_steps, sampler);
  const auto strip = [&](State& x) { split(with_additions, std::exchange(x, {}), x); };
  strip(summary.x);
  for (EventRecord& record : summary.events) strip(record.x);
  return summary;
}

/// Whether the method can integrate the system. True for invalid options, which the run refuses with the
/// reason.
inline bool takes(const SimulationOptions& options, const System& system) {
  return options.why_invalid() ||
         !make_method(*find_method(options.method), system, options)->why_unsuitable(system);
}

/// Calls f with the system that has the own states of `system` behind its velocities and, if `work`, its work
/// behind these. Throws std::invalid_argument if there are own states and the method cannot integrate them.
template <class F>
auto extended(const System& system, bool work, const SimulationOptions& options, F&& f) {
  const auto call = [&](const System& with_additions) {
    if (system.own_states() && !takes(options, with_additions))
      throw std::invalid_argument(options.method +
                                  " integrates motions only, and this mechanism has [[state]] or "
                                  "[[sampled]] values; choose another method, such as rkmk-dop853");
    return f(with_additions);
  };
  const auto* const constrained = system.constrained();
  if (constrained && constrained->rows() > 0)
    return call(ConstrainedWithAdditions(*constrained, work ? constrained->power() : nullptr));
  return call(FreeWithAdditions(system, work ? system.power() : nullptr));
}

/// Runs a system with its own states and its work. A method that takes systems with quadratures integrates
/// the work; for other methods the trapezoidal rule does. The work is 0 if the system conserves energy.
/// Throws std::invalid_argument if the method cannot integrate own states.
template <class Sampler>
RunSummary run_system(const System& system, const State& start, const SimulationOptions& options,
                      Sampler& sampler) {
  const bool conserves = !system.power() || system.power()->conserves_energy();
  if (conserves && !system.own_states()) return run_conservative(system, start, options, sampler);
  return extended(system, !conserves, options, [&](const System& with_additions) {
    if (takes(options, with_additions)) return run_with_additions(with_additions, start, options, sampler);
    return run_with_trapezoids(system, *system.power(), start, options, sampler);
  });
}

}  // namespace torsor::mechanics
