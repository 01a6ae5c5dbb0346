#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor {

// Maps between joint velocities w (nv numbers) and body velocities V (6 numbers for each link: velocity of
// the mass centre, angular velocity; world axes), and between joint forces tau and body wrenches W. J is the
// Jacobian of all bodies, 6 N x nv for N links. The cost is linear in N. Call these functions after
// forward_kinematics for q.

/// V = J w.
void bodies_from_joints(const Model& model, const Workspace<double>& work, VecIn w, VecOut V);
/// out = J' v: the accelerations of the bodies at the velocity v, if the joint accelerations are 0. Call it
/// after forward_kinematics for (q, v).
void acceleration_bias(const Model& model, Workspace<double>& work, VecIn v, VecOut out);
/// The joint accelerations a with V = J a + J' v, for accelerations V of the bodies; V becomes V - J' v. If
/// no such a exists, each joint gets the part that it allows, as in joints_from_bodies.
void joint_accelerations(const Model& model, Workspace<double>& work, VecIn v, VecOut V, VecOut a);
/// The w with V = J w. If none exists, each joint gets the part of the relative motion that it allows.
void joints_from_bodies(const Model& model, const Workspace<double>& work, VecIn V, VecOut w);
/// tau = J^T W for wrenches W at the mass centres. V and W have 6 N numbers.
void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, VecOut tau);
/// The same where wrenches act on a few links only. `links`: all links from these to the ground, ascending.
/// Changes only the tau of their joints, at a cost that is linear in their number.
void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, const std::vector<int>& links,
                  VecOut tau);
/// Adds to W wrenches whose joint forces J^T W are tau: the wrench of each joint acts on its link, and the
/// opposite wrench acts on the parent.
void add_wrenches_of(const Model& model, const Workspace<double>& work, VecIn tau, VecOut W);

}  // namespace torsor
