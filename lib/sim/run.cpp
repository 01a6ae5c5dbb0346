#include <utility>

#include "driver.hpp"
#include "event_function.hpp"
#include "floating_point.hpp"
#include "sampler.hpp"
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

RunSummary run_conservative(const TreeSystem& tree, const State& start, const SimulationOptions& options,
                            sim::Sampler& sampler) {
  const Observer at_output = [&](double t, const State& x) { sampler.take(t, x, 0); };
  const Observer none;
  return sim::Driver(tree, options, at_output, none).run(start);
}

/// Work by the trapezoidal rule over the accepted steps and the part of the last one.
RunSummary run_with_trapezoids(const TreeSystem& tree, const State& start, const SimulationOptions& options,
                               sim::Sampler& sampler) {
  Vec a(tree.nv());
  double t_before = options.t_begin, power_before = 0, work = 0;
  const auto power = [&](double t, const State& x) {
    double p = 0;
    tree.acceleration_and_power(t, x.q, x.v, a, p);
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
  try {
    power_before = power(t_before, start);
  } catch (const EvaluationError&) {  // the run meets it again and says so
  }
  return sim::Driver(tree, options, at_output, at_step).run(start);
}

/// The user's own functions see the state of the tree alone.
SimulationOptions without_work(SimulationOptions options, const sim::WorkSystem& system) {
  for (Event& event : options.events)
    event.function = [&system, function = std::move(event.function), tree = State()](double t,
                                                                                     const State& x) mutable {
      double work = 0;
      system.split(x, tree, work);
      return function(t, tree);
    };
  return options;
}

RunSummary run_with_work(const TreeSystem& tree, const State& start, const SimulationOptions& options,
                         sim::Sampler& sampler) {
  const sim::WorkSystem system(tree);
  const SimulationOptions own = without_work(options, system);
  State x_tree;
  double work = 0;
  const Observer at_output = [&](double t, const State& x) {
    system.split(x, x_tree, work);
    sampler.take(t, x_tree, work);
  };
  const Observer none;
  RunSummary summary = sim::Driver(system, own, at_output, none).run(system.begin(start));
  const auto strip = [&](State& x) { system.split(std::exchange(x, {}), x, work); };
  strip(summary.x);
  for (EventRecord& record : summary.events) strip(record.x);
  return summary;
}

bool takes(const SimulationOptions& options, const System& system) {
  const MethodInfo* method = find_method(options.method);
  return method != nullptr && !method->make()->why_unsuitable(system);
}

}  // namespace

Trajectory run(const Model& model, const State& start, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points, const std::vector<EventSpec>& events,
               const SampleSink& sink) {
  const sim::DefaultArithmetic arithmetic;
  const TreeSystem tree(model, mechanism_length(model, start.q));
  const SimulationOptions own = with_events(options, events, tree);
  Trajectory trajectory;
  sim::Sampler sampler(tree, points, sink, trajectory);
  trajectory.summary = tree.forces().conserve_energy()     ? run_conservative(tree, start, own, sampler)
                       : takes(own, sim::WorkSystem(tree)) ? run_with_work(tree, start, own, sampler)
                                                           : run_with_trapezoids(tree, start, own, sampler);
  trajectory.summary.note = arithmetic.note();
  sampler.close();
  return trajectory;
}

}  // namespace torsor
