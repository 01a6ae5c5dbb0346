#include "torsor/model/start.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <limits>

#include "random_tree.hpp"
#include "torsor/model/declared_joint.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/motion.hpp"

namespace torsor {
namespace {

using test::Random;

std::vector<BodyMotion> motions(const Model& model, const State& x) {
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  std::vector<BodyMotion> bodies;
  for (int body = 0; body < model.size(); ++body) bodies.push_back(body_motion(model, work, body));
  return bodies;
}

/// What the bodies of a state would be given as, velocities in world or body axes by turns.
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

TEST_CASE("bodies given in full fix every joint, and so do joints and loose bodies") {
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

TEST_CASE("given joints keep their turns: coordinates come back as they were") {
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

TEST_CASE("without data all coordinates and rates are zero") {
  Random random(6);
  const Model model(test::random_tree(random, 24));
  const State x = make_start(model, {});
  CHECK(x.q == identity_configuration(model));
  CHECK(x.v.isZero(0));
  CHECK(x.memory.size() == 0);
}

// ---- partial data ----

/// Rods of 1 m along x, one after the other, joints of one kind; the first hangs at the origin.
Mechanism chain(JointKind kind, int rods) {
  Mechanism chain;
  for (int i = 0; i < rods; ++i) {
    chain.bodies.push_back({"rod" + std::to_string(i), 1, Vec3(0.02, 1.01, 1.01).asDiagonal()});
    chain.joints.push_back({"joint" + std::to_string(i),
                            kind,
                            i - 1,
                            i,
                            {SO3<>(), Vec3(i ? 0.5 : 0, 0, 0)},
                            {SO3<>(), Vec3(-0.5, 0, 0)}});
  }
  return chain;
}

TEST_CASE("attitudes and angular velocities alone place and move a chain") {
  Random random(7);
  const Model model(chain(JointKind::spherical, 6));
  const State x = test::random_state(random, model);
  Start start{given_bodies(model, x), {}};
  for (BodyStart& body : start.bodies) body.x.reset(), body.v_W.reset(), body.v_B.reset();
  check_same_motion(model, x, make_start(model, start));
}

TEST_CASE("places and velocities of mass centres alone turn the joints that must turn") {
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
  CHECK(std::abs(rod.Omega.x()) < 1e-14);  // no spin about the rod: the smallest rates
}

TEST_CASE("a hinge finds its mass centre on the far side too") {
  const Model hinge(chain(JointKind::revolute, 1));
  const State x = make_start(hinge, {{{.x = Vec3(-0.5, 0, 0)}}, {}});
  CHECK(std::abs(x.q[0]) == doctest::Approx(EIGEN_PI));
}

TEST_CASE("a free body takes what is given of it") {
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

TEST_CASE("given joints carry knowledge up the tree, to a base that is not given itself") {
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

TEST_CASE("a floating chain goes where its last body is given, the joints between at zero") {
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

TEST_CASE("a hundred thousand bodies") {
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
  CHECK(x.v.tail(3 * (n - 1)).lpNorm<Eigen::Infinity>() < 1e-12);
}

// ---- refusals ----

std::string refusal(const Mechanism& mechanism, const Start& start) {
  try {
    make_start(Model(mechanism), start);
  } catch (const StartError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("data that contradict each other are named with what is missing") {
  const Mechanism pendulum = chain(JointKind::revolute, 2);
  const auto with = [&](const BodyStart& first, const BodyStart& second,
                        std::vector<JointStart> joints = {}) {
    return refusal(pendulum, {{first, second}, std::move(joints)});
  };
  CHECK(with({.x = Vec3(0.5, 0, 0.1), .R = SO3<>()}, {}) ==
        "body \"rod0\": its position is off by 0.1 m from what joint \"joint0\" allows");
  CHECK(with({}, {.x = Vec3(1.5, 0, 0), .R = SO3<>::exp(Vec3(0.25, 0, 0))}) ==
        "body \"rod1\": its attitude is off by 0.25 rad from what joint \"joint1\" allows");
  CHECK(with({.R = SO3<>()}, {}, {{Vec::Constant(1, 0.5), {}}, {}}) ==
        "body \"rod0\": its attitude is off by 0.5 rad from what joint \"joint0\" allows");
  CHECK(with({.v_W = Vec3(0, 1, 2)}, {}) ==
        "body \"rod0\": its velocity is off by 2 m/s from what joint \"joint0\" allows");
  CHECK(with({.v_W = Vec3(0, 1, 0), .v_B = Vec3(0, 1.5, 0)}, {}) ==
        "body \"rod0\": its velocity in body axes is off by 0.5 m/s from what joint \"joint0\" allows");
  CHECK(
      with({.omega_W = Vec3(0, 3, 0)}, {.Omega = Vec3(4, 0, 0)}) ==
      "body \"rod0\": its angular velocity is off by 3 rad/s from what joint \"joint0\" allows\n"
      "body \"rod1\": its angular velocity in body axes is off by 4 rad/s from what joint \"joint1\" allows");
  CHECK(with({.x = Vec3(0.5, 0, 1e-10), .R = SO3<>()}, {}) == "accepted");
  const Mechanism loose{{{"a"}}, {}, {}};
  CHECK(refusal(loose, {{{.v_W = Vec3(0, 1, 0), .v_B = Vec3(0, 0, 0)}}, {}}) ==
        "body \"a\": its velocity in body axes is off by 1 m/s from what the other data allows");
}

TEST_CASE("of many contradictions the first are told") {
  const Start start{std::vector<BodyStart>(30, {.omega_W = Vec3(0, 3, 0), .Omega = Vec3(0, 0, 0)}), {}};
  const std::string text = refusal(chain(JointKind::revolute, 30), start);
  CHECK(text.ends_with("\nand 10 more contradictions"));
}

TEST_CASE("starts that tell nothing usable are refused with every reason") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Mechanism two{{{"a"}, {"p", 1, Mat3::Zero(), GroupProduct::direct, true}},
                      {{"ball", JointKind::spherical, world, 0}},
                      {}};
  const auto with = [&](const BodyStart& a, const BodyStart& p, const JointStart& ball) {
    return refusal(two, {{a, p}, {ball}});
  };
  CHECK(refusal(two, {std::vector<BodyStart>(3), {}}) == "the start tells of 3 bodies, the mechanism has 2");
  CHECK(refusal(two, {{}, std::vector<JointStart>(2)}) == "the start tells of 2 joints, the mechanism has 1");
  const Vec3 none(0, nan, 0);
  CHECK(with({.x = none, .v_B = none, .Omega = none},
             {.R = SO3<>(), .v_B = Vec3::Zero(), .omega_W = Vec3::Zero()}, {}) ==
        "body \"a\": its position is not finite\nbody \"a\": its velocity is not finite\n"
        "body \"a\": its angular velocity is not finite\nbody \"p\": a particle has no attitude\n"
        "body \"p\": a particle has no angular velocity\n"
        "body \"p\": a particle has no body axes for its velocity");
  CHECK(with({.R = SO3<>::from_wxyz(1, 0.75, 0, 0)}, {}, {}) ==
        "body \"a\": the quaternion of its attitude has length 1.25, not 1");
  CHECK(with({}, {}, {Vec::Zero(3), Vec::Zero(4)}) ==
        "joint \"ball\": 3 coordinates given, 4 needed\njoint \"ball\": 4 rates given, 3 needed");
  CHECK(with({}, {}, {Vec::Constant(4, 1), Vec::Constant(3, nan)}) ==
        "joint \"ball\": its rates are not finite\n"
        "joint \"ball\": the quaternion among its coordinates has length 2, not 1");
}

}  // namespace
}  // namespace torsor
