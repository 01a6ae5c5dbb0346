#pragma once

#include <array>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/model/force.hpp"

/// Plain data of the constraints of a mechanism besides its joints. `Constraints` (constraints.hpp) evaluates
/// their rows. Directions, normals and axes need not have length 1: laws take the unit vectors along them.
/// Only the vectors c of a VelocityLaw are weights, whose length counts.
namespace torsor {

/// The functions of a law of constraints, for use inside the library: how the law is read, checked, evaluated
/// and drawn. Each file in lib/model/constraints/ defines the `kind()` of its law.
template <class Law>
class ConstraintKind;

/// A point whose position may depend on time: on a body in body axes, on the ground in world axes.
struct MovingPoint {
  int body = world;
  TimeVec3 p{0., 0., 0.};
};

/// |a - b| = length: a massless rod.
struct Distance {
  MovingPoint a, b;
  TimeFunction length = 1.;
  static const ConstraintKind<Distance>& kind();
};

/// The point stays on the line through `origin` along `direction` (axes of the origin's body).
struct PointOnLine {
  MovingPoint point, origin;
  Vec3 direction = Vec3::UnitX();
  static const ConstraintKind<PointOnLine>& kind();
};

/// (point - origin) . n = distance, where n is the unit vector along the normal, which is fixed in the
/// origin's body.
struct PointOnPlane {
  MovingPoint point, origin;
  Vec3 normal = Vec3::UnitZ();
  TimeFunction distance = 0.;
  static const ConstraintKind<PointOnPlane>& kind();
};

/// The point has the position `target` along the axes of the target's body that `along` selects.
struct PointDriver {
  MovingPoint point, target;
  std::array<bool, 3> along{true, true, true};
  static const ConstraintKind<PointDriver>& kind();
};

/// u_a . u_b = cos(angle): each unit vector is fixed in a body (body axes) or in the ground (world axes).
struct ConstantAngle {
  int body_a = world, body_b = world;
  Vec3 u_a = Vec3::UnitZ(), u_b = Vec3::UnitZ();
  TimeFunction angle = 0.;  ///< rad, inside (0, pi)
  static const ConstraintKind<ConstantAngle>& kind();
};

/// Homokinetic joint: the origins of the frames F (of the parent) and M (of the child) coincide, and the
/// rotation from F to M has no twist about z, R_FM = exp(a), a_z = 0. Four rows.
struct ConstantVelocityJoint {
  int parent = world, child = 0;
  SE3<> X_PF = SE3<>::identity(), X_CM = SE3<>::identity();
  static const ConstraintKind<ConstantVelocityJoint>& kind();
};

/// sum_k ratio_k q_k = value(t) over joint coordinates: a driver (one term), gears, rack and pinion. Angles
/// count full turns.
struct JointCoupling {
  struct Term {
    int joint = 0, coordinate = 0;
    double ratio = 1;
  };
  std::vector<Term> terms;
  TimeFunction value = 0.;
  static const ConstraintKind<JointCoupling>& kind();
};

/// sum_k c_k . w_k = value(t), where w_k is the velocity of a point of a body, the angular velocity of a
/// body, or a joint rate. The vectors c_k are in world or in body axes. Examples: knife edge and skate
/// (velocity of a point along the blade's normal), Suslov (angular velocity), speed couplers, constant
/// speeds. The value may be a function of the state without velocities; it then needs StateFunction::rate.
struct VelocityLaw {
  struct Term {
    enum class Quantity { point_velocity, angular_velocity, joint_rate };
    Quantity quantity = Quantity::point_velocity;
    BodyPoint point;         ///< for the first two quantities; the second uses only point.body
    Vec3 c = Vec3::UnitX();  ///< weights of the components
    bool body_axes = true;
    int joint = 0, coordinate = 0;  ///< for joint rates
    double ratio = 1;               ///< weight of a joint rate
  };
  std::vector<Term> terms;
  TimeFunction value = 0.;
  static const ConstraintKind<VelocityLaw>& kind();
};

// Rolling surfaces of a body, centred at Rolling::centre (body axes).
struct RollingSphere {
  double radius = 1;
};
/// Circle of `radius` about `axis`. Its edge has a circular cross-section of radius `edge` (0: thin disk).
struct RollingDisk {
  Vec3 axis = Vec3::UnitY();
  double radius = 1, edge = 0;
};
struct RollingEllipsoid {
  Vec3 semi_axes = Vec3::Ones();
};

/// Plane through `point(t)`; its normal is `normal` rotated by `angle(t)` about the fixed vector `axis`;
/// world axes. The points of the plane move with it: a turntable has axis = normal.
struct MovingPlane {
  TimeVec3 point{0., 0., 0.};
  Vec3 normal = Vec3::UnitZ(), axis = Vec3::UnitZ();
  TimeFunction angle = 0.;
};

/// Rolling without slip on a plane: one holonomic row (the lowest point of the surface touches the plane) and
/// two velocity rows (the body's point there moves with the plane). `upright` also keeps a disk's axis
/// parallel to the plane (one more holonomic row).
struct Rolling {
  int body = 0;
  Vec3 centre = Vec3::Zero();
  std::variant<RollingSphere, RollingDisk, RollingEllipsoid> shape;
  MovingPlane plane;
  bool upright = false;
  static const ConstraintKind<Rolling>& kind();
};

/// Constraint rows from a user's function. For each row the function writes its values at t and at the poses
/// and velocities of the listed bodies: sum over the bodies of rows[i] . V + offset = 0, V = (velocity of the
/// mass centre; angular velocity) in world axes. `rate` is the part of the row's time derivative that does
/// not contain accelerations. phi is the integral of a holonomic row.
struct UserRows {
  std::vector<Vector<double, 6>> rows;  ///< row-major: rows x bodies
  std::vector<double> offset, rate, phi;
};
struct UserConstraint {
  std::vector<int> bodies;
  int rows = 1;
  bool holonomic = false;
  std::function<void(double t, const std::vector<BodyKinematics>& bodies, UserRows& values)> function;
  static const ConstraintKind<UserConstraint>& kind();
};

struct Constraint {
  std::string name;
  std::variant<Distance, PointOnLine, PointOnPlane, PointDriver, ConstantAngle, ConstantVelocityJoint,
               JointCoupling, VelocityLaw, Rolling, UserConstraint>
      law;
};

}  // namespace torsor
