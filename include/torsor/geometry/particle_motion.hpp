#pragma once

#include "torsor/geometry/particles.hpp"

/// How velocities, forces and accelerations of a rigid system of particles split. Orthogonality is that of
/// the weighted metric G(u, v) = sum mu_i u_i . v_i, in which Newton's law is m0 G(nabla v) = F + R.
namespace torsor::geometry {

/// G(u, v).
template <class S>
S weighted_product(const ParticleSystem<S>& system, const PerParticle<S>& u, const PerParticle<S>& v) {
  return system.mu.dot(u.cwiseProduct(v).colwise().sum());
}

/// Three parts of one vector or covector per particle: the motion of the centre, the rotation about it, and
/// the rest, which is zero for a rigid motion.
template <class S>
struct ParticleParts {
  PerParticle<S> centre, rotation, rest;

  /// All but the motion of the centre. Modugno, Vitolo, (3.6)-(3.8).
  PerParticle<S> relative() const { return rotation + rest; }
  PerParticle<S> rigid() const { return centre + rotation; }
};

/// v_i = v_0 + Omega x r_i + rest, v_0 = sum mu_i v_i: orthogonal parts, sum mu_i rest_i = 0 and
/// sum mu_i r_i x rest_i = 0. Modugno, Vitolo, (4.18), (4.20), (4.21).
template <class S>
ParticleParts<S> split_velocities(const ParticleSystem<S>& system, const PerParticle<S>& v) {
  ParticleParts<S> parts;
  const Vector<S, 3> v0 = v * system.mu;
  parts.centre = v0.replicate(1, v.cols());
  const PerParticle<S> relative = v - parts.centre;
  parts.rotation = rotated(angular_velocity(system, relative), system.r);
  parts.rest = relative - parts.rotation;
  return parts;
}
/// Omega = Sigma^-1 sum mu_i r_i x v_i.
template <class S>
Vector<S, 3> angular_velocity(const ParticleSystem<S>& system, const PerParticle<S>& v) {
  const PerParticle<S> weighted = v * system.mu.asDiagonal();
  return system.Sigma_inverse * total_moment(system.r, weighted);
}

/// a_i = mu_i a_0 + mu_i w x r_i + rest of covectors (forces, momenta): a_0 = sum a_i, w = Sigma^-1 sum r_i x
/// a_i; sum rest_i = 0 and sum r_i x rest_i = 0. Modugno, Vitolo, (4.22)-(4.25).
template <class S>
ParticleParts<S> split_covectors(const ParticleSystem<S>& system, const PerParticle<S>& a) {
  ParticleParts<S> parts;
  const Vector<S, 3> a0 = a.rowwise().sum();
  parts.centre = a0 * system.mu.transpose();
  parts.rotation = rotated(Vector<S, 3>(system.Sigma_inverse * total_moment(system.r, a)), system.r) *
                   system.mu.asDiagonal();
  parts.rest = a - parts.centre - parts.rotation;
  return parts;
}

/// p_i = m_i v_i: the parts of the momentum are the momenta of the parts.
template <class S>
PerParticle<S> momentum(const ParticleSystem<S>& system, const PerParticle<S>& v) {
  return system.m0 * v * system.mu.asDiagonal();
}
/// sum m_i |v_i|^2 / 2 = m0 G(v, v) / 2: the sum of the energies of the three parts.
template <class S>
S kinetic_energy(const ParticleSystem<S>& system, const PerParticle<S>& v) {
  return system.m0 * system.mu.dot(v.colwise().squaredNorm()) / S(2);
}

/// Sigma^-1 (Omega x Sigma Omega).
template <class S>
Vector<S, 3> gyroscopic_rate(const ParticleSystem<S>& system, const Vector<S, 3>& Omega) {
  return system.Sigma_inverse * cross<S>(Omega, system.Sigma * Omega);
}

/// The covariant derivative of a rotation along itself, Omega' + Sigma^-1 (Omega x Sigma Omega): the angular
/// velocity of the orthogonal projection of the accelerations on the rotations. Modugno, Vitolo, (4.26).
template <class S>
Vector<S, 3> covariant_angular_acceleration(const ParticleSystem<S>& system, const Vector<S, 3>& Omega,
                                            const Vector<S, 3>& Omega_dot) {
  return Omega_dot + gyroscopic_rate(system, Omega);
}

/// Solves m0 (Sigma Omega' + Omega x Sigma Omega) = sum r_i x F_i for Omega', rad/s^2.
template <class S>
Vector<S, 3> angular_acceleration(const ParticleSystem<S>& system, const Vector<S, 3>& Omega,
                                  const PerParticle<S>& F) {
  return system.Sigma_inverse * total_moment(system.r, F) / system.m0 - gyroscopic_rate(system, Omega);
}

/// N_i = Omega x (Omega x r_i) - (Sigma^-1 (Omega x Sigma Omega)) x r_i: the acceleration normal to the
/// rigid motions that is needed to keep the distances, m/s^2. Modugno, Vitolo, (4.27).
template <class S>
PerParticle<S> second_fundamental_form(const ParticleSystem<S>& system, const Vector<S, 3>& Omega) {
  return rotated(Omega, rotated(Omega, system.r)) - rotated(gyroscopic_rate(system, Omega), system.r);
}

/// a_i = F_0 / m0 + Omega' x r_i + Omega x (Omega x r_i).
template <class S>
PerParticle<S> rigid_accelerations(const ParticleSystem<S>& system, const Vector<S, 3>& Omega,
                                   const PerParticle<S>& F) {
  const Vector<S, 3> centre = F.rowwise().sum() / system.m0;
  return (rotated(angular_acceleration(system, Omega, F), system.r) +
          rotated(Omega, rotated(Omega, system.r)))
             .colwise() +
         centre;
}

/// R_i = m_i N_i - F_i + mu_i F_0 + mu_i (Sigma^-1 F_ang) x r_i = m_i a_i - F_i, the force that keeps
/// particle i on the rigid motion, with F_0 = sum F_i and F_ang = sum r_i x F_i. It does not depend on the
/// bars that transmit it, and has no power on rigid velocities. Modugno, Vitolo, (4.30), corrected: there the
/// inertial terms lack the factor m0, and Sigma^-1 acts on more than Omega x Sigma Omega.
template <class S>
PerParticle<S> node_reactions(const ParticleSystem<S>& system, const Vector<S, 3>& Omega,
                              const PerParticle<S>& F) {
  return momentum(system, second_fundamental_form(system, Omega)) - split_covectors(system, F).rest;
}

/// Two particles at the ends of a massless rod. The configuration is the unit vector d in S^2 from particle 2
/// to particle 1: r_1 = mu_2 l d and r_2 = -mu_1 l d.
template <class S = double>
struct Rod {
  S m1, m2, length;

  /// The double eigenvalue of Sigma, m^2.
  S lambda() const { return m1 * m2 / ((m1 + m2) * (m1 + m2)) * length * length; }

  /// d'' = l / (m0 lambda) (I - d d^T) (mu_2 F_1 - mu_1 F_2) - |d'|^2 d.
  Vector<S, 3> acceleration(const Vector<S, 3>& d, const Vector<S, 3>& d_dot, const Vector<S, 3>& F1,
                            const Vector<S, 3>& F2) const {
    const S m0 = m1 + m2;
    const Vector<S, 3> F = (m2 * F1 - m1 * F2) / m0;
    return length / (m0 * lambda()) * (F - d * d.dot(F)) - d_dot.squaredNorm() * d;
  }
  /// R_1 = -R_2, along d.
  Vector<S, 3> reaction(const Vector<S, 3>& d, const Vector<S, 3>& d_dot, const Vector<S, 3>& F1,
                        const Vector<S, 3>& F2) const {
    const S m0 = m1 + m2;
    return -d * (m1 * m2 / m0 * length * d_dot.squaredNorm() + d.dot(m2 * F1 - m1 * F2) / m0);
  }
};

}  // namespace torsor::geometry
