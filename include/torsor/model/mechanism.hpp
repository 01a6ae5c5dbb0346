#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"
#include "torsor/model/joint_kind.hpp"
#include "torsor/model/time_function.hpp"

namespace torsor {

/// The index of the ground as a body.
inline constexpr int world = -1;

/// One mass point of a rigid system of particles, in axes of its body from the mass centre.
struct ParticleNode {
  std::string name;
  double mass = 1;  ///< kg, > 0
  Vec3 p = Vec3::Zero();
};

/// A rigid body; its frame B is at the centre of mass. A particle has no attitude and no inertia. A rigid
/// system of particles is a body with `nodes` (rigid_particles.hpp).
struct Body {
  std::string name;
  double mass = 1;                  ///< kg, > 0
  Mat3 inertia = Mat3::Identity();  ///< about the centre of mass in body axes, kg m^2
  GroupProduct group = GroupProduct::direct;
  bool particle = false;
  std::vector<ParticleNode> nodes = {};
};

/// A joint between two bodies or the ground, with a frame on each side.
struct Joint {
  std::string name;
  JointKind kind = JointKind::free;
  int parent = world;  ///< index of a body, or `world`
  int child = 0;
  SE3<> X_PF = SE3<>::identity();  ///< joint frame F in the parent's body frame
  SE3<> X_CM = SE3<>::identity();  ///< joint frame M in the child's body frame
  double pitch = 0;                ///< helical: m per rad
};

// ---- forces ----------------------------------------------------------------------------------------------

using TimeVec3 = std::array<TimeFunction, 3>;

/// A point fixed on a body (body axes, from the centre of mass) or on the ground (world axes).
struct BodyPoint {
  int body = world;
  Vec3 p = Vec3::Zero();
  int node = -1;  ///< the node of the body at this point, on which the force acts; -1: no node
};

/// Uniform gravity: acceleration g in world axes, on every body and particle.
struct UniformGravity {
  TimeVec3 g{0., 0., -9.81};
};

/// Central field of strength mu (m^3/s^2) at `centre`, with the gravity-gradient terms of MacCullagh's
/// potential
///   V = -mu m / r - mu / (2 r^3) (tr J - 3 u . R J R^T u),  u = x / r.
struct CentralGravity {
  TimeFunction mu = 1.;
  Vec3 centre = Vec3::Zero();
  bool gradient = true;
};

/// Spring and damper along the line between two points.
struct PointSpring {
  BodyPoint a, b;
  TimeFunction stiffness = 0., damping = 0., rest_length = 0.;  ///< N/m, N s/m, m
};

/// Spring, damper (viscous friction) and drive in one coordinate of a joint: generalised force
/// f - k (q - q0) - c q'. Spherical and free joints have no independent coordinates: there the generalised
/// force is a component of the torque or of the force, and the stiffness k must be zero.
struct JointForce {
  int joint = 0;       ///< index in Mechanism::joints
  int coordinate = 0;  ///< which velocity component of the joint
  TimeFunction stiffness = 0., rest = 0., damping = 0., force = 0.;
};

/// Force f and torque m on a body at a point, components in world or body axes.
struct BodyForce {
  BodyPoint point;
  TimeVec3 force{0., 0., 0.}, torque{0., 0., 0.};
  bool body_axes = false;
};

/// Linear field on the mass centre or another point: f = -K (x - x0) - C v + charge * v x B, world axes.
struct LinearField {
  int body = 0;
  Mat3 K = Mat3::Zero(), C = Mat3::Zero();
  TimeVec3 x0{0., 0., 0.}, B{0., 0., 0.};
  TimeFunction charge = 0.;
  Vec3 p = Vec3::Zero();  ///< its point of action, body axes
  int node = -1;          ///< as BodyPoint::node
};

/// Argument of users' functions for each body: pose and velocities (world axes, mass centre).
struct BodyKinematics {
  SE3<> X_WB;
  Vec3 v_W, omega_W;
};
/// Force and torque, world axes.
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
/// A force law as a user's function. For each body it adds to the wrench at the mass centre, world axes.
struct UserForce {
  std::string name;
  std::function<void(double t, const std::vector<BodyKinematics>& bodies, std::vector<Wrench>& wrenches)>
      function;
};

struct Force {
  std::string name;
  std::variant<UniformGravity, CentralGravity, PointSpring, JointForce, BodyForce, LinearField, UserForce>
      law;
};

// ---- constraints -----------------------------------------------------------------------------------------

/// A point whose position may depend on time: on a body in body axes, on the ground in world axes.
struct MovingPoint {
  int body = world;
  TimeVec3 p{0., 0., 0.};
};

/// |a - b| = length: a massless rod.
struct Distance {
  MovingPoint a, b;
  TimeFunction length = 1.;
};

/// The point stays on the line through `origin` along `direction` (unit, axes of the origin's body).
struct PointOnLine {
  MovingPoint point, origin;
  Vec3 direction = Vec3::UnitX();
};

/// (point - origin) . normal = distance; the normal is fixed in the origin's body.
struct PointOnPlane {
  MovingPoint point, origin;
  Vec3 normal = Vec3::UnitZ();
  TimeFunction distance = 0.;
};

/// The point has the position `target` along the axes of the target's body that `along` selects.
struct PointDriver {
  MovingPoint point, target;
  std::array<bool, 3> along{true, true, true};
};

/// u_a . u_b = cos(angle): each unit vector is fixed in a body (body axes) or in the ground (world axes).
struct ConstantAngle {
  int body_a = world, body_b = world;
  Vec3 u_a = Vec3::UnitZ(), u_b = Vec3::UnitZ();
  TimeFunction angle = 0.;  ///< rad, inside (0, pi)
};

/// Homokinetic joint: the origins of the frames F (of the parent) and M (of the child) coincide, and the
/// rotation from F to M has no twist about z, R_FM = exp(a), a_z = 0. Four rows.
struct ConstantVelocityJoint {
  int parent = world, child = 0;
  SE3<> X_PF = SE3<>::identity(), X_CM = SE3<>::identity();
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
};

/// sum_k c_k . w_k = value(t), where w_k is the velocity of a point of a body, the angular velocity of a
/// body, or a joint rate. The vectors c_k are in world or in body axes. Examples: knife edge and skate
/// (velocity of a point along the blade's normal), Suslov (angular velocity), speed couplers, constant
/// speeds.
struct VelocityLaw {
  struct Term {
    enum class Quantity { point_velocity, angular_velocity, joint_rate };
    Quantity quantity = Quantity::point_velocity;
    BodyPoint point;         ///< for the first two quantities; the second uses only point.body
    Vec3 c = Vec3::UnitX();  ///< weights of the components
    bool body_axes = true;
    int joint = 0, coordinate = 0;  ///< for joint rates
    double ratio = 1;
  };
  std::vector<Term> terms;
  TimeFunction value = 0.;
};

// Rolling surfaces of a body, centred at Rolling::centre (body axes).
struct RollingSphere {
  double radius = 1;
};
/// Circle of `radius` about `axis` (unit). Its edge has a circular cross-section of radius `edge` (0: thin
/// disk).
struct RollingDisk {
  Vec3 axis = Vec3::UnitY();
  double radius = 1, edge = 0;
};
struct RollingEllipsoid {
  Vec3 semi_axes = Vec3::Ones();
};

/// Plane through `point(t)`; its normal is `normal` rotated by `angle(t)` about the fixed unit vector `axis`;
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
};

struct Constraint {
  std::string name;
  std::variant<Distance, PointOnLine, PointOnPlane, PointDriver, ConstantAngle, ConstantVelocityJoint,
               JointCoupling, VelocityLaw, Rolling, UserConstraint>
      law;
};

/// A mechanism as the user gives it: plain data in any order. `Model` is its checked and sorted form.
struct Mechanism {
  std::vector<Body> bodies = {};
  std::vector<Joint> joints = {};
  std::vector<Force> forces = {};
  std::vector<Constraint> constraints = {};
};

}  // namespace torsor
