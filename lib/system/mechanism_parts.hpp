#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "model/detail/local_kinematics.hpp"
#include "projection.hpp"
#include "system/singularity/closed_loops.hpp"
#include "system/singularity/redundant_rows.hpp"
#include "system/treatments/constraint_dynamics.hpp"
#include "system/treatments/minimal_velocities.hpp"
#include "system/treatments/viscous_friction.hpp"
#include "tree_tangent.hpp"

namespace torsor {

/// The equations and solvers of a mechanism.
struct MechanismSystem::Parts {
  Parts(const TreeSystem& tree, Treatment treatment_, const TreatmentParameters& parameters_)
      : bodies(tree.model(), tree.forces()),
        rows(bodies.constraints(), treatment_ == Treatment::viscous),
        solver(bodies, rows),
        redundant(bodies, rows, solver),
        projection(tree, bodies, rows, solver),
        loops(tree.model().size(), bodies.constraints().items()),
        treatment(treatment_),
        parameters(parameters_) {
    if (rows.any_replaced()) viscous.emplace(parameters, bodies, rows);
    if (treatment == Treatment::dynamic) dynamic.emplace(parameters, bodies);
    if (treatment == Treatment::minimal) minimal.emplace();
    for (Vec* six : {&W, &V, &bias}) six->setZero(6 * tree.model().size());
    for (Vec* row : {&s, &y, &reactions}) row->setZero(bodies.constraints().size());
  }

  using Multipliers = KktSolver::Multipliers;

  /// Sets W: the loads at the instant of `bodies` with the gyroscopic terms and friction.
  void load_bodies();
  /// Sets W and s of the saddle-point equations for the accelerations at (t, q, v).
  void set_equations(const MechanismSystem& system, double t, VecIn q, VecIn v);
  /// Sets the acceleration, and the multipliers y.
  void accelerate(const MechanismSystem& system, double t, VecIn q, VecIn v, VecOut a, Multipliers which);
  /// Conditioning::visit_loops at the instant of `bodies`.
  void visit_loops(double above, const std::vector<Vec>& v, const Conditioning::VisitLoops& visit);
  /// Whether the nearest state to a stage with the velocity v may lie on another branch.
  bool may_leave_branch(const MechanismSystem& system, double t, VecIn v);
  /// Whether the configuration moves by V(t, q, v) and not by v (VelocityMap).
  bool maps_velocity() const;
  /// out = V(t, q, v). `out` may be v.
  void map_velocity(const MechanismSystem& system, double t, VecIn q, VecIn v, VecOut out);
  /// The velocity for which the acceleration at (t, q, v) is computed: V(t, q, v), or v without VelocityMap.
  const Vec& velocity_of(const MechanismSystem& system, double t, VecIn q, VecIn v);

  mechanics::BodyEquations bodies;
  mechanics::StepperRows rows;
  mechanics::BodySolver solver;
  mechanics::RedundantRows redundant;
  mechanics::Projection projection;
  const mechanics::ClosedLoops loops;
  const Treatment treatment;
  const TreatmentParameters parameters;
  std::optional<mechanics::ViscousFriction> viscous;
  std::optional<mechanics::ConstraintDynamics> dynamic;
  std::optional<mechanics::MinimalVelocities> minimal;
  std::unique_ptr<Tangent> tangent;  ///< made on first use

  // Buffers. Only `reactions`, the multipliers of the last acceleration, keep their values from one call of
  // the system to the next.
  Vec W, V, bias, s, y, reactions, mapped, q_near, v_near, moved;
  Vec q_begin;  ///< configuration at the beginning of the step

  bool at_beginning = true;      ///< no acceleration yet in this step
  bool steep = false;            ///< this step is near a loss of rank, or treated so
  bool starts_in_doubt = false;  ///< the rank is in doubt at the beginning of this step
  bool repeats_steep = false;    ///< the next step is treated as near a loss of rank
};

/// Throws std::invalid_argument if q, or a vector of `v` entries, is too short for the model.
inline void check_lengths(const Model& model, VecIn q, Eigen::Index v) {
  if (q.size() < model.nq() || v < model.nv()) detail::throw_too_short(model, q.size(), v);
}

}  // namespace torsor
