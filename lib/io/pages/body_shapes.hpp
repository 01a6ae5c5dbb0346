#pragma once

#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// The homogeneous solid of this mass and inertia: a sphere if all principal moments are equal, a cylinder if
/// two are equal, else a box. With J = J_1 + J_2 - J_3 and so on, the edges are sqrt(6 J / m).
scene::Shape equivalent_solid(double mass, const Mat3& inertia);

/// The shapes drawn for body i: its shapes in the scene, else the surfaces on which it rolls, else the
/// equivalent solid of its inertia. Particles and rigid systems of particles have only shapes of the scene.
std::vector<scene::Shape> body_shapes(const scene::Scene& scene, std::size_t i);

}  // namespace torsor::io
