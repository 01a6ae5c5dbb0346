#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "constrained.hpp"
#include "support/greatest.hpp"
#include "torsor/system/reactions.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("redundant rows of a planar loop in space are found, and the multipliers have least norm") {
  const FourBar parallelogram(0.5, 0.8, 0.5, 0.8, 1.1);
  std::vector<Vec3> forces;
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(parallelogram.mechanism, formulation);
    const State x = consistent_start(model, parallelogram.start);
    const MechanismSystem system(model, 1);
    const auto redundant = redundant_rows(system, 0, x.q);
    CHECK(std::count(redundant.begin(), redundant.end(), 1) == 3);
    const Sample sample = sample_of(model, x);
    for (const JointMotion& joint : sample.joints) {
      forces.push_back(joint.force);
      CHECK(std::abs(joint.force[2]) < 1e-10);  // no force normal to the plane
      CHECK(joint.torque.norm() < 1e-10);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) CHECK((forces[j] - forces[j + 4]).norm() < 1e-9);
}

namespace {

/// The reactions of nine rods of length `side` (m) and the ground, joined by ten hinges to a regular decagon,
/// under gravity of `side` times (1, -9.81, 4) s^-2: forces divided by `side`, torques by its square.
/// `stranger`: with a heavy body that no rows connect.
Vec decagon_reactions(double side, bool stranger = false) {
  constexpr int rods = 9;
  const auto corner = [side](int i) {
    const double angle = 0.2 * std::numbers::pi * i;
    return Vec3(side / (2 * std::sin(0.1 * std::numbers::pi)) * Vec3(std::cos(angle), std::sin(angle), 0));
  };
  const Vec3 begin(-side / 2, 0, 0), end(side / 2, 0, 0);
  Mechanism mechanism;
  Start start;
  mechanism.joints = {joint_at("begin", JointKind::revolute, world, corner(0), 0, begin)};
  for (int i = 0; i < rods; ++i) {
    const std::string number = std::to_string(i);
    mechanism.bodies.push_back(rod("rod" + number, side, 1 + 0.1 * i));
    mechanism.bodies.back().inertia(0, 0) = mechanism.bodies.back().inertia(1, 1) / 10;
    start.bodies.push_back(rod_from(corner(i), corner(i + 1)));
    if (i > 0)
      mechanism.joints.push_back(joint_at("hinge" + number, JointKind::revolute, i - 1, end, i, begin));
  }
  mechanism.joints.push_back(joint_at("end", JointKind::revolute, world, corner(rods), rods - 1, end));
  mechanism.forces = {weight(side * Vec3(1, -9.81, 4))};
  if (stranger) {
    mechanism.bodies.push_back(rod("stranger", 1e3 * side, 1e6));
    start.bodies.push_back({.x = Vec3::Zero(), .R = SO3<>()});
    mechanism.joints.push_back(joint_at("free", JointKind::free, world, Vec3::Zero(), rods, 1e3 * end));
  }
  const Model model(mechanism);
  const Sample sample = sample_of(model, consistent_start(model, start));
  Vec all(6 * (rods + 1));
  for (Eigen::Index j = 0; j < all.size() / 6; ++j) {
    const JointMotion& joint = sample.joints[static_cast<std::size_t>(j)];
    all.segment(6 * j, 6) << joint.force / side, joint.torque / (side * side);
  }
  return all;
}

}  // namespace

TEST_CASE("the distribution of reactions of least norm does not depend on the size of a mechanism") {
  const Vec expected = decagon_reactions(1);
  REQUIRE(greatest(expected) > 10);
  for (const double side : {1e-6, 1e-3, 1e3, 1e6}) {
    CAPTURE(side);
    CHECK(greatest(decagon_reactions(side) - expected) < 1e-10 * greatest(expected));
  }
  CHECK(greatest(decagon_reactions(1, true) - expected) < 1e-10 * greatest(expected));
}

namespace {

/// The same four-bar with other axes of its bodies.
FourBar with_other_axes(FourBar bar, int which) {
  const auto axes = [which](int body) {
    return SO3<>::exp(
        Vec3(std::sin(1. + which + 7 * body), std::cos(2. * which + body), std::sin(3. * which - body)));
  };
  const auto turn = [&](int body, SE3<>& X) {
    if (body != world) X = SE3<>(axes(body), Vec3::Zero()) * X;
  };
  for (Joint& joint : bar.mechanism.joints) turn(joint.parent, joint.X_PF), turn(joint.child, joint.X_CM);
  for (int body = 0; body < 3; ++body) {
    const Mat3 R = axes(body).matrix();
    Mat3& inertia = bar.mechanism.bodies[body].inertia;
    inertia = Mat3(R * inertia * R.transpose());
    bar.start.bodies[body].R = *bar.start.bodies[body].R * axes(body).inverse();
  }
  return bar;
}

/// The rate of joint A has the value.
Constraint rate_of_A(const std::string& name, const TimeFunction& value) {
  VelocityLaw::Term term;
  term.quantity = VelocityLaw::Term::Quantity::joint_rate;
  return {name, VelocityLaw{{term}, value}};
}

}  // namespace

TEST_CASE("rounding errors of great accelerations are not contradictions, and small contradictions are") {
  const TimeFunction grows([](double t) { return TimeFunction::Value{1e4 + t, 1, 0}; }, "10000 + t");
  for (int which = 0; which < 20; ++which) {
    FourBar bar = with_other_axes(FourBar(0.3, 0.9, 0.7, 0.8, 0.6), which);
    for (const bool contradictory : {false, true}) {
      if (contradictory)
        bar.mechanism.constraints = {rate_of_A("constant", 1e4), rate_of_A("growing", grows)};
      const Model model(bar.mechanism);
      const MechanismSystem system(model, 1);
      State x = consistent_start(model, bar.start, 0, Consistency::project);
      x.v = 1e4 * Vec::Unit(model.nv(), 0);
      system.project_velocity(0, x.q, x.v);
      Vec a(model.nv()), lambda(system.rows()), terms(system.rows()), gamma(system.rows());
      if (contradictory) {
        CHECK_THROWS_AS(system.acceleration(0, x.q, x.v, a, lambda), EvaluationError);
        continue;
      }
      REQUIRE_NOTHROW(system.acceleration(0, x.q, x.v, a, lambda));
      system.constraint_times(0, x.q, a, terms);
      system.constraint_bias(0, x.q, x.v, gamma);
      CHECK((terms + gamma).norm() < 1e-12 * gamma.norm());
    }
  }
}

// If the cost of a row grew with the number of rows, this test would take minutes.
TEST_CASE("redundant rows of many separate loops are found beside a velocity row") {
  constexpr int count = 3000;
  Mechanism mechanism;
  Start start;
  for (int k = 0; k < count; ++k) {
    const FourBar loop(0.5, 0.8, 0.5, 0.8, 1.1);
    const auto name = [k](const std::string& of_part) { return of_part + std::to_string(k); };
    const int begin = 3 * k;
    for (Body body : loop.mechanism.bodies) {
      body.name = name(body.name);
      mechanism.bodies.push_back(body);
    }
    for (Joint joint : loop.mechanism.joints) {
      joint.name = name(joint.name);
      for (int* body : {&joint.parent, &joint.child})
        if (*body != world) *body += begin;
      mechanism.joints.push_back(joint);
    }
    start.bodies.insert(start.bodies.end(), loop.start.bodies.begin(), loop.start.bodies.end());
  }
  mechanism.constraints = {rate_of_A("rest", 0.)};
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(mechanism, formulation);
    const State x = consistent_start(model, start);
    const auto redundant = redundant_rows(MechanismSystem(model, 1), 0, x.q);
    CHECK(std::count(redundant.begin(), redundant.end(), 1) == 3 * count);
  }
}

TEST_CASE("velocity rows that contradict the others only after the start end the run, in every treatment") {
  const TimeFunction cubic([](double t) { return TimeFunction::Value{t * t * t, 3 * t * t, 6 * t}; }, "t^3");
  const TimeFunction quartic(
      [](double t) {
        return TimeFunction::Value{std::pow(t, 4) / 4, t * t * t, 3 * t * t};
      },
      "t^4/4");
  struct Case {
    const char* method;
    Treatment treatment;
  };
  for (const bool contradictory : {true, false})
    for (const auto formulation : {Formulation::tree, Formulation::absolute})
      for (const Case& one :
           {Case{"rkmk4", Treatment::index_1}, Case{"rkmk4", Treatment::minimal},
            Case{"rkmk4", Treatment::dynamic}, Case{"hemk4", Treatment::index_2},
            Case{"generalized-alpha", Treatment::index_3}, Case{"bliedf2", Treatment::index_2}}) {
        CAPTURE(std::string(one.method));
        Mechanism mechanism{{rod("rod", 1, 1)}};
        mechanism.joints = {joint_at("A", JointKind::revolute, world, Vec3::Zero(), 0, Vec3(-0.5, 0, 0))};
        mechanism.constraints = {{"drive", JointCoupling{{{0, 0, 1}}, quartic}},
                                 rate_of_A("rate", contradictory ? TimeFunction(0.) : cubic)};
        const Model model(mechanism, formulation);
        SimulationOptions options;
        options.method = one.method, options.constraints = one.treatment;
        options.step = 0.01, options.t_end = 0.5, options.output_step = 0.5;
        const RunSummary summary = run(model, consistent_start(model, Start()), options).summary;
        CHECK(summary.status == (contradictory ? StepStatus::singular : StepStatus::reached_end));
        if (!contradictory) continue;
        CHECK(summary.t < 0.05);
        CHECK(summary.message.ends_with(": \"rate\" (row 1)"));
      }
}

TEST_CASE("rows that contradict the others only in the last step end the run too") {
  const auto driver = [](double c) {
    return TimeFunction(
        [c](double t) {
          return TimeFunction::Value{c * t * t * t, 3 * c * t * t, 6 * c * t};
        },
        "c t^3");
  };
  for (const bool at_event : {false, true}) {
    Mechanism mechanism{{rod("rod", 1, 1)}};
    mechanism.joints = {joint_at("A", JointKind::revolute, world, Vec3::Zero(), 0, Vec3(-0.5, 0, 0))};
    mechanism.constraints = {{"slow", JointCoupling{{{0, 0, 1}}, driver(1)}},
                             {"fast", JointCoupling{{{0, 0, 1}}, driver(2)}}};
    const Model model(mechanism);
    SimulationOptions options;
    options.step = 0.1, options.t_end = at_event ? 0.2 : 0.1, options.output_step = options.t_end;
    std::vector<EventSpec> events;
    if (at_event) {
      EventSpec& reached = events.emplace_back();
      reached.name = "reached", reached.value = 5e-4, reached.stop = true;
    }
    const RunSummary summary = run(model, consistent_start(model, Start()), options, {}, events).summary;
    CHECK(summary.status == StepStatus::singular);
    CHECK(summary.message.ends_with(": \"fast\" (row 1)"));
  }
}

TEST_CASE("the note on accelerations that are not determined names constraints that contradict each other") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  const TimeFunction jumps(
      [](double t) {
        return TimeFunction::Value{0, t > 0.1 ? 1. : 0, 0};
      },
      "0 at first");
  bar.mechanism.constraints = {rate_of_A("constant", 0.), rate_of_A("jumping", jumps)};
  const Model model(bar.mechanism);
  SimulationOptions options;
  options.step = 0.05, options.t_end = 0.2, options.output_step = 0.05;
  const Trajectory found = run(model, consistent_start(model, bar.start), options);
  CHECK(found.summary.note.find(
            "not determined in 2 outputs, first where constraints contradict the others at t = 0.15") !=
        std::string::npos);
}

TEST_CASE(
    "a motion from a flat parallelogram satisfies every row that is redundant only where it lies flat") {
  // Both closing rows are independent around the start. Without forces the cranks turn at a constant rate.
  const double rate = 2;
  FourBar bar(1, 1.5, 1, 1.5, 0);
  bar.mechanism.forces.clear();
  bar.mechanism.joints.pop_back();
  const TimeVec3 end{-0.5, 0., 0.}, pivot{1.5, 0., 0.};
  bar.mechanism.constraints = {{"D", PointDriver{{2, end}, {world, pivot}, {true, true, false}}}};
  for (const int crank : {0, 2}) {
    bar.start.bodies[crank].v_W = Vec3(0, rate / 2, 0);
    bar.start.bodies[crank].Omega = Vec3(0, 0, rate);
  }
  bar.start.bodies[1].v_W = Vec3(0, rate, 0);
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    for (const char* method : {"rkmk-dopri5", "rkmk-dop853", "hemk5", "generalized-alpha"}) {
      CAPTURE(std::string(method));
      const Model model(bar.mechanism, formulation);
      SimulationOptions options;
      options.method = method, options.t_end = 0.5, options.output_step = 0.5;
      options.step = 1e-3;
      const Trajectory motion = run(model, consistent_start(model, bar.start), options);
      REQUIRE(motion.summary.status == StepStatus::reached_end);
      const Sample& last = motion.samples.back();
      CHECK((last.bodies[1].x - Vec3(0.75 + std::cos(1), std::sin(1), 0)).norm() < 1e-5);
      CHECK(last.invariants.position_residual < 1e-9);
    }
}

namespace {

/// A parallelogram that lies flat at rest, with equal cranks: under its weight it stays a parallelogram. The
/// last joint closes the loop, with three rows that are redundant everywhere, or a constraint with two rows.
FourBar flat_at_rest(bool closed_by_joint) {
  FourBar bar(1, 1.5, 1, 1.5, 0);
  bar.mechanism.bodies[0] = bar.mechanism.bodies[2];
  bar.mechanism.bodies[0].name = "crank";
  if (closed_by_joint) return bar;
  bar.mechanism.joints.pop_back();
  const TimeVec3 end{-0.5, 0., 0.}, pivot{1.5, 0., 0.};
  bar.mechanism.constraints = {{"D", PointDriver{{2, end}, {world, pivot}, {true, true, false}}}};
  return bar;
}

}  // namespace

TEST_CASE("error control leaves a singular configuration from rest, as fixed steps do") {
  for (const bool closed_by_joint : {true, false})
    for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
      const FourBar bar = flat_at_rest(closed_by_joint);
      const Model model(bar.mechanism, formulation);
      const State start = consistent_start(model, bar.start);
      SimulationOptions options;
      options.t_end = 0.3, options.output_step = 0.3, options.max_steps = 300;
      options.method = "rkmk-dop853", options.step = 2e-3;
      const Trajectory expected = run(model, start, options);
      REQUIRE(expected.summary.status == StepStatus::reached_end);
      options.step.reset();
      options.tolerance = 1e-9;
      for (const char* method : {"rkmk-dopri5", "rkmk-dop853", "hemk5"}) {
        CAPTURE(std::string(method));
        options.method = method;
        const Trajectory found = run(model, start, options);
        CAPTURE(found.summary.message);
        REQUIRE(found.summary.status == StepStatus::reached_end);
        CHECK(found.summary.note.find("at rest in a singular configuration") != std::string::npos);
        for (int body = 0; body < 3; ++body)
          CHECK((found.samples.back().bodies[body].x - expected.samples.back().bodies[body].x).norm() < 1e-9);
      }
    }
}

TEST_CASE("error control returns to the singular configuration that the run has just left, and passes it") {
  FourBar bar = flat_at_rest(true);
  const double rate = 0.1;
  for (const int crank : {0, 2}) {
    bar.start.bodies[crank].v_W = Vec3(0, rate / 2, 0);
    bar.start.bodies[crank].Omega = Vec3(0, 0, rate);
  }
  bar.start.bodies[1].v_W = Vec3(0, rate, 0);
  const Model model(bar.mechanism);
  const State start = consistent_start(model, bar.start);
  SimulationOptions options;
  options.t_end = 0.3, options.output_step = 0.3, options.max_steps = 1000;
  options.method = "rkmk-dop853", options.step = 3e-3;
  const Sample expected = run(model, start, options).samples.back();
  options.step.reset();
  options.method = "rkmk-dopri5", options.tolerance = 1e-9;
  const Trajectory found = run(model, start, options);
  CAPTURE(found.summary.message);
  REQUIRE(found.summary.status == StepStatus::reached_end);
  CHECK(found.summary.note.find("at rest") == std::string::npos);
  CHECK((found.samples.back().bodies[1].x - expected.bodies[1].x).norm() < 1e-9);
}

TEST_CASE(
    "a run that cannot leave a singular configuration ends as singular, and not in ever smaller steps") {
  const FourBar bar = flat_at_rest(true);
  const Model model(bar.mechanism);
  SimulationOptions options;
  options.t_end = 0.3, options.output_step = 0.3, options.max_steps = 1000;
  options.method = "rkmk-dopri5", options.tolerance = 1e-9;
  options.max_step = 1e-3;
  const RunSummary summary = run(model, consistent_start(model, bar.start), options).summary;
  CHECK(summary.status == StepStatus::singular);
  CHECK(summary.message.find("nearly lose rank") != std::string::npos);
}

TEST_CASE("a gear of a joint to the ground is independent of the rows that lock its other joint") {
  // The line fixes the slide in the wheel, and the gear then fixes the wheel.
  const TimeVec3 point{0.2, 0.3, 0.};
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    for (const int parent : {0, 1}) {
      Mechanism mechanism{{rod("wheel", 1, 1), rod("slide", 1, 1)}};
      mechanism.joints = {
          joint_at("axle", JointKind::revolute, world, Vec3::Zero(), 0, Vec3::Zero()),
          joint_at("rail", JointKind::cylindrical, parent, Vec3::Zero(), 1 - parent, Vec3::Zero())};
      mechanism.constraints = {{"line", PointOnLine{{1, point}, {0, point}, Vec3(0.3, 0.4, 1)}},
                               {"gear", JointCoupling{{{1, 0, 1}, {0, 0, -1.5}}, 0.}}};
      const Model model(mechanism, formulation);
      const auto redundant = redundant_rows(MechanismSystem(model, 1), 0, consistent_start(model, Start()).q);
      CHECK(std::count(redundant.begin(), redundant.end(), 1) == 0);
    }
}

TEST_CASE("the condition of a step is the same whether or not its start was evaluated before") {
  // Two rods hold a particle at the height t; at the height 0 they lie on one line.
  const TimeFunction length(
      [](double t) {
        const double l = std::hypot(1, t);
        return TimeFunction::Value{l, t / l, 1 / (l * l * l)};
      },
      "sqrt(1 + t^2)");
  Mechanism mechanism{{rod("bob", 1, 1)}};
  mechanism.bodies[0].particle = true;
  for (const double x : {-1., 1.})
    mechanism.constraints.push_back({x < 0 ? "left" : "right", Distance{{world, {x, 0., 0.}}, {0}, length}});
  const Model model(mechanism);
  const MechanismSystem system(model, 1);
  const auto condition = [&](double t) {
    const Vec q = Vec3(0, t, 0), v = Vec3(0, 1, 0);
    Vec a = v;
    system.choices().choose(t, q);
    system.acceleration(t, q, v, a);
    return system.conditioning().condition();
  };
  CHECK(condition(1) == 1);
  const double near = condition(0.05);
  CHECK(near > Conditioning::nearly_lost);
  CHECK(condition(0.05) == near);
}
