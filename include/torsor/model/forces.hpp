#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/model/workspace.hpp"

namespace torsor {

/// All errors in the forces of a mechanism, one sentence each, which names the force; empty if the forces can
/// be evaluated. `Model` rejects a mechanism with such errors.
Reasons why_forces_invalid(const Mechanism& mechanism);

/// The unit of the number that describes a force; empty if no single number describes the force. For a
/// spring, the number is the tension (N, positive if the spring pulls its ends together); for a joint force,
/// it is the generalised force (N or N m).
std::string_view scalar_unit(const Force& force, const Mechanism& mechanism);

struct UserForceScratch;
struct ForceInstant;
class Feedback;

/// All force laws of a model. V is the sum of their potentials with the parameters at time t. P is the
/// power of all forces that do not derive from V (dampers, loads, drives, users' forces) plus the partial
/// derivative of V with respect to time (stiffnesses and fields that depend on time). Every motion obeys
///
///   d/dt (kinetic energy + V) = P + power of the constraint forces.
///
/// Constraint forces have power only if a0 is not zero or if the treatment `viscous` replaces the constraint.
///
/// A law with a function of the state has no potential: P contains all of its power.
///
/// Keeps a reference to the model, which must outlive it, and scratch memory: one object serves one thread.
///
/// Evaluations throw EvaluationError: callback_failed if a user's function throws or returns a number that
/// is not finite, non_finite if the result of another law is not finite. Both name the force.
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

  /// The functions of the state, with the values of the own states.
  const Feedback& feedback() const { return *feedback_; }

  /// The numbers of the forces that have a scalar_unit, in the order of the mechanism; after
  /// forward_kinematics for (q, v).
  std::vector<double> scalars(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// V, after forward_kinematics for (q, v).
  double potential(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// P, after `evaluate` (or forward_kinematics) for (q, v).
  double power(double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// The wrench of all joint forces of one joint on its declared child, for a joint outside the tree. At the
  /// origin of M, world axes; after forward_kinematics for (q, v).
  Wrench joint_drive(int joint, double t, VecIn q, VecIn v, const Workspace<double>& work) const;
  /// The sum, for each node of a body, of the forces that act on this node: one column per node, world axes;
  /// after forward_kinematics for (q, v). `loads` is scratch memory.
  Eigen::Matrix3Xd on_nodes(int body, double t, VecIn q, VecIn v, const Workspace<double>& work,
                            Loads<double>& loads) const;
  /// Whether P is zero on every motion.
  bool conserve_energy() const { return conserve_energy_; }
  /// Which force depends or may depend on velocities, as a sentence; empty if all depend on t and q only.
  std::string why_velocity_dependent() const;

 private:
  void index(const Force& force);
  double power_of_loads(std::size_t acting, const ForceInstant& now) const;
  void add(const Force& force, double t, VecIn q, VecIn v, const Workspace<double>& work,
           Loads<double>& loads) const;
  [[noreturn]] void throw_for_cause(double t, VecIn q, VecIn v, const Workspace<double>& work,
                                    Loads<double>& loads) const;

  const Model* model_;
  std::unique_ptr<UserForceScratch> user_;
  std::unique_ptr<Feedback> feedback_;
  std::unique_ptr<Loads<double>> loads_;  ///< of one force; only if a force is a function of the state
  std::vector<const Force*> acting_;      ///< all forces except constant uniform gravity
  std::vector<char> of_state_;            ///< for each of them: whether it is a function of the state
  std::vector<std::vector<int>> loaded_;  ///< for each of them: the links that it loads, if of_state_
  std::map<int, std::vector<const Force*>> on_joint_;                 ///< joint forces by joint
  std::map<std::pair<int, int>, std::vector<const Force*>> on_node_;  ///< by body and node
  Vec3 steady_gravity_ = Vec3::Zero();
  bool needs_kinematics_ = false, has_wrenches_ = false, has_tau_ = false, conserve_energy_ = true;
};

}  // namespace torsor
