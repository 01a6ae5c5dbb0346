#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "energy_account.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::sim {

/// Makes a Sample of a state, and keeps the energy account of the run.
class Sampler {
 public:
  Sampler(const TreeSystem& tree, const std::vector<TrackedPoint>& points, const SampleSink& sink,
          Trajectory& trajectory)
      : tree_(tree), points_(points), sink_(sink), trajectory_(trajectory) {}
  Sampler(const MechanismSystem& mechanism, const std::vector<TrackedPoint>& points, const SampleSink& sink,
          Trajectory& trajectory)
      : Sampler(mechanism.tree(), points, sink, trajectory) {
    mechanism_ = &mechanism;
    const auto& links = mechanism.model().link_of_joint;
    counts_turns_ = std::find(links.begin(), links.end(), -1) != links.end();
  }

  /// Counts the turns of loop joints. Must be called at every step.
  void follow(const State& x);

  void take(double t, const State& x, double work);

  /// Decides whether a run that reached its end has lost its energy: see EnergyAccount.
  void judge(const SimulationOptions& options, double step_errors, RunSummary& summary) const {
    if (!failure_) energy_.judge(options, step_errors, trajectory_.energy_max_drift, summary);
  }

  /// Completes the summary of the run. If its last states could not be sampled, the run counts as failed.
  void close();

 private:
  Sample make(double t, const State& x, double work);
  void measure(Sample& sample);
  void measure_constraints(Sample& sample, std::vector<Wrench>& on_links);
  bool find_acceleration(Sample& sample, Vec& lambda);
  void tell_reactions(Sample& sample, const std::vector<Wrench>& on_links) const;
  void tell_unique(Sample& sample);
  void keep_account(const Sample& sample);
  void keep(Sample sample);
  void pass(const Sample& sample);

  const TreeSystem& tree_;
  bool counts_turns_ = false;                   ///< whether there are loop joints
  const MechanismSystem* mechanism_ = nullptr;  ///< null if the tree is unconstrained
  const std::vector<TrackedPoint>& points_;
  const SampleSink& sink_;
  Trajectory& trajectory_;
  std::optional<EvaluationError> failure_;
  int undetermined_ = 0;           ///< number of samples whose acceleration is not determined
  double first_undetermined_ = 0;  ///< time of the first, s
  EnergyAccount energy_;
  double length_ = 0;  ///< of the mechanism, m; 0 before the first sample
};

}  // namespace torsor::sim
