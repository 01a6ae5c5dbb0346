#pragma once

#include <functional>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/model/motion.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {

/// An event in terms of the mechanism: quantity - value crosses zero.
struct EventSpec {
  enum class Quantity { joint_coordinate, joint_rate, point_position, point_velocity };
  std::string name;
  Quantity quantity = Quantity::joint_coordinate;
  int joint = 0, coordinate = 0;     ///< of joint quantities
  BodyPoint point;                   ///< of point quantities: component along
  Vec3 direction_W = Vec3::UnitZ();  ///< this unit vector
  TimeFunction value = 0.;
  int direction = 0;  ///< as Event::direction
  bool stop = false;
};

/// Everything about one instant.
struct Sample {
  double t = 0;
  State x;
  Vec a;
  std::vector<BodyMotion> bodies;  ///< in the mechanism's order, as `joints`
  std::vector<BodyMotion> nodes;   ///< of rigid systems of particles, body by body
  std::vector<JointMotion> joints;
  std::vector<ConstraintMotion> constraints;
  std::vector<double> forces;  ///< of springs and joint forces, as Forces::scalars
  std::vector<PointMotion> points;
  Invariants invariants;
};

/// A summary of the samples that a sink took and the trajectory does not keep.
struct PassedSamples {
  Invariants greatest;                                  ///< its residuals and its group defect alone
  std::vector<char> shared_joints, shared_constraints;  ///< whether a reaction was not unique; empty: none
};

/// A run: samples at the output times and how it went.
struct Trajectory {
  std::vector<Sample> samples;  ///< the first is the start, the last the end (or last good state)
  PassedSamples passed;
  RunSummary summary;
  double energy_max_drift = 0;    ///< greatest |E - E0 - work| over the samples, J
  double energy_drift_slope = 0;  ///< least-squares slope of E - E0 - work over the samples, J/s
};

/// The joints and constraints whose reactions are not unique in one of the samples, kept or not: redundant
/// rows share them, by least norm.
std::vector<std::string> shared_reactions(const Mechanism& mechanism, const Trajectory& trajectory);

/// Takes samples as they come, so that long runs of large mechanisms need not keep them.
using SampleSink = std::function<void(const Sample&)>;

/// Integrates a model and collects the samples; with a `sink`, which is told every one, the trajectory keeps
/// the first and the last alone. Recorded events count `options.events` first, then `events`. Where the
/// forces fail at the start, its sample has accelerations and reactions that are not numbers.
///
/// The work of forces without a potential is integrated along with the motion by the method itself, or by the
/// trapezoidal rule over its steps where the method takes the mechanism alone (lie-verlet, of the same
/// order).
///
/// Throws std::invalid_argument when the options are not usable with the model (the method's
/// `why_unsuitable`, an unknown name with the nearest one, an event that asks for what is not there).
Trajectory run(const Model& model, const State& start, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points = {}, const std::vector<EventSpec>& events = {},
               const SampleSink& sink = {});

}  // namespace torsor
