#pragma once

#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor {

/// The homogeneous solid of this mass and inertia: a sphere where all principal moments are equal, a cylinder
/// where two are, else a box. With J = J_1 + J_2 - J_3 and so on, the edges are sqrt(6 J / m).
Shape equivalent_solid(double mass, const Mat3& inertia);

/// A frame whose z is this unit vector.
SO3<> frame_along(const Vec3& z);

/// What is drawn for body i: its shapes in the scene, else what rolls, else the solid of its inertia; none
/// for particles.
std::vector<Shape> body_shapes(const Scene& scene, std::size_t i);

}  // namespace torsor
