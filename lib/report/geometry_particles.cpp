#include "geometry_parts.hpp"

namespace torsor::mechanics {

RigidParticlesReport rigid_particles_report(const Mechanism& mechanism, int index, const BodyMotion& motion,
                                            std::span<const BodyMotion> nodes) {
  const Body& body = mechanism.bodies[index];
  const geometry::ParticleSystem<double> system = particle_system(body, motion);
  geometry::PerParticle<double> v(3, system.r.cols()), F = v, R = v;
  for (Eigen::Index i = 0; i < v.cols(); ++i) {
    const BodyMotion& node = nodes[static_cast<std::size_t>(i)];
    v.col(i) = node.v;
    R.col(i) = node.reaction;
    F.col(i) = body.nodes[static_cast<std::size_t>(i)].mass * node.vdot - node.reaction;
  }
  RigidParticlesReport report;
  report.body = index;
  report.span = system.span;
  report.singular_values = geometry::singular_values(system.r);
  report.velocity = geometry::split_velocities(system, v);
  report.force = geometry::split_covectors(system, F);
  report.kinetic_centre = kinetic_energy(system, report.velocity.centre);
  report.kinetic_rotation = kinetic_energy(system, report.velocity.rotation);
  report.kinetic_rest = kinetic_energy(system, report.velocity.rest);
  report.momentum = momentum(system, v).rowwise().sum();
  report.angular_momentum = geometry::total_moment(system.r, momentum(system, v));
  report.reaction = R;
  return report;
}

}  // namespace torsor::mechanics
