#include <doctest/doctest.h>

#include <cmath>

#include "constrained.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A crank-rocker, whose two circuits do not meet, at the crank angle 0.643 rad + 2 rad/s t.
FourBar crank_rocker(double t) { return {0.5, 1.0686656809, 0.9794427, 1.2086064, 0.643 + 2 * t}; }

/// The same at t = 0 with a driver of the crank. The velocities are those of central differences.
FourBar driven() {
  FourBar bar = crank_rocker(0);
  const auto angle = [](double t) { return TimeFunction::Value{0.643 + 2 * t, 2, 0}; };
  bar.mechanism.constraints = {{"drive", JointCoupling{{{0, 0, 1.}}, {angle, "0.643 + 2*t"}}}};
  const double h = 1e-5;
  const FourBar later = crank_rocker(h), earlier = crank_rocker(-h);
  for (std::size_t i = 0; i < 3; ++i) {
    const BodyStart &to = later.start.bodies[i], &from = earlier.start.bodies[i];
    bar.start.bodies[i].v_W = (*to.x - *from.x) / (2 * h);
    bar.start.bodies[i].Omega = (from.R->inverse() * *to.R).log() / (2 * h);
  }
  return bar;
}

}  // namespace

TEST_CASE("step halving sees the error of a motion that the constraints determine") {
  const FourBar bar = driven();
  const Vec3 end = *crank_rocker(3).start.bodies[2].x;
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const State start = consistent_start(model, bar.start);
    for (const char* method : {"lie-midpoint", "lie-midpoint4", "cg3", "rkmk4", "generalized-alpha"}) {
      CAPTURE(std::string(method));
      long coarse_steps = 0;
      for (const double tolerance : {1e-4, 1e-7}) {
        SimulationOptions options;
        options.t_end = 3, options.output_step = 0.1;
        options.method = method, options.tolerance = tolerance;
        const Trajectory found = run(model, start, options);
        CAPTURE(found.summary.message);
        REQUIRE(found.summary.status == StepStatus::reached_end);
        CHECK((found.samples.back().bodies[2].x - end).norm() < 1e-9);
        for (const Sample& sample : found.samples)
          CHECK((sample.bodies[2].x - *crank_rocker(sample.t).start.bodies[2].x).norm() < 1e-9);
        if (coarse_steps > 0) CHECK(found.summary.accepted > 3 * coarse_steps);
        coarse_steps = found.summary.accepted;
      }
    }
  }
}
