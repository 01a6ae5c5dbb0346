#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "driven_pendulum.hpp"
#include "model/forces/feedback.hpp"
#include "torsor/model/forces.hpp"

// Forces that are functions of the state with kinks.

using namespace torsor;
using namespace torsor::test;

namespace {

/// A rod that a torque of constant size pushes towards the angle 0.
Mechanism with_sign(double size) {
  Mechanism mechanism = pendulum();
  StateFunction pushes{{angle}, 1, [size](const double* y, const signed char* sides, double* switching) {
                         if (switching) *switching = y[1];
                         const double side = sides ? *sides : y[1] < 0 ? -1 : 1;
                         return -size * side;
                       }};
  std::get<JointForce>(mechanism.forces[1].law).force = TimeFunction(std::move(pushes), "-sign(angle)");
  return mechanism;
}

}  // namespace

TEST_CASE("methods keep their order across jumps of a force, at fixed steps and under a tolerance") {
  const Mechanism mechanism = with_sign(3);
  const double truth = end_angle(motion(mechanism, {"rkmk-dop853", Formulation::tree, 0, 1e-13}));
  for (const auto& [method, order] : {std::pair("rkmk4", 4), std::pair("rkmk-dopri5", 5)}) {
    const auto error = [&](double step) {
      return std::abs(end_angle(motion(mechanism, {method, Formulation::tree, step})) - truth);
    };
    CHECK(error(0.02) / error(0.005) > std::pow(4., order - 0.5));
    CHECK(error(0.01) < 1e-5);
  }
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Trajectory trajectory = motion(mechanism, {"rkmk-dopri5", Formulation::tree, 0, tolerance});
    CHECK(std::abs(end_angle(trajectory) - truth) < 30 * tolerance);
    CHECK(trajectory.summary.rejected < 10);
  }
}

TEST_CASE("a jump is located if its switching function is infinite at the start or the end of the step") {
  // The torque jumps at t = 0.02, within the first step.
  const auto jumping = [](double (*at)(double t)) {
    Mechanism mechanism = pendulum();
    StateFunction jumps{{}, 1, [at](const double* y, const signed char* sides, double* switching) {
                          const double value = at(y[0]);
                          if (switching) *switching = value;
                          return (sides ? *sides > 0 : value >= 0) ? 3. : -3.;
                        }};
    std::get<JointForce>(mechanism.forces[1].law).force = TimeFunction(std::move(jumps), "jump");
    return end_angle(motion(mechanism, {"rkmk4", Formulation::tree, 0.05}));
  };
  const double truth = jumping([](double t) { return 0.02 - t; });
  CHECK(std::abs(jumping([](double t) { return 1 / t - 50; }) - truth) < 1e-10);
  CHECK(std::abs(jumping([](double t) { return t > 0.02 ? -HUGE_VAL : 0.02 - t; }) - truth) < 1e-10);
}

TEST_CASE("a motion may begin on a kink and leave it to the other side") {
  // Like that of a table at one of its points, the switching function is the least positive number at rest.
  StateFunction jumps{{rate}, 1, [](const double* y, const signed char* sides, double* switching) {
                        if (switching)
                          *switching = y[1] >= 0 ? std::numeric_limits<double>::denorm_min() : y[1];
                        return (sides ? *sides > 0 : y[1] >= 0) ? 3. : -3.;
                      }};
  const Mechanism with_kink = pendulum(TimeFunction(std::move(jumps), "jump")), without = pendulum(-3.);
  for (const char* method : {"rkmk4", "rkmk-dop853", "lie-midpoint", "generalized-alpha"}) {
    CAPTURE(std::string(method));
    const Case with{method, Formulation::tree, 0.01, 0, 0.5};  // it moves to one side only
    CHECK(std::abs(end_angle(motion(with_kink, with)) - end_angle(motion(without, with))) < 1e-14);
  }
}

TEST_CASE("std::bad_alloc from a force or a state leaves the run") {
  const TimeFunction full = function({}, [](const double* y) {
    if (y[0] > 0.5) throw std::bad_alloc();
    return 1.;
  });
  Mechanism with_state = pendulum();
  with_state.states = {{"lag", "V", 0, full, 0}};
  for (const Mechanism& mechanism : {pendulum(full), with_state})
    CHECK_THROWS_AS(run_from_rest(mechanism), std::bad_alloc);
}

TEST_CASE("the message of a function with a kink that throws names the force, at the start too") {
  for (const double when : {0., 0.5}) {
    CAPTURE(when);
    StateFunction jumps{{angle}, 1, [when](const double* y, const signed char*, double* switching) {
                          if (switching && y[0] >= when) throw std::runtime_error("no data");
                          if (switching) *switching = 1;
                          return 0.;
                        }};
    const RunSummary summary = run_from_rest(pendulum(TimeFunction(std::move(jumps), "jump"))).summary;
    CHECK(summary.status == StepStatus::callback_failed);
    CHECK_MESSAGE(summary.message.find("force \"drive\": no data") != std::string::npos, summary.message);
  }
}

TEST_CASE("a function with a kink may throw at states where the motion does not come") {
  const auto jumping = [](double most) {
    StateFunction jumps{{angle}, 1, [most](const double* y, const signed char* sides, double* switching) {
                          if (y[1] > most) throw std::runtime_error("no data");
                          if (switching) *switching = y[1] - 0.5;
                          return (sides ? *sides > 0 : y[1] >= 0.5) ? 1. : -1.;
                        }};
    const Mechanism mechanism = pendulum(TimeFunction(std::move(jumps), "jump"));
    return end_angle(motion(mechanism, {"rkmk4", Formulation::tree, 0.05, 0, 0.5}));
  };
  const double end = jumping(1 + 1e-12);  // 1 rad is the angle at the start
  CHECK(end < 0.5);
  CHECK(std::abs(end - jumping(2)) < 1e-12);
}

TEST_CASE("a function that oscillates so fast that its kinks cannot be told apart ends the run") {
  StateFunction waves{{angle}, 1, [](const double* y, const signed char* sides, double* switching) {
                        const double value = 1.001 + std::cos(1e6 * y[1]);
                        if (switching) *switching = value;
                        return (sides ? *sides > 0 : value >= 0) ? 3. : -3.;
                      }};
  const RunSummary summary = run_from_rest(pendulum(TimeFunction(std::move(waves), "waves"))).summary;
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK_MESSAGE(
      summary.message.find("force \"drive\" may have so many kinks in one step") != std::string::npos,
      summary.message);
}

TEST_CASE("a motion that stays on a jump ends with a message that names the force") {
  Mechanism mechanism = with_sign(0);
  StateFunction friction{{rate}, 1, [](const double* y, const signed char* sides, double* switching) {
                           if (switching) *switching = y[1];
                           return sides ? -12. * *sides : y[1] < 0 ? 12 : -12;
                         }};
  std::get<JointForce>(mechanism.forces[1].law).force = TimeFunction(std::move(friction), "-12 sign(rate)");
  const Model model(mechanism);
  Start start;
  start.bodies.resize(1), start.joints.resize(1);
  start.joints[0] = {Vec::Constant(1, 1.), Vec::Constant(1, 1.)};
  SimulationOptions options;
  options.t_end = 2;
  const Trajectory trajectory = run(model, consistent_start(model, start, 0), options);
  CHECK(trajectory.summary.status == StepStatus::callback_failed);
  CHECK(trajectory.summary.message.find("force \"drive\" changes its branch again and again") !=
        std::string::npos);
}

// If each force searched for its kinks among those of all forces, this test would take minutes.
TEST_CASE("the cost of forces with kinks is linear in their number") {
  constexpr int count = 200'000;
  Mechanism mechanism = with_sign(3. / count);
  const Force one = mechanism.forces[1];
  for (int i = 1; i < count; ++i) mechanism.forces.push_back({"drive" + std::to_string(i), one.law});
  const Model model(mechanism);
  const Forces forces(model);
  const State x{Vec::Constant(1, 1.), Vec::Zero(1), {}};
  Workspace<double> work(model);
  Loads<double> loads(model);
  forces.feedback().hold(std::vector<signed char>(count, -1));
  for (int i = 0; i < 5; ++i) forces.evaluate(0, x.q, x.v, work, loads);
  CHECK(loads.tau[0] == doctest::Approx(3));  // the sides are held, although the angle is positive
}

// If each kink were located for itself, each force would call its function fifty times as often.
TEST_CASE("forces whose kinks lie at one instant call their functions as often as one force alone") {
  const auto calls_of_each = [](int count) {
    Mechanism mechanism = pendulum();
    long calls = 0;
    for (int i = 0; i < count; ++i) {
      const double size = 3. * (i + 1) / (count * (count + 1) / 2.);
      StateFunction pushes{
          {angle}, 1, [size, &calls](const double* y, const signed char* sides, double* switching) {
            ++calls;
            if (switching) *switching = size * y[1];
            return -size * (sides ? *sides : y[1] < 0 ? -1 : 1);
          }};
      JointForce law = std::get<JointForce>(mechanism.forces[1].law);
      law.force = TimeFunction(std::move(pushes), "pushes");
      mechanism.forces.push_back({"push" + std::to_string(i), law});
    }
    CHECK(run_from_rest(mechanism).summary.status == StepStatus::reached_end);
    return static_cast<double>(calls) / count;
  };
  CHECK(calls_of_each(50) < 1.2 * calls_of_each(1));
}

TEST_CASE("a kink within rounding of the start does not end an implicit method in a step of rounding size") {
  Mechanism mechanism;
  Body block;
  block.name = "block", block.mass = 1;
  block.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
  Joint slide;
  slide.name = "slide", slide.kind = JointKind::prismatic;
  StateFunction at_least{{rate}, 1, [](const double* y, const signed char* sides, double* switching) {
                           if (switching) *switching = y[1] - 1.9;
                           return (sides ? *sides > 0 : y[1] >= 1.9) ? y[1] : 1.9;
                         }};
  mechanism.bodies = {block};
  mechanism.forces = {{"gravity", UniformGravity{{0., 0., -9.81}}},
                      {"drive", JointForce{0, 0, 0., 0., 0., TimeFunction(std::move(at_least), "max")}}};
  Start start;
  start.bodies.resize(1);
  for (const int axis : {0, 2, 3, 5}) {
    slide.X_PF.R = slide.X_CM.R = SO3<>::exp(Vec3(std::sin(axis), std::cos(3. * axis), 0.1 * axis));
    mechanism.joints = {slide};
    const Model model(mechanism, Formulation::absolute);
    for (const double beside : {-2e-16, 0., 2.3e-16})
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        CAPTURE(axis);
        CAPTURE(beside);
        CAPTURE(tolerance);
        start.joints = {{Vec::Constant(1, 0.2), Vec::Constant(1, 1.9 + beside)}};
        SimulationOptions options;
        options.method = "generalized-alpha", options.t_end = 0.1, options.tolerance = tolerance;
        const Trajectory trajectory = run(model, consistent_start(model, start, 0), options);
        CHECK_MESSAGE(trajectory.summary.status == StepStatus::reached_end, trajectory.summary.message);
      }
  }
}
