#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"
#include "torsor/model/time_function.hpp"

namespace torsor {

/// The ground where a body is asked for.
inline constexpr int world = -1;

/// How the freedoms of a free body compose (doi 10.1007/s11071-023-08326-9, eqs. 94-121): `direct` is R^3 x
/// SO(3), velocity (x', Omega), x' in world axes; `semidirect` is SE(3), velocity (R^T x', Omega).
enum class GroupProduct { direct, semidirect };

/// A rigid body; its frame B sits at the centre of mass. A particle has no attitude and no inertia.
struct Body {
  std::string name;
  double mass = 1;                  ///< kg, > 0
  Mat3 inertia = Mat3::Identity();  ///< about the centre of mass in body axes, kg m^2
  GroupProduct group = GroupProduct::direct;
  bool particle = false;
};

/// Freedoms of a joint: motion of the child's joint frame M in the parent's joint frame F.
enum class JointKind {
  fixed,        ///< none
  revolute,     ///< angle about z, counts turns                               q: angle
  prismatic,    ///< translation along z                                       q: displacement
  helical,      ///< angle about z and pitch * angle along z                   q: angle
  cylindrical,  ///< translation along z, then angle about z                   q: displacement, angle
  universal,    ///< R = Rx(q0) Ry(q1): cross axes x of F and y of M           q: two angles
  planar,       ///< (x, y) in the plane of F, angle about z                   q: x, y, angle
  spherical,    ///< SO(3); v: angular velocity of M in F, in axes of M        q: quaternion x y z w
  free,         ///< R^3 x SO(3) or SE(3) by the child's `group`               q: x y z, quaternion x y z w
  translation,  ///< R^3, displacement of M in axes of F (free particles)      q: x y z
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

/// Number of stored coordinates and of velocities of a joint.
int coordinate_count(JointKind kind);
int freedom_count(JointKind kind);

// ---- forces
// ----------------------------------------------------------------------------------------------------

using TimeVec3 = std::array<TimeFunction, 3>;

/// Point fixed on a body (body axes, from the centre of mass) or on the ground.
struct BodyPoint {
  int body = world;
  Vec3 p = Vec3::Zero();
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

/// Spring, damper (viscous friction) and drive in one coordinate of a joint with independent coordinates:
/// generalised force  f - k (q - q0) - c q'. On a spherical or free joint: torque/force vector components,
/// damping only.
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

/// Linear field on the mass centre: f = -K (x - x0) - C v + charge * v x B, world axes.
struct LinearField {
  int body = 0;
  Mat3 K = Mat3::Zero(), C = Mat3::Zero();
  TimeVec3 x0{0., 0., 0.}, B{0., 0., 0.};
  TimeFunction charge = 0.;
};

/// What a user's force sees and returns for each body: pose and velocities in, force and torque out (world
/// axes, at the mass centre). Added to whatever is there.
struct BodyKinematics {
  SE3<> X_WB;
  Vec3 v_W, omega_W;
};
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
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

/// A mechanism as its user writes it: plain data, any order. `Model` is the checked, sorted form.
struct Mechanism {
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Force> forces;
};

}  // namespace torsor
