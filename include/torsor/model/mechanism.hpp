#pragma once

#include <array>
#include <string>
#include <vector>

#include "torsor/model/constraint.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {

static_assert(eigen_fits_library, "compile with the options of torsor::torsor or pkg-config --cflags torsor");

/// One mass point of a rigid system of particles, in axes of its body from the mass centre.
struct ParticleNode {
  std::string name;
  double mass = 1;  ///< kg, > 0
  Vec3 p = Vec3::Zero();
};

/// A rigid body; its frame B is at the centre of mass. A particle has no attitude and no inertia. A rigid
/// system of particles is a body with `nodes`, and has their mass, centre and inertia; if the nodes are on a
/// line, the inertia also has a moment about this line (rigid_particles.hpp).
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
  /// A joint that closes a loop, or any joint in absolute formulation, has no coordinates that count full
  /// turns. At the start of a run its angles (rad, in the order of its coordinates) are those within half a
  /// turn of these. The same holds for a joint of the tree whose coordinates the start does not give.
  std::array<double, 2> angles_near{};
};

/// A number z besides the motion, such as the integrator of a controller. It is either a state, z' =
/// function, or, with a period, a sampled value: z is the value of the function at the beginning of the run
/// and at every multiple of the period after it, and constant in between.
struct OwnState {
  std::string name, unit;
  double start = 0;  ///< z before the first sample, or at the beginning of the run
  TimeFunction function = 0.;
  double period = 0;  ///< s; 0: a state
};

/// A named function of the state, defined by a program and not by a scene, for use in other functions of the
/// state. Its own inputs must not be named functions.
struct NamedFunction {
  std::string name;
  StateFunction function;
};

/// A mechanism as the user gives it: plain data in any order. `Model` is its checked and sorted form.
struct Mechanism {
  std::vector<Body> bodies = {};
  std::vector<Joint> joints = {};
  std::vector<Force> forces = {};
  std::vector<Constraint> constraints = {};
  std::vector<OwnState> states = {};
  std::vector<NamedFunction> functions = {};
};

}  // namespace torsor
