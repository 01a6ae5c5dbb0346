#pragma once

#include <string>

#include "torsor/report/geometry_report.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// The end of a run (or its last good state) as one JSON object, on whose form scripts can rely
/// (docs/results.md): status, scene, version, method, formulation, group, step or tolerance, t, bodies,
/// joints, energy, momentum, points, constraints, residuals, events, steps, evaluations, wall_s, and the
/// message if there is one. x, v and vdot of the mass centre and forces are in world axes, Omega is in body
/// axes, the quaternion q has its scalar first. Numbers are the shortest that read back as the same double;
/// a number that is not finite is null. For a scene in coordinates: equations in place of formulation and
/// group, and coordinates (value, rate, acceleration), quasi_velocities and constraints (multiplier) in place
/// of bodies, joints, constraints, momentum and points.
std::string to_json(const Scene& scene, const Trajectory& trajectory);

/// The geometry of a scene's mechanism as one JSON object (docs/geometry.md): scene, version, t, freedoms,
/// rows, groups, connections, constraints, time, screws, second_fundamental_form, reactions. Axes and
/// numbers are as above; the pitch of a translation is infinite and so null.
std::string to_json(const Scene& scene, const GeometryReport& report);
/// The same for a scene in coordinates: scene, version, t, frame, connection, constraints, time,
/// second_fundamental_form, and friction if rows give way.
std::string to_json(const Scene& scene, const CoordinateReport& report);

}  // namespace torsor
