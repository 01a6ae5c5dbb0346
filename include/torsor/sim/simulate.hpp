#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// A scalar function of time and state whose sign change is located.
struct Event {
  std::string name;
  std::function<double(double t, const State& x)> function;
  int direction = 0;  ///< +1: rising through zero, -1: falling, 0: both
  bool stop = false;  ///< end the run there, or record and go on
};

struct EventRecord {
  int event = 0;  ///< index into SimulationOptions::events
  double t = 0;
  State x;
};

/// What the treatments of constraints need besides their name.
struct TreatmentParameters {
  double rate = 20;          ///< dynamic: omega_s, rad/s, ten times or more the highest frequency of interest
  double damping_ratio = 1;  ///< dynamic: zeta
  bool floors = true;        ///< dynamic: damping and stiffness of at least 2 zeta omega_s and omega_s^2
  double mu = 1;             ///< viscous: friction, N s/m (N m s on rows of torque)
  double eps = 1e-2;         ///< viscous: it is divided by this
  std::optional<int> reduced_order = {};  ///< viscous: motion on its slow manifold, to this power of eps
};

/// How a run is driven: by a fixed `step`, else by a `tolerance`.
struct SimulationOptions {
  std::string method = "rkmk-dopri5";
  std::string constraints;  ///< their treatment; empty: the method's own default
  TreatmentParameters treatment;
  std::optional<double> spectral_radius;  ///< of generalized-alpha, 0 to 1; its own when absent
  double t_begin = 0, t_end = 1;          ///< s
  std::optional<double> step;             ///< fixed step, s
  /// Of a run: absolute = relative, in System::error_norm; 1e-9 when there is no `step` either.
  std::optional<double> tolerance;
  std::optional<double> first_step;  ///< chosen automatically when absent
  double min_step = 0;               ///< 0: only the floor 16 eps max(1, |t|)
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 100'000'000;
  double wall_limit = std::numeric_limits<double>::infinity();  ///< s
  double output_step = 0;                                       ///< 0: every accepted step
  std::vector<double> output_times;                             ///< besides the output steps; rising
  std::vector<Event> events;
  std::function<bool()> cancelled;         ///< asked once a step
  std::function<void(double t)> progress;  ///< told once a step

  StepTaker* step_taker = nullptr;  ///< takes the steps of explicit methods in their stead

  /// The tolerance that holds; none with a fixed step.
  std::optional<double> tolerance_in_force() const;
  /// What is wrong with these options, or nothing.
  std::optional<std::string> why_invalid() const;
};

/// How a run went. Whatever the status, `t` and `x` are the last good state.
struct RunSummary {
  StepStatus status = StepStatus::reached_end;
  std::string message;  ///< "rkmk-dopri5: step from t = 0.37 with h = 1e-3 failed: ..."
  double t = 0;
  State x;
  long accepted = 0, rejected = 0, evaluations = 0;
  long general_solutions = 0;  ///< linear systems that fell back to the general sparse solver
  double wall_s = 0;
  std::vector<EventRecord> events;
  std::string note;  ///< worth knowing: a tolerance that was not reached, a rounding mode that was reset
};

/// Called at the start, at each output time and at the end (or the last good state).
using Observer = std::function<void(double t, const State& x)>;

/// Drives one run: step control (PI), output, the end and events by side steps from the last accepted state
/// with the same method, so of the same order; limits, statuses; time summed with compensation. The main
/// steps do not depend on where output or events fall. An event function that crosses zero twice within one
/// step goes unseen: `max_step` bounds what can be missed. Reaching zero is a crossing, leaving it at the
/// start is not.
///
/// The tolerance is meant for the run: since errors add up, one step may err by a thirtieth of it. On regular
/// motions of hundreds of steps the global error is then within a few hundred times the tolerance, and
/// proportional to it.
///
/// A step that fails is tried again with a smaller one where the step is controlled; what ends the run is
/// then the last failure, `underflow` when it was the error alone. Each step is taken to err by at least one
/// rounding, so a tolerance below thirty of them, 7e-15, ends in `underflow` at once. Floating-point mode:
/// rounding to nearest with denormals for the length of the run. Whatever an event, the observer,
/// `cancelled`, `progress` or the system throws that is not an EvaluationError ends the run as
/// callback_failed. Throws std::invalid_argument for options that are not valid, a start of another size than
/// the system's and a method that cannot take the system; never for what happens in the run.
RunSummary simulate(const System& system, const State& start, const SimulationOptions& options,
                    const Observer& observer = {});

}  // namespace torsor
