#pragma once

#include <utility>

#include "make_stepper.hpp"
#include "step_loop.hpp"
#include "work_system.hpp"

/// One run of a system. A sampler takes its states: `take(t, x, work)` at each output, `follow(x)` at each
/// step, `judge(...)` at the end.
namespace torsor::mechanics {

template <class Sampler>
RunSummary drive(const System& system, const State& start, const SimulationOptions& options,
                 const Observer& at_output, const Observer& at_step, Sampler& sampler) {
  StepLoop loop(system, options, at_output, at_step);
  RunSummary summary = loop.run(start);
  sampler.judge(options, loop.step_errors(), summary);
  return summary;
}

template <class Sampler>
RunSummary run_conservative(const System& system, const State& start, const SimulationOptions& options,
                            Sampler& sampler) {
  const Observer at_output = [&](double t, const State& x) { sampler.take(t, x, 0); };
  const Observer at_step = [&](double, const State& x) { sampler.follow(x); };
  return drive(system, start, options, at_output, at_step, sampler);
}

/// Work by the trapezoidal rule, over the accepted steps and from the last of these to the output.
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
    sampler.follow(x);
  };
  const Observer at_output = [&](double t, const State& x) {
    sampler.take(t, x, t == t_before ? work : work + (t - t_before) / 2 * (power_before + power(t, x)));
  };
  try {
    power_before = power(t_before, start);
  } catch (const EvaluationError&) {  // the run meets the same failure and reports it
  }
  return drive(system, start, options, at_output, at_step, sampler);
}

/// The event functions of the options get the state without the work.
inline SimulationOptions without_work(SimulationOptions options) {
  for (Event& event : options.events)
    event.function = [function = std::move(event.function), motion = State()](double t,
                                                                              const State& x) mutable {
      double work = 0;
      split_work(x, motion, work);
      return function(t, motion);
    };
  return options;
}

/// `with_work`: the system with its work. `start`: the state of the motion.
template <class Sampler>
RunSummary run_with_work(const System& with_work, const State& start, const SimulationOptions& options,
                         Sampler& sampler) {
  const SimulationOptions own = without_work(options);
  State motion;
  double work = 0;
  const Observer at_output = [&](double t, const State& x) {
    split_work(x, motion, work);
    sampler.take(t, motion, work);
  };
  const Observer at_step = [&](double, const State& x) { sampler.follow(x); };
  RunSummary summary = drive(with_work, with_no_work(start), own, at_output, at_step, sampler);
  const auto strip = [&](State& x) { split_work(std::exchange(x, {}), x, work); };
  strip(summary.x);
  for (EventRecord& record : summary.events) strip(record.x);
  return summary;
}

inline bool takes(const SimulationOptions& options, const System& system) {
  const MethodInfo* method = find_method(options.method);
  return method != nullptr && !make_method(*method, system, options)->why_unsuitable(system);
}

/// Runs a system with its work. A method that takes systems with quadratures integrates the work; for other
/// methods the trapezoidal rule does. The work is 0 if the system conserves energy.
template <class Sampler>
RunSummary run_system(const System& system, const State& start, const SimulationOptions& options,
                      Sampler& sampler) {
  const Powered* const power = system.power();
  if (!power || power->conserves_energy()) return run_conservative(system, start, options, sampler);
  const auto run_with = [&](const System& with_work) {
    return takes(options, with_work) ? run_with_work(with_work, start, options, sampler)
                                     : run_with_trapezoids(system, *power, start, options, sampler);
  };
  const auto* const constrained = system.constrained();
  if (constrained && constrained->rows() > 0)
    return run_with(ConstrainedWork(*constrained, *constrained->power()));
  return run_with(FreeWork(system, *power));
}

}  // namespace torsor::mechanics
