#include "torsor/integrators/detail/newton.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "../model/some_forces.hpp"
#include "constrained.hpp"
#include "integrators/dense_tangent.hpp"
#include "support/greatest.hpp"
#include "torsor/system/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A chain of rods on ball joints, whose group products alternate.
Mechanism chain(int rods) {
  Mechanism mechanism;
  for (int i = 0; i < rods; ++i) {
    mechanism.bodies.push_back(rod("rod" + std::to_string(i), 1, 1));
    mechanism.bodies.back().inertia += 0.02 * Mat3::Identity();
    if (i % 2) mechanism.bodies.back().group = GroupProduct::semidirect;
    mechanism.joints.push_back(joint_at("ball" + std::to_string(i), JointKind::spherical, i - 1,
                                        i ? Vec3(0.5, 0, 0) : Vec3::Zero(), i, Vec3(-0.5, 0, 0)));
  }
  return mechanism;
}

/// A chain of six rods with a spring and other forces. A massless rod connects the third rod with the ground,
/// and another massless rod connects the last rod with a particle.
Mechanism closed_chain(Random& random) {
  Mechanism mechanism = chain(6);
  Body bob;
  bob.name = "bob", bob.particle = true;
  mechanism.bodies.push_back(bob);
  Distance rope;
  rope.a = {6, {0., 0., 0.}}, rope.b = {5, {0.5, 0., 0.}}, rope.length = 0.7;
  Distance tie;
  tie.a = {2, {0., 0.1, 0.}}, tie.b = {world, {1.5, 2., 0.}}, tie.length = 2;
  mechanism.constraints = {{"rope", rope}, {"tie", tie}};
  const Mat3 K = 3 * Mat3::Identity();
  mechanism.forces = {weight({0, -9.81, 0}),
                      {"spring", PointSpring{{0, random.vector()}, {4, random.vector()}, 40., 2., 0.7}},
                      {"field", LinearField{3, K, K, {1., 2., 3.}, {0.3, 0.2, -1.}, 1.}},
                      {"push", BodyForce{{1, random.vector()}, {1., 2., 3.}, {3., 2., 1.}, true}}};
  return mechanism;
}

/// Checks that implicit methods take the same steps of size h in both formulations, by the position of a body
/// after 50 ms.
void check_agreement(const Mechanism& mechanism, const std::vector<int>& cut, const Start& start, double h,
                     int body) {
  for (const std::string method : {"generalized-alpha", "lie-midpoint", "bliedf2"}) {
    CAPTURE(method);
    SimulationOptions options;
    options.method = method;
    options.step = h, options.t_end = 0.05, options.output_step = 0.05;
    std::vector<Vec3> ends;
    for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
      const Model model(mechanism, formulation, cut);
      const Trajectory stiff = run(model, consistent_start(model, start), options);
      CAPTURE(stiff.summary.message);
      REQUIRE(stiff.summary.status == StepStatus::reached_end);
      ends.push_back(stiff.samples.back().bodies[body].x);
    }
    CHECK((ends[0] - ends[1]).norm() < 1e-6);
  }
}

/// Checks that implicit methods take steps of 1 ms with undamped springs between neighbouring rods. On the
/// straight chain, the fastest motion of the springs has the frequency 0.57 sqrt(stiffness) rad/s.
void check_springs_between_rods(Mechanism mechanism, double stiffness) {
  mechanism.forces = {weight({0, -9.81, 0})};
  for (int i = 0; i + 1 < 6; ++i)
    mechanism.forces.push_back({"spring" + std::to_string(i),
                                PointSpring{{i, {0, 0, 0.1}}, {i + 1, {0, 0, 0.1}}, stiffness, 0., 1.}});
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    for (const std::string method : {"generalized-alpha", "lie-midpoint", "bliedf2"}) {
      CAPTURE(method);
      CAPTURE(static_cast<int>(formulation));
      const Model model(mechanism, formulation);
      SimulationOptions options;
      options.method = method;
      options.step = 1e-3, options.t_end = 0.05, options.output_step = 0.05;
      const Trajectory stiff = run(model, consistent_start(model, Start{}, 0, Consistency::project), options);
      CAPTURE(stiff.summary.message);
      CHECK(stiff.summary.status == StepStatus::reached_end);
    }
}

}  // namespace

TEST_CASE("the tangent in blocks agrees with the dense tangent in both formulations") {
  Random random(5);
  Formulation formulation{};
  SUBCASE("absolute") { formulation = Formulation::absolute; }
  SUBCASE("tree") { formulation = Formulation::tree; }
  const Model model(closed_chain(random), formulation);
  const MechanismSystem system(model, 1);
  const int n = system.nv(), m = system.rows();
  State x{identity_configuration(model), random.flat(n), {}};
  const Vec kick = 0.5 * random.flat(n);
  system.retract(x.q, kick, x.q);
  const Vec a = 5 * random.flat(n), lambda = 10 * random.flat(m), xi = 0.3 * random.flat(n);
  const Vec r = random.flat(n), s = random.flat(m);
  Tangent& tangent = *system.tangent();
  DenseTangent dense(system);
  for (const auto level : {Tangent::Level::velocity, Tangent::Level::position}) {
    const Tangent::Linearisation at{0.2, x, a, lambda, xi, 0.02, 0.0003, level};
    Vec da(n), dl(m), da_dense(n), dl_dense(m);
    tangent.factor(at);
    tangent.solve(r, s, da, dl);
    dense.factor(at);
    dense.solve(r, s, da_dense, dl_dense);
    CHECK((da - da_dense).norm() < 1e-5 * da_dense.norm());
    CHECK((dl - dl_dense).norm() < 1e-5 * dl_dense.norm());
  }
}

TEST_CASE("the tangent of a tree without constraints agrees with the dense tangent") {
  Random random(7);
  Mechanism mechanism = random_tree(random, 20);
  mechanism.forces = changing_forces(random, mechanism);
  const Model model(mechanism);
  REQUIRE(!model.constrained());
  const State x = random_state(random, model);
  const TreeSystem tree(model, 1);
  Tangent& tangent = *tree.tangent();
  DenseTangent dense(tree.mechanism());
  const int n = tree.nv();
  const Vec a = 5 * random.flat(n), xi = 0.3 * random.flat(n), r = random.flat(n), none;
  const Tangent::Linearisation at{0.2, x, a, none, xi, 0.02, 0.0003, Tangent::Level::velocity};
  Vec da(n), da_dense(n), dl;
  tangent.factor(at);
  tangent.solve(r, none, da, dl);
  dense.factor(at);
  dense.solve(r, none, da_dense, dl);
  CHECK((da - da_dense).norm() < 1e-5 * da_dense.norm());
}

TEST_CASE(
    "implicit methods take steps of six radians of the phase of stiff springs in a chain, open or closed, in "
    "both formulations") {
  Random random(8);
  Mechanism chain = closed_chain(random);
  check_springs_between_rods(chain, 1.2e8);
  chain.constraints.clear();
  check_springs_between_rods(std::move(chain), 1.2e8);
}

TEST_CASE("the motion under gravity does not depend on the unit of mass") {
  Random random(8);
  const Mechanism light = closed_chain(random);
  for (const std::string method : {"generalized-alpha", "lie-midpoint", "rattlie", "bliedf2", "hemk4"}) {
    CAPTURE(method);
    SimulationOptions options;
    options.method = method;
    options.step = 1e-2, options.t_end = 0.05, options.output_step = 0.05;
    std::vector<Vec> ends;
    for (const double unit : {1., 0x1p-50, 0x1p50}) {
      CAPTURE(unit);
      Mechanism mechanism = light;
      mechanism.forces = {weight({0, -9.81, 0})};
      for (Body& body : mechanism.bodies) body.mass *= unit, body.inertia *= unit;
      const Model model(mechanism, Formulation::absolute);
      const Trajectory motion =
          run(model, consistent_start(model, Start{}, 0, Consistency::project), options);
      CAPTURE(motion.summary.message);
      REQUIRE(motion.summary.status == StepStatus::reached_end);
      ends.push_back(motion.samples.back().x.q);
      CHECK(greatest(ends.back() - ends.front()) < 1e-11);
    }
  }
}

TEST_CASE("both formulations take the same steps with a stiff spring across a loop with redundant rows") {
  FourBar bar(0.3, 1, 0.8, 0.9, 1.2);
  const BodyStart &crank = bar.start.bodies[0], &coupler = bar.start.bodies[1];
  const double apart = (*crank.x - *coupler.x).norm();
  bar.mechanism.forces.push_back({"spring", PointSpring{{0, {0, 0, 0}}, {1, {0, 0, 0}}, 1e7, 0., apart}});
  check_agreement(bar.mechanism, {0}, bar.start, 1e-3, 1);
}

// The phase is 17 rad a step in the first 0.2 s, and about 5 to 9 rad a step later.
TEST_CASE("the exact tangent allows steps of many radians of the phase of a stiff spring") {
  Random random(6);
  Mechanism mechanism = closed_chain(random);
  mechanism.constraints.clear();
  mechanism.forces = {weight({0, -9.81, 0}),
                      {"spring", PointSpring{{world, {6, 0.5, 0}}, {5, {0.5, 0, 0}}, 1e6, 1e3, 0.5}}};
  const Model model(mechanism, Formulation::absolute);
  SimulationOptions options;
  options.method = "generalized-alpha";
  options.step = 1e-2, options.t_end = 1, options.output_step = 1;
  const Trajectory stiff = run(model, consistent_start(model, Start{}), options);
  CAPTURE(stiff.summary.message);
  REQUIRE(stiff.summary.status == StepStatus::reached_end);
  CHECK(stiff.samples.back().invariants.velocity_residual < 1e-10);
  CHECK(stiff.samples.back().invariants.position_residual < 1e-10);
}

TEST_CASE("stiff steps of a tree agree with those in absolute form, by differences and by the tangent") {
  for (const int rods : {6, 40}) {
    CAPTURE(rods);
    CHECK((3 * rods > Newton::dense_up_to) == (rods == 40));
    Mechanism mechanism = chain(rods);
    mechanism.forces = {
        weight({0, -9.81, 0}),
        {"spring", PointSpring{{0, {0, 0, 0.1}}, {rods - 1, {0, 0, 0.1}}, 1e6, 0., rods - 1.}}};
    check_agreement(mechanism, {}, Start{}, 2e-3, rods - 1);
  }
}

TEST_CASE("whatever the lengths and masses, lie-midpoint has the same motion and work") {
  Body bob;
  bob.name = "bob", bob.particle = true;
  const auto motion = [&](double length, double mass) {
    Mechanism pendulum{{bob}, {}, {weight({0, 0, -9.81 * length})}};
    pendulum.bodies[0].mass = mass;
    Distance rope;
    rope.a = {0, {0., 0., 0.}}, rope.b = {world, {0., 0., 0.}}, rope.length = length;
    pendulum.constraints = {{"rope", rope}};
    Start start;
    start.bodies.resize(1);
    start.bodies[0].x = length * Vec3(0.6, 0, -0.8), start.bodies[0].v_W = length * Vec3(0, 1, 0);
    SimulationOptions options;
    options.method = "lie-midpoint", options.t_end = 1, options.output_step = 1;
    options.tolerance.reset(), options.step = 0.01;
    const Model model(pendulum);
    return run(model, consistent_start(model, start), options);
  };
  const Trajectory metre = motion(1, 1);
  for (const double length : {1e-10, 1e-6, 1e-3, 1e6})
    for (const double mass : {1e-9, 1., 1e7}) {
      CAPTURE(length);
      CAPTURE(mass);
      const Trajectory scaled = motion(length, mass);
      REQUIRE(scaled.summary.status == StepStatus::reached_end);
      CHECK((scaled.samples.back().bodies[0].x / length - metre.samples.back().bodies[0].x).norm() < 1e-12);
      CHECK(scaled.summary.evaluations <= 1.5 * metre.summary.evaluations);
    }
}

TEST_CASE("step halving takes as many steps from a start where the rod determines one velocity") {
  Body bob;
  bob.name = "bob", bob.particle = true, bob.mass = 1;
  const auto steps = [&](double angle) {
    Mechanism pendulum{{bob}, {}, {weight({0, -9.81, 0})}};
    Distance rod;
    rod.a = {0, {0., 0., 0.}}, rod.b = {world, {0., 0., 0.}}, rod.length = 1;
    pendulum.constraints = {{"rod", rod}};
    Start start;
    start.bodies.resize(1);
    start.bodies[0].x = -Vec3(std::cos(angle), std::sin(angle), 0), start.bodies[0].v_W = Vec3::Zero();
    SimulationOptions options;
    options.method = "lie-midpoint6", options.t_end = 20, options.output_step = 20, options.tolerance = 1e-6;
    const Model model(pendulum);
    return run(model, consistent_start(model, start), options).summary.accepted;
  };
  CHECK(double(steps(0)) < 1.1 * double(steps(0.1)));
}
