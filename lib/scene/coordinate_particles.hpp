#pragma once

#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// A particle of a scene in coordinates: position, m, and velocity, m/s, in space. In a plane, z = 0.
struct ParticleMotion {
  double mass = 1;
  Vec3 x, v;
};

/// All particles of a scene at a state: x(q, t) and dx/dq u + dx/dt. Empty if the scene gives its masses
/// only by a metric.
std::vector<ParticleMotion> coordinate_particles(const Scene& scene, double t, const State& x);

}  // namespace torsor::scene
