#pragma once

#include <string>

#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// The end of a run (or its last good state) as one JSON object, the contract for scripts (docs/results.md):
/// status, scene, version, method, formulation, group, step or tolerance, t, bodies, joints, energy,
/// momentum, points, constraints, residuals, events, steps, evaluations, wall_s, and a message where there is
/// one. x, v, vdot of the mass centre and forces in world axes, Omega in body axes, q the quaternion scalar
/// first. Numbers are the shortest that read back as the same double; one that is not finite is null.
std::string to_json(const Scene& scene, const Trajectory& trajectory);

}  // namespace torsor
