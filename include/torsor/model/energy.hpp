#pragma once

#include "torsor/model/forces.hpp"
#include "torsor/model/motion.hpp"

namespace torsor {

// Sums over all bodies, after forward_kinematics for (q, v) in the workspace.

/// Sum of m |v|^2 / 2 + Omega . J Omega / 2, J.
double kinetic_energy(const Model& model, const Workspace<double>& work);
/// Sum of m v, world axes, kg m/s.
Vec3 linear_momentum(const Model& model, const Workspace<double>& work);
/// Sum of m x cross v + R J Omega about the world origin, world axes, kg m^2/s.
Vec3 angular_momentum(const Model& model, const Workspace<double>& work);

/// The relative residual of the accelerations a: |G a + b - f| divided by the greatest of |G a|, |b| and |f|;
/// zero if all three vanish. |x| is the greatest absolute component in joint coordinates (N and N m). Runs
/// forward_kinematics and overwrites `loads`. `constraints`: as in joint_motions.
double acceleration_residual(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                             Workspace<double>& work, Loads<double>& loads,
                             const std::vector<Wrench>* constraints = nullptr);

/// All invariants except `work`, which is an integral along the motion: see Forces::power.
Invariants invariants(const Model& model, const Forces& forces, double t, VecIn q, VecIn v, VecIn a,
                      Workspace<double>& work, Loads<double>& loads,
                      const std::vector<Wrench>* constraints = nullptr);

}  // namespace torsor
