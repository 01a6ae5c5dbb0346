#pragma once

#include <vector>

#include "torsor/geometry/particle_motion.hpp"
#include "torsor/model/motion.hpp"

/// Rigid systems of particles as bodies. The frame is at the mass centre, and the inertia is m0 Sigma. The
/// reaction R_i = m_i a_i - F_i keeps node i in its position. Modugno, Vitolo, The geometry of Newton's law
/// and rigid systems (2005).
namespace torsor {

/// The body with these nodes, whose positions `p` may have any origin, in axes of the body. If the nodes are
/// on one line along d, a rotation about d moves no node. The body then has the inertia
/// m0 (Sigma + axial lambda d d^T), Sigma = lambda (I - d d^T), 0 < axial <= 2. No force on a node has a
/// moment about d, so without spin about d the attitude moves on S^2 for any `axial`. A start must have no
/// spin about d. Throws std::invalid_argument if there are no nodes.
Body rigid_particles(std::string name, GroupProduct group, std::vector<ParticleNode> nodes, double axial = 1);

/// "point", "line", "plane" or "space".
const char* to_string(geometry::ParticleSpan span);
/// "spherical", "symmetric" or "asymmetric".
const char* to_string(geometry::InertiaClass kind);

/// Masses and positions of the nodes of a body, in body axes.
geometry::ParticleWeights<double> node_masses(const Body& body);
geometry::PerParticle<double> node_places(const Body& body);
/// The span of the nodes, with the singular values of their positions (particles.hpp).
struct NodeSpan {
  geometry::ParticleSpan span = geometry::ParticleSpan::point;
  Vec3 singular_values = Vec3::Zero();  ///< m
};
NodeSpan node_span(const Body& body);
/// Whether the nodes are on one line, so that the attitude of the body is a direction of S^2.
bool is_line(const Body& body);
/// The inertia of a body about its mass centre, in axes of the body, kg m^2; m0 Sigma if it has nodes, so
/// that the moment about a line of nodes is 0.
Mat3 physical_inertia(const Body& body);
/// Its principal moments and axes.
geometry::PrincipalInertia principal_inertia(const Body& body);

/// The motions of the nodes of a body that moves as `motion`; F holds the forces that act on single nodes, in
/// columns, world axes. All other loads of the body, for example weights and the forces of constraints, are
/// distributed over the nodes like the forces of a rigid motion, F_i = mu_i F_0 + mu_i (Sigma^-1 M) x r_i,
/// which cause no reactions.
std::vector<BodyMotion> node_motions(const Body& body, const BodyMotion& motion,
                                     const geometry::PerParticle<double>& F);

/// The nodes as a system of particles, with their positions in world axes.
geometry::ParticleSystem<double> particle_system(const Body& body, const BodyMotion& motion);

}  // namespace torsor
