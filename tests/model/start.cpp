#include "torsor/model/start.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "model/declared_joint.hpp"
#include "random_tree.hpp"
#include "rods.hpp"
#include "support/greatest.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/motion.hpp"

namespace torsor {
namespace {

using test::chain, test::Random;

std::vector<BodyMotion> motions(const Model& model, const State& x) {
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  std::vector<BodyMotion> bodies;
  for (int body = 0; body < model.size(); ++body) bodies.push_back(body_motion(model, work, body));
  return bodies;
}

/// The given data of the bodies of a state, with velocities alternately in world and in body axes.
std::vector<BodyStart> given_bodies(const Model& model, const State& x) {
  std::vector<BodyStart> given;
  for (const BodyMotion& body : motions(model, x)) {
    BodyStart start{.x = body.x, .R = body.R};
    if (given.size() % 2)
      start.v_W = body.v, start.Omega = body.Omega;
    else
      start.v_B = body.R.inverse() * body.v, start.omega_W = body.R * body.Omega;
    given.push_back(start);
  }
  return given;
}

std::vector<JointStart> given_joints(const Model& model, const State& x) {
  std::vector<JointStart> given;
  for (const int link : model.link_of_joint) {
    Vec q(coordinate_count(model.kind[link])), v(freedom_count(model.kind[link]));
    declared_from_tree(model, link, x.q.data() + model.q_begin[link], x.v.data() + model.v_begin[link],
                       q.data(), v.data());
    given.push_back({q, v});
  }
  return given;
}

void check_same_motion(const Model& model, const State& x, const State& y) {
  const auto a = motions(model, x), b = motions(model, y);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK((a[i].x - b[i].x).norm() < 1e-12);
    CHECK((a[i].R.inverse() * b[i].R).log().norm() < 1e-12);
    CHECK((a[i].v - b[i].v).norm() < 1e-11);
    CHECK((a[i].Omega - b[i].Omega).norm() < 1e-11);
  }
}

TEST_CASE("bodies given in full determine every joint, and joints given in full determine every body") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Random random(seed);
    const Model model(test::random_tree(random, 24));
    const State x = test::random_state(random, model);
    Start by_bodies{given_bodies(model, x), {}};
    check_same_motion(model, x, make_start(model, by_bodies));

    Start by_joints{by_bodies.bodies, given_joints(model, x)};
    for (int body = 0; body < model.size(); ++body)
      if (model.joint[model.link_of_body[body]] >= 0) by_joints.bodies[body] = {};
    check_same_motion(model, x, make_start(model, by_joints));
  }
}

TEST_CASE("each joint may be given by itself or by its body, in any mixture") {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    CAPTURE(seed);
    Random random(seed);
    const Model model(test::random_tree(random, 24));
    const State x = test::random_state(random, model);
    Start start{given_bodies(model, x), given_joints(model, x)};
    for (int body = 0; body < model.size(); ++body) {
      const int joint = model.joint[model.link_of_body[body]];
      if (joint < 0) continue;
      if (random.below(2))
        start.bodies[body] = {};
      else
        start.joints[joint] = {};
    }
    check_same_motion(model, x, make_start(model, start));
  }
}

TEST_CASE("given joint coordinates keep their turns") {
  Mechanism arm{{{"a"}, {"b"}},
                {{"hinge", JointKind::revolute, world, 0}, {"screw", JointKind::helical, 0, 1, {}, {}, 0.2}},
                {}};
  std::swap(arm.joints[1].parent, arm.joints[1].child);  // b is declared as the parent
  const Model model(arm);
  const Start start{
      {}, {{Vec::Constant(1, 17.), Vec::Constant(1, 0.5)}, {Vec::Constant(1, -9.), Vec::Constant(1, 2.)}}};
  const State x = make_start(model, start);
  const std::vector<JointStart> back = given_joints(model, x);
  for (int j = 0; j < 2; ++j) {
    CHECK(*back[j].q == *start.joints[j].q);
    CHECK(*back[j].v == *start.joints[j].v);
  }
}

TEST_CASE(
    "joint coordinates that are not given follow from the poses of bodies, with the turns nearest to "
    "angles_near") {
  for (const bool reversed : {false, true}) {
    CAPTURE(reversed);
    Mechanism arm{{{"a"}}, {{"hinge", JointKind::revolute, world, 0}}, {}};
    arm.joints[0].angles_near[0] = -100.2;
    if (reversed) std::swap(arm.joints[0].parent, arm.joints[0].child);
    const Model model(arm);
    BodyStart body;
    body.x = Vec3::Zero(), body.R = SO3<>::exp(Vec3(0, 0, reversed ? 100 : -100));
    const State x = make_start(model, {{body}, {}});
    CHECK((*given_joints(model, x)[0].q)[0] == doctest::Approx(-100).epsilon(1e-14));
  }
}

TEST_CASE("without data all coordinates and rates are zero") {
  Random random(6);
  const Model model(test::random_tree(random, 24));
  const State x = make_start(model, {});
  CHECK(x.q == identity_configuration(model));
  CHECK(x.v.isZero(0));
  CHECK(x.memory.size() == 0);
}

// ---- partial data ----

TEST_CASE("attitudes and angular velocities alone determine the state of a chain") {
  Random random(7);
  const Model model(chain(JointKind::spherical, 6));
  const State x = test::random_state(random, model);
  Start start{given_bodies(model, x), {}};
  for (BodyStart& body : start.bodies) body.x.reset(), body.v_W.reset(), body.v_B.reset();
  check_same_motion(model, x, make_start(model, start));
}

TEST_CASE("positions and velocities of mass centres alone determine the joints") {
  Random random(8);
  const Model hinges(chain(JointKind::revolute, 6));
  const State x = test::random_state(random, hinges);
  Start start{given_bodies(hinges, x), {}};
  const auto bodies = motions(hinges, x);
  for (std::size_t i = 0; i < bodies.size(); ++i) start.bodies[i] = {.x = bodies[i].x, .v_W = bodies[i].v};
  check_same_motion(hinges, x, make_start(hinges, start));

  const Model ball(chain(JointKind::spherical, 1));
  const Vec3 along = Vec3(1, -2, 2) / 3;
  const State y = make_start(ball, {{{.x = 0.5 * along, .v_W = Vec3(2, 1, 0)}}, {}});
  const BodyMotion rod = motions(ball, y)[0];
  CHECK((rod.x - 0.5 * along).norm() < 1e-14);
  CHECK((rod.v - Vec3(2, 1, 0)).norm() < 1e-14);
  CHECK(std::abs(rod.Omega.x()) < 1e-14);  // the rates of least norm have no spin about the rod
}

TEST_CASE("a hinge turns by pi if the mass centre of its body is given on the opposite side") {
  const Model hinge(chain(JointKind::revolute, 1));
  const State x = make_start(hinge, {{{.x = Vec3(-0.5, 0, 0)}}, {}});
  CHECK(std::abs(x.q[0]) == doctest::Approx(EIGEN_PI));
}

TEST_CASE("a free body takes the values that are given for it, and zero for the others") {
  const Model model(Mechanism{{{"a"}, {"b"}, {"p", 1, Mat3::Zero(), GroupProduct::direct, true}}, {}, {}});
  const SO3<> R = SO3<>::exp(Vec3(1, 2, 3));
  const Vec3 x(4, 5, 6);
  const auto bodies = motions(
      model, make_start(model, {{{.x = x, .v_W = -x}, {.R = R, .Omega = x}, {.x = x, .v_W = x}}, {}}));
  CHECK(bodies[0].x == x);
  CHECK(bodies[0].v == -x);
  CHECK(bodies[0].R.matrix().isIdentity());
  CHECK(bodies[0].Omega.isZero());
  CHECK(bodies[1].x.isZero());
  CHECK((bodies[1].R.inverse() * R).log().norm() < 1e-15);
  CHECK((bodies[1].Omega - x).norm() < 1e-14);
  CHECK(bodies[2].x == x);
  CHECK(bodies[2].v == x);
}

TEST_CASE("given joints and a given body at the end of the chain determine the motion of the base") {
  for (const JointKind base : {JointKind::free, JointKind::spherical, JointKind::revolute}) {
    CAPTURE(static_cast<int>(base));
    Random random(9);
    Mechanism mechanism = chain(JointKind::universal, 5);
    mechanism.joints[0].kind = base;
    const Model model(mechanism);
    const State x = test::random_state(random, model);
    Start start{std::vector<BodyStart>(5), given_joints(model, x)};
    start.joints[0] = {};
    start.bodies[4] = given_bodies(model, x)[4];
    check_same_motion(model, x, make_start(model, start));
  }
}

TEST_CASE("the last body determines the motion of a floating chain, with zero joint coordinates and rates") {
  Mechanism mechanism = chain(JointKind::spherical, 3);
  mechanism.joints.erase(mechanism.joints.begin());
  const Model model(mechanism);
  const SO3<> R = SO3<>::exp(Vec3(0, 0, EIGEN_PI / 2));
  Start start{std::vector<BodyStart>(3), {}};
  start.bodies[2] = {.x = Vec3(0, 2, 1), .R = R, .v_W = Vec3(3, 0, 0), .omega_W = Vec3(0, 0, 1)};
  const auto bodies = motions(model, make_start(model, start));
  CHECK((bodies[0].x - Vec3(0, 0, 1)).norm() < 1e-14);
  CHECK((bodies[0].R.inverse() * R).log().norm() < 1e-14);
  CHECK((bodies[0].v - Vec3(5, 0, 0)).norm() < 1e-14);
  CHECK((bodies[2].v - Vec3(3, 0, 0)).norm() < 1e-14);
}

TEST_CASE("a start of a hundred thousand bodies is found") {
  const int n = 100'000;
  const Model model(chain(JointKind::spherical, n));
  Start start{std::vector<BodyStart>(n), {}};
  for (int i = 0; i < n; ++i)
    start.bodies[i] = {.x = Vec3(i + 0.5, 0, 0),
                       .R = SO3<>(),
                       .v_W = Vec3(0, (i + 0.5) / n, 0),
                       .omega_W = Vec3(0, 0, 1. / n)};
  const State x = make_start(model, start);
  CHECK(x.v.head<3>().isApprox(Vec3(0, 0, 1. / n)));
  CHECK(test::greatest(x.v.tail(3 * (n - 1))) < 1e-12);
}

}  // namespace
}  // namespace torsor
