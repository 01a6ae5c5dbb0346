#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor {

// Between the velocities of the joints (nv numbers) and those of the bodies, 6 a link: (velocity of the mass
// centre; angular velocity), world axes; and between their forces. With J the Jacobian of all bodies, 6 N x
// nv: all linear in the number of links, after forward_kinematics for q.

/// V = J w.
void bodies_from_joints(const Model& model, const Workspace<double>& work, VecIn w, VecOut V);
/// The w with V = J w, where there is one: each joint takes the part of its relative motion that it allows.
void joints_from_bodies(const Model& model, const Workspace<double>& work, VecIn V, VecOut w);
/// tau = J^T W for wrenches W at the mass centres. V and W may not be longer than 6 N.
void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, VecOut tau);
/// Adds to W wrenches with tau = J^T W: each joint force acts on its link and back on the parent.
void add_wrenches_of(const Model& model, const Workspace<double>& work, VecIn tau, VecOut W);

}  // namespace torsor
