#pragma once

#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"

/// The two groups of a rigid body. In the direct product R^3 x SO(3) the velocity is (x'; w), x' in inertial
/// axes (m/s) and the angular velocity w in body axes (rad/s); in the semi-direct SE(3) it is (R^T x'; w).
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (96)-(121).
namespace torsor::geometry {

template <class S = double>
using RigidBodyDirect = Product<Rn<3, S>, SO3<S>>;

/// diag(R^T, I): direct velocities to semi-direct ones at the attitude R. Its columns are the direct basis in
/// the semi-direct one.
template <class S>
Matrix<S, 6> direct_basis(const SO3<S>& R) {
  Matrix<S, 6> A = Matrix<S, 6>::Identity();
  A.template topLeftCorner<3, 3>() = R.matrix().transpose();
  return A;
}

/// The metric of SE(3) of a rigid body with the mass m (kg), at a body point O:
///
///   G = [m I, -m r~; m r~, J - m r~^2].
///
/// r (m) leads from O to the mass centre; J (kg m^2) is the inertia about the mass centre; both in body axes.
/// G is left-invariant.
///
/// With r = 0, G is also a left-invariant metric of R^3 x SO(3). Otherwise the metric of the direct product
/// depends on R.
template <class S>
Matrix<S, 6> rigid_body_inertia(const S& mass, const Vector<S, 3>& r, const Matrix<S, 3>& J) {
  const Matrix<S, 3> mr = mass * skew(r);
  Matrix<S, 6> G;
  G.template topLeftCorner<3, 3>() = mass * Matrix<S, 3>::Identity();
  G.template topRightCorner<3, 3>() = -mr;
  G.template bottomLeftCorner<3, 3>() = mr;
  G.template bottomRightCorner<3, 3>() = J - mr * skew(r);
  return G;
}

}  // namespace torsor::geometry
