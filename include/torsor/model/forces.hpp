#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "torsor/model/workspace.hpp"

namespace torsor {

/// All errors in the forces of a mechanism, one sentence each, naming the force; empty if they can be
/// evaluated. `Model` refuses a mechanism for these reasons.
Reasons why_forces_invalid(const Mechanism& mechanism);

/// Whether a force is a scalar: the tension of a spring, N, positive if it pulls its ends together; the
/// generalised force of a joint force, N or N m.
inline bool is_scalar(const Force& force) {
  return std::holds_alternative<PointSpring>(force.law) || std::holds_alternative<JointForce>(force.law);
}

struct UserForceScratch;

/// All force laws of a model. V is the sum of their potentials with the parameters at time t. P is the
/// power of all other forces (dampers, loads, drives, users' forces) plus the explicit rate of change of V
/// (stiffnesses and fields that depend on time). Every motion obeys
///
///   d/dt (kinetic energy + V) = P.
///
/// Keeps a reference to the model, which must outlive it, and scratch memory: one object serves one thread.
///
/// Evaluations throw EvaluationError: callback_failed if a user's function throws or returns a number that
/// is not finite, non_finite if a law does. Both name the force.
class Forces {
 public:
  explicit Forces(const Model& model);
  ~Forces();
  Forces(Forces&&) noexcept;

  /// Loads at (t, q, v). Runs forward_kinematics for (q, v) first if a law needs world positions; otherwise
  /// it does not change the workspace: uniform gravity alone costs nothing.
  void evaluate(double t, VecIn q, VecIn v, Workspace<double>& work, Loads<double>& loads) const;
  /// Whether `evaluate` runs forward_kinematics.
  bool needs_kinematics() const { return needs_kinematics_; }

  /// The scalar forces in their order; after forward_kinematics for (q, v).
  std::vector<double> scalars(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// V, after forward_kinematics for (q, v).
  double potential(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// P, after `evaluate` (or forward_kinematics) for (q, v).
  double power(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// The wrench of the joint forces in a joint outside the tree on its declared child, at the origin of M,
  /// world axes; after forward_kinematics for (q, v).
  Wrench joint_drive(int joint, double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// The forces on the nodes of a body by forces that name nodes, world axes, in columns; after
  /// forward_kinematics for (q, v). `loads` is scratch memory.
  Eigen::Matrix3Xd on_nodes(int body, double t, VecIn q, VecIn v, const Workspace<double>& work,
                            Loads<double>& loads) const;
  /// Whether P is zero on every motion.
  bool conserve_energy() const { return conserve_energy_; }
  /// Why some force may depend on velocities, naming it; empty if all depend on t and q only.
  std::string why_velocity_dependent() const;

 private:
  void add(const Force& force, double t, VecIn q, VecIn v, const Workspace<double>& work,
           Loads<double>& loads) const;
  [[noreturn]] void blame(double t, VecIn q, VecIn v, const Workspace<double>& work,
                          Loads<double>& loads) const;

  const Model* model_;
  std::unique_ptr<UserForceScratch> user_;
  std::vector<const Force*> acting_;  ///< all forces except constant uniform gravity
  Vec3 steady_gravity_ = Vec3::Zero();
  bool needs_kinematics_ = false, has_wrenches_ = false, has_tau_ = false, conserve_energy_ = true;
};

}  // namespace torsor
