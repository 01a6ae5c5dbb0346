#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "force_check.hpp"
#include "model/constraints/time_values.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// Input and output of a user's force, in the mechanism's order of bodies.
struct UserForceScratch {
  std::vector<BodyKinematics> bodies;
  std::vector<Wrench> wrenches;
};

/// Input of the force laws at one instant: the workspace after forward_kinematics, and the declared
/// coordinates and velocities of the joint that a JointForce acts in.
struct ForceInstant {
  const Model& model;
  const Workspace<double>& work;
  UserForceScratch& user;
  double t = 0;
  const double* joint_q = nullptr;
  const double* joint_v = nullptr;

  const Body& body(int link) const { return model.mechanism().bodies[model.body[link]]; }
};

// Each law is one file, which defines the functions below for its data.

/// Collects what is wrong with the data.
void check(const UniformGravity& law, ForceCheck& at);
void check(const CentralGravity& law, ForceCheck& at);
void check(const PointSpring& law, ForceCheck& at);
void check(const JointForce& law, ForceCheck& at);
void check(const BodyForce& law, ForceCheck& at);
void check(const LinearField& law, ForceCheck& at);
void check(const UserForce& law, ForceCheck& at);

/// Adds the wrenches of a law. Uniform gravity adds none because the recursions treat it as an acceleration
/// of the ground. A JointForce adds none because it acts on coordinates.
void add_wrenches(const CentralGravity& law, const ForceInstant& now, Loads<double>& loads);
void add_wrenches(const PointSpring& law, const ForceInstant& now, Loads<double>& loads);
void add_wrenches(const BodyForce& law, const ForceInstant& now, Loads<double>& loads);
void add_wrenches(const LinearField& law, const ForceInstant& now, Loads<double>& loads);
void add_wrenches(const UserForce& law, const ForceInstant& now, Loads<double>& loads);
inline void add_wrenches(const UniformGravity&, const ForceInstant&, Loads<double>&) {}
inline void add_wrenches(const JointForce&, const ForceInstant&, Loads<double>&) {}

/// Tension of a spring, N, positive where it pulls its ends together.
double tension(const PointSpring& law, const ForceInstant& now);
/// Generalised force f - k (q - q0) - c q' of a joint force.
double generalised_force(const JointForce& law, const ForceInstant& now);

/// Potential V with the parameters frozen at the instant; zero for a law without a potential.
double potential(const UniformGravity& law, const ForceInstant& now);
double potential(const CentralGravity& law, const ForceInstant& now);
double potential(const PointSpring& law, const ForceInstant& now);
double potential(const JointForce& law, const ForceInstant& now);
double potential(const LinearField& law, const ForceInstant& now);
inline double potential(const BodyForce&, const ForceInstant&) { return 0; }
inline double potential(const UserForce&, const ForceInstant&) { return 0; }

/// Power P of the forces that are not -dV/dx, plus the explicit time derivative of V. On any motion
/// d(T + sum V)/dt = sum P, T the kinetic energy.
double power(const UniformGravity& law, const ForceInstant& now);
double power(const CentralGravity& law, const ForceInstant& now);
double power(const PointSpring& law, const ForceInstant& now);
double power(const JointForce& law, const ForceInstant& now);
double power(const BodyForce& law, const ForceInstant& now);
double power(const LinearField& law, const ForceInstant& now);
double power(const UserForce& law, const ForceInstant& now);

/// Whether P is zero on every motion: no damping, no load, no dependence on time.
bool conserves_energy(const UniformGravity& law);
bool conserves_energy(const CentralGravity& law);
bool conserves_energy(const PointSpring& law);
bool conserves_energy(const JointForce& law);
bool conserves_energy(const LinearField& law);
bool conserves_energy(const BodyForce& law);
inline bool conserves_energy(const UserForce&) { return false; }

/// Whether the force may depend on velocities.
inline bool depends_on_velocity(const UniformGravity&) { return false; }
inline bool depends_on_velocity(const CentralGravity&) { return false; }
bool depends_on_velocity(const PointSpring& law);
bool depends_on_velocity(const JointForce& law);
bool depends_on_velocity(const LinearField& law);
inline bool depends_on_velocity(const BodyForce&) { return false; }
inline bool depends_on_velocity(const UserForce&) { return true; }

/// Whether the force acts on a node of a body.
inline bool acts_on(const BodyPoint& point, int body, int node) {
  return point.body == body && point.node == node;
}
bool acts_on(const PointSpring& law, int body, int node);
bool acts_on(const BodyForce& law, int body, int node);
bool acts_on(const LinearField& law, int body, int node);
inline bool acts_on(const UniformGravity&, int, int) { return false; }
inline bool acts_on(const CentralGravity&, int, int) { return false; }
inline bool acts_on(const JointForce&, int, int) { return false; }
inline bool acts_on(const UserForce&, int, int) { return false; }

/// dV/dt of V = k (y - y0)^2 / 2 at fixed y.
double explicit_power(const TimeFunction& stiffness, const TimeFunction& rest, double y, double t);

}  // namespace torsor
