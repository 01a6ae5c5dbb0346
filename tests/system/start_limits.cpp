// The greatest violation of the constraints at which a given start is accepted, and the note on a start that
// was moved.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "constrained.hpp"
#include "starts.hpp"
#include "support/greatest.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("whatever its size, a mechanism with a gap of 1e-4 of its size or a tilt of 1e-4 rad is refused") {
  for (const double size : {1e-6, 1., 1e5}) {
    CAPTURE(size);
    FourBar bar(0.3 * size, 0.9 * size, 0.7 * size, 0.8 * size, 0.6);
    bar.mechanism.joints[3].X_PF.p[0] += 1e-4 * size;
    for (Body& body : bar.mechanism.bodies) body.inertia(0, 0) *= size * size;
    for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
      const Model model(bar.mechanism, formulation);
      CHECK(refusal(model, bar.start).starts_with("joint \"D\": the start positions violate it by "));
      const State x = consistent_start(model, bar.start, 0, Consistency::project);
      CHECK(residual(model, x) < 1e-11 * size);
    }
    Mechanism lone{{{"body"}}};
    lone.bodies[0].inertia = size * size * Mat3::Identity();
    lone.constraints = {{"tilt", ConstantAngle{world, 0, Vec3::UnitX(), Vec3::UnitZ(), std::acos(-1e-4)}}};
    Start start;
    start.bodies = {{Vec3(0, 0, 0), SO3<>()}};
    CHECK(refusal(Model(lone), start).starts_with("constraint \"tilt\": the start positions violate it by "));
  }
}

TEST_CASE("whatever the factor of a coupling or of a velocity row, a start is judged in the same way") {
  Joint slide;
  slide.kind = JointKind::cylindrical, slide.child = 0;
  Mechanism mechanism;
  mechanism.bodies = {rod("b", 1, 1)};
  mechanism.joints = {slide};
  Start start;
  start.joints.resize(1);
  const Vec given = Eigen::Vector2d(0.77, -1.1), rates = Eigen::Vector2d(0.7, -2);
  start.joints[0] = {.q = given, .v = rates};
  VelocityLaw::Term along = joint_rate(), about = joint_rate();
  along.joint = about.joint = 0, about.coordinate = 1;
  for (const double factor : {1e-12, 1e-9, 1e-4, 1., 1e5, 1e9}) {
    CAPTURE(factor);
    along.ratio = 2 * factor, about.ratio = 0.7 * factor;
    const JointCoupling::Term slides{0, 0, 2 * factor}, turns{0, 1, 0.7 * factor};
    for (const double wrong : {0., 1e-6, 0.17}) {
      CAPTURE(wrong);
      const Constraint coupling{"c", JointCoupling{{slides, turns}, (0.77 + wrong) * factor}};
      const Constraint velocity{"c", VelocityLaw{{along, about}, wrong * factor}};
      for (const Constraint& law : {coupling, velocity}) {
        mechanism.constraints = {law};
        const Model model(mechanism);
        const std::string why = refusal(model, start);
        CHECK((why == "accepted") == (wrong == 0));
        if (wrong > 0) continue;
        const State x = consistent_start(model, start, 0, Consistency::project);
        CHECK(test::greatest(x.q - given, x.v - rates) < 1e-14);
      }
    }
  }
}

TEST_CASE("far from the origin, the rounding of positions does not hide a wrong attitude") {
  const Vec3 far(1e9, 0, 0);
  Mechanism lone{{{"body"}}};
  lone.constraints = {{"shaft", ConstantVelocityJoint{world, 0, {SO3<>(), far}}}};
  Start start;
  start.bodies = {{far, SO3<>::exp(Vec3(0, 0, 1e-7))}};
  CHECK(refusal(Model(lone), start)
            .starts_with("constraint \"shaft\": the start positions violate it by 1e-07 rad; "));
}

TEST_CASE("a start with large angles is not refused for their rounding") {
  Joint turn;
  turn.kind = JointKind::revolute;
  Mechanism mechanism;
  mechanism.bodies = {rod("a", 1, 1), rod("b", 1, 1)};
  turn.child = 0, mechanism.joints = {turn};
  turn.child = 1, mechanism.joints.push_back(turn);
  const auto angle = [](double t) { return TimeFunction::Value{314.159 * t, 314.159, 0}; };
  mechanism.constraints = {{"driver", JointCoupling{{{0, 0, 1.}}, {angle, "314.159 t"}}},
                           {"gear", JointCoupling{{{0, 0, 0.37}, {1, 0, 1.3}}, 0.2}}};
  for (const double t : {0., 1e3, 33e4, 1234567., 3e8}) {
    CAPTURE(t);
    mechanism.joints[0].angles_near[0] = 314.159 * t;
    mechanism.joints[1].angles_near[0] = (0.2 - 0.37 * 314.159 * t) / 1.3;
    CHECK_NOTHROW(consistent_start(Model(mechanism), Start(), t));
  }
}

TEST_CASE("the note of project includes given attitudes and positions of joints with quaternions") {
  Mechanism mechanism{{rod("body", 1, 1)}, {}, {}};
  for (const bool free : {false, true}) {
    CAPTURE(free);
    mechanism.joints = {joint_at("joint", free ? JointKind::free : JointKind::spherical, world, Vec3::Zero(),
                                 0, Vec3(-1, 0, 0))};
    // A spherical joint turns until the mass centre has the distance, a free joint moves by 0.2 m.
    mechanism.constraints = {{"rod", Distance{{0, {}}, {world, {1, free ? 1.2 : 1.1, 0}}, 1.}}};
    Start start;
    start.joints.resize(1);
    start.joints[0].q = free ? Vec(Vector<double, 7>(0, 0, 0, 0, 0, 0, 1)) : Vec(Eigen::Vector4d::UnitW());
    const Model model(mechanism);
    std::vector<std::string> notes;
    const State x = consistent_start(model, start, 0, Consistency::project, &notes);
    CHECK(residual(model, x) < 1e-12);
    const double turned = 2 * std::acos(std::abs(x.q[free ? 6 : 3])), moved = free ? x.q.head<3>().norm() : 0;
    REQUIRE(notes.size() == 1);
    const std::string before = "the start was moved onto the constraints: joint coordinates by up to ";
    REQUIRE(notes[0].starts_with(before));
    CHECK(std::stod(notes[0].substr(before.size())) ==
          doctest::Approx(std::max(turned, moved)).epsilon(5e-3));
  }
}

TEST_CASE("whatever the velocity, a given angular velocity is kept to rounding") {
  Mechanism lone{{rod("body", 1, 1)}};
  for (const double size : {1e-12, 1e-7, 1e-3, 10.})
    for (const auto group : {GroupProduct::direct, GroupProduct::semidirect})
      for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
        CAPTURE(size);
        lone.bodies[0].group = group;
        Start start;
        start.bodies = {{Vec3(1e6, 0, 0), SO3<>::exp(Vec3(0.3, -1, 0.2))}};
        start.bodies[0].v_W = Vec3(3.1e4, 2.2e4, 1.3e4), start.bodies[0].Omega = size * Vec3(1, 2, 3);
        const Model model(lone, formulation);
        const BodyMotion is = sample_of(model, consistent_start(model, start)).bodies[0];
        CHECK((is.Omega - *start.bodies[0].Omega).norm() <= 1e-14 * size);
        CHECK((is.v - *start.bodies[0].v_W).norm() <= 1e-10);
      }
}

TEST_CASE("whatever the speed, rates that are not given are solved for, and contradictory ones are refused") {
  Mechanism hinged{{rod("body", 1, 1)},
                   {joint_at("hinge", JointKind::revolute, world, Vec3::Zero(), 0, {-0.5, 0, 0})}};
  Rolling rolling;
  rolling.shape = RollingSphere{0.1};
  Mechanism sphere{{{"sphere", 1, Mat3(0.004 * Mat3::Identity())}}};
  sphere.constraints = {{"contact", rolling}};
  for (const double speed : {1e-9, 1e-6, 1e-3, 1., 1e5}) {
    CAPTURE(speed);
    Start start;
    start.bodies.resize(1), start.joints.resize(1);
    start.joints[0].v = Vec::Constant(1, speed), start.bodies[0].omega_W = Vec3(0, 0, 0.4 * speed);
    CHECK(refusal(Model(hinged), start).starts_with("body \"body\": its angular velocity is off by "));
    Start rolls;
    rolls.bodies = {{Vec3(0, 0, 0.1), SO3<>()}};
    rolls.bodies[0].omega_W = Vec3(0, speed, 0);
    const Model model(sphere);
    const BodyMotion is = sample_of(model, consistent_start(model, rolls)).bodies[0];
    CHECK((is.v - Vec3(0.1 * speed, 0, 0)).norm() <= 1e-13 * speed);
    CHECK((is.Omega - Vec3(0, speed, 0)).norm() <= 1e-13 * speed);
  }
}

TEST_CASE("whatever its size, a mechanism whose joint and body give different positions is refused") {
  for (const double size : {1e-7, 1e-4, 1., 1e4}) {
    CAPTURE(size);
    Mechanism hinged{{rod("body", size, 1)},
                     {joint_at("hinge", JointKind::revolute, world, Vec3::Zero(), 0, {-size / 2, 0, 0})}};
    hinged.bodies[0].inertia = size * size * Mat3::Identity();
    Start start;
    start.bodies.resize(1), start.joints.resize(1);
    start.joints[0].q = Vec::Zero(1);
    start.bodies[0].x = size / 2 * Vec3(std::cos(0.005), std::sin(0.005), 0);
    CHECK(refusal(Model(hinged), start).starts_with("body \"body\": its position is off by "));
  }
}
