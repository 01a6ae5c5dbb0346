#include <doctest/doctest.h>

#include "constrained.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE(
    "viscous friction gives the ideal reaction to first order and keeps the contact with the plane exactly") {
  Mechanism mechanism;
  Body disk;
  disk.name = "disk", disk.mass = 2, disk.inertia = Vec3(0.125, 0.25, 0.125).asDiagonal();
  mechanism.bodies = {disk};
  Rolling rolling;
  rolling.shape = RollingDisk{Vec3::UnitY(), 0.5, 0};
  rolling.upright = true;
  mechanism.constraints = {{"ground", rolling}};
  mechanism.forces = {weight({0, 0, -9.81})};
  Start start;
  start.bodies.resize(1);
  start.bodies[0].x = Vec3(0, 0, 0.5), start.bodies[0].R = SO3<>();
  start.bodies[0].v_W = Vec3(1, 0, 0), start.bodies[0].Omega = Vec3(0, 2, 0.8);
  const Model model(mechanism);
  const State x = consistent_start(model, start);
  const Sample ideal = sample_of(model, x);
  SimulationOptions options;
  options.constraints = Treatment::viscous, options.tolerance = 1e-10, options.t_end = 0.2,
  options.output_step = 0.2;
  double last = 1;
  for (const double eps : {1e-2, 1e-3}) {
    options.treatment = {.mu = 1, .eps = eps};
    const Trajectory slipping = run(model, x, options);
    REQUIRE(slipping.summary.status == StepStatus::reached_end);
    SimulationOptions exact = options;
    exact.constraints = Treatment::index_1;
    const Sample rolling_on = run(model, x, exact).samples.back();
    const Sample end = slipping.samples.back();
    CHECK(end.invariants.position_residual < 1e-12);
    CHECK(std::abs(end.bodies[0].x[2] - 0.5) < 1e-12);
    CHECK(slipping.energy_max_drift < 1e-8);
    const double off = (end.constraints[0].force - rolling_on.constraints[0].force).norm();
    CHECK(off < 0.2 * last);
    last = off;
  }
  CHECK(ideal.constraints[0].force[2] == doctest::Approx(2 * 9.81));
}

TEST_CASE("a moving constraint supplies the power of its force at the given velocity, with friction too") {
  Mechanism mechanism;
  mechanism.bodies = {rod("a", 1, 2)};
  VelocityLaw belt;
  belt.terms = {{VelocityLaw::Term::Quantity::point_velocity, {0}, Vec3::UnitX(), false}};
  belt.value = 3.;
  mechanism.constraints = {{"belt", belt}};
  const Model model(mechanism);
  SimulationOptions options;
  options.t_end = 0, options.step = 1;
  options.constraints = Treatment::viscous, options.treatment = {.mu = 1, .eps = 0.5};
  State x = make_start(model, {});
  for (const double v : {0., 1., 3.}) {
    CAPTURE(v);
    x.v[0] = v;
    const ConstraintMotion found = run(model, x, options).samples.front().constraints.front();
    CHECK((found.force - Vec3((3 - v) / 0.5, 0, 0)).norm() < 1e-12);
    CHECK(std::abs(found.power - 3 * found.force[0]) < 1e-12);
  }
}
