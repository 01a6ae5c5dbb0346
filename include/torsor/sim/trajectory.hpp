#pragma once

#include <string>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {

/// Motion of one body as results give it: mass centre in world axes, angular velocity in body axes.
struct BodyMotion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero(), vdot = Vec3::Zero();
  SO3<> R = SO3<>::identity();
  Vec3 Omega = Vec3::Zero(), Omegadot = Vec3::Zero();
};

/// A joint as declared: coordinates, rates, and the reaction that the parent exerts on the child at the child's joint
/// point, world axes.
struct JointMotion {
  Vec q, v;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

struct Invariants {
  double kinetic = 0, potential = 0;
  double work = 0;                                   ///< of all non-conservative and time-dependent forces so far, J
  Vec3 linear_momentum = Vec3::Zero();               ///< kg m/s, world
  Vec3 angular_momentum = Vec3::Zero();              ///< about the world origin, kg m^2/s, world
  double group_defect = 0;                           ///< greatest ||quaternion| - 1|
  double acceleration_residual = 0;                  ///< |G v' + b - f| relative to the greatest term
  double energy() const { return kinetic + potential; }
};

/// A point to report: fixed on a body or the ground.
struct TrackedPoint {
  std::string name;
  BodyPoint point;
};
struct PointMotion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero();
};

/// An event in terms of the mechanism: quantity - value crosses zero.
struct EventSpec {
  enum class Quantity { joint_coordinate, joint_rate, point_position, point_velocity };
  std::string name;
  Quantity quantity = Quantity::joint_coordinate;
  int joint = 0, coordinate = 0;                     ///< of joint quantities
  BodyPoint point;                                   ///< of point quantities: component along
  Vec3 direction_W = Vec3::UnitZ();                  ///< this unit vector
  TimeFunction value = 0.;
  int direction = 0;                                 ///< as Event::direction
  bool stop = false;
};

/// Everything about one instant.
struct Sample {
  double t = 0;
  State x;
  Vec a;
  std::vector<BodyMotion> bodies;                    ///< in the mechanism's order, as `joints`
  std::vector<JointMotion> joints;
  std::vector<PointMotion> points;
  Invariants invariants;
};

/// A run: samples at the output times and how it went.
struct Trajectory {
  std::vector<Sample> samples;                       ///< the first is the start, the last the end (or last good state)
  RunSummary summary;
  double energy_max_drift = 0;                       ///< greatest |E - E0 - work| over the samples, J
  double energy_drift_slope = 0;                     ///< least-squares slope of E - E0 - work, J/s
};

/// Integrates a model and collects the samples. Throws std::invalid_argument when the options are not usable with it
/// (the method's `why_unsuitable`, an unknown name with the nearest one).
Trajectory run(const Model& model, const State& start, const SimulationOptions& options,
               const std::vector<TrackedPoint>& points = {}, const std::vector<EventSpec>& events = {});

}  // namespace torsor
