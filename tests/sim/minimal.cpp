#include <doctest/doctest.h>

#include <cmath>

#include "constrained.hpp"
#include "torsor/sim/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("minimal velocities move a loop as the multipliers do, over dead centres of their choice") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 9);
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const State start = consistent_start(model, bar.start);
    SimulationOptions options;
    options.tolerance = 1e-11, options.t_end = 2, options.output_step = 0.5;
    const Trajectory expected = run(model, start, options);
    options.constraints = "minimal";
    const Trajectory found = run(model, start, options);
    REQUIRE(found.summary.status == StepStatus::reached_end);
    for (std::size_t k = 0; k < found.samples.size(); ++k) {
      const Sample &a = found.samples[k], &b = expected.samples[k];
      CAPTURE(k);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK((a.bodies[i].x - b.bodies[i].x).norm() < 1e-8);
        CHECK((a.bodies[i].vdot - b.bodies[i].vdot).norm() < 1e-6);
      }
      for (std::size_t j = 0; j < 4; ++j) CHECK((a.joints[j].force - b.joints[j].force).norm() < 1e-6);
      CHECK(a.invariants.velocity_residual < 1e-12);
      CHECK(a.invariants.position_residual < 1e-8);  // nothing projects positions
    }
  }
}

TEST_CASE("the order of a method in minimal velocities is its own") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start = bar.start;
  start.joints.resize(4);
  start.joints[0].v = Vec::Constant(1, 4.6);
  const Model model(bar.mechanism, Formulation::absolute);
  const State x = consistent_start(model, start);
  const auto end = [&](double step) {
    SimulationOptions options;
    options.method = "rkmk4", options.constraints = "minimal";
    options.step = step, options.t_end = 0.5, options.output_step = 0.5;
    return run(model, x, options).samples.back().bodies[1].x;
  };
  const Vec3 coarse = end(0.02), half = end(0.01), quarter = end(0.005);
  CHECK(std::log2((coarse - half).norm() / (half - quarter).norm()) == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("what is printed in between does not change minimal velocities") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 9);
  const Model model(bar.mechanism);
  const State start = consistent_start(model, bar.start);
  SimulationOptions options;
  options.constraints = "minimal", options.tolerance = 1e-8, options.t_end = 1;
  options.output_step = 1;
  const Vec seldom = run(model, start, options).samples.back().x.q;
  options.output_step = 0.003;
  CHECK(run(model, start, options).samples.back().x.q == seldom);
}
