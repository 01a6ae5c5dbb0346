#pragma once

#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// P w: the part of a velocity that the rows allow, orthogonal to the other part.
Vec allowed_part(const ConstrainedSystem& system, double t, const Vec& q, const Vec& w);
/// G(u, w).
double metric_product(const MechanismSystem& system, double t, const Vec& q, const Vec& u, const Vec& w);
/// A G-orthonormal basis, in columns, of the velocities of the tree that the rows allow; only four vectors if
/// `sampled`.
Eigen::MatrixXd allowed_directions(const MechanismSystem& system, double t, const Vec& q, bool sampled);

}  // namespace torsor::mechanics
