#include "torsor/model/dynamics.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "random_tree.hpp"
#include "support/greatest.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

/// Random wrenches, joint forces and gravity.
Loads<double> random_loads(Random& random, const Model& model) {
  Loads<double> loads(model);
  loads.gravity = random.vector(9);
  for (int i = 0; i < model.size(); ++i)
    loads.force[i] = random.vector(3), loads.torque[i] = random.vector(3);
  loads.tau = random.flat(model.nv());
  loads.has_wrenches = loads.has_tau = true;
  return loads;
}

struct Tree {
  explicit Tree(unsigned seed, int bodies = 24)
      : random(seed),
        model(test::random_tree(random, bodies)),
        x(test::random_state(random, model)),
        work(model) {
    forward_kinematics(model, x.q, x.v, work);
  }
  Random random;
  Model model;
  State x;
  Workspace<double> work;
};

TEST_CASE("accelerations solve the equations of motion with the dense mass matrix") {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    CAPTURE(seed);
    Tree tree(seed);
    const Loads<double> loads = random_loads(tree.random, tree.model);
    const int n = tree.model.nv();
    Vec a(n), bias(n), zero = Vec::Zero(n);
    Eigen::MatrixXd G(n, n);
    mass_matrix(tree.model, tree.work, G);
    inverse_dynamics(tree.model, tree.x.v, zero, loads, tree.work, bias);
    forward_dynamics(tree.model, tree.x.v, loads, tree.work, a);
    const Vec dense = G.llt().solve(loads.tau - bias);
    CHECK((a - dense).norm() < 1e-9 * dense.norm());
  }
}

TEST_CASE("inverse dynamics inverts forward dynamics") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Tree tree(seed);
    const Loads<double> loads = random_loads(tree.random, tree.model);
    Vec a(tree.model.nv()), tau(tree.model.nv());
    forward_dynamics(tree.model, tree.x.q, tree.x.v, loads, tree.work, a);
    inverse_dynamics(tree.model, tree.x.v, a, loads, tree.work, tau);
    CHECK(test::greatest(tau - loads.tau) < 1e-10);
  }
}

TEST_CASE("the mass matrix is symmetric and gives the kinetic energy of the bodies") {
  for (const unsigned seed : {6u, 7u}) {
    Tree tree(seed);
    Eigen::MatrixXd G(tree.model.nv(), tree.model.nv());
    mass_matrix(tree.model, tree.work, G);
    CHECK(G == G.transpose());
    CHECK(G.llt().info() == Eigen::Success);
    double energy = 0;
    for (int i = 0; i < tree.model.size(); ++i) {
      const Body& body = tree.model.mechanism().bodies[tree.model.body[i]];
      const Vec3 Omega = tree.work.R_WB[i].transpose() * tree.work.w_WB[i];
      energy += body.mass * tree.work.v_WB[i].squaredNorm() / 2 + Omega.dot(body.inertia * Omega) / 2;
    }
    CHECK(tree.x.v.dot(G * tree.x.v) / 2 == doctest::Approx(energy).epsilon(1e-12));
  }
}

TEST_CASE("inverse dynamics obeys the principle of virtual power") {
  Tree tree(8);
  const Model& model = tree.model;
  const Loads<double> loads = random_loads(tree.random, model);
  const Vec a = tree.random.flat(model.nv());
  Vec tau(model.nv()), expected = Vec::Zero(model.nv());
  inverse_dynamics(model, tree.x.v, a, loads, tree.work, tau);
  body_accelerations(model, tree.x.v, a, tree.work);
  for (int i = 0; i < model.size(); ++i) {  // m x'' - m g - f, and d(R J Omega)/dt - torque
    const Body& body = model.mechanism().bodies[model.body[i]];
    const Mat3 J = tree.work.R_WB[i] * body.inertia * tree.work.R_WB[i].transpose();
    const Vec3 w = tree.work.w_WB[i];
    Vector<double, 6> wrench;
    wrench << body.mass * (tree.work.vdot_WB[i] - loads.gravity) - loads.force[i],
        J * tree.work.wdot_WB[i] + w.cross(J * w) - loads.torque[i];
    add_jacobian_transpose(model, tree.work, i, Vec3(Vec3::Zero()), wrench, expected);
  }
  CHECK(test::greatest(tau - expected) < 1e-10);
}

TEST_CASE("a free body has the same accelerations in the direct and in the semi-direct product") {
  Random random(9);
  Mechanism mechanism;
  mechanism.bodies.push_back(test::random_body(random, 0));
  Vec3 vdot[2], wdot[2];
  const Vec3 v_W = random.vector(), Omega = random.vector(), f = random.vector(), m = random.vector();
  const SE3<> pose = random.frame();
  for (const auto group : {GroupProduct::direct, GroupProduct::semidirect}) {
    mechanism.bodies[0].group = group;
    const Model model(mechanism);
    Vec q(7), v(6), a(6);
    pose.to(q.data());
    v << (group == GroupProduct::direct ? v_W : pose.R.inverse() * v_W), Omega;
    Workspace<double> work(model);
    Loads<double> loads(model);
    loads.gravity = Vec3(0, 0, -9.81), loads.force[0] = f, loads.torque[0] = m, loads.has_wrenches = true;
    forward_kinematics(model, q, v, work);
    forward_dynamics(model, v, loads, work, a);
    body_accelerations(model, v, a, work);
    vdot[static_cast<int>(group)] = work.vdot_WB[0], wdot[static_cast<int>(group)] = work.wdot_WB[0];
  }
  CHECK((vdot[0] - vdot[1]).norm() < 1e-13);
  CHECK((wdot[0] - wdot[1]).norm() < 1e-13);
  CHECK((vdot[0] - f / mechanism.bodies[0].mass - Vec3(0, 0, -9.81)).norm() < 1e-13);
}

TEST_CASE("a free particle follows Newton's law") {
  Mechanism mechanism;
  Body particle;
  particle.name = "p", particle.mass = 3, particle.particle = true;
  mechanism.bodies.push_back(particle);
  const Model model(mechanism);
  REQUIRE(model.nv() == 3);
  Workspace<double> work(model);
  Loads<double> loads(model);
  loads.gravity = Vec3(1, 2, 3), loads.force[0] = Vec3(3, 6, -9), loads.has_wrenches = true;
  Vec a(3);
  const Vec zero = Vec::Zero(3);
  forward_kinematics(model, zero, zero, work);
  forward_dynamics(model, zero, loads, work, a);
  CHECK((a - Vec3(2, 4, 0)).norm() < 1e-15);
}

TEST_CASE("a joint without inertia is reported with its body, and the workspace remains usable") {
  Mechanism mechanism;
  for (const double size : {1., 1e-200, 1.}) {
    Body body;
    body.name = size == 1 ? "stone" + std::to_string(mechanism.bodies.size()) : "dust";
    body.mass = size, body.inertia = size * Mat3::Identity();
    Joint joint;
    joint.kind = JointKind::spherical;
    joint.parent = mechanism.bodies.empty() ? world : 0;
    joint.child = static_cast<int>(mechanism.bodies.size());
    joint.X_CM.p = Vec3(1, 0, 0);
    mechanism.bodies.push_back(body), mechanism.joints.push_back(joint);
  }
  const Model dusty(mechanism);
  mechanism.bodies[1].mass = 1, mechanism.bodies[1].inertia.setIdentity();
  const Model sound(mechanism);
  Workspace<double> work(dusty), fresh(sound);
  Loads<double> loads(sound);
  loads.gravity = Vec3(0, 0, -1);
  const Vec q = identity_configuration(sound), v = Vec::Zero(sound.nv());
  Vec a(sound.nv()), again(sound.nv());
  try {
    forward_dynamics(dusty, q, v, loads, work, a);
    FAIL("not refused");
  } catch (const EvaluationError& error) {
    CHECK(error.status == StepStatus::singular);
    CHECK(std::string(error.what()) ==
          "the joint of body \"dust\" has no inertia to accelerate: the mass matrix is singular");
  }
  forward_dynamics(sound, q, v, loads, work, again);  // uses the workspace of the failed evaluation
  forward_dynamics(sound, q, v, loads, fresh, a);
  CHECK(a == again);
}

/// A light body on a joint that carries a heavy one on a planar joint at a distance. The inertia about the
/// normal of the plane is that of the light body alone, the others are far greater.
Model light_under_heavy(JointKind pivot, double distance, Random& random, State& x) {
  Mechanism mechanism;
  mechanism.bodies = {{"light", 0.1, Vec3(6e-4, 7e-4, 8e-4).asDiagonal()},
                      {"heavy", 10, Vec3(0.06, 0.07, 0.08).asDiagonal(), GroupProduct::semidirect}};
  mechanism.bodies[0].group = GroupProduct::semidirect;
  mechanism.joints = {{"pivot", pivot, world, 0}, {"slide", JointKind::planar, 0, 1}};
  for (Joint& joint : mechanism.joints)
    joint.X_PF = random.frame(), joint.X_CM = SE3<>(random.frame().R, random.vector(0.1));
  const Model model(mechanism);
  x = test::random_state(random, model);
  x.q.tail(3) = Vec3(0.6 * distance, 0.8 * distance, 0.5);
  return model;
}

TEST_CASE("accelerations of a light body that carries a heavy one far away keep their digits") {
  for (const JointKind pivot : {JointKind::spherical, JointKind::free, JointKind::translation})
    for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
      CAPTURE(seed);
      Random random(seed);
      State x;
      const Model model = light_under_heavy(pivot, 20, random, x);
      Loads<double> loads(model);
      Loads<long double> exact_loads(model);
      loads.gravity = Vec3(0, 0, -9.81);
      exact_loads.gravity = loads.gravity.cast<long double>();
      Workspace<double> work(model);
      Workspace<long double> exact_work(model);
      Vec a(model.nv());
      VecOf<long double> exact(model.nv());
      forward_dynamics(model, x.q, x.v, loads, work, a);
      forward_dynamics<long double>(model, x.q.cast<long double>(), x.v.cast<long double>(), exact_loads,
                                    exact_work, exact);
      const Vec expected = exact.cast<double>();
      CHECK(test::greatest(Vec(a - expected)) < 1e-9 * test::greatest(expected));
    }
}

}  // namespace
}  // namespace torsor
