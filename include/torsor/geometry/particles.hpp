#pragma once

#include <cassert>

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/lie/detail/hat.hpp"

/// Particles that move as one rigid body. All vectors in inertial axes; Omega is the angular velocity, v_i
/// and F_i velocity and applied force of particle i. Modugno, Vitolo, The geometry of Newton's law and rigid
/// systems (2005), 3 and 4.
namespace torsor::geometry {

/// One vector for each particle, in columns.
template <class S>
using PerParticle = Matrix<S, 3, Eigen::Dynamic>;
/// One number for each particle.
template <class S>
using ParticleWeights = Vector<S, Eigen::Dynamic>;

/// The span of the differences r_i - r_j, which stays the same along a rigid motion. If they span a plane
/// (weakly non-degenerate), the possible orientations form SO(3). If they span space (strongly
/// non-degenerate), they form O(3), but a motion stays in one of its two components. If they span a line
/// (degenerate), they form S^2. If all particles coincide, there is only one orientation.
enum class ParticleSpan { point, line, plane, space };

/// Singular values of [r_1 ... r_n] in decreasing order; NaN where r is not finite.
Vec3 singular_values(const PerParticle<double>& r);

/// Errors of the positions up to this fraction of their size do not change the span and the class of inertia.
inline constexpr double position_error = 1e-9;

/// The number of singular values of [r_1 ... r_n] that exceed `tolerance` times the greatest. Values that
/// the rounding of positions of the size `reach` can cause count as zero.
ParticleSpan particle_span(const PerParticle<double>& r, double reach = 0, double tolerance = position_error);

/// sum w_i (|r_i|^2 I - r_i r_i^T).
template <class S>
Matrix<S, 3> inertia_of_points(const ParticleWeights<S>& w, const PerParticle<S>& r) {
  Matrix<S, 3> sum = Matrix<S, 3>::Constant(S(0));
  for (Eigen::Index i = 0; i < r.cols(); ++i) {
    const Vector<S, 3> r_i = r.col(i);
    sum += w[i] * (r_i.squaredNorm() * Matrix<S, 3>::Identity() - r_i * r_i.transpose());
  }
  return sum;
}

/// By the principal moments: three equal ones, two equal ones, or three different ones.
enum class InertiaClass { spherical, symmetric, asymmetric };

/// Moments count as equal if they differ by at most this fraction of the greatest moment. To first order,
/// errors d_i of the positions with sum m_i |d_i|^2 = e^2 sum m_i |r_i|^2 change the moment J(u) = sum m_i
/// |u x r_i|^2 about a unit vector u by at most 2 e sqrt(J(u) tr J / 2). Since tr J <= 3 J_max, this is at
/// most sqrt(6) e J_max, and the difference of two moments changes by at most 2 sqrt(6) e J_max = 4.9 e
/// J_max.
inline constexpr double equal_moments = 5 * position_error;

/// J = axes diag(moments) axes^T of the inertia of particles or of a rigid body.
struct PrincipalInertia {
  InertiaClass kind;
  Vec3 moments;  ///< in increasing order
  Mat3 axes;     ///< in columns, a right-handed basis; axes of equal moments are not unique

  /// Of a symmetric inertia: the axis of the moment that differs from the other two.
  Vec3 symmetry_axis() const { return axes.col(moments[1] - moments[0] < moments[2] - moments[1] ? 2 : 0); }
};

PrincipalInertia principal_inertia(const Mat3& J);

/// The inverse of an inertia; the pseudo-inverse where particles span a line along d, Sigma = lambda (I - d
/// d^T), or a point.
template <class S>
Matrix<S, 3> inverse_inertia(const Matrix<S, 3>& Sigma, ParticleSpan span) {
  if (span == ParticleSpan::point) return Matrix<S, 3>::Constant(S(0));
  if (span != ParticleSpan::line) return inverse(Sigma);
  const S lambda = Sigma.trace() / S(2);
  return Sigma / (lambda * lambda);
}

/// sum r_i x a_i.
template <class S>
Vector<S, 3> total_moment(const PerParticle<S>& r, const PerParticle<S>& a) {
  Vector<S, 3> sum = Vector<S, 3>::Constant(S(0));
  for (Eigen::Index i = 0; i < r.cols(); ++i) sum += cross<S>(r.col(i), a.col(i));
  return sum;
}

/// Omega = (sum w_i (|r_i|^2 I - r_i r_i^T))^-1 sum w_i r_i x v_i, Modugno, Vitolo, (4.17). For a rotation
/// v_i = Omega x r_i, any positive weights give the angular velocity. For other velocities, w_i = m_i gives
/// that of their orthogonal projection on rigid ones. If the particles span a line, Omega is not unique; the
/// result is orthogonal to the line.
template <class S>
Vector<S, 3> angular_velocity(const ParticleWeights<S>& w, const PerParticle<S>& r, const PerParticle<S>& v,
                              ParticleSpan span) {
  const PerParticle<S> weighted = v * w.asDiagonal();
  return inverse_inertia(inertia_of_points(w, r), span) * total_moment(r, weighted);
}

/// w x r_i.
template <class S>
PerParticle<S> rotated(const Vector<S, 3>& w, const PerParticle<S>& r) {
  return skew(w) * r;
}

/// The positions of the particles, and the quantities that follow from them.
template <class S = double>
struct ParticleSystem {
  S m0;                   ///< sum m_i, kg
  ParticleWeights<S> mu;  ///< m_i / m0
  Vector<S, 3> p0;        ///< centre, sum mu_i p_i
  PerParticle<S> r;       ///< p_i - p0
  ParticleSpan span;
  Matrix<S, 3> Sigma;          ///< sum mu_i (|r_i|^2 I - r_i r_i^T), m^2; the inertia tensor is m0 Sigma
  Matrix<S, 3> Sigma_inverse;  ///< inverse_inertia of Sigma
};

/// Masses are positive.
template <class S>
ParticleSystem<S> particle_system(const ParticleWeights<S>& masses, const PerParticle<S>& positions,
                                  ParticleSpan span) {
  assert(masses.size() == positions.cols() && masses.size() > 0);
  ParticleSystem<S> system;
  system.m0 = masses.sum();
  system.mu = masses / system.m0;
  system.p0 = positions * system.mu;
  system.r = positions.colwise() - system.p0;
  system.span = span;
  system.Sigma = inertia_of_points(system.mu, system.r);
  system.Sigma_inverse = inverse_inertia(system.Sigma, span);
  return system;
}
ParticleSystem<double> particle_system(const ParticleWeights<double>& masses,
                                       const PerParticle<double>& positions);

}  // namespace torsor::geometry
