#pragma once

#include <vector>

#include "torsor/geometry/particle_motion.hpp"
#include "torsor/model/motion.hpp"

/// Rigid systems of particles as bodies: the frame at the mass centre, the inertia m0 Sigma, and on each node
/// i the reaction R_i = m_i a_i - F_i that keeps it in its place. Modugno, Vitolo, The geometry of Newton's
/// law and rigid systems (2005).
namespace torsor {

/// The body of nodes at positions `p` from any origin, in axes of the body. Where they are in one line along
/// d, turning about d moves nothing: the body then has the inertia m0 (Sigma + axial lambda d d^T), Sigma =
/// lambda (I - d d^T), 0 < axial <= 2. No force on a node has a moment about d, so that with no spin about d
/// the nodes move as points of S^2, whatever `axial`.
Body rigid_particles(std::string name, GroupProduct group, std::vector<ParticleNode> nodes, double axial = 1);

/// "point", "line", "plane" or "space".
const char* to_string(ParticleSpan span);

/// Masses and places of the nodes of a body, in its own axes.
ParticleWeights<double> node_masses(const Body& body);
PerParticle<double> node_places(const Body& body);
/// What they span, with the singular values of their places (particles.hpp).
struct NodeSpan {
  ParticleSpan span = ParticleSpan::point;
  Vec3 singular_values = Vec3::Zero();  ///< m
};
NodeSpan node_span(const Body& body);
/// Whether they are in one line, so that the body's attitude is a direction of S^2.
bool is_line(const Body& body);

/// The nodes of a body that moves as `motion`, with the node's own forces F in columns, world axes. All else
/// that acts on the body is shared as rigid motion shares it, F_i = mu_i F_0 + mu_i (Sigma^-1 M) x r_i, which
/// needs no reaction: so are weights.
std::vector<BodyMotion> node_motions(const Body& body, const BodyMotion& motion,
                                     const PerParticle<double>& F);

/// The nodes in world axes.
ParticleSystem<double> particle_system(const Body& body, const BodyMotion& motion);

}  // namespace torsor
