#include <stdexcept>
#include <utility>

#include "driver.hpp"
#include "event_function.hpp"
#include "floating_point.hpp"
#include "sampler.hpp"
#include "torsor/sim/reduced_system.hpp"
#include "torsor/sim/trajectory.hpp"
#include "work_system.hpp"

namespace torsor {
namespace {

/// The options with the events of the mechanism behind the caller's own.
SimulationOptions with_events(SimulationOptions options, const std::vector<EventSpec>& events,
                              const TreeSystem& tree) {
  for (const EventSpec& spec : events) options.events.push_back(sim::event_of(spec, tree));
  return options;
}

template <class Inner>
RunSummary run_conservative(const Inner& system, const State& start, const SimulationOptions& options,
                            sim::Sampler& sampler) {
  const Observer at_output = [&](double t, const State& x) { sampler.take(t, x, 0); };
  const Observer at_step = [&](double, const State& x) { sampler.follow(x); };
  return sim::Driver(system, options, at_output, at_step).run(start);
}

/// Work by the trapezoidal rule over the accepted steps and the part of the last one.
template <class Inner>
RunSummary run_with_trapezoids(const Inner& system, const State& start, const SimulationOptions& options,
                               sim::Sampler& sampler) {
  Vec a(system.nv());
  double t_before = options.t_begin, power_before = 0, work = 0;
  const auto power = [&](double t, const State& x) {
    double p = 0;
    system.acceleration_and_power(t, x.q, x.v, a, p);
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
  } catch (const EvaluationError&) {  // the run meets it again and says so
  }
  return sim::Driver(system, options, at_output, at_step).run(start);
}

/// The user's own functions see the state without the work.
template <class Work>
SimulationOptions without_work(SimulationOptions options, const Work& system) {
  for (Event& event : options.events)
    event.function = [&system, function = std::move(event.function), motion = State()](
                         double t, const State& x) mutable {
      double work = 0;
      system.split(x, motion, work);
      return function(t, motion);
    };
  return options;
}

template <class Work>
RunSummary run_with_work(const Work& system, const State& start, const SimulationOptions& options,
                         sim::Sampler& sampler) {
  const SimulationOptions own = without_work(options, system);
  State motion;
  double work = 0;
  const Observer at_output = [&](double t, const State& x) {
    system.split(x, motion, work);
    sampler.take(t, motion, work);
  };
  const Observer at_step = [&](double, const State& x) { sampler.follow(x); };
  RunSummary summary = sim::Driver(system, own, at_output, at_step).run(system.begin(start));
  const auto strip = [&](State& x) { system.split(std::exchange(x, {}), x, work); };
  strip(summary.x);
  for (EventRecord& record : summary.events) strip(record.x);
  return summary;
}

bool takes(const SimulationOptions& options, const System& system) {
  const MethodInfo* method = find_method(options.method);
  return method != nullptr && !sim::make_method(*method, system, options)->why_unsuitable(system);
}

template <class Work, class Inner>
void run_system(const Inner& system, const State& start, const SimulationOptions& options,
                sim::Sampler& sampler, RunSummary& summary) {
  if (system.conserves_energy())
    summary = run_conservative(system, start, options, sampler);
  else if (const Work with_work(system); takes(options, with_work))
    summary = run_with_work(with_work, start, options, sampler);
  else
    summary = run_with_trapezoids(system, start, options, sampler);
}

/// A run under constraints; `events` behind the caller's own.
void run_constrained(const MechanismSystem& system, const State& start, const SimulationOptions& options,
                     const std::vector<TrackedPoint>& points, const std::vector<EventSpec>& events,
                     const SampleSink& sink, Trajectory& trajectory) {
  sim::Sampler sampler(system, points, sink, trajectory);
  run_system<sim::MechanismWork>(system, start, with_events(options, events, system.tree()), sampler,
                                 trajectory.summary);
  sampler.close();
}

/// Where the rows cannot be had the run meets it again and says so.
State on_slow_manifold(const ReducedSystem& system, double t, State x) try {
  system.velocity(t, x.q, x.v, x.v);
  return x;
} catch (const EvaluationError&) {
  return x;
}

}  // namespace

Trajectory run(const Model& model, const State& start, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points, const std::vector<EventSpec>& events,
               const SampleSink& sink) {
  const sim::DefaultArithmetic arithmetic;
  const double length = mechanism_length(model, start.q);
  Trajectory trajectory;
  if (model.constrained()) {
    const Treatment treatment = find_treatment(options.constraints).value_or(Treatment::index_1);
    if (const auto order = options.treatment.reduced_order) {
      if (*order > 2) throw std::invalid_argument("the reduced motion of bodies has the orders 0, 1 and 2");
      const ReducedSystem system(model, length, options.treatment, *order);
      run_constrained(system, on_slow_manifold(system, options.t_begin, start), options, points, events, sink,
                      trajectory);
    } else {
      const MechanismSystem system(model, length, treatment, options.treatment);
      run_constrained(system, start, options, points, events, sink, trajectory);
    }
  } else {
    const TreeSystem system(model, length);
    sim::Sampler sampler(system, points, sink, trajectory);
    run_system<sim::TreeWork>(system, start, with_events(options, events, system), sampler,
                              trajectory.summary);
    sampler.close();
  }
  trajectory.summary.note = arithmetic.note();
  return trajectory;
}

}  // namespace torsor
