#include <doctest/doctest.h>

#include <cmath>

#include "../model/some_forces.hpp"
#include "torsor/run/trajectory.hpp"

using namespace torsor;

namespace {

SimulationOptions fixed(const char* method, double step, double t_end) {
  SimulationOptions options;
  options.method = method;
  options.step = step;
  options.t_end = t_end;
  options.output_step = t_end / 4;
  return options;
}

/// A driven rod on a pivot with friction: a pendulum that gains and loses energy.
Mechanism driven_pendulum() {
  Body rod;
  rod.name = "rod";
  rod.inertia = Vec3(0.1, 0.1, 0.01).asDiagonal();
  Joint pivot;
  pivot.name = "pivot";
  pivot.kind = JointKind::revolute;
  pivot.X_CM.p = Vec3(0, -0.5, 0);
  Mechanism pendulum{{rod}, {pivot}, {}};
  pendulum.forces = {{"gravity", UniformGravity{{0., -9.81, 0.}}},
                     {"drive", JointForce{0, 0, 0., 0., 0.2, test::wave(0.5, 2)}}};
  return pendulum;
}

Trajectory run_pendulum(const char* method, double step) {
  const Model model(driven_pendulum());
  State start{Vec::Constant(1, 2.), Vec::Constant(1, 1.), {}};
  return run(model, start, fixed(method, step, 4));
}

}  // namespace

TEST_CASE("energy minus work is constant on a tree with every kind of joint under every kind of force") {
  test::Random random(7);
  Mechanism mechanism = test::random_tree(random, 20);
  mechanism.forces = test::changing_forces(random, mechanism);
  const Model model(mechanism);
  const State start = test::random_state(random, model);
  SimulationOptions options;
  options.method = "rkmk-fehlberg78";
  options.tolerance = 1e-12;
  options.t_end = 0.5;
  options.output_step = 0.1;
  const auto trajectory = run(model, start, options);
  REQUIRE(trajectory.summary.status == StepStatus::reached_end);
  CHECK(std::abs(trajectory.samples.back().invariants.work) > 0.1);
  CHECK(trajectory.energy_max_drift < 1e-9);
  CHECK(trajectory.summary.x.q.size() == model.nq());
  CHECK(trajectory.summary.x.v.size() == model.nv());
}

TEST_CASE("the work has the order of each method") {
  const auto work = [](const char* method, double step) {
    return run_pendulum(method, step).samples.back().invariants.work;
  };
  const double exact = work("rkmk-fehlberg78", 0.005);
  for (const MethodInfo& method : methods()) {
    if (method.fixed_step_only && method.keeps.starts_with("symplectic")) continue;  // they refuse friction
    if (method.order > 5) continue;
    CAPTURE(method.name);
    const std::string name(method.name);
    const double step = method.order == 1 ? 1e-3 : 0.02;
    const double coarse = std::abs(work(name.c_str(), step) - exact);
    const double fine = std::abs(work(name.c_str(), step / 2) - exact);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log2(coarse / fine) > method.order - 0.7);  // the steps are long
  }
}

TEST_CASE("the energy changes by the work of friction") {
  Mechanism mechanism = driven_pendulum();
  std::get<JointForce>(mechanism.forces[1].law).force = 0.;
  const Model model(mechanism);
  State start{Vec::Constant(1, 2.), Vec::Zero(1), {}};
  const auto trajectory = run(model, start, fixed("rkmk-fehlberg78", 0.01, 4));
  const Invariants &first = trajectory.samples.front().invariants,
                   &last = trajectory.samples.back().invariants;
  CHECK(last.work < -1);
  CHECK(std::abs(last.energy() - first.energy() - last.work) < 1e-10);
  CHECK(std::abs(trajectory.energy_drift_slope) < 1e-10);
}

TEST_CASE("the message of a power that is not finite names the force") {
  Mechanism pendulum = driven_pendulum();
  const auto root = [](double t) { return TimeFunction::Value{std::sqrt(t), 0.5 / std::sqrt(t), 0}; };
  pendulum.forces[0] = {"gravity", UniformGravity{{0., TimeFunction(root, "sqrt(t)"), 0.}}};
  const Model model(pendulum);
  for (const char* method : {"rkmk4", "cf4", "generalized-alpha"}) {
    CAPTURE(std::string(method));
    const RunSummary summary =
        run(model, {Vec::Constant(1, 2.), Vec::Constant(1, 1.), {}}, fixed(method, 0.1, 1)).summary;
    CHECK(summary.status == StepStatus::non_finite);
    CHECK_MESSAGE(
        summary.message.find("the power of force \"gravity\" is not finite at t = 0; a formula of t may "
                             "have an infinite slope there") != std::string::npos,
        summary.message);
  }
}

TEST_CASE("the integration of work does not change the motion") {
  for (const char* method : {"rkmk4", "rkmk-dopri5", "cf4", "lie-midpoint", "generalized-alpha"}) {
    CAPTURE(method);
    Mechanism conservative = driven_pendulum();
    auto& drive = std::get<JointForce>(conservative.forces[1].law);
    drive.damping = 0., drive.force = 0.3,
    drive.stiffness = 1.;  // a constant drive changes only the potential
    Mechanism counted = conservative;
    counted.forces.push_back({"nothing", UserForce{"", [](double, const auto&, auto&) {}}});
    const Model a(conservative), b(counted);
    State start{Vec::Constant(1, 2.), Vec::Constant(1, 1.), {}};
    const auto plain = run(a, start, fixed(method, 0.01, 1)),
               with_work = run(b, start, fixed(method, 0.01, 1));
    CHECK(std::abs(plain.summary.x.q[0] - with_work.summary.x.q[0]) < 1e-12);
    CHECK(std::abs(plain.summary.x.v[0] - with_work.summary.x.v[0]) < 1e-12);
  }
}

TEST_CASE("lie-verlet integrates the work by the trapezoidal rule, with order 2") {
  Mechanism mechanism = driven_pendulum();
  std::get<JointForce>(mechanism.forces[1].law).damping = 0.;
  const Model model(mechanism);
  State start{Vec::Constant(1, 2.), Vec::Constant(1, 1.), {}};
  const auto drift = [&](double step) {
    auto options = fixed("lie-verlet", step, 4);
    options.output_times = {0.3333, 1.7777};
    const auto trajectory = run(model, start, options);
    REQUIRE(trajectory.summary.status == StepStatus::reached_end);
    CHECK(std::abs(trajectory.samples.back().invariants.work) > 0.1);
    return trajectory.energy_max_drift;
  };
  CHECK(std::log2(drift(0.02) / drift(0.01)) > 1.7);
}
