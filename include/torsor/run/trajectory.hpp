#pragma once

#include <functional>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/model/motion.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor {

/// An event of a motion: quantity - value crosses zero. The last two quantities are those of a system in
/// coordinates, the others those of a mechanism.
struct EventSpec {
  enum class Quantity {
    joint_coordinate,
    joint_rate,
    point_position,
    point_velocity,
    expression,  ///< a function of the state
    coordinate,
    rate
  };
  std::string name;
  Quantity quantity = Quantity::joint_coordinate;
  int joint = 0;                     ///< for joint quantities
  int coordinate = 0;                ///< of the joint or of the system
  BodyPoint point;                   ///< for point quantities
  Vec3 direction_W = Vec3::UnitZ();  ///< for point quantities: the component along this unit vector
  TimeFunction expression = 0.;      ///< for expressions
  TimeFunction value = 0.;           ///< may be a function of the state too
  int direction = 0;                 ///< as Event::direction
  bool stop = false;
};

/// The state and the quantities that follow from it, at one instant of a motion of bodies or of a motion in
/// coordinates. The parts that a motion does not have are empty.
struct Sample {
  double t = 0;
  /// Without own states. A run that is continued needs them behind the velocities, as in RunSummary::x.
  State x;
  Vec a;
  Invariants invariants;  ///< in coordinates without momenta

  // Of bodies, in the order of the mechanism.
  std::vector<BodyMotion> bodies;
  std::vector<BodyMotion> nodes;  ///< of rigid systems of particles, body by body
  std::vector<JointMotion> joints;
  std::vector<ConstraintMotion> constraints;
  std::vector<double> forces;  ///< of springs and joint forces, as Forces::scalars
  std::vector<PointMotion> points;
  std::vector<double> states;  ///< z of Mechanism::states

  // Of a system in coordinates.
  Vec quasi_velocities;
  Vec multipliers;  ///< of all rows
};

/// A summary of the samples that the sink received and the trajectory does not keep.
struct PassedSamples {
  Invariants greatest;                                  ///< only its residuals and its group defect are set
  std::vector<char> shared_joints, shared_constraints;  ///< 1: a reaction was not unique; empty: all unique
};

/// The result of a run, of bodies or in coordinates: samples at the output times, and a summary.
struct Trajectory {
  std::vector<Sample> samples;  ///< the first is the start, the last the end (or last good state)
  PassedSamples passed;
  RunSummary summary;
  double energy_max_drift = 0;    ///< greatest |E - E0 - work| over the samples, J
  double energy_drift_slope = 0;  ///< least-squares slope of E - E0 - work over the samples, J/s
};

/// Names of the joints and constraints whose reactions are not unique in at least one sample, kept or not:
/// redundant rows share these reactions, by least norm.
std::vector<std::string> shared_reactions(const Mechanism& mechanism, const Trajectory& trajectory);

/// Receives samples during the run, so that long runs of large mechanisms need not keep them.
using SampleSink = std::function<void(const Sample&)>;

/// Integrates a model and collects the samples. With a `sink`, which receives every sample that is read
/// (SimulationOptions::reads), the trajectory keeps only the first and the last. The indices of recorded
/// events count `options.events` first, then `events`. If the forces cannot be evaluated at the start, the
/// sample of the start has NaN accelerations and reactions.
///
/// The method integrates the work (Invariants::work) along with the motion. Where the method takes only the
/// mechanism itself (lie-verlet), the trapezoidal rule over its steps gives the work, to order 2.
///
/// Throws std::invalid_argument when the options are not usable with the model: the method's
/// `why_unsuitable`, an unknown name (with the nearest known one), an event of a joint, coordinate, body or
/// other quantity that does not exist. Throws it too if the norm of a quaternion of the start differs from 1
/// by more than 1e-9.
Trajectory run(const Model& model, const State& start, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points = {}, const std::vector<EventSpec>& events = {},
               const SampleSink& sink = {});

}  // namespace torsor
