#include <stdexcept>

#include "event_function.hpp"
#include "floating_point.hpp"
#include "make_stepper.hpp"
#include "run_system.hpp"
#include "sampler.hpp"
#include "start_size.hpp"
#include "system/text.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/reduced_system.hpp"

namespace torsor {
namespace {

/// The options with the events of the mechanism after the caller's own events.
SimulationOptions with_events(SimulationOptions options, const std::vector<EventSpec>& events,
                              const TreeSystem& tree) {
  for (const EventSpec& spec : events) options.events.push_back(mechanics::event_of(spec, tree));
  return options;
}

/// A run under constraints. `events` come after the caller's own events.
void run_constrained(const MechanismSystem& system, const State& start, const SimulationOptions& options,
                     const std::vector<TrackedPoint>& points, const std::vector<EventSpec>& events,
                     const SampleSink& sink, Trajectory& trajectory) {
  mechanics::Sampler sampler(system, points, options, sink, trajectory);
  trajectory.summary =
      mechanics::run_system(system, start, with_events(options, events, system.tree()), sampler);
  sampler.close();
}

/// Moves the start onto the slow manifold. If the evaluation fails, returns the start itself: the run then
/// meets the same failure and reports it.
State on_slow_manifold(const ReducedSystem& system, double t, State x) try {
  system.velocity(t, x.q, x.v, x.v);
  return x;
} catch (const EvaluationError&) {
  return x;
}

/// Appends the initial values of the mechanism's own states to a start that has only the motion.
State with_own_states(const Model& model, State start) {
  const std::vector<OwnState>& states = model.mechanism().states;
  const auto count = static_cast<int>(states.size());
  if (count > 0 && start.v.size() == model.nv()) {
    Vec v(model.nv() + count);  // the vector of the caller may have another alignment and cannot grow here
    v.head(model.nv()) = start.v;
    for (int i = 0; i < count; ++i) v[model.nv() + i] = states[i].start;
    start.v.swap(v);
  }
  mechanics::check_size(start, model.nq(), model.nv() + count);
  constexpr double tolerance = 1e-9;
  if (const double defect = group_defect(model, start.q); defect > tolerance)
    throw std::invalid_argument("the norm of a quaternion of the start must be 1; it is off by " +
                                mechanics::text(defect));
  return start;
}

void check_points(const Model& model, const std::vector<TrackedPoint>& points) {
  for (const TrackedPoint& one : points) {
    if (one.point.body < world || one.point.body >= model.size())
      throw std::invalid_argument("point \"" + one.name + "\": there is no body " +
                                  std::to_string(one.point.body));
    if (!one.point.p.allFinite())
      throw std::invalid_argument("point \"" + one.name + "\": its position is not finite");
  }
}

}  // namespace

Trajectory run(const Model& model, const State& start_given, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points, const std::vector<EventSpec>& events,
               const SampleSink& sink) {
  const mechanics::DefaultArithmetic arithmetic;
  const State start = with_own_states(model, start_given);
  check_points(model, points);
  const LinkLengths lengths(model, start.q);
  Trajectory trajectory;
  if (model.constrained()) {
    const Treatment treatment = mechanics::treatment_of(options);
    if (const auto order = options.treatment.reduced_order) {
      if (*order > 2)
        throw std::invalid_argument("the order of the reduced motion of bodies must be 0, 1 or 2");
      if (!model.mechanism().states.empty())
        throw std::invalid_argument("the reduced motion takes no [[state]] or [[sampled]] values");
      const ReducedSystem system(model, lengths, options.treatment, *order);
      run_constrained(system, on_slow_manifold(system, options.t_begin, start), options, points, events, sink,
                      trajectory);
    } else {
      const MechanismSystem system(model, lengths, treatment, options.treatment);
      run_constrained(system, start, options, points, events, sink, trajectory);
    }
  } else {
    const TreeSystem system(model, lengths);
    mechanics::Sampler sampler(system, points, options, sink, trajectory);
    trajectory.summary = mechanics::run_system(system, start, with_events(options, events, system), sampler);
    sampler.close();
  }
  arithmetic.note_in(trajectory.summary.note);
  return trajectory;
}

}  // namespace torsor
