#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor {

// Maps between the velocities of the joints (nv numbers) and those of the bodies (6 for each link: velocity
// of the mass centre, angular velocity; world axes), and between their forces. J is the Jacobian of all
// bodies, 6 N x nv. The cost is linear in the number of links. Call these after forward_kinematics for q.

/// V = J w.
void bodies_from_joints(const Model& model, const Workspace<double>& work, VecIn w, VecOut V);
/// The w with V = J w if it exists. Each joint takes the part of the relative motion that it allows.
void joints_from_bodies(const Model& model, const Workspace<double>& work, VecIn V, VecOut w);
/// tau = J^T W for wrenches W at the mass centres. V and W may not be longer than 6 N.
void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, VecOut tau);
/// Adds wrenches with tau = J^T W to W: each joint force acts on its link, and its opposite on the parent.
void add_wrenches_of(const Model& model, const Workspace<double>& work, VecIn tau, VecOut W);

}  // namespace torsor
