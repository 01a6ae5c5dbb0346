#include "scene/coordinate_particles.hpp"

#include "scene/language/formula_fields.hpp"

namespace torsor::scene {

std::vector<ParticleMotion> coordinate_particles(const Scene& scene, double t, const State& x) {
  const Formulas& formulas = *scene.in_coordinates->formulas;
  std::vector<Dual<double>> e;  // coordinates and t, with their rates as derivatives
  for (Eigen::Index i = 0; i < x.q.size(); ++i) e.emplace_back(x.q[i], x.v[i]);
  e.emplace_back(t, 1.);
  std::vector<ParticleMotion> all;
  for (const Formulas::Particle& particle : formulas.particles) {
    ParticleMotion one{particle.mass, Vec3::Zero(), Vec3::Zero()};
    for (std::size_t k = 0; k < particle.position.size(); ++k) {
      const Dual<double> place = particle.position[k].at(e.data());
      one.x[static_cast<int>(k)] = place.value, one.v[static_cast<int>(k)] = place.derivative;
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace torsor::scene
