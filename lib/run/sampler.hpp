#pragma once

#include <optional>
#include <vector>

#include "sample_keeper.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// Makes the samples of a run of bodies.
class Sampler {
 public:
  Sampler(const TreeSystem& tree, const std::vector<TrackedPoint>& points, const SimulationOptions& options,
          const SampleSink& sink, Trajectory& trajectory)
      : tree_(tree), points_(points), options_(options), keeper_(sink, trajectory) {}
  Sampler(const MechanismSystem& mechanism, const std::vector<TrackedPoint>& points,
          const SimulationOptions& options, const SampleSink& sink, Trajectory& trajectory)
      : Sampler(mechanism.tree(), points, options, sink, trajectory) {
    mechanism_ = &mechanism;
  }

  void take(double t, const State& x, double work);
  /// Takes the magnitudes of kinetic energy, work and energy per error at a state between outputs. The
  /// potential, whose zero is arbitrary, only sets the size of rounding errors.
  void look(double t, const State& x, double work);

  void judge(const SimulationOptions& options, double step_errors, double work_error,
             RunSummary& summary) const {
    keeper_.judge(options, step_errors, work_error, summary);
  }

  /// Completes the summary of the run. If its last states could not be sampled, the run counts as failed.
  void close();

 private:
  struct Unread {
    double t;
    State x;
    double work;
  };

  bool is_read(double t) const;
  void set_own_states(const State& x) const;
  EnergyBalance energy(double t, const State& x, double work);
  Sample make(double t, const State& x, double work) const;
  bool keep_last(const Unread& output);
  void measure(Sample& sample);
  void measure_constraints(Sample& sample, std::vector<Wrench>& on_links);
  void set_reactions(Sample& sample, std::vector<Wrench>& on_links) const;
  void set_uniqueness(Sample& sample);

  const TreeSystem& tree_;
  const MechanismSystem* mechanism_ = nullptr;  ///< null if the tree is unconstrained
  const std::vector<TrackedPoint>& points_;
  const SimulationOptions& options_;
  SampleKeeper keeper_;
  std::optional<Unread> unread_, unread_before_;  ///< the last two outputs, if their samples are not made yet
  Vec a_;
};

}  // namespace torsor::mechanics
