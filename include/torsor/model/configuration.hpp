#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor {

// The configuration space of a tree as a Lie group: the product of its joint groups, link by link. Angles and
// displacements form R^n, spherical joints SO(3), free joints R^3 x SO(3) or SE(3).

/// The unit element: all coordinates zero, unit quaternions.
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

/// Greatest ||quaternion| - 1| over the joints.
double group_defect(const Model& model, VecIn q);

}  // namespace torsor
