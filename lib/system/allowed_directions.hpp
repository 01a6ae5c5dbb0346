#pragma once

#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// P w: the part of the velocity w that the constraint rows allow. It is G-orthogonal to the remaining part.
Vec allowed_part(const ConstrainedSystem& system, double t, const Vec& q, const Vec& w);
/// The metric product G(u, w).
double metric_product(const MechanismSystem& system, double t, const Vec& q, const Vec& u, const Vec& w);
/// A G-orthonormal basis, in columns, of the velocities that the constraint rows allow. If `sampled`: at most
/// four G-orthonormal vectors among these velocities.
Eigen::MatrixXd allowed_directions(const MechanismSystem& system, double t, const Vec& q, bool sampled);

}  // namespace torsor::mechanics
