#pragma once

#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor {

/// A particle of a scene in coordinates: place and velocity in space, those of a plane with z = 0.
struct ParticleMotion {
  double mass = 1;
  Vec3 x, v;
};

/// All of them at a state, x(q, t) and dx/dq u + dx/dt; none where the scene gives its masses by a metric
/// alone.
std::vector<ParticleMotion> chart_particles(const Scene& scene, double t, const State& x);

}  // namespace torsor
