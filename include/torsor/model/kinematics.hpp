#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor {

// The configuration space of a tree as a Lie group: the product of its joint groups, link by link. Angles and
// displacements form R^n, spherical joints SO(3), free joints R^3 x SO(3) or SE(3).
//
// Functions here and in dynamics.hpp throw std::invalid_argument if a vector or a matrix is too short for the
// model. Functions that take pointers cannot check this.

/// The unit element: all quaternions 1 and all other coordinates zero.
Vec identity_configuration(const Model& model);

/// q exp(xi); the quaternions of the result are renormalised.
template <class Scalar>
void retract(const Model& model, const Scalar* q, const Scalar* xi, Scalar* q_next);

/// log(q^-1 p).
template <class Scalar>
void local_difference(const Model& model, const Scalar* q, const Scalar* p, Scalar* xi);

/// The left-trivialised derivative of exp at xi, applied to w; its inverse, applied to w; the transpose of
/// the inverse, applied to p.
template <class Scalar>
void dexp(const Model& model, const Scalar* xi, const Scalar* w, Scalar* out);
template <class Scalar>
void dexp_inv(const Model& model, const Scalar* xi, const Scalar* w, Scalar* out);
template <class Scalar>
void dexp_inv_transpose(const Model& model, const Scalar* xi, const Scalar* p, Scalar* out);
/// The transpose of ad_v, applied to p.
template <class Scalar>
void ad_transpose(const Model& model, const Scalar* v, const Scalar* p, Scalar* out);

/// Greatest ||quaternion| - 1| over the joints.
double group_defect(const Model& model, VecIn q);

/// Relative poses and angular velocities of all links, in the axes of each link. They are sufficient for the
/// recursions if no force depends on world positions. forward_kinematics and forward_dynamics call
/// this function.
template <class Scalar>
void local_kinematics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, Workspace<Scalar>& work);

/// Poses and velocities of all bodies in the world: R_WB, p_WB, v_WB, w_WB of the workspace.
template <class Scalar>
void forward_kinematics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, Workspace<Scalar>& work);

/// Accelerations vdot_WB, wdot_WB of all bodies (world axes) for joint accelerations a, after
/// forward_kinematics.
template <class Scalar>
void body_accelerations(const Model& model, InOf<Scalar> v, InOf<Scalar> a, Workspace<Scalar>& work);

/// Jacobian (6 x nv) of the point p (body axes, from the mass centre) of a link, after forward_kinematics:
/// rows 0-2 give the velocity of the point, rows 3-5 the angular velocity of the link, world axes.
template <class Scalar>
void point_jacobian(const Model& model, const Workspace<Scalar>& work, int link,
                    const Vector<std::type_identity_t<Scalar>, 3>& p, MatOutOf<Scalar, 6> jacobian);

/// The product of this Jacobian and velocities v, in time proportional to the depth of the link in the tree.
template <class Scalar>
Vector<Scalar, 6> jacobian_times(const Model& model, const Workspace<Scalar>& work, int link,
                                 const Vector<std::type_identity_t<Scalar>, 3>& p, InOf<Scalar> v);

/// Adds to `tau` the joint forces J^T (force; torque) of a wrench at the point p, world axes.
template <class Scalar>
void add_jacobian_transpose(const Model& model, const Workspace<Scalar>& work, int link,
                            const Vector<std::type_identity_t<Scalar>, 3>& p,
                            const Vector<std::type_identity_t<Scalar>, 6>& wrench, OutOf<Scalar> tau);

// The library contains the instances for double. Without these declarations each source that includes the
// definitions would compile its own copy, and the linker would choose one of these copies, which differ in
// speed.
extern template void local_kinematics(const Model&, InOf<double>, InOf<double>, Workspace<double>&);
extern template void forward_kinematics(const Model&, InOf<double>, InOf<double>, Workspace<double>&);
extern template void body_accelerations(const Model&, InOf<double>, InOf<double>, Workspace<double>&);

}  // namespace torsor
