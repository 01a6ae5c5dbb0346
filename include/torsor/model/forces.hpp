#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "torsor/model/workspace.hpp"

namespace torsor {

/// Everything that is wrong with the forces of a mechanism, one sentence each, naming the force; empty when
/// they can be evaluated. `Model` refuses a mechanism for these reasons.
Reasons why_forces_invalid(const Mechanism& mechanism);

/// Whether a force is one number: the tension of a spring, N, positive where it pulls its ends together; the
/// generalised force of a joint force, N or N m.
inline bool is_scalar(const Force& force) {
  return std::holds_alternative<PointSpring>(force.law) || std::holds_alternative<JointForce>(force.law);
}

struct UserForceScratch;

/// All force laws of a model. With V the sum of their potentials, parameters frozen at t, and P the power of
/// all that is not -dV/dx, the explicit change of V in time included (dampers, loads, drives, users' forces,
/// stiffnesses and fields that change), every motion obeys
///
///   d/dt (kinetic energy + V) = P.
///
/// Refers to the model, which must live longer; keeps scratch, so one object serves one thread.
///
/// Evaluations throw EvaluationError: callback_failed where a user's function throws or returns a number that
/// is not finite, non_finite where a law does, both naming the force.
class Forces {
 public:
  explicit Forces(const Model& model);
  ~Forces();
  Forces(Forces&&) noexcept;

  /// Loads at (t, q, v). Runs forward_kinematics for (q, v) first where a law asks for world positions, else
  /// leaves the workspace as it is: uniform gravity alone costs nothing.
  void evaluate(double t, VecIn q, VecIn v, Workspace<double>& work, Loads<double>& loads) const;
  /// Whether `evaluate` runs forward_kinematics.
  bool needs_kinematics() const { return needs_kinematics_; }

  /// The forces that are one number, in their order; after forward_kinematics for (q, v).
  std::vector<double> scalars(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// V, after forward_kinematics for (q, v).
  double potential(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// P, after `evaluate` (or forward_kinematics) for (q, v).
  double power(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// What the joint forces in a joint outside the tree exert on its declared child, at the origin of M, world
  /// axes; after forward_kinematics for (q, v).
  Wrench joint_drive(int joint, double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// What the forces that name nodes of a body exert on each of them, world axes, in columns; after
  /// forward_kinematics for (q, v). `loads` is scratch.
  Eigen::Matrix3Xd on_nodes(int body, double t, VecIn q, VecIn v, const Workspace<double>& work,
                            Loads<double>& loads) const;
  /// Whether P is zero on every motion.
  bool conserve_energy() const { return conserve_energy_; }
  /// Why some force may depend on velocities, naming it; empty when all depend on t and q alone.
  std::string why_velocity_dependent() const;

 private:
  void add(const Force& force, double t, VecIn q, VecIn v, const Workspace<double>& work,
           Loads<double>& loads) const;
  [[noreturn]] void blame(double t, VecIn q, VecIn v, const Workspace<double>& work,
                          Loads<double>& loads) const;

  const Model* model_;
  std::unique_ptr<UserForceScratch> user_;
  std::vector<const Force*> acting_;  ///< all but uniform gravity that does not change
  Vec3 steady_gravity_ = Vec3::Zero();
  bool needs_kinematics_ = false, has_wrenches_ = false, has_tau_ = false, conserve_energy_ = true;
};

}  // namespace torsor
