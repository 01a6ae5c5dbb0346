#include "torsor/system/tree_system.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "../model/some_forces.hpp"
#include "heavy_top.hpp"
#include "support/greatest.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"

using namespace torsor;
using test::Random;

namespace {

struct RandomTree {
  explicit RandomTree(unsigned seed)
      : random(seed), model(with_forces()), tree(model, 0.7), x(test::random_state(random, model)) {}
  Mechanism with_forces() {
    Mechanism mechanism = test::random_tree(random, 20);
    mechanism.forces = test::changing_forces(random, mechanism);
    return mechanism;
  }
  Random random;
  Model model;
  TreeSystem tree;
  State x;
};

/// The expected error norm, from poses and velocities of the bodies before and after the error.
double measured(const Model& model, const LinkLengths& lengths, const State& x, const Vec& xi,
                const Vec& dv) {
  Workspace<double> a(model), b(model), c(model);
  Vec moved(model.nq());
  retract(model, x.q.data(), xi.data(), moved.data());
  const Vec faster = x.v + dv;
  forward_kinematics(model, x.q, x.v, a);
  forward_kinematics(model, moved, x.v, b);
  forward_kinematics(model, x.q, faster, c);
  double most = 0;
  for (int i = 0; i < model.size(); ++i) {
    const Mat3 turn = a.R_WB[i].transpose() * b.R_WB[i];
    const Vec3 axis(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
    const int r = lengths.reference(i);
    const auto relative = [&](const std::vector<Vec3>& of) -> Vec3 {
      return r == world || r == i ? of[i] : Vec3(of[i] - of[r]);
    };
    const Vec3 v = relative(a.v_WB);
    most = test::greatest(most, (relative(b.p_WB) - relative(a.p_WB)).norm() / lengths[i], axis.norm() / 2,
                          (relative(c.v_WB) - v).norm() / (lengths[i] + v.norm()),
                          (c.w_WB[i] - a.w_WB[i]).norm() / (1 + a.w_WB[i].norm()));
  }
  return most;
}

}  // namespace

TEST_CASE("chart_rate combines retract, dexp_inv and acceleration") {
  RandomTree t(3);
  const int n = t.tree.nv();
  for (const double size : {0., 1e-8, 0.3, 1.}) {
    const Vec xi = size * t.random.flat(n);
    Vec xi_rate(n), a(n), xi_rate_apart(n), a_apart(n), q(t.tree.nq());
    t.tree.chart_rate(0.4, t.x.q, xi, t.x.v, xi_rate, a);
    t.tree.retract(t.x.q, xi, q);
    t.tree.dexp_inv(xi, t.x.v, xi_rate_apart);
    t.tree.acceleration(0.4, q, t.x.v, a_apart);
    CHECK((xi_rate - xi_rate_apart).norm() < 1e-14 * (1 + xi_rate.norm()));
    CHECK((a - a_apart).norm() < 1e-12 * a.norm());
    Vec back(n), xi_again(n);
    t.tree.dexp(xi, xi_rate, back);
    CHECK((back - t.x.v).norm() < 1e-13);
    t.tree.local_difference(t.x.q, q, xi_again);
    CHECK((xi_again - xi).norm() < 1e-13);
  }
}

TEST_CASE("bodies on ball joints to the ground have the accelerations of the recursion") {
  Random random(21);
  Mechanism tops;
  for (int i = 0; i < 3; ++i) {
    tops.bodies.push_back(test::random_body(random, i));
    Joint pivot;
    pivot.name = "pivot" + std::to_string(i);
    pivot.kind = JointKind::spherical;
    pivot.child = i;
    pivot.X_PF = random.frame(), pivot.X_CM = random.frame();
    tops.joints.push_back(pivot);
  }
  tops.forces = {{"down", UniformGravity{}}, {"aside", UniformGravity{{1., -2., 3.}}}};
  const Model model(tops);
  const TreeSystem tree(model, 1);
  const State x = test::random_state(random, model);
  const int n = model.nv();
  Workspace<double> work(model);
  Loads<double> loads(model);
  Vec a(n), by_recursion(n), xi_rate(n), xi_rate_apart(n), q(model.nq());
  tree.forces().evaluate(0, x.q, x.v, work, loads);
  forward_dynamics(model, x.q, x.v, loads, work, by_recursion);
  tree.acceleration(0, x.q, x.v, a);
  CHECK((a - by_recursion).norm() < 1e-13 * a.norm());

  const Vec xi = 0.4 * random.flat(n);
  tree.retract(x.q, xi, q);
  forward_dynamics(model, q, x.v, loads, work, by_recursion);
  tree.dexp_inv(xi, x.v, xi_rate_apart);
  tree.chart_rate(0, x.q, xi, x.v, xi_rate, a);
  CHECK((a - by_recursion).norm() < 1e-13 * a.norm());
  CHECK((xi_rate - xi_rate_apart).norm() < 1e-14 * xi_rate.norm());
}

TEST_CASE("acceleration_and_power gives the results of the two separate functions") {
  RandomTree t(5);
  const int n = t.tree.nv();
  Vec a(n), a_apart(n);
  double power = 0;
  t.tree.acceleration_and_power(0.4, t.x.q, t.x.v, a, power);
  t.tree.acceleration(0.4, t.x.q, t.x.v, a_apart);
  CHECK(a == a_apart);
  Workspace<double> work(t.model);
  forward_kinematics(t.model, t.x.q, t.x.v, work);
  CHECK(power == t.tree.forces().power(0.4, t.x.q, t.x.v, work));
}

TEST_CASE("the error norm measures the motion of the bodies") {
  RandomTree t(9);
  const int n = t.tree.nv();
  const double small = 1e-7;
  for (int i = 0; i < 50; ++i) {
    Vec xi = small * t.random.flat(n), dv = small * t.random.flat(n);
    if (i % 3 == 1) xi.setZero();
    if (i % 3 == 2) dv.setZero();
    const double expected = measured(t.model, 0.7, t.x, xi, dv);
    CHECK(std::abs(t.tree.error_norm(t.x, xi, dv) / expected - 1) < 1e-5);
  }
  Vec xi = Vec::Zero(n), dv = Vec::Zero(n);
  CHECK(t.tree.error_norm(t.x, xi, dv) == 0);
  dv[2] = std::nan("");
  CHECK(!std::isfinite(t.tree.error_norm(t.x, xi, dv)));
}

TEST_CASE("the error norm measures bodies that move away from the ground relative to their reference body") {
  Random random(31);
  Mechanism mechanism = test::random_tree(random, 12);
  mechanism.joints[0].kind = JointKind::prismatic;  // the first branch
  mechanism.bodies.push_back(test::random_body(random, 12)),
      mechanism.bodies.push_back(test::random_body(random, 13));
  Joint arm;
  arm.name = "arm", arm.kind = JointKind::universal, arm.parent = 12, arm.child = 13;
  arm.X_CM.p = Vec3(0, 0, 0.4);
  mechanism.joints.push_back(arm);
  mechanism.bodies.push_back(test::random_body(random, 14));  // bodies 12 and 14 are free
  for (const Formulation formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(mechanism, formulation);
    const State x = test::random_state(random, model);
    const LinkLengths lengths(model, x.q);
    const auto link = [&](int body) { return model.link_of_body[static_cast<std::size_t>(body)]; };
    CHECK(lengths.reference(link(0)) == link(0));
    CHECK(lengths.reference(link(13)) == lengths.reference(link(12)));
    CHECK(lengths.reference(link(14)) == lengths.reference(link(12)));
    const TreeSystem tree(model, lengths);
    const double small = 1e-7;
    for (int i = 0; i < 50; ++i) {
      Vec xi = small * random.flat(model.nv()), dv = small * random.flat(model.nv());
      if (i % 3 == 1) xi.setZero();
      if (i % 3 == 2) dv.setZero();
      CHECK(std::abs(tree.error_norm(x, xi, dv) / measured(model, lengths, x, xi, dv) - 1) < 1e-5);
    }
  }
}

TEST_CASE("the length of a mechanism is its reach from the ground, wherever the ground is") {
  const Model top(heavy_top());
  CHECK(LinkLengths(top, heavy_top_start(top).q).greatest() == doctest::Approx(1).epsilon(1e-14));

  Mechanism free{{Body()}, {}, {}};
  const Model body(free);
  Vec q = identity_configuration(body);
  CHECK(LinkLengths(body, q).greatest() == doctest::Approx(std::sqrt(1.5)));  // radius of gyration
  q.head<3>() = Vec3(30, -40, 0);
  CHECK(LinkLengths(body, q).greatest() == doctest::Approx(50));

  free.bodies[0].particle = true;
  const Model particle(free);
  CHECK(LinkLengths(particle, Vec::Zero(3)).greatest() == 1);

  Mechanism tether{{Body(), Body()}, {}, {}};  // the distance of free bodies is that from the first of them
  const Model two(tether);
  q = identity_configuration(two);
  q.head<3>() = Vec3(7e6, 0, 0), q.segment<3>(two.q_begin[1]) = Vec3(7e6 + 3, 4, 0);
  const LinkLengths apart(two, q);
  CHECK(apart[0] == doctest::Approx(7e6).epsilon(1e-6));
  CHECK(apart[1] == doctest::Approx(5));

  Mechanism far = heavy_top();  // the position of a pivot on the ground does not matter
  far.joints[0].X_PF.p = Vec3(1000, 0, 0);
  const Model moved(far);
  CHECK(LinkLengths(moved, heavy_top_start(top).q).greatest() == doctest::Approx(1).epsilon(1e-12));
}
