#include <doctest/doctest.h>

#include <algorithm>

#include "../model/some_forces.hpp"
#include "constrained.hpp"
#include "torsor/model/kinematics.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// The poses and velocities of the bodies in a state of a model.
Start as_bodies(const Model& model, const State& x) {
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  Start start;
  start.bodies.resize(model.mechanism().bodies.size());
  for (int link = 0; link < model.size(); ++link) {
    BodyStart& body = start.bodies[model.body[link]];
    body.x = work.p_WB[link], body.v_W = work.v_WB[link];
    if (model.mechanism().bodies[model.body[link]].particle) continue;
    body.R = SO3<>::from_matrix(work.R_WB[link]), body.omega_W = work.w_WB[link];
  }
  return start;
}

void check_near(const Vec3& a, const Vec3& b, double tolerance) {
  CHECK((a - b).norm() <= tolerance * std::max(1., b.norm()));
}

void check_same_motion(const Sample& a, const Sample& b, double tolerance) {
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    CAPTURE(i);
    check_near(a.bodies[i].x, b.bodies[i].x, tolerance);
    check_near(a.bodies[i].v, b.bodies[i].v, tolerance);
    check_near(a.bodies[i].vdot, b.bodies[i].vdot, tolerance);
    check_near(a.bodies[i].Omega, b.bodies[i].Omega, tolerance);
    check_near(a.bodies[i].Omegadot, b.bodies[i].Omegadot, tolerance);
  }
  CHECK(a.invariants.energy() == doctest::Approx(b.invariants.energy()).epsilon(tolerance));
}

void check_same_reactions(const Sample& a, const Sample& b, double tolerance) {
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    CAPTURE(j);
    check_near(a.joints[j].force, b.joints[j].force, tolerance);
    check_near(a.joints[j].torque, b.joints[j].torque, tolerance);
    CHECK((a.joints[j].a - b.joints[j].a).norm() <= tolerance * std::max(1., b.joints[j].a.norm()));
  }
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    check_near(a.bodies[i].reaction, b.bodies[i].reaction, tolerance);
  REQUIRE(a.forces.size() == b.forces.size());
  for (std::size_t k = 0; k < a.forces.size(); ++k)
    CHECK(std::abs(a.forces[k] - b.forces[k]) <= tolerance * std::max(1., std::abs(b.forces[k])));
}

/// Gives the group to all bodies except the children of free joints (the parent, if the child is the ground),
/// for which the group defines the meaning of a force on a coordinate.
Mechanism with_group(Mechanism mechanism, GroupProduct group) {
  std::vector<char> fixed(mechanism.bodies.size(), false);
  for (const Joint& joint : mechanism.joints)
    if (joint.kind == JointKind::free) fixed[joint.child == world ? joint.parent : joint.child] = true;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (!fixed[i]) mechanism.bodies[i].group = group;
  return mechanism;
}

}  // namespace

TEST_CASE(
    "a tree with every kind of joint and force has equal motion and reactions in the absolute formulation") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Mechanism mechanism = random_tree(random, 20);
    mechanism.forces = changing_forces(random, mechanism);
    const Model tree(mechanism);
    const State x = random_state(random, tree);
    const Sample expected = sample_of(tree, x, 0.3);
    for (const auto group : {GroupProduct::direct, GroupProduct::semidirect}) {
      const Model absolute(with_group(mechanism, group), Formulation::absolute);
      const Sample found = sample_of(absolute, consistent_start(absolute, as_bodies(tree, x)), 0.3);
      check_same_motion(found, expected, 1e-9);
      check_same_reactions(found, expected, 1e-8);
      CHECK(found.invariants.position_residual < 1e-12);
      CHECK(found.invariants.acceleration_residual < 1e-10);
    }
  }
}

TEST_CASE("a free joint from or to the ground has equal rates and forces in both formulations") {
  Random random(6);
  for (const auto group : {GroupProduct::direct, GroupProduct::semidirect})
    for (const auto& [parent, child] : {std::pair{world, 0}, {0, world}}) {
      Mechanism mechanism;
      mechanism.bodies = {random_body(random, 0)};
      mechanism.bodies[0].group = group;
      mechanism.joints = {{"joint", JointKind::free, parent, child, random.frame(), random.frame(), 0}};
      mechanism.forces = {{"drive", JointForce{0, 1, 0., 0., 0.3, 0.7}}};
      const Model tree(mechanism),
          absolute(with_group(mechanism, GroupProduct::direct), Formulation::absolute);
      const State x = random_state(random, tree);
      const Sample expected = sample_of(tree, x);
      const Sample found = sample_of(absolute, consistent_start(absolute, as_bodies(tree, x)));
      check_same_motion(found, expected, 1e-9);
      check_same_reactions(found, expected, 1e-9);
      CHECK((found.joints[0].v - expected.joints[0].v).norm() < 1e-9);
    }
}

TEST_CASE(
    "a translation joint of a particle from or to the ground has equal coordinates, rates and accelerations "
    "in both formulations, with any joint frames") {
  Random random(7);
  for (const auto& [parent, child] : {std::pair{world, 0}, {0, world}}) {
    CAPTURE(parent);
    Mechanism mechanism;
    mechanism.bodies = {random_body(random, 0)};
    mechanism.bodies[0].particle = true;
    mechanism.joints = {{"joint", JointKind::translation, parent, child, random.frame(), random.frame(), 0}};
    mechanism.forces = {{"drive", JointForce{0, 1, 0.8, 0.2, 0.3, 0.7}}, weight({0, 0, -9.81})};
    const Model tree(mechanism), absolute(mechanism, Formulation::absolute);
    const State x = random_state(random, tree);
    const Sample expected = sample_of(tree, x);
    const JointMotion& joint = expected.joints[0];
    CHECK(joint.v.norm() > 0.1);
    Start by_joint;
    by_joint.joints = {{joint.q, joint.v}};
    for (const Start& start : {as_bodies(tree, x), by_joint}) {
      const Sample found = sample_of(absolute, consistent_start(absolute, start));
      check_same_motion(found, expected, 1e-12);
      CHECK((found.joints[0].q - joint.q).norm() < 1e-12);
      CHECK((found.joints[0].v - joint.v).norm() < 1e-12);
      CHECK((found.joints[0].a - joint.a).norm() < 1e-12 * std::max(1., joint.a.norm()));
    }
  }
}

TEST_CASE("a tree without a joint to the ground does not come near a loss of rank while a slide moves out") {
  Mechanism mechanism;
  mechanism.bodies = {rod("base", 4, 1), rod("arm", 0.1, 0.1), rod("slider", 0.1, 2)};
  for (const int i : {1, 2}) mechanism.bodies[i].inertia *= 1e-3;
  mechanism.joints = {
      joint_at("hinge", JointKind::revolute, 0, Vec3(0.1, 0, 0), 1, Vec3(-0.1, 0, 0)),
      joint_at("slide", JointKind::prismatic, 1, Vec3::Zero(), 2, Vec3::Zero()),
  };
  const SO3<> along_x = SO3<>::exp(Vec3(0, std::numbers::pi / 2, 0));
  mechanism.joints[1].X_PF = mechanism.joints[1].X_CM = {along_x, Vec3::Zero()};
  const Model tree(mechanism), absolute(mechanism, Formulation::absolute);
  Start start;
  start.bodies.resize(3);
  for (const int i : {1, 2}) start.bodies[i].x = Vec3(0.2, 0, 0);
  State x = consistent_start(tree, start);
  x.v.setConstant(0.1);
  x.v[tree.nv() - 1] = 5;  // m/s, of the slide
  SimulationOptions options;
  options.tolerance = 1e-9, options.t_end = 10, options.output_step = 1;
  const Trajectory expected = run(tree, x, options),
                   found = run(absolute, consistent_start(absolute, as_bodies(tree, x)), options);
  CHECK(found.summary.status == StepStatus::reached_end);
  CHECK(found.summary.note.empty());
  REQUIRE(found.samples.size() == expected.samples.size());
  for (std::size_t k = 0; k < found.samples.size(); ++k) {
    CAPTURE(k);
    check_same_motion(found.samples[k], expected.samples[k], 1e-7);
    check_same_reactions(found.samples[k], expected.samples[k], 1e-6);
  }
}

TEST_CASE(
    "accelerations of joints are the derivatives of their rates, and reported forces are those that act") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 4.6);
  JointForce motor{2};
  motor.force = 1.5, motor.damping = 0.2;
  PointSpring spring{{world, {0, 1, 0}}, {1, Vec3::Zero()}};
  spring.stiffness = 30., spring.rest_length = 0.2, spring.damping = 0.1;
  bar.mechanism.forces.push_back({"motor", motor}), bar.mechanism.forces.push_back({"spring", spring});
  SimulationOptions options;
  constexpr double h = 2e-4;
  options.tolerance = 1e-12, options.t_end = 0.5 + h, options.output_times = {0.5 - h, 0.5};
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const auto samples = run(model, consistent_start(model, bar.start), options).samples;
    REQUIRE(samples.size() == 4);
    for (std::size_t j = 0; j < 4; ++j) {
      const double slope = (samples[3].joints[j].v[0] - samples[1].joints[j].v[0]) / (2 * h);
      CHECK(samples[2].joints[j].a[0] == doctest::Approx(slope).epsilon(1e-4));
    }
    const Sample& at = samples[2];
    const Vec3 d = at.bodies[1].x - Vec3(0, 1, 0);
    REQUIRE(at.forces.size() == 2);
    CHECK(at.forces[0] == doctest::Approx(1.5 - 0.2 * at.joints[2].v[0]).epsilon(1e-12));
    CHECK(at.forces[1] ==
          doctest::Approx(30 * (d.norm() - 0.2) + 0.1 * d.dot(at.bodies[1].v) / d.norm()).epsilon(1e-12));
  }
}

TEST_CASE("the motion of a loop does not depend on the cut joint, the formulation or the group") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start = bar.start;
  start.joints.resize(4);
  start.joints[0].v = Vec::Constant(1, 4.6);
  Mechanism mechanism = bar.mechanism;
  JointForce spring;
  spring.joint = 2, spring.stiffness = 3., spring.rest = 0.4, spring.damping = 0.2;
  mechanism.forces.push_back({"spring", spring});

  const auto motion = [&](const Model& model) {
    SimulationOptions options;
    options.tolerance = 1e-11, options.t_end = 1, options.output_step = 0.25;
    return run(model, consistent_start(model, start), options);
  };
  const Trajectory expected = motion(Model(mechanism));
  CHECK(expected.summary.status == StepStatus::reached_end);
  CHECK(expected.energy_max_drift < 1e-9);
  const auto check = [&](const Model& model) {
    const Trajectory found = motion(model);
    REQUIRE(found.samples.size() == expected.samples.size());
    for (std::size_t k = 0; k < found.samples.size(); ++k) {
      CAPTURE(k);
      check_same_motion(found.samples[k], expected.samples[k], 1e-8);
      check_same_reactions(found.samples[k], expected.samples[k], 1e-7);
      CHECK(found.samples[k].invariants.position_residual < 1e-12);
      CHECK(found.samples[k].invariants.velocity_residual < 1e-12);
      for (std::size_t j = 0; j < 4; ++j)
        CHECK(found.samples[k].joints[j].q[0] ==
              doctest::Approx(expected.samples[k].joints[j].q[0]).epsilon(1e-8));
    }
  };
  for (const int cut : {0, 1, 2, 3}) {
    CAPTURE(cut);
    check(Model(mechanism, Formulation::tree, {cut}));
  }
  for (const auto group : {GroupProduct::direct, GroupProduct::semidirect})
    check(Model(with_group(mechanism, group), Formulation::absolute));
}

TEST_CASE("angles of joints outside the tree count turns") {
  Mechanism wheel;
  wheel.bodies = {rod("wheel", 1, 1)};
  wheel.joints = {joint_at("axle", JointKind::revolute, world, Vec3::Zero(), 0, Vec3::Zero())};
  Start start;
  start.joints = {{.q = {}, .v = Vec::Constant(1, 10)}};
  start.bodies.resize(1);
  const Model model(wheel, Formulation::absolute);
  SimulationOptions options;
  options.tolerance = 1e-10, options.t_end = 4;
  options.output_step = 4;
  const Trajectory turning = run(model, consistent_start(model, start), options);
  CHECK(turning.samples.back().joints[0].q[0] == doctest::Approx(40).epsilon(1e-8));
}

TEST_CASE(
    "error control carries a parallelogram through singular configurations without a change of branch") {
  // Where all bars lie in one line, the constraints lose rank and the motion continues smoothly.
  FourBar bar(1, 1, 1, 1, 1.5);
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, -5);
  const double tolerance = 1e-9;
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    SimulationOptions options;
    options.method = "rkmk-fehlberg78";
    options.tolerance = tolerance, options.t_end = 3, options.output_step = 0.1;
    const Trajectory turning = run(model, consistent_start(model, bar.start), options);
    CAPTURE(turning.summary.message);
    REQUIRE(turning.summary.status == StepStatus::reached_end);
    CHECK(turning.energy_max_drift < 1e-6);
    double turned = 0;
    for (const Sample& sample : turning.samples) {
      CHECK((sample.bodies[0].R.inverse() * sample.bodies[2].R).log().norm() < 1e-6);  // crank and rocker
      CHECK(sample.invariants.position_residual < 1e-12);
      turned = sample.joints[0].q[0];
    }
    CHECK(std::abs(turned) > 4 * std::numbers::pi);
  }
}
