#include <cmath>
#include <stdexcept>

#include "../support/greatest.hpp"
#include "driven_pendulum.hpp"
#include "torsor/system/mechanism_system.hpp"

// Forces that are functions of the state, own states and samples.

using namespace torsor;
using namespace torsor::test;

namespace {

/// The observed order of a method from fixed steps h, h/2 and h/4.
double observed_order(const Mechanism& mechanism, Case with, double h) {
  std::vector<double> ends;
  for (with.step = h; with.step > h / 5; with.step /= 2) ends.push_back(end_angle(motion(mechanism, with)));
  return std::log2(std::abs((ends[0] - ends[1]) / (ends[1] - ends[2])));
}

/// Torque of a PD controller with an integrator state: -20 (q - 0.3) - 3 q' - 8 z, z' = q - 0.3.
Mechanism with_pid() {
  Mechanism mechanism = pendulum(function(
      {angle, rate, own_state(0)}, [](const double* y) { return -20 * (y[1] - 0.3) - 3 * y[2] - 8 * y[3]; }));
  mechanism.states = {
      {"integral", "rad s", 0.1, function({angle}, [](const double* y) { return y[1] - 0.3; }), 0}};
  return mechanism;
}

}  // namespace

TEST_CASE("feedback by the law of a spring and a damper gives their motion, force and energy balance") {
  const Mechanism spring = pendulum(0., 15., 0.8);
  const Mechanism feedback =
      pendulum(function({angle, rate}, [](const double* y) { return -15 * y[1] - 0.8 * y[2]; }));
  for (const char* method : {"rkmk-dop853", "lie-midpoint", "generalized-alpha", "hemk5", "bliedf2"})
    for (const Formulation formulation : {Formulation::tree, Formulation::absolute}) {
      CAPTURE(method);
      Case with{method, formulation};
      if (method[0] != 'r' && method[0] != 'h') with.step = 2e-3;
      const Trajectory a = motion(spring, with), b = motion(feedback, with);
      for (std::size_t i = 0; i < a.samples.size(); ++i) {
        const Sample &one = a.samples[i], &other = b.samples[i];
        CHECK(test::greatest(one.bodies[0].x - other.bodies[0].x) < 1e-8);
        CHECK(test::greatest(one.joints[0].a - other.joints[0].a) < 1e-6);
        CHECK(std::abs(one.forces[0] - other.forces[0]) < 1e-7);
        const auto balance = [](const Sample& sample) {
          return sample.invariants.energy() - sample.invariants.work;
        };
        CHECK(std::abs(balance(one) - balance(a.samples[0])) < (with.step > 0 ? 3e-3 : 1e-8));
        CHECK(std::abs(balance(other) - balance(b.samples[0])) < (with.step > 0 ? 3e-3 : 1e-8));
      }
    }
}

TEST_CASE("own states have the order of the method, in both formulations") {
  const Mechanism mechanism = with_pid();
  const double truth = end_angle(motion(mechanism, {"rkmk-dop853", Formulation::tree, 0, 1e-12}));
  for (const Formulation formulation : {Formulation::tree, Formulation::absolute}) {
    CHECK(std::abs(end_angle(motion(mechanism, {"rkmk-dop853", formulation, 0, 1e-11})) - truth) < 1e-9);
    const auto order = [&](const char* method) {
      return observed_order(mechanism, {method, formulation}, 0.02);
    };
    CHECK(order("rkmk4") == doctest::Approx(4).epsilon(0.06));
    CHECK(order("cf4") == doctest::Approx(4).epsilon(0.06));
    CHECK(order("lie-midpoint") == doctest::Approx(2).epsilon(0.03));
    CHECK(order("bliedf2") == doctest::Approx(2).epsilon(0.2));
    CHECK(order("lie-euler") == doctest::Approx(1).epsilon(0.2));
  }
}

TEST_CASE("an own state is the integral of its rate, and samples list it") {
  Mechanism mechanism = pendulum();
  mechanism.states = {{"turned", "rad", 0.5, function({rate}, [](const double* y) { return y[1]; }), 0},
                      {"clock", "s", 0, function({}, [](const double*) { return 1.; }), 0}};
  for (const Sample& sample : motion(mechanism).samples) {
    REQUIRE(sample.states.size() == 2);
    CHECK(sample.states[0] == doctest::Approx(sample.joints[0].q[0] - 1 + 0.5).epsilon(1e-8));
    CHECK(sample.states[1] == doctest::Approx(sample.t).epsilon(1e-12));
    CHECK(sample.x.v.size() == 1);
  }
}

TEST_CASE("the message of a function of a state that throws names the state") {
  for (const double period : {0., 0.1}) {
    Mechanism mechanism = pendulum();
    mechanism.states = {{"lag", "V", 0,
                         function({},
                                  [](const double* y) {
                                    if (y[0] > 0.5) throw std::runtime_error("no signal");
                                    return 1.;
                                  }),
                         period}};
    const RunSummary summary = run_from_rest(mechanism).summary;
    CHECK(summary.status == StepStatus::callback_failed);
    CHECK_MESSAGE(summary.message.find("state \"lag\": no signal") != std::string::npos, summary.message);
  }
}

TEST_CASE("a sample that is not finite ends the run before it, and the message names it") {
  Mechanism mechanism = pendulum();
  mechanism.states = {{"gain", "", 0, function({}, [](const double* y) { return 1 / (y[0] - 0.5); }), 0.25}};
  const Trajectory trajectory = run_from_rest(mechanism, 0.0625);
  CHECK(trajectory.summary.status == StepStatus::non_finite);
  CHECK_MESSAGE(trajectory.summary.message.find("the sampled value \"gain\" is not finite at t = 0.5") !=
                    std::string::npos,
                trajectory.summary.message);
  CHECK(trajectory.samples.back().t < 0.5);
  CHECK(trajectory.samples.back().states[0] == -4);
}

TEST_CASE(
    "a rate of a state that is not finite ends the run with every method, and the message names the state") {
  Mechanism mechanism = pendulum();
  mechanism.states = {
      {"lag", "V", 0, function({}, [](const double* y) { return std::log(0.501 - y[0]); }), 0}};
  for (const char* method : {"rkmk4", "lie-midpoint", "generalized-alpha", "bliedf2", "hemk4"}) {
    CAPTURE(std::string(method));
    const RunSummary summary = run_from_rest(mechanism, 0.05, method).summary;
    CHECK(summary.status == StepStatus::non_finite);
    CHECK_MESSAGE(
        summary.message.find("the rate of state \"lag\" is not finite at t = 0.5") != std::string::npos,
        summary.message);
  }
}

TEST_CASE("a method that integrates motions only refuses own states") {
  CHECK_THROWS_WITH_AS(motion(with_pid(), {"lie-verlet", Formulation::tree, 0.01}),
                       "lie-verlet integrates motions only, and this mechanism has [[state]] or [[sampled]] "
                       "values; choose another method, such as rkmk-dop853",
                       std::invalid_argument);
}

TEST_CASE("an unknown method is refused by its name, also where there are own states") {
  CHECK_THROWS_WITH_AS(motion(with_pid(), {"rkmk-dopri6"}),
                       "unknown method \"rkmk-dopri6\"; did you mean \"rkmk-dopri5\"?",
                       std::invalid_argument);
}

TEST_CASE("simulate integrates own states, which follow the velocities, as a run of the mechanism does") {
  Mechanism mechanism = with_pid();
  mechanism.states.push_back(
      {"held", "rad", 0, function({angle}, [](const double* y) { return y[1]; }), 0.3});
  for (const Formulation formulation : {Formulation::tree, Formulation::absolute}) {
    const Trajectory trajectory = motion(mechanism, {"rkmk-dop853", formulation});
    const Model model(mechanism, formulation);
    const TreeSystem tree(model, 1);
    const MechanismSystem constrained(model, 1);
    const bool is_tree = formulation == Formulation::tree;
    const System& system = is_tree ? static_cast<const System&>(tree) : constrained;
    SimulationOptions options;
    options.method = "rkmk-dop853", options.t_end = 2, options.tolerance = 1e-10;
    State x = trajectory.samples[0].x;
    CHECK_THROWS_AS(simulate(system, x, options), std::invalid_argument);
    x.v.conservativeResize(model.nv() + 2);
    x.v.tail(2) << mechanism.states[0].start, mechanism.states[1].start;
    const RunSummary summary = simulate(system, x, options);
    const Sample& end = trajectory.samples.back();
    REQUIRE(summary.status == StepStatus::reached_end);
    REQUIRE(summary.x.v.size() == model.nv() + 2);
    CHECK(test::greatest(summary.x.v.head(model.nv()) - end.x.v) < 1e-8);
    for (int i = 0; i < 2; ++i) CHECK(std::abs(summary.x.v[model.nv() + i] - end.states[i]) < 1e-8);
    options.method = "lie-verlet", options.tolerance.reset(), options.step = 0.01;
    CHECK_THROWS_AS(simulate(system, x, options), std::invalid_argument);
  }
}

TEST_CASE("implicit methods take large steps with a stiff actuator") {
  // z' = 1e4 (u - z): the actuator follows u with a lag of 0.1 ms
  Mechanism mechanism = pendulum(function({own_state(0)}, [](const double* y) { return y[1]; }));
  mechanism.states = {{"torque", "N m", 0,
                       function({angle, rate, own_state(0)},
                                [](const double* y) { return 1e4 * (-15 * y[1] - 4 * y[2] - y[3]); }),
                       0}};
  const Mechanism ideal = pendulum(0., 15., 4.);
  const double truth = end_angle(motion(ideal));
  CHECK(std::abs(end_angle(motion(mechanism, {"generalized-alpha", Formulation::tree, 0.01})) - truth) <
        2e-3);
  CHECK(std::abs(end_angle(motion(mechanism, {"bliedf2", Formulation::tree, 0.01})) - truth) < 2e-3);
}

TEST_CASE("an implicit step finds a state whose rate is steep and not linear") {
  // z' = -150 t z |z|^0.5 until 0.15 s
  Mechanism mechanism = pendulum();
  mechanism.states = {{"level", "m", 1,
                       function({own_state(0)},
                                [](const double* y) {
                                  return y[0] < 0.15 ? -150 * y[0] * y[1] * std::sqrt(std::abs(y[1])) : 0;
                                }),
                       0}};
  const Trajectory trajectory = run_from_rest(mechanism, 0.1, "bliedf1");
  CHECK_MESSAGE(trajectory.summary.status == StepStatus::reached_end, trajectory.summary.message);
  const double level = trajectory.samples.back().states[0];  // of the step to 0.1 s: z = 1 - 1.5 z^1.5
  CHECK(std::abs(level - 1 + 1.5 * std::pow(level, 1.5)) < 1e-9);
}

TEST_CASE("an implicit step is found though a formula has no value at an iterate") {
  // z' = -150 t z^1.5 until 0.15 s: at 0.1 s the iteration without a Jacobian goes below 0.
  const auto drain = [](const double* y) { return y[0] < 0.15 ? -150 * y[0] * std::pow(y[1], 1.5) : 0; };
  Mechanism mechanism = pendulum();
  mechanism.states = {{"level", "m", 1, function({own_state(0)}, drain), 0}};
  const Trajectory trajectory = run_from_rest(mechanism, 0.1, "bliedf1");
  CHECK_MESSAGE(trajectory.summary.status == StepStatus::reached_end, trajectory.summary.message);
  const double level = trajectory.samples.back().states[0];
  CHECK(std::abs(level - 1 + 1.5 * std::pow(level, 1.5)) < 1e-9);
}

TEST_CASE("samples are held, taken at multiples of the period, and steps end at them") {
  Mechanism mechanism = pendulum(function({own_state(0)}, [](const double* y) { return -15 * y[1]; }));
  mechanism.states = {
      {"held", "rad", 7, function({angle}, [](const double* y) { return y[1]; }), 0.1},
      {"count", "", 0, function({own_state(1)}, [](const double* y) { return y[1] + 1; }), 0.25}};
  const auto every = [&](double interval) {
    Case with;
    with.t_end = 8 * interval;
    return motion(mechanism, with).samples;
  };
  const std::vector<Sample> at_samples = every(0.1), between = every(0.0871);
  CHECK(between[0].states[0] == 1);  // the first sample is at the beginning of the run
  for (const Sample& sample : between) {
    CHECK(sample.states[1] == std::floor(sample.t / 0.25) + 1);
    const auto last = static_cast<std::size_t>(sample.t / 0.1);
    CHECK(sample.states[0] == doctest::Approx(at_samples[last].joints[0].q[0]).epsilon(1e-8));
  }
  // The motion between two samples is smooth. Steps that divide the periods converge at their order, and
  // steps that do not divide them have no greater error.
  const Case rkmk4{"rkmk4", Formulation::tree};
  CHECK(observed_order(mechanism, rkmk4, 0.05) == doctest::Approx(4).epsilon(0.1));
  const double truth = end_angle(motion(mechanism));
  const auto error = [&](double step) {
    return std::abs(end_angle(motion(mechanism, {"rkmk4", Formulation::tree, step})) - truth);
  };
  for (const double step : {0.03, 0.017, 0.0371}) CHECK(error(step) < error(0.05));
}

TEST_CASE("a function of the state that uses a quantity that does not exist is refused") {
  const Mechanism mechanism =
      pendulum(function({{Quantity::joint_rate, 3, 0, {}}}, [](const double* y) { return y[1]; }));
  CHECK_THROWS_WITH_AS(Model{mechanism},
                       "force \"drive\": a function of the state uses a quantity that does not exist",
                       ModelError);
}

TEST_CASE("an own state whose start, function or period is not valid is refused") {
  Mechanism mechanism = with_pid();
  mechanism.states[0].start = NAN;
  CHECK_THROWS_WITH_AS(Model{mechanism}, "state \"integral\": the start is not finite", ModelError);
  mechanism = with_pid();
  mechanism.states[0].function = TimeFunction(std::function<TimeFunction::Value(double)>(), "");
  CHECK_THROWS_WITH_AS(Model{mechanism}, "state \"integral\": its function is not finite", ModelError);
  mechanism = with_pid();
  mechanism.states[0].period = -1;
  CHECK_THROWS_WITH_AS(Model{mechanism}, "state \"integral\": the period must be positive and finite",
                       ModelError);
}

TEST_CASE("a function of an event that uses a quantity that does not exist is refused") {
  const Model model(pendulum());
  Start start;
  start.bodies.resize(1), start.joints.resize(1);
  const State at_start = consistent_start(model, start, 0);
  const auto refused = [&](const EventSpec& event, const char* why) {
    CHECK_THROWS_WITH_AS(run(model, at_start, {}, {}, {event}), why, std::invalid_argument);
  };
  const char* const unknown = "event \"e\": a function of the state uses a quantity that does not exist";
  for (const Measured& input :
       {own_state(5), Measured{Quantity::function, 5, 0, {}}, Measured{Quantity::joint_coordinate, 1, 0, {}},
        Measured{Quantity::position, 0, 400, {0, Vec3::Zero()}},
        Measured{Quantity::position, 0, 0, {1, Vec3::Zero()}}}) {
    const TimeFunction of_state = function({input}, [](const double* y) { return y[1]; });
    EventSpec expression, value;
    expression.name = value.name = "e";
    expression.quantity = EventSpec::Quantity::expression;
    expression.expression = value.value = of_state;
    refused(expression, unknown);
    refused(value, unknown);
  }
  EventSpec empty;
  empty.name = "e", empty.value = TimeFunction(StateFunction{}, "f");
  refused(empty, "event \"e\": a function of the state is empty");
}

TEST_CASE(
    "the value of a velocity constraint follows positions and states, in explicit and implicit methods") {
  Mechanism mechanism = with_pid();
  mechanism.bodies.push_back(mechanism.bodies[0]);
  mechanism.bodies[1].name = "second";
  Joint joint = mechanism.joints[0];
  joint.name = "elbow", joint.parent = 0, joint.child = 1;
  mechanism.joints.push_back(joint);
  StateFunction speed{
      {{Quantity::joint_coordinate, 1, 0, {}}, own_state(0)},
      0,
      [](const double* y, const signed char*, double*) { return std::cos(y[1]) - 0.5 * y[2]; },
      [](const double* y, const double* rates, const signed char*) {
        return -std::sin(y[1]) * rates[1] - 0.5 * rates[2];
      }};
  VelocityLaw law;
  law.terms.emplace_back();
  law.terms[0].quantity = VelocityLaw::Term::Quantity::joint_rate, law.terms[0].joint = 1;
  law.value = TimeFunction(speed, "cos(angle) - integral/2");
  mechanism.constraints = {{"motor", law}};
  const auto end = [&](const char* method, Formulation formulation, double step, Treatment treatment) {
    const Model model(mechanism, formulation);
    Start start;
    start.bodies.resize(2), start.joints.resize(2);
    start.joints[0] = {Vec::Constant(1, 1.), Vec::Zero(1)};
    start.joints[1].q = Vec::Zero(1);
    SimulationOptions options;
    options.method = method, options.constraints = treatment, options.t_end = 1;
    if (step > 0)
      options.step = step;
    else
      options.tolerance = 1e-11;
    const Trajectory trajectory = run(model, consistent_start(model, start, 0), options);
    CAPTURE(trajectory.summary.message);
    REQUIRE(trajectory.summary.status == StepStatus::reached_end);
    CHECK(trajectory.energy_max_drift < (step > 0 ? 100 * step * step : 1e-8));
    const Sample& last = trajectory.samples.back();
    CHECK(last.joints[1].v[0] ==
          doctest::Approx(std::cos(last.joints[1].q[0]) - 0.5 * last.states[0]).epsilon(1e-9));
    return Vec3(last.joints[0].q[0], last.joints[1].q[0], last.states[0]);
  };
  const Vec3 truth = end("rkmk-dop853", Formulation::tree, 0, Treatment::index_1);
  for (const Formulation formulation : {Formulation::tree, Formulation::absolute}) {
    CHECK(test::greatest(end("rkmk-dop853", formulation, 0, Treatment::index_1) - truth) < 1e-9);
    CHECK(test::greatest(end("hemk5", formulation, 0, Treatment::index_2) - truth) < 1e-9);
    CHECK(test::greatest(end("rkmk-dop853", formulation, 0, Treatment::minimal) - truth) < 1e-9);
    const auto order = [&](const char* method, Treatment treatment) {
      const double h = 0.02;
      const Vec3 first = end(method, formulation, h, treatment) - truth;
      return std::log2(first.norm() / (end(method, formulation, h / 2, treatment) - truth).norm());
    };
    CHECK(order("hemk4", Treatment::index_2) == doctest::Approx(4).epsilon(0.15));
    CHECK(order("lie-midpoint", Treatment::stabilised_index_2) == doctest::Approx(2).epsilon(0.1));
    CHECK(order("generalized-alpha", Treatment::index_2) == doctest::Approx(2).epsilon(0.1));
  }
  law.value = TimeFunction(StateFunction{{rate}, 0, speed.function, speed.rate}, "rate");
  mechanism.constraints = {{"motor", law}};
  CHECK_THROWS_WITH_AS(
      Model{mechanism},
      "constraint \"motor\": the value cannot depend on a velocity, because its rate would depend on "
      "accelerations; use positions, or a state that follows the velocity",
      ModelError);
}
