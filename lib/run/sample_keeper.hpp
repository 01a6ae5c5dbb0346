#pragma once

#include <optional>
#include <string>
#include <utility>

#include "energy_account.hpp"
#include "step_loop.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// Keeps the samples of a run in its trajectory, with the energy account, and passes them to the sink. If
/// there is a sink, the trajectory keeps only the first and the last sample.
class SampleKeeper {
 public:
  SampleKeeper(const SampleSink& sink, Trajectory& trajectory) : sink_(sink), trajectory_(trajectory) {}

  /// Whether a sample could not be measured. The run then counts as failed, and the caller takes no further
  /// samples.
  bool failed() const { return failure_.has_value(); }
  bool empty() const { return trajectory_.samples.empty(); }

  /// Keeps a sample that `measure` completes. If the forces cannot be evaluated, `without_forces` completes
  /// the first sample, and a later sample is not kept. `per_error` gives EnergyBalance::per_error.
  template <class Measure, class PerError, class WithoutForces>
  void take(Sample sample, const Measure& measure, const PerError& per_error,
            const WithoutForces& without_forces) {
    try {
      measure(sample);
      energy_.add(sample.t,
                  {sample.invariants.kinetic, sample.invariants.potential, sample.invariants.work,
                   per_error(std::as_const(sample))},
                  trajectory_);
    } catch (const EvaluationError& error) {  // of `measure`, or of `per_error`, which evaluates forces too
      failure_ = error;
      if (!empty()) return;
      without_forces(sample);
    }
    keep(std::move(sample));
  }

  /// Adds only the energy of an output whose sample is not kept; `balance` gives it.
  template <class Balance>
  void add_energy(double t, const Balance& balance) try {
    energy_.add(t, balance(), trajectory_);
  } catch (const EvaluationError& error) {
    failure_ = error;
  }

  /// Adds only the magnitudes of the energies at a state between outputs; `balance` gives them. A state at
  /// which the forces cannot be evaluated adds nothing.
  template <class Balance>
  void widen(const Balance& balance) try {
    if (!failed()) energy_.widen(balance());
  } catch (const EvaluationError&) {
  }

  /// Keeps the last sample, whose energy was added before, unless a sample of this or a later time is kept.
  /// False if it could not be measured: the sample of an earlier output is then the last one.
  template <class Measure>
  bool keep_last(Sample sample, const Measure& measure) {
    if (!(sample.t > trajectory_.samples.back().t)) return true;
    bool measured = false;
    try {
      measure(sample);
      measured = true;
      call_user("the observer", [&] { keep(std::move(sample)); });
    } catch (const EvaluationError& error) {
      if (!failure_) failure_ = error;
    }
    return measured;
  }

  /// Finds the acceleration of the sample and the multipliers, and returns whether they are determined. Near
  /// a singular configuration they consist of rounding errors only, and constraints that contradict each
  /// other allow none. They are then set to NaN, and the run may go on.
  bool find_acceleration(const ConstrainedSystem& system, Sample& sample, Vec& lambda);

  /// Sets the status energy_lost if the errors of the steps do not explain the drift (EnergyAccount::judge).
  void judge(const SimulationOptions& options, double step_errors, double work_error,
             RunSummary& summary) const {
    if (!failed()) energy_.judge(options, step_errors, work_error, trajectory_.energy_max_drift, summary);
  }

  /// Completes the summary of the run. If its last states could not be sampled, the run counts as failed.
  void close();

 private:
  void keep(Sample sample);
  void pass(const Sample& sample);

  const SampleSink& sink_;
  Trajectory& trajectory_;
  EnergyAccount energy_;
  std::optional<EvaluationError> failure_;
  int undetermined_ = 0;            ///< number of samples whose acceleration is not determined
  std::string first_undetermined_;  ///< the cause in the first of these samples, with its time
};

}  // namespace torsor::mechanics
