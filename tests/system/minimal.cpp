#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "constrained.hpp"
#include "support/greatest.hpp"
#include "torsor/system/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE(
    "minimal velocities give a loop the same motion as multipliers, also if the independent velocities "
    "must change") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 9);
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const State start = consistent_start(model, bar.start);
    SimulationOptions options;
    options.tolerance = 1e-11, options.t_end = 2, options.output_step = 0.5;
    const Trajectory expected = run(model, start, options);
    options.constraints = Treatment::minimal;
    const Trajectory found = run(model, start, options);
    REQUIRE(found.summary.status == StepStatus::reached_end);
    REQUIRE(found.samples.size() == expected.samples.size());
    for (std::size_t k = 0; k < found.samples.size(); ++k) {
      const Sample &a = found.samples[k], &b = expected.samples[k];
      CAPTURE(k);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK((a.bodies[i].x - b.bodies[i].x).norm() < 1e-8);
        CHECK((a.bodies[i].vdot - b.bodies[i].vdot).norm() < 1e-6);
      }
      for (std::size_t j = 0; j < 4; ++j) CHECK((a.joints[j].force - b.joints[j].force).norm() < 1e-6);
      CHECK(a.invariants.velocity_residual < 1e-12);
      CHECK(a.invariants.position_residual < 1e-8);  // positions are not projected
    }
  }
}

TEST_CASE("a method has its order in minimal velocities") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start = bar.start;
  start.joints.resize(4);
  start.joints[0].v = Vec::Constant(1, 4.6);
  const Model model(bar.mechanism, Formulation::absolute);
  const State x = consistent_start(model, start);
  const auto end = [&](double step) {
    SimulationOptions options;
    options.method = "rkmk4", options.constraints = Treatment::minimal;
    options.step = step, options.t_end = 0.5, options.output_step = 0.5;
    return run(model, x, options).samples.back().bodies[1].x;
  };
  const Vec3 coarse = end(0.02), half = end(0.01), quarter = end(0.005);
  CHECK(std::log2((coarse - half).norm() / (half - quarter).norm()) == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("minimal velocities do not depend on the unit of length") {
  const auto end = [](double size) {
    FourBar bar(0.3 * size, 0.9 * size, 0.7 * size, 0.8 * size, 0.6);
    bar.mechanism.forces.clear();
    for (Body& body : bar.mechanism.bodies) body.inertia(0, 0) *= size * size;
    bar.start.joints.resize(4);
    bar.start.joints[0].v = Vec::Constant(1, 9);
    const Model model(bar.mechanism, Formulation::absolute);
    SimulationOptions options;
    options.method = "rkmk4", options.constraints = Treatment::minimal;
    options.step = 0.01, options.t_end = 1, options.output_step = 1;
    return Vec3(run(model, consistent_start(model, bar.start), options).samples.back().bodies[1].x / size);
  };
  const Vec3 metre = end(1);
  for (const double size : {0x1p-20, 0x1p20}) CHECK(greatest(end(size) - metre) < 1e-11);
}

TEST_CASE("output does not change the motion in minimal velocities") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 9);
  const Model model(bar.mechanism);
  const State start = consistent_start(model, bar.start);
  SimulationOptions options;
  options.constraints = Treatment::minimal, options.tolerance = 1e-8, options.t_end = 1;
  options.output_step = 1;
  const Vec seldom = run(model, start, options).samples.back().x.q;
  options.output_step = 0.003;
  CHECK(run(model, start, options).samples.back().x.q == seldom);
}

namespace {

/// The greatest distance of mass centres between a run by minimal velocities and one by index-1 at a
/// tolerance of 1e-12, over the outputs up to `t_end`; and the greatest drift of energy minus work in the
/// former.
struct Apart {
  double place = 0, energy = 0;
};
Apart apart(const Mechanism& mechanism, Formulation formulation, const Start& start,
            SimulationOptions options) {
  const Model model(mechanism, formulation);
  const State x = consistent_start(model, start);
  SimulationOptions exact = options;
  exact.step.reset(), exact.tolerance = 1e-12;
  const Trajectory expected = run(model, x, exact);
  options.constraints = Treatment::minimal;
  const Trajectory found = run(model, x, options);
  REQUIRE(found.summary.status == StepStatus::reached_end);
  REQUIRE(found.samples.size() == expected.samples.size());
  Apart worst;
  for (std::size_t k = 0; k < found.samples.size(); ++k)
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
      worst.place =
          greatest(worst.place, (found.samples[k].bodies[i].x - expected.samples[k].bodies[i].x).norm());
  worst.energy = found.energy_max_drift;
  return worst;
}

/// A particle on a rod of 1 m whose support moves up and down: one row.
struct MovingSupport {
  Mechanism mechanism{{{"bob", 1, Mat3::Zero(), GroupProduct::direct, true}}, {}, {weight({0, 0, -9.81})}};
  Start start{{{.x = Vec3(0.8, 0, -0.4), .v_W = Vec3(0, 1.4, 0)}}, {}};

  MovingSupport() {
    Distance rod;
    rod.b.body = 0;
    rod.a.p[2] = TimeFunction(
        [](double t) {
          return TimeFunction::Value{0.2 * std::cos(3 * t), -0.6 * std::sin(3 * t), -1.8 * std::cos(3 * t)};
        },
        "0.2*cos(3*t)");
    mechanism.constraints = {{"rod", rod}};
  }
};

}  // namespace

TEST_CASE("the dependent velocity is chosen anew during the motion: a pendulum with one row") {
  const MovingSupport pendulum;
  SimulationOptions options;
  options.t_end = 20, options.output_step = 0.25;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    options.tolerance = tolerance;
    const Apart off = apart(pendulum.mechanism, Formulation::tree, pendulum.start, options);
    CHECK(off.place < 300 * tolerance);
    CHECK(off.energy < 300 * tolerance);
  }
  options.tolerance.reset(), options.step = 0.005, options.method = "rkmk4";
  CHECK(apart(pendulum.mechanism, Formulation::tree, pendulum.start, options).place < 1e-6);
}

TEST_CASE("the dependent velocities are chosen anew during the motion: rods between tumbling particles") {
  const Vec3 corners[] = {{0.4, 0, 0}, {-0.2, 0.3, 0.1}, {0, -0.3, -0.2}, {0.1, 0.2, 0.5}};
  SimulationOptions options;
  options.t_end = 10, options.output_step = 0.25;
  for (const int count : {3, 4}) {  // three and six rows
    CAPTURE(count);
    Mechanism rods{{}, {}, {weight({0, 0, -1})}};
    Start start;
    for (int i = 0; i < count; ++i) {
      rods.bodies.push_back({std::to_string(i), 1. + i, Mat3::Zero(), GroupProduct::direct, true});
      start.bodies.push_back({.x = corners[i], .v_W = Vec3(0.3, 0.1, 2) + Vec3(2, -3, 1).cross(corners[i])});
      for (int j = 0; j < i; ++j) {
        Distance rod;
        rod.a.body = j, rod.b.body = i, rod.length = (corners[i] - corners[j]).norm();
        rods.constraints.push_back({std::to_string(j) + "-" + std::to_string(i), rod});
      }
    }
    for (const double tolerance : {1e-7, 1e-9}) {
      CAPTURE(tolerance);
      options.tolerance = tolerance;
      const Apart off = apart(rods, Formulation::tree, start, options);
      CHECK(off.place < 1000 * tolerance);
      CHECK(off.energy < 1000 * tolerance);
    }
  }
}
