#include "torsor/model/rigid_particles.hpp"

#include <array>
#include <stdexcept>

#include "dense.hpp"

namespace torsor {
namespace {

/// The system with positions relative to its centre. The rounding of positions far from the origin moves
/// nodes off their line or plane. This is undone, so that the positions of the body have the span of the
/// given positions.
geometry::ParticleSystem<double> centred_system(const Body& body) {
  const geometry::ParticleSystem<double> given =
      geometry::particle_system(node_masses(body), node_places(body));
  if (geometry::particle_span(given.r) == given.span) return given;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(given.r, Eigen::ComputeThinU);
  const Eigen::MatrixXd kept = svd.matrixU().leftCols(static_cast<Eigen::Index>(given.span));
  const geometry::PerParticle<double> r = kept * (kept.transpose() * given.r);
  return geometry::particle_system<double>(node_masses(body), r, given.span);
}

}  // namespace

const char* to_string(geometry::ParticleSpan span) {
  constexpr std::array names{"point", "line", "plane", "space"};
  return names[static_cast<std::size_t>(span)];
}

const char* to_string(geometry::InertiaClass kind) {
  constexpr std::array names{"spherical", "symmetric", "asymmetric"};
  return names[static_cast<std::size_t>(kind)];
}

geometry::ParticleWeights<double> node_masses(const Body& body) {
  geometry::ParticleWeights<double> masses(static_cast<Eigen::Index>(body.nodes.size()));
  for (Eigen::Index i = 0; i < masses.size(); ++i) masses[i] = body.nodes[static_cast<std::size_t>(i)].mass;
  return masses;
}

geometry::PerParticle<double> node_places(const Body& body) {
  geometry::PerParticle<double> places(3, static_cast<Eigen::Index>(body.nodes.size()));
  for (Eigen::Index i = 0; i < places.cols(); ++i) places.col(i) = body.nodes[static_cast<std::size_t>(i)].p;
  return places;
}

NodeSpan node_span(const Body& body) {
  const geometry::PerParticle<double> places = node_places(body);
  return {geometry::particle_span(places), geometry::singular_values(places)};
}

bool is_line(const Body& body) {
  return !body.nodes.empty() && geometry::particle_span(node_places(body)) == geometry::ParticleSpan::line;
}

Mat3 physical_inertia(const Body& body) {
  return body.nodes.empty() ? body.inertia
                            : geometry::inertia_of_points(node_masses(body), node_places(body));
}

geometry::PrincipalInertia principal_inertia(const Body& body) {
  return geometry::principal_inertia(physical_inertia(body));
}

Body rigid_particles(std::string name, GroupProduct group, std::vector<ParticleNode> nodes, double axial) {
  if (nodes.empty())
    throw std::invalid_argument("the rigid system of particles \"" + name + "\" has no nodes");
  Body body{std::move(name)};
  body.group = group;
  body.nodes = std::move(nodes);
  const geometry::ParticleSystem<double> system = centred_system(body);
  for (std::size_t i = 0; i < body.nodes.size(); ++i)
    body.nodes[i].p = system.r.col(static_cast<Eigen::Index>(i));
  body.mass = system.m0;
  body.inertia = system.m0 * system.Sigma;
  if (system.span == geometry::ParticleSpan::line) {
    const double lambda = system.Sigma.trace() / 2;
    body.inertia += system.m0 * axial * (lambda * Mat3::Identity() - system.Sigma);
  }
  return body;
}

geometry::ParticleSystem<double> particle_system(const Body& body, const BodyMotion& motion) {
  const geometry::PerParticle<double> places = node_places(body);
  const geometry::PerParticle<double> positions = (motion.R.matrix() * places).colwise() + motion.x;
  return geometry::particle_system<double>(node_masses(body), positions, geometry::particle_span(places));
}

std::vector<BodyMotion> node_motions(const Body& body, const BodyMotion& motion,
                                     const geometry::PerParticle<double>& F) {
  const Mat3 R = motion.R.matrix();
  const Vec3 Omega = R * motion.Omega, Omega_dot = R * motion.Omegadot;
  const geometry::ParticleSystem<double> system = particle_system(body, motion);
  const geometry::PerParticle<double> turning = geometry::rotated(Omega, system.r);
  const geometry::PerParticle<double> bending =
      geometry::rotated(Omega_dot, system.r) + geometry::rotated(Omega, turning);
  const geometry::PerParticle<double> reactions = geometry::node_reactions(system, Omega, F);
  std::vector<BodyMotion> nodes(body.nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    nodes[k].x = motion.x + system.r.col(i);
    nodes[k].v = motion.v + turning.col(i);
    nodes[k].vdot = motion.vdot + bending.col(i);
    nodes[k].reaction = reactions.col(i);
  }
  return nodes;
}

}  // namespace torsor
