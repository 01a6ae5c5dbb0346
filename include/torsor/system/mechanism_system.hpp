#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/detail/shared_space.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/model/constraints.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor {

/// A model under constraints as a ConstrainedSystem: a tree with loops, or all joints in absolute form.
///
/// Every evaluation works in the velocities of the bodies, where the metric is block-diagonal and a row
/// involves only the bodies of its joint. With J the Jacobian of the body velocities in the velocities v of
/// the tree, W the loads with the inertial terms, and A_B the rows of all joints and constraints, including
/// inboard joints, the linear system
///
///   [ G_B  -A_B^T ] [ V'     ]   [ W      ]
///   [ A_B     0   ] [ lambda ] = [ -gamma ],     V' = J v' + J' v,
///
/// is solved at linear cost (KktSolver), from the leaves to the root, by the articulated-body recursion
/// extended by the multipliers of the loops. Both formulations use this solver, and therefore share the rows
/// and the multipliers of least norm. In this norm, torques are divided by a length that does not depend on
/// the configuration: the greatest distance of a joint from the mass centre of a body that it connects, but
/// at least the greatest radius of gyration. Only joints and bodies with rows count.
///
/// The m rows that a stepper sees are those of `Constraints` without the inboard joints. The system itself
/// implements three treatments:
///
///   dynamic   A v' = -gamma - D (A v + a0) - K phi. Damping and stiffness follow from the applied forces f
///             and the constraint inertia m_RR = c_R^T G c_R, with C = G^-1 A^T (A G^-1 A^T)^-1:
///               D_R = (c_RR + m_RR')/m_RR,  c_RR = -c_R^T df/dv c_R - (dc_R/dt)^T G c_R,
///               K_R = k_RR/m_RR,            k_RR = -c_R^T df/dq c_R,   0 for rows without phi.
///             If `floors` is set, they are at least 2 zeta omega_s and omega_s^2. Derivatives of f, m_RR and
///             a0 are central differences, so this is for small systems. doi 10.1007/s11044-022-09831-y
///   minimal   the dependent velocities v_d follow from the independent velocities v_i by
///             A_d v_d = -(A_i v_i + a0): v = N u + nu with u = v_i and N = [-A_d^-1 A_i; I]. At the
///             beginning of a step, v_d is chosen anew if the volume of the columns A_d is below half of
///             the volume of the columns that pivoting would choose. Dense, for small systems; evaluations
///             allocate memory
///   viscous   the force -(mu/eps) A^T (A v + a0) replaces the rows without phi. Their residuals and their
///             rows of A are 0, and their multipliers are those of this force
///
/// Refers to the model, which must live longer. Keeps scratch, so one object serves one thread.
class MechanismSystem : public SharedSpace<ConstrainedSystem> {
 public:
  MechanismSystem(const Model& model, const LinkLengths& lengths, Treatment treatment = Treatment::index_1,
                  const TreatmentParameters& parameters = {});
  ~MechanismSystem() override;

  const EulerPoincare* euler_poincare() const override { return tree_.euler_poincare(); }
  Tangent* tangent() const override;
  const VelocityMap* velocity_map() const override;
  const PoweredRows* power() const override;
  const OwnStates* own_states() const override { return tree_.own_states(); }
  const Switching* switching() const override { return tree_.switching(); }
  const CountedAngles* counted_angles() const override { return tree_.counted_angles(); }
  StepChoices& choices() const override;
  const Conditioning& conditioning() const override;

  const std::vector<char>& holonomic() const override;
  bool positions_move() const override;
  std::optional<Treatment> treatment() const override;
  std::vector<std::string> row_names() const override;
  Part part_of_row(int row) const override;
  void force(double t, VecIn q, VecIn v, VecOut f) const override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void constraint_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void reaction(double t, VecIn q, VecIn lambda, VecOut out) const override;
  void position_residual(double t, VecIn q, VecOut phi) const override;
  void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const override;
  void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const override;
  void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const override;

  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const override;
  using ConstrainedSystem::solve;
  void solve(Factors, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const override;
  bool project_position(double t, VecOut q) const override;
  void project_velocity(double t, VecIn q, VecOut v) const override;

  const Model& model() const { return tree_.model(); }
  const Constraints& constraints() const;
  const TreeSystem& tree() const { return tree_; }

  /// The equations and solvers, for the sources of the library.
  struct Parts;
  Parts& parts() const { return *parts_; }

 private:
  struct Capabilities;

  TreeSystem tree_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Capabilities> capabilities_;
};

}  // namespace torsor
