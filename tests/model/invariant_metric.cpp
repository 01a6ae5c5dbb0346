#include "model/invariant_metric.hpp"

#include <doctest/doctest.h>

#include "some_forces.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

struct MetricTree {
  explicit MetricTree(const Mechanism& mechanism)
      : model(mechanism), forces(model), metric(model, forces), work(model), loads(model) {}

  Model model;
  Forces forces;
  InvariantMetric metric;
  Workspace<double> work;
  Loads<double> loads;
};

/// A body attached to the ground by a joint of the given kind. A second body is fixed to the first so that
/// their common mass centre is at `centre` in M. A third body is fixed to the ground and carries a fourth
/// body on a hinge.
Mechanism grounded(Random& random, JointKind kind, GroupProduct group, const Vec3& centre) {
  Mechanism tree;
  for (int i = 0; i < 4; ++i) tree.bodies.push_back(test::random_body(random, i));
  tree.bodies[0].group = group;
  const SE3<> X_CM(SO3<>::exp(random.vector()), random.vector());
  const SE3<> X_MC = X_CM.inverse();
  const double share = tree.bodies[0].mass / tree.bodies[1].mass;
  const Vec3 c1_in_M = centre - share * (X_MC.p - centre);  // balances the first body about `centre`
  tree.joints = {{"joint", kind, world, 0, random.frame(), X_CM, 0.2},
                 {"weld", JointKind::fixed, 0, 1, {SO3<>::exp(random.vector()), X_CM * c1_in_M}, {}},
                 {"foot", JointKind::fixed, world, 2, random.frame(), random.frame()},
                 {"hinge", JointKind::revolute, 2, 3, random.frame(), random.frame()}};
  tree.forces = test::conservative_forces(random, tree);
  tree.forces.erase(tree.forces.end() - 2, tree.forces.end());  // the fields, which depend on velocities
  return tree;
}

void check_constant(const Mechanism& mechanism, Random& random) {
  MetricTree tree(mechanism);
  REQUIRE_MESSAGE(!tree.metric.why_not(), *tree.metric.why_not());
  const int n = tree.model.nv();
  Eigen::MatrixXd G(n, n);
  for (int sample = 0; sample < 3; ++sample) {
    const State x = test::random_state(random, tree.model);
    local_kinematics(tree.model, x.q, x.v, tree.work);
    mass_matrix(tree.model, tree.work, G);
    Vec p(n), v(n), f(n), a(n);
    tree.metric.momentum(x.v, p);
    CHECK((p - G * x.v).norm() < 1e-12 * p.norm());
    tree.metric.momentum_inverse(p, v);
    CHECK((v - x.v).norm() < 1e-12 * v.norm());

    tree.metric.position_force(0.4, x.q, tree.work, tree.loads, f);
    const Vec rest = Vec::Zero(n);
    tree.forces.evaluate(0.4, x.q, rest, tree.work, tree.loads);
    forward_dynamics(tree.model, x.q, rest, tree.loads, tree.work, a);
    CHECK((f - G * a).norm() < 1e-11 * f.norm());
  }
}

TEST_CASE(
    "the metric is the mass matrix at every configuration, and the force gives the acceleration from rest") {
  Random random(1);
  const Vec3 anywhere(0.2, -0.3, 0.4), on_axis(0, 0, 0.4);
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::helical,
                               JointKind::cylindrical, JointKind::spherical, JointKind::translation}) {
    CAPTURE(static_cast<int>(kind));
    check_constant(grounded(random, kind, GroupProduct::direct, anywhere), random);
  }
  check_constant(grounded(random, JointKind::planar, GroupProduct::direct, on_axis), random);
  check_constant(grounded(random, JointKind::free, GroupProduct::direct, Vec3::Zero()), random);
  check_constant(grounded(random, JointKind::free, GroupProduct::semidirect, anywhere), random);
}

TEST_CASE("an inertia that depends on the configuration is refused with the reason") {
  Random random(2);
  const auto why = [&](JointKind kind, const Vec3& centre) {
    return *MetricTree(grounded(random, kind, GroupProduct::direct, centre)).metric.why_not();
  };
  CHECK(why(JointKind::universal, Vec3::Zero()) ==
        "body \"body0\" has a universal joint, whose inertia depends on its angles");
  CHECK(why(JointKind::planar, Vec3(0.1, 0, 0)) ==
        "body \"body0\" has a planar joint whose axis misses its mass centre");
  CHECK(why(JointKind::free, Vec3(0, 0, 0.1)) ==
        "body \"body0\" is free in the direct product, and its joint point is not its mass centre: use the "
        "semidirect product");
  Mechanism turned = grounded(random, JointKind::universal, GroupProduct::direct, Vec3::Zero());
  std::swap(turned.joints[0].parent, turned.joints[0].child);
  CHECK(*MetricTree(turned).metric.why_not() ==
        "body \"body0\" is the parent in its universal joint: its inertia depends on the coordinates");
  Mechanism arm = grounded(random, JointKind::revolute, GroupProduct::direct, Vec3::Zero());
  arm.joints[1].kind = JointKind::revolute;
  CHECK(*MetricTree(arm).metric.why_not() == "body \"body1\" is attached to body \"body0\", which moves");
  arm.joints[1].kind = JointKind::fixed;
  arm.forces = {{"drag", LinearField{0, Mat3::Zero(), Mat3::Identity()}}};
  CHECK(*MetricTree(arm).metric.why_not() == "force \"drag\" depends on velocities");
}

}  // namespace
}  // namespace torsor
