#pragma once

#include <numbers>
#include <string>

#include "torsor/run/trajectory.hpp"
#include "torsor/system/consistent_start.hpp"

namespace torsor::test {

/// A uniform rod along x.
inline Body rod(const std::string& name, double length, double mass) {
  Body body;
  body.name = name, body.mass = mass;
  body.inertia = Vec3(1e-3, length * length / 12, length * length / 12).asDiagonal();
  body.inertia *= mass;
  return body;
}

inline Joint joint_at(const std::string& name, JointKind kind, int parent, const Vec3& p_P, int child,
                      const Vec3& p_C) {
  Joint joint;
  joint.name = name, joint.kind = kind, joint.parent = parent, joint.child = child;
  joint.X_PF = {SO3<>(), p_P}, joint.X_CM = {SO3<>(), p_C};
  return joint;
}

inline BodyStart rod_from(const Vec3& a, const Vec3& b) {
  BodyStart start;
  start.x = (a + b) / 2;
  start.R = SO3<>::exp(Vec3(0, 0, std::atan2(b[1] - a[1], b[0] - a[0])));
  return start;
}

inline Force weight(const Vec3& g) { return {"weight", UniformGravity{{g[0], g[1], g[2]}}}; }

/// A planar four-bar in space, of revolute joints about z, with ground pivots at 0 and (ground, 0). The
/// last joint closes the loop.
struct FourBar {
  Mechanism mechanism;
  Start start;

  FourBar(double crank, double coupler, double rocker, double ground, double angle) {
    const Vec3 A(0, 0, 0), D(ground, 0, 0), B = crank * Vec3(std::cos(angle), std::sin(angle), 0);
    const Vec3 BD = D - B;
    const double d = BD.norm(), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
    const Vec3 u = BD / d, left(-u[1], u[0], 0);
    const Vec3 C = B + along * u + std::sqrt(coupler * coupler - along * along) * left;
    const double length[] = {crank, coupler, rocker};
    mechanism.bodies = {rod("crank", crank, 0.5), rod("coupler", coupler, 1.2), rod("rocker", rocker, 0.9)};
    const auto end = [&](int body, double side) { return Vec3(side * length[body] / 2, 0, 0); };
    mechanism.joints = {joint_at("A", JointKind::revolute, world, A, 0, end(0, -1)),
                        joint_at("B", JointKind::revolute, 0, end(0, 1), 1, end(1, -1)),
                        joint_at("C", JointKind::revolute, 1, end(1, 1), 2, end(2, 1)),
                        joint_at("D", JointKind::revolute, world, D, 2, end(2, -1))};
    mechanism.forces = {weight({0, -9.81, 0})};
    start.bodies = {rod_from(A, B), rod_from(B, C), rod_from(D, C)};
  }
};

/// The sample at one instant.
inline Sample sample_of(const Model& model, const State& x, double t = 0) {
  SimulationOptions options;
  options.t_begin = options.t_end = t;
  options.step = 1;
  return run(model, x, options).samples.front();
}

}  // namespace torsor::test
