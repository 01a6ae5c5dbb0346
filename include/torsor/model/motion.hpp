#pragma once

#include <string>

#include "torsor/model/workspace.hpp"

namespace torsor {

/// Motion of one body as in the results: mass centre in world axes, angular velocity in body axes.
/// `reaction` is the sum of the forces of all joints and constraints on it, world axes, N. The reaction on a
/// particle of a rigid system does not depend on which rods hold the particles (Modugno, Vitolo, The geometry
/// of Newton's law and rigid systems, (4.30)).
struct BodyMotion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero(), vdot = Vec3::Zero();
  SO3<> R = SO3<>::identity();
  Vec3 Omega = Vec3::Zero(), Omegadot = Vec3::Zero();
  Vec3 reaction = Vec3::Zero();
};

/// A joint as declared: coordinates, rates, their time derivatives, and the reaction that the parent exerts
/// on the child at the child's joint point, world axes, including the joint forces.
struct JointMotion {
  Vec q, v, a;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  bool unique = true;  ///< false if redundant constraints share the reaction; it then has least norm
};

/// The force of a constraint on the first body that it names (the ground does not count), its torque about
/// the mass centre of this body (world axes), and its multipliers, one for each row.
struct ConstraintMotion {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  Vec multipliers;
  double power = 0;    ///< power that a moving constraint supplies, -lambda a0, W
  bool unique = true;  ///< as JointMotion::unique
};

struct Invariants {
  double kinetic = 0, potential = 0;  ///< J
  /// Of non-conservative and time-dependent forces and of moving constraints, since the start, J.
  double work = 0;
  Vec3 linear_momentum = Vec3::Zero();   ///< kg m/s, world
  Vec3 angular_momentum = Vec3::Zero();  ///< about the world origin, kg m^2/s, world
  double group_defect = 0;               ///< greatest ||quaternion| - 1|
  double position_residual = 0;          ///< greatest |phi| of the constraints
  double velocity_residual = 0;          ///< greatest |A v + a0|
  double acceleration_residual = 0;      ///< |G v' + b - f| relative to the greatest term
  double energy() const { return kinetic + potential; }
};

/// A point for the results: fixed on a body or on the ground.
struct TrackedPoint {
  std::string name;
  BodyPoint point;
};
struct PointMotion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero();
};

/// Motion of a body of the mechanism, after forward_kinematics and body_accelerations.
BodyMotion body_motion(const Model& model, const Workspace<double>& work, int body);

/// Position and velocity of a point, world axes, after forward_kinematics.
PointMotion point_motion(const Model& model, const Workspace<double>& work, const BodyPoint& point);

}  // namespace torsor
