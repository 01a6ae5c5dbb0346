#pragma once

#include <vector>

#include "torsor/model/forces.hpp"
#include "torsor/model/motion.hpp"

namespace torsor {

/// The force and torque that the parent of a joint exerts on the child, at the child's joint point (the
/// origin of M), world axes. Parent and child are those of the declared joint.
///
/// It is the whole wrench that the joint transmits: the constraint force, and the spring, damper and drive
/// of a JointForce. A load cell between the two frames would measure it. For each body
///
///   m x'' = sum of reactions and loads,
///   R (J Omega' + Omega x J Omega) = sum of their moments about the mass centre.
///
/// Loads are all forces except joint forces, such as weights and springs between points. Along its degrees of
/// freedom a joint transmits exactly its joint forces; without joint forces, the reaction does no work on the
/// relative motion.
///
/// Call it after inverse_dynamics with all loads of the instant.
Wrench joint_reaction(const Model& model, const Workspace<double>& work, int joint);

/// The same for a joint outside the tree that exerts the wrench `on_link` on one of its links, at the mass
/// centre of that link; after forward_kinematics.
Wrench joint_reaction(const Model& model, const Workspace<double>& work, int joint, int link,
                      const Wrench& on_link);

/// Coordinates, rates and reactions of all joints of the mechanism in its order, after forward_kinematics for
/// (q, v) and inverse_dynamics with all loads of the instant, such as after `invariants`. The reactions of
/// joints outside the tree are left zero.
std::vector<JointMotion> joint_motions(const Model& model, VecIn q, VecIn v, const Workspace<double>& work);

}  // namespace torsor
