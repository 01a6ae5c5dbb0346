#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// A scalar function of time and state. The run locates its sign changes.
struct Event {
  std::string name;
  /// Its zeros are the events. It is also evaluated at states near the motion, which need not satisfy the
  /// constraints, for its rate and, at the start, for its rounding error in each component; there it may
  /// throw or be NaN.
  std::function<double(double t, const State& x)> function;
  int direction = 0;  ///< +1: rising through zero, -1: falling, 0: both
  bool stop = false;  ///< true: end the run there; false: record and continue
  /// Where `function` is not smooth, the signs of its switching functions choose between smooth branches. A
  /// step is searched between the zeros of these functions. `kinks` is their number; `switching` computes
  /// their values at (t, x).
  int kinks = 0;
  std::function<void(double t, const State& x, double* values)> switching = {};
};

struct EventRecord {
  int event = 0;  ///< index into SimulationOptions::events
  double t = 0;
  State x;
};

/// Options of a run: step control by a fixed `step` or by a `tolerance`.
struct SimulationOptions {
  std::string method = "rkmk-dopri5";
  std::optional<Treatment> constraints = {};  ///< treatment; absent: that of the system, or the default
  TreatmentParameters treatment;
  /// The connection that geometry_report describes. It does not change the motion. The steps of the method
  /// must follow its autoparallels. Absent: canonical_plus, or christoffel for a method whose steps are
  /// geodesics.
  std::optional<StepConnection> connection;
  /// Of generalized-alpha, 0 to 1; the method's default when absent. With index-3, steps may be unstable
  /// above 0.95.
  std::optional<double> spectral_radius;
  double t_begin = 0, t_end = 1;  ///< s
  std::optional<double> step;     ///< fixed step, s
  /// Of the whole run, absolute and relative, in System::error_norm; 1e-9 when there is no `step` either.
  std::optional<double> tolerance;
  std::optional<double> first_step;  ///< s; chosen automatically when absent
  double min_step = 0;               ///< s; 0: only the lower limit 16 eps max(1, |t|)
  double max_step = std::numeric_limits<double>::infinity();  ///< s
  long max_steps = 100'000'000;
  double wall_limit = std::numeric_limits<double>::infinity();  ///< s
  double output_step = 0;                                       ///< s; 0: every accepted step
  std::vector<double> output_times;  ///< in addition to the output steps, s, ascending
  std::vector<Event> events;
  /// Called at each step, and at the outputs inside it. True ends the run. For a model of a single top or
  /// spherical pendulum under constant uniform gravity, called at each output and at least once in 100 steps.
  std::function<bool()> cancelled;
  std::function<void(double t)> progress;  ///< called once a step (for a single top, once in about 100)

  /// Whether the sample at an output time is read. A run need not make the others: it passes them to no sink,
  /// and only their energy enters its results. The first and the last sample are always made. Absent: all are
  /// read.
  std::function<bool(double t)> reads;

  /// Makes a stepper in place of that of the list of methods. Only for systems without constraints; messages
  /// and results name it as `method`.
  std::function<std::unique_ptr<Stepper>()> make_method;

  /// The tolerance of the run, or its default; none with a fixed step.
  std::optional<double> tolerance_in_force() const;
  /// Why these options are invalid; none where they are valid.
  std::optional<std::string> why_invalid() const;
};

/// The outcome of a run. For every status, `t` and `x` are the last good state.
struct RunSummary {
  StepStatus status = StepStatus::reached_end;
  std::string message;  ///< "rkmk-dopri5: step from t = 0.37 with h = 1e-3 failed: ..."
  /// The part of the mechanism in which the run failed, if it is a single one: in a step, or at the start, an
  /// output or an event.
  Part part;
  double t = 0;
  State x;
  long accepted = 0, rejected = 0, evaluations = 0;
  long general_solutions = 0;  ///< linear systems that needed the general sparse solver
  double wall_s = 0;
  std::vector<EventRecord> events;
  std::string note;  ///< a warning: a tolerance not reached, a rounding mode that was reset, ...
};

/// Called at the start, at each output time and at the end (or at the last good state).
using Observer = std::function<void(double t, const State& x)>;

/// Performs one run, with PI step control and with limits. Time is a compensated sum. States at output times
/// and events inside a step come from side steps: steps from the last accepted state with the same method,
/// and therefore of the same order. The main steps do not depend on output times or events. Several
/// crossings of one event function within one step are all found; `max_step` helps where a function crosses
/// zero for a time much shorter than a step. Reaching zero is a crossing; leaving zero at the start is not.
///
/// The tolerance applies to the run. Since errors add up, the error of one step may be at most a thirtieth of
/// the tolerance. On regular motions of hundreds of steps the global error is then within 300 times the
/// tolerance, and proportional to it. A method of low order takes many more steps. If the errors that it
/// estimates for its own solution add up to more than 100 times the tolerance, the summary has a note.
///
/// The own states of a system (System::own_states) are integrated too. They follow the velocities in
/// State::v, in the start as in all states of the run.
///
/// Under step control, a failed step is repeated with a smaller step size. If none succeeds, the last failure
/// ends the run, as `underflow` if the last step was only rejected, by its error estimate or by the method.
/// The error of a step is assumed to be at least one rounding error, so a tolerance below thirty rounding
/// errors, 7e-15, ends in `underflow` at once. Floating-point mode during the run: rounding to nearest, with
/// denormals. An exception other than EvaluationError from an event, the observer, `cancelled`, `progress` or
/// the system ends the run as callback_failed. Throws std::invalid_argument for invalid options, a start
/// whose size is not that of the system, or a method that cannot take the system. Failures during the run are
/// not thrown, except std::bad_alloc.
RunSummary simulate(const System& system, const State& start, const SimulationOptions& options,
                    const Observer& observer = {});

}  // namespace torsor
