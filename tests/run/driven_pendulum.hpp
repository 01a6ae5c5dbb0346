#pragma once

#include <doctest/doctest.h>

#include "torsor/run/trajectory.hpp"
#include "torsor/system/consistent_start.hpp"

/// A pendulum whose drive is a function of the state.
namespace torsor::test {

using Quantity = Measured::Quantity;

inline const Measured angle{Quantity::joint_coordinate, 0, 0, {}}, rate{Quantity::joint_rate, 0, 0, {}};
inline Measured own_state(int index) { return {Quantity::own_state, index, 0, {}}; }

/// f(t, inputs) without kinks.
inline TimeFunction function(std::vector<Measured> inputs, double (*f)(const double* y)) {
  return {
      StateFunction{std::move(inputs), 0, [f](const double* y, const signed char*, double*) { return f(y); }},
      "f"};
}

/// A rod on a hinge, with its centre below the hinge at the angle 0, and a force in the hinge.
inline Mechanism pendulum(const TimeFunction& force = 0., const TimeFunction& stiffness = 0.,
                          const TimeFunction& damping = 0.) {
  Body rod;
  rod.name = "rod", rod.mass = 2;
  rod.inertia = Vec3(0.1, 0.2, 0.15).asDiagonal();
  Joint hinge;
  hinge.name = "hinge", hinge.kind = JointKind::revolute;
  hinge.X_CM.p = Vec3(0, 0.5, 0);
  Mechanism mechanism;
  mechanism.bodies = {rod}, mechanism.joints = {hinge};
  mechanism.forces = {{"gravity", UniformGravity{{0., -9.81, 0.}}},
                      {"drive", JointForce{0, 0, stiffness, 0., damping, force}}};
  return mechanism;
}

struct Case {
  const char* method = "rkmk-dop853";
  Formulation formulation = Formulation::tree;
  double step = 0, tolerance = 1e-10, t_end = 2;
};

inline Trajectory motion(const Mechanism& mechanism, const Case& with = {}, double angle_at_start = 1) {
  const Model model(mechanism, with.formulation);
  Start start;
  start.bodies.resize(mechanism.bodies.size());
  start.joints.resize(mechanism.joints.size());
  start.joints[0] = {Vec::Constant(1, angle_at_start), Vec::Zero(1)};
  SimulationOptions options;
  options.method = with.method, options.t_end = with.t_end, options.output_step = with.t_end / 8;
  if (with.step > 0)
    options.step = with.step;
  else
    options.tolerance = with.tolerance;
  Trajectory trajectory = run(model, consistent_start(model, start, 0), options);
  CAPTURE(trajectory.summary.message);
  REQUIRE(trajectory.summary.status == StepStatus::reached_end);
  return trajectory;
}

inline double end_angle(const Trajectory& trajectory) { return trajectory.samples.back().joints[0].q[0]; }

/// A run of the pendulum from 1 rad at rest until 1 s, however it ends.
inline Trajectory run_from_rest(const Mechanism& mechanism, double step = 0.05,
                                const char* method = "rkmk4") {
  const Model model(mechanism);
  Start start;
  start.bodies.resize(1);
  start.joints = {{Vec::Constant(1, 1.), Vec::Zero(1)}};
  SimulationOptions options;
  options.method = method, options.t_end = 1, options.step = step;
  return run(model, consistent_start(model, start, 0), options);
}

}  // namespace torsor::test
