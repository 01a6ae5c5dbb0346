#pragma once

#include <cmath>

#include "files.hpp"
#include "torsor/io/stored_result.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::test {

/// Numbers that reveal lost digits, signs or positions.
inline double odd_number(int n) {
  return (n % 2 == 0 ? 1 : -1) * std::sqrt(n + 2.) / 3 * std::pow(10., n % 7 - 3);
}
inline Vec3 odd_vector(int n) { return {odd_number(n), odd_number(n + 1), odd_number(n + 2)}; }

/// A body with a node on a ball joint, a particle on a hinge to the body, two constraints, three forces,
/// one point and one event.
inline scene::Scene sample_scene() {
  scene::Scene scene;
  scene.name = "sample";
  scene.title = "A \"sample\"";
  scene.resolved = "title = 'A \"sample\"'\n";
  scene.run.method = "rkmk4";
  scene.run.step = 1e-3;
  scene.mechanism.bodies.resize(2);
  scene.mechanism.bodies[0].name = "top";
  scene.mechanism.bodies[0].nodes = {{"knot", 0.5}};
  scene.mechanism.bodies[1].name = "bead";
  scene.mechanism.bodies[1].particle = true;
  scene.mechanism.joints.resize(2);
  scene.mechanism.joints[0] = {.name = "pivot", .kind = JointKind::spherical, .child = 0};
  scene.mechanism.joints[1] = {.name = "hinge", .kind = JointKind::revolute, .parent = 0, .child = 1};
  scene.mechanism.constraints = {{"rod", Distance{}}, {"contact", Rolling{}}};
  scene.mechanism.forces = {{"pull", PointSpring{}}, {"weight", UniformGravity{}}, {"motor", JointForce{1}}};
  scene.points.push_back({"tip", {0, Vec3::UnitX()}});
  EventSpec event;
  event.name = "touch";
  scene.events.push_back(event);
  return scene;
}

inline Sample sample_at(int n) {
  Sample sample;
  sample.t = 0.1 * n;
  sample.bodies.resize(2);
  for (int k = 0; k < 2; ++k) {
    BodyMotion& body = sample.bodies[static_cast<std::size_t>(k)];
    body.x = odd_vector(n + k);
    body.v = odd_vector(n + k + 3);
    body.vdot = odd_vector(n + k + 6);
    body.reaction = odd_vector(n + k + 7);
    body.R = SO3<>::exp(Vec3(0.3, -0.2, 0.1 * (n + 1)));
    body.Omega = odd_vector(n + k + 9);
    body.Omegadot = odd_vector(n + k + 12);
  }
  sample.nodes.resize(1);
  sample.nodes[0].x = odd_vector(n + 5), sample.nodes[0].v = odd_vector(n + 6);
  sample.nodes[0].vdot = odd_vector(n + 7), sample.nodes[0].reaction = odd_vector(n + 8);
  sample.joints.resize(2);
  sample.joints[0].q = Vec::LinSpaced(4, 1, 4);  // x y z w as stored: 1 2 3 4
  sample.joints[0].v = odd_vector(n + 1);
  sample.joints[1].q = Vec::Constant(1, odd_number(n));
  sample.joints[1].v = Vec::Constant(1, odd_number(n + 5));
  sample.joints[0].a = odd_vector(n + 3);
  sample.joints[1].a = Vec::Constant(1, odd_number(n + 6));
  sample.forces = {odd_number(n + 2), odd_number(n + 3)};
  for (int k = 0; k < 2; ++k) {
    sample.joints[static_cast<std::size_t>(k)].force = odd_vector(n + k + 2);
    sample.joints[static_cast<std::size_t>(k)].torque = odd_vector(n + k + 4);
  }
  sample.constraints.push_back({odd_vector(n + 6), odd_vector(n + 7), Vec::Constant(1, odd_number(n + 8))});
  sample.constraints.push_back({odd_vector(n + 9), odd_vector(n + 1), odd_vector(n + 3), 0.7, false});
  sample.points.push_back({odd_vector(n), odd_vector(n + 1)});
  sample.invariants.kinetic = odd_number(n);
  sample.invariants.potential = odd_number(n + 1);
  sample.invariants.work = odd_number(n + 2);
  sample.invariants.linear_momentum = odd_vector(n + 3);
  sample.invariants.angular_momentum = odd_vector(n + 4);
  sample.invariants.group_defect = 1e-16 * (3 - n);
  sample.invariants.position_residual = 1e-13 * n;
  sample.invariants.velocity_residual = 1e-12 * (n % 2);
  sample.invariants.acceleration_residual = 1e-15 * n;
  return sample;
}

inline Trajectory sample_trajectory(int samples = 3) {
  Trajectory trajectory;
  for (int n = 0; n < samples; ++n) trajectory.samples.push_back(sample_at(n));
  trajectory.summary.status = StepStatus::reached_end;
  trajectory.summary.t = trajectory.samples.back().t;
  trajectory.summary.accepted = 20;
  trajectory.summary.rejected = 1;
  trajectory.summary.evaluations = 84;
  trajectory.summary.wall_s = 0.25;
  trajectory.summary.events.push_back({0, 1. / 3, {}});
  trajectory.energy_max_drift = 1e-12;
  trajectory.energy_drift_slope = -1e-14;
  return trajectory;
}

/// The message with which a file or folder is refused as a result; empty if it is accepted.
inline std::string refusal(const std::filesystem::path& path) {
  try {
    io::read_result(path);
    return {};
  } catch (const io::ResultError& error) {
    return error.what();
  }
}

}  // namespace torsor::test
