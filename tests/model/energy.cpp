#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <set>

#include "some_forces.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

struct TreeUnderForces {
  TreeUnderForces(const Mechanism& mechanism, Random& random)
      : model(mechanism),
        forces(model),
        x(test::random_state(random, model)),
        work(model),
        loads(model),
        a(model.nv()) {
    forces.evaluate(t, x.q, x.v, work, loads);
    forward_dynamics(model, x.q, x.v, loads, work, a);
    forward_kinematics(model, x.q, x.v, work);
  }

  Model model;
  Forces forces;
  State x;
  Workspace<double> work;
  Loads<double> loads;
  Vec a;
  double t = 0.4;
};

/// A random tree without a joint to the ground.
Mechanism floating_tree(Random& random, int bodies) {
  Mechanism tree = test::random_tree(random, bodies);
  std::erase_if(tree.joints,
                [](const Joint& joint) { return joint.parent == world || joint.child == world; });
  return tree;
}

TEST_CASE("kinetic energy is half of v^T G v with the mass matrix G") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Random random(seed);
    TreeUnderForces tree(test::random_tree(random, 24), random);
    Eigen::MatrixXd G(tree.model.nv(), tree.model.nv());
    mass_matrix(tree.model, tree.work, G);
    CHECK(kinetic_energy(tree.model, tree.work) ==
          doctest::Approx(tree.x.v.dot(G * tree.x.v) / 2).epsilon(1e-12));
  }
}

TEST_CASE("only weights change the momenta of a floating tree") {
  std::size_t shared_children = 0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    Random random(seed);
    Mechanism mechanism = floating_tree(random, 24);
    const Vec3 g(1, 2, -9);
    mechanism.forces = {{"weight", UniformGravity{{1., 2., -9.}}},
                        {"spring", PointSpring{{1, random.vector()}, {6, random.vector()}, 5., 0.4, 0.7}},
                        {"drive", JointForce{0, 0, 0., 0., 0.3, 2.}}};
    TreeUnderForces tree(mechanism, random);
    std::set<int> children;
    for (const Joint& joint : mechanism.joints) children.insert(joint.child);
    shared_children += mechanism.joints.size() - children.size();
    double mass = 0;
    Vec3 mass_moment = Vec3::Zero();
    for (int i = 0; i < tree.model.size(); ++i) {
      const double m = mechanism.bodies[tree.model.body[i]].mass;
      mass += m, mass_moment += m * tree.work.p_WB[i];
    }
    const double h = 1e-5;
    const auto momenta = [&](double s) {
      Vec q(tree.model.nq()), xi = s * tree.x.v;
      retract(tree.model, tree.x.q.data(), xi.data(), q.data());
      const Vec v = tree.x.v + s * tree.a;
      forward_kinematics(tree.model, q, v, tree.work);
      return std::pair{linear_momentum(tree.model, tree.work), angular_momentum(tree.model, tree.work)};
    };
    const auto [p_after, L_after] = momenta(h);
    const auto [p_before, L_before] = momenta(-h);
    CHECK((p_after - p_before).isApprox(2 * h * mass * g, 1e-7));
    CHECK((L_after - L_before).isApprox(2 * h * mass_moment.cross(g), 1e-6));
  }
  // Some groups of joined bodies contain several bodies that are not the child of any joint.
  CHECK(shared_children > 0);
}

TEST_CASE(
    "the acceleration residual is a rounding error at the solution and grows with the error of the "
    "accelerations") {
  Random random(4);
  Mechanism mechanism = test::random_tree(random, 24);
  mechanism.forces = test::changing_forces(random, mechanism);
  TreeUnderForces tree(mechanism, random);
  const auto residual = [&](const Vec& a) {
    return acceleration_residual(tree.model, tree.forces, tree.t, tree.x.q, tree.x.v, a, tree.work,
                                 tree.loads);
  };
  CHECK(residual(tree.a) < 1e-11);
  CHECK(residual(1.001 * tree.a) > 1e-6);
  CHECK(residual(1.001 * tree.a) < 1e-2);
}

TEST_CASE("the acceleration residual of an acceleration that is not a number is not a number") {
  Random random(4);
  TreeUnderForces tree(test::random_tree(random, 24), random);
  for (Eigen::Index i = 0; i < tree.a.size(); ++i) {
    CAPTURE(i);
    Vec a = tree.a;
    a[i] = std::nan("");
    CHECK(std::isnan(acceleration_residual(tree.model, tree.forces, tree.t, tree.x.q, tree.x.v, a, tree.work,
                                           tree.loads)));
  }
}

TEST_CASE("the residual of a tree at rest without loads is zero") {
  Random random(4);
  TreeUnderForces tree(test::random_tree(random, 5), random);
  const Vec rest = Vec::Zero(tree.model.nv());
  CHECK(acceleration_residual(tree.model, tree.forces, 0, tree.x.q, rest, rest, tree.work, tree.loads) == 0);
}

TEST_CASE("invariants hold energies, momenta and residuals of the state") {
  Random random(6);
  Mechanism mechanism = test::random_tree(random, 12);
  mechanism.forces = test::conservative_forces(random, mechanism);
  TreeUnderForces tree(mechanism, random);
  const Invariants sums =
      invariants(tree.model, tree.forces, tree.t, tree.x.q, tree.x.v, tree.a, tree.work, tree.loads);
  CHECK(sums.kinetic == kinetic_energy(tree.model, tree.work));
  CHECK(sums.potential == tree.forces.potential(tree.t, tree.x.q, tree.x.v, tree.work));
  CHECK(sums.linear_momentum == linear_momentum(tree.model, tree.work));
  CHECK(sums.angular_momentum == angular_momentum(tree.model, tree.work));
  CHECK(sums.group_defect < 1e-15);
  CHECK(sums.acceleration_residual < 1e-11);
  CHECK(sums.work == 0);
}

TEST_CASE("body_motion and point_motion convert the motion in the workspace to the frames of results") {
  Random random(7);
  TreeUnderForces tree(test::random_tree(random, 12), random);
  body_accelerations(tree.model, tree.x.v, tree.a, tree.work);
  const int body = 7, link = tree.model.link_of_body[body];
  const BodyMotion motion = body_motion(tree.model, tree.work, body);
  const Mat3& R = tree.work.R_WB[link];
  CHECK(motion.x == tree.work.p_WB[link]);
  CHECK(motion.R.matrix().isApprox(R));
  CHECK((R * motion.Omega).isApprox(tree.work.w_WB[link]));
  CHECK((R * motion.Omegadot).isApprox(tree.work.wdot_WB[link]));
  const Vec3 p(0.3, -0.2, 0.5);
  const PointMotion point = point_motion(tree.model, tree.work, {body, p});
  CHECK(point.x.isApprox(motion.x + motion.R * p));
  CHECK(point.v.isApprox(motion.v + motion.R * motion.Omega.cross(p)));
  CHECK(point_motion(tree.model, tree.work, {world, p}).x == p);
  CHECK(point_motion(tree.model, tree.work, {world, p}).v.isZero());
}

}  // namespace
}  // namespace torsor
