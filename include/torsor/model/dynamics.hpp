#pragma once

#include "torsor/lie/status.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/motion.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// Accelerations a of the tree with G(q) a + b(q, v) = tau + J^T wrenches, by the articulated-body recursion
/// (Featherstone, Rigid Body Dynamics Algorithms, ch. 7). The cost is linear in the number of links. The
/// recursion uses the classical accelerations of the joint points in place of spatial accelerations, so it
/// needs no linear velocities. Throws EvaluationError(singular), which names the body, if a joint has no
/// inertia to accelerate.
///
/// If `loads.has_wrenches`, forward_kinematics must have run for (q, v) in this workspace.
template <class Scalar>
void forward_dynamics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, const Loads<Scalar>& loads,
                      Workspace<Scalar>& work, OutOf<Scalar> a);

/// The same if local_kinematics or forward_kinematics has already run for (q, v) in this workspace.
template <class Scalar>
void forward_dynamics(const Model& model, InOf<Scalar> v, const Loads<Scalar>& loads, Workspace<Scalar>& work,
                      OutOf<Scalar> a);

/// Joint forces that cause the accelerations a: G(q) a + b(q, v) - J^T wrenches, by the recursive
/// Newton-Euler method; `loads.tau` is not read. Stores the wrench that each inboard joint transmits in
/// work.joint_wrench. Call it after local_kinematics (after forward_kinematics if `loads.has_wrenches`).
template <class Scalar>
void inverse_dynamics(const Model& model, InOf<Scalar> v, InOf<Scalar> a, const Loads<Scalar>& loads,
                      Workspace<Scalar>& work, OutOf<Scalar> tau);

/// The mass matrix G(q), nv x nv, dense and symmetric, by the composite-rigid-body algorithm; call it after
/// local_kinematics.
template <class Scalar>
void mass_matrix(const Model& model, Workspace<Scalar>& work, MatOutOf<Scalar, Eigen::Dynamic> G);

// Compiled once, in the library, as the functions of kinematics.hpp are.
extern template void forward_dynamics(const Model&, InOf<double>, InOf<double>, const Loads<double>&,
                                      Workspace<double>&, OutOf<double>);
extern template void forward_dynamics(const Model&, InOf<double>, const Loads<double>&, Workspace<double>&,
                                      OutOf<double>);
extern template void inverse_dynamics(const Model&, InOf<double>, InOf<double>, const Loads<double>&,
                                      Workspace<double>&, OutOf<double>);
extern template void mass_matrix(const Model&, Workspace<double>&, MatOutOf<double, Eigen::Dynamic>);

// Sums over all bodies, after forward_kinematics for (q, v) in the workspace.

/// Sum of m |v|^2 / 2 + Omega . J Omega / 2, in joules.
double kinetic_energy(const Model& model, const Workspace<double>& work);
/// Sum of m v, world axes, kg m/s.
Vec3 linear_momentum(const Model& model, const Workspace<double>& work);
/// Sum of m x cross v + R J Omega about the world origin, world axes, kg m^2/s.
Vec3 angular_momentum(const Model& model, const Workspace<double>& work);

/// The relative residual of the accelerations a: |G a + b - f| divided by the greatest of |G a|, |b| and |f|;
/// zero if all three vanish. |x| is the greatest absolute component in joint coordinates (N and N m). Runs
/// forward_kinematics and overwrites `loads`. `constraints`: the wrenches of joints outside the tree and of
/// other constraints on the links, at their mass centres. The workspace then has the results of
/// forward_kinematics and of inverse_dynamics with all loads.
double acceleration_residual(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                             Workspace<double>& work, Loads<double>& loads,
                             const std::vector<Wrench>* constraints = nullptr);

/// The invariants of a state. Leaves zero: `work`, which is an integral along the motion (see Forces::power),
/// and the residuals of constraints on positions and velocities.
Invariants invariants(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                      Workspace<double>& work, Loads<double>& loads,
                      const std::vector<Wrench>* constraints = nullptr);

}  // namespace torsor
