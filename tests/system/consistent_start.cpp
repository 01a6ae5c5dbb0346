#include "torsor/system/consistent_start.hpp"

#include <doctest/doctest.h>

#include "constrained.hpp"
#include "model/random_tree.hpp"
#include "starts.hpp"
#include "support/greatest.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/system/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("a start is solved for the values that are not given: a four-bar from its crank alone") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start;
  start.bodies.resize(3), start.joints.resize(4);
  start.joints[0] = {.q = Vec::Constant(1, 0.6), .v = Vec::Constant(1, 4.6)};
  start.joints[1].q = {}, start.joints[2].q = {};
  const Model model(bar.mechanism);
  const State x = consistent_start(model, start);
  CHECK(x.q[0] == doctest::Approx(0.6).epsilon(1e-14));
  CHECK(x.v[0] == doctest::Approx(4.6).epsilon(1e-14));
  CHECK(residual(model, x) < 1e-13);
}

TEST_CASE("a carrier whose rate is not given rests while the rate of a four-bar on it is given") {
  for (unsigned seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
    const SE3<> plane = random.frame();
    bar.mechanism.bodies.push_back(rod("carrier", 1, 2));
    for (const int ground : {0, 3})
      bar.mechanism.joints[ground].parent = 3,
      bar.mechanism.joints[ground].X_PF = plane * bar.mechanism.joints[ground].X_PF;
    bar.mechanism.joints.push_back(
        joint_at("base", JointKind::revolute, world, Vec3::Zero(), 3, Vec3::Zero()));
    bar.mechanism.joints[4].X_PF = random.frame(), bar.mechanism.joints[4].X_CM = random.frame();
    Start start;
    start.joints.resize(5);
    start.joints[0] = {.q = Vec::Constant(1, 0.6), .v = Vec::Constant(1, 4.6)};
    const Model model(bar.mechanism);
    const State x = consistent_start(model, start);
    const int at = model.v_begin[model.link_of_joint[4]];
    CHECK(std::abs(x.q[at]) < 1e-12);
    CHECK(std::abs(x.v[at]) < 1e-12);
    // All values of the four-bar are given, up to rounding. Then all columns of the unknowns are rounding.
    for (int joint = 0; joint < 3; ++joint)
      if (const int link = model.link_of_joint[joint]; link >= 0)
        start.joints[joint] = {.q = Vec::Constant(1, x.q[model.q_begin[link]]),
                               .v = Vec::Constant(1, x.v[model.v_begin[link]])};
    const State y = consistent_start(model, start);
    CHECK(std::abs(y.q[at]) < 1e-12);
    CHECK(std::abs(y.v[at]) < 1e-12);
  }
}

TEST_CASE("velocity rows do not restrict or move the coordinates of a start") {
  Mechanism mechanism{{rod("slider", 1, 1), rod("arm", 1, 1)}, {}, {}};
  Joint rail = joint_at("rail", JointKind::prismatic, world, Vec3::Zero(), 0, Vec3::Zero());
  rail.X_PF.R = rail.X_CM.R = SO3<>::exp(Vec3(0, std::numbers::pi / 2, 0));  // along x
  mechanism.joints = {rail, joint_at("base", JointKind::revolute, world, Vec3::Zero(), 1, Vec3::Zero())};
  VelocityLaw::Term slider = joint_rate(), arm = joint_rate();
  arm.joint = 1;
  slider.ratio = 10, arm.ratio = 3;
  for (const std::vector<VelocityLaw::Term>& terms : {std::vector{slider}, std::vector{slider, arm}}) {
    CAPTURE(terms.size());
    mechanism.constraints = {{"post", Distance{{world, {2., 1., 0.}}, {0}, 1.1}},
                             {"drive", VelocityLaw{terms, 0.}}};
    const Model model(mechanism);
    const State x = consistent_start(model, {});
    CHECK(x.q[0] == doctest::Approx(2 - std::sqrt(1.1 * 1.1 - 1)).epsilon(1e-12));
    CHECK(x.q[1] == 0);
    CHECK(x.v == Vec::Zero(2));
  }
}

TEST_CASE("a follower that starts many turns away is found from its leader") {
  for (const double angle : {9., -800.}) {
    Mechanism mechanism{{rod("a", 1, 1), rod("b", 1, 1)},
                        {joint_at("A", JointKind::revolute, world, Vec3::Zero(), 0, Vec3::Zero()),
                         joint_at("B", JointKind::revolute, world, Vec3(1, 0, 0), 1, Vec3::Zero())},
                        {}};
    mechanism.constraints = {{"gear", JointCoupling{{{0, 0, 3.}, {1, 0, -1.}}, 0.}}};
    Start start;
    start.joints.resize(2);
    start.joints[0] = {.q = Vec::Constant(1, angle), .v = Vec::Constant(1, 2)};
    const Model model(mechanism);
    const State x = consistent_start(model, start);
    const int follower = model.link_of_joint[1];
    CHECK(x.q[model.q_begin[follower]] == doctest::Approx(3 * angle).epsilon(1e-14));
    CHECK(x.v[model.v_begin[follower]] == doctest::Approx(6).epsilon(1e-14));
  }
}

TEST_CASE("an inconsistent start is refused with each residual, or projected with a note") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.mechanism.joints[3].X_PF.p[0] += 0.01;  // the ground pivot is moved by 1 cm
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    CHECK(refusal(model, bar.start) ==
          "joint \"D\": the start positions violate it by 0.01 m; consistent = \"project\" would move the "
          "start to the nearest consistent state");
    std::vector<std::string> notes;
    const State x = consistent_start(model, bar.start, 0, Consistency::project, &notes);
    CHECK(residual(model, x) < 1e-13);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].substr(0, 58) == "the start was moved onto the constraints: bodies by up to ");
  }
}

TEST_CASE("inconsistent velocities are refused with their residual") {
  FourBar bar(0.5, 0.8, 0.5, 0.8, 1.1);
  for (BodyStart& body : bar.start.bodies) body.v_W = Vec3::Zero(), body.omega_W = Vec3::Zero();
  bar.start.bodies[2].omega_W = Vec3(0, 0, 1);
  bar.start.bodies[2].v_W = Vec3(-0.25 * std::sin(1.1), 0.25 * std::cos(1.1), 0);
  bar.start.bodies[1].v_W = 2 * *bar.start.bodies[2].v_W;
  const Model model(bar.mechanism, Formulation::tree, {1});
  CHECK(refusal(model, bar.start) ==
        "joint \"B\": the start velocities violate it by 0.5 m/s; consistent = \"project\" would move the "
        "start to the nearest consistent state");
}

TEST_CASE("a given coordinate of a joint that closes a loop must agree with the solution") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[3].q = Vec::Constant(1, 0.5);
  const std::string text = refusal(Model(bar.mechanism), bar.start);
  CHECK(text.starts_with("joint \"D\": its coordinate is given as 0.5 but is "));
  CHECK(text.ends_with(" in the loop that the joint closes"));
}

TEST_CASE("contradictory rows are refused by name") {
  FourBar bar(0.5, 0.8, 0.5, 0.8, 1.1);
  bar.mechanism.constraints = {{"fast", VelocityLaw{{joint_rate()}, 1.}},
                               {"slow", VelocityLaw{{joint_rate()}, 0.5}}};
  for (const auto consistency : {Consistency::error, Consistency::project})
    CHECK(refusal(Model(bar.mechanism), bar.start, consistency) ==
          "constraint \"fast\": the start velocities violate it by 0.25 rad/s\n"
          "constraint \"slow\": the start velocities violate it by 0.25 rad/s; "
          "no start satisfies all of these constraints");
}

// ---- starts with values that are not given

namespace {

/// A sphere of radius 0.1 m that rolls on a turntable of 7 rad/s.
struct TurntableSphere {
  Mechanism mechanism{{{"sphere", 1, Mat3(0.004 * Mat3::Identity())}}, {}, {weight({0, 0, -9.81})}};

  TurntableSphere() {
    Rolling rolling;
    rolling.shape = RollingSphere{0.1};
    rolling.plane.angle = TimeFunction([](double t) { return TimeFunction::Value{7 * t, 7, 0}; }, "7*t");
    mechanism.constraints = {{"contact", rolling}};
  }
};

/// A platform on six legs of universal, prismatic and spherical joints.
Mechanism stewart_platform() {
  Mechanism mechanism{{rod("platform", 1, 5)}, {}, {}};
  const auto around = [](double radius, int leg, double spread) {
    const double angle = std::numbers::pi / 3 * (leg - leg % 2) + (leg % 2 ? spread : -spread);
    return Vec3(radius * std::cos(angle), radius * std::sin(angle), 0);
  };
  for (int leg = 0; leg < 6; ++leg) {
    const std::string i = std::to_string(leg);
    const int lower = 1 + 2 * leg, upper = lower + 1;
    mechanism.bodies.push_back(rod("lower" + i, 0.6, 1));
    mechanism.bodies.push_back(rod("upper" + i, 0.6, 1));
    mechanism.joints.push_back(
        joint_at("universal" + i, JointKind::universal, world, around(1, leg, 0.3), lower, Vec3(0, 0, -0.3)));
    mechanism.joints.push_back(
        joint_at("slider" + i, JointKind::prismatic, lower, Vec3(0, 0, 0.3), upper, Vec3(0, 0, -0.3)));
    mechanism.joints.push_back(
        joint_at("ball" + i, JointKind::spherical, upper, Vec3(0, 0, 0.3), 0, around(0.5, leg, 0.6)));
  }
  return mechanism;
}

void check_platform_kept(const Model& model, const BodyStart& given, const State& x) {
  const Sample at = sample_of(model, x);
  CHECK((at.bodies[0].x - *given.x).norm() < 1e-9);
  CHECK((at.bodies[0].R.inverse() * *given.R).log().norm() < 1e-9);
  CHECK((at.bodies[0].v - *given.v_W).norm() < 1e-9);
  CHECK((at.bodies[0].R * at.bodies[0].Omega - *given.omega_W).norm() < 1e-9);
}

}  // namespace

TEST_CASE("the velocity of a free body is found from its angular velocity, and vice versa") {
  const TurntableSphere rolling;
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(rolling.mechanism, formulation);
    const Vec3 spin(26, 2, 0.5), x(0.5, 0, 0.1);
    Start start{{{.x = x, .R = SO3<>(), .Omega = spin}}, {}};
    const State found = consistent_start(model, start);
    CHECK(residual(model, found) < 1e-12);
    const Sample at = sample_of(model, found);
    CHECK((at.bodies[0].Omega - spin).norm() < 1e-12);
    CHECK((at.bodies[0].x - x).norm() < 1e-12);
    CHECK((at.bodies[0].v - Vec3(0.2, 0.9, 0)).norm() < 1e-12);  // 7 e_z x (x - 0.1 e_z) + spin x 0.1 e_z
    start.bodies[0] = {.x = x, .R = SO3<>(), .v_W = Vec3(0.2, 0.9, 0)};
    const Sample back = sample_of(model, consistent_start(model, start));
    CHECK((back.bodies[0].v - Vec3(0.2, 0.9, 0)).norm() < 1e-12);
    CHECK((back.bodies[0].Omega.head<2>() - spin.head<2>()).norm() < 1e-11);
    // Without a position, the sphere starts at the contact nearest to the origin.
    start.bodies[0] = {.R = SO3<>(), .Omega = spin};
    const Sample placed = sample_of(model, consistent_start(model, start));
    CHECK((placed.bodies[0].x - Vec3(0, 0, 0.1)).norm() < 1e-12);
  }
}

TEST_CASE(
    "the pose of any body determines the coordinates: a slider under a hinge, six legs under a platform") {
  Mechanism cart{{rod("slider", 1, 1), rod("a", 1, 1)}, {}, {}};
  Joint rail = joint_at("s", JointKind::prismatic, world, Vec3::Zero(), 0, Vec3::Zero());
  rail.X_PF.R = rail.X_CM.R = SO3<>::exp(Vec3(0, std::numbers::pi / 2, 0));  // along x
  cart.joints = {rail, joint_at("h", JointKind::revolute, 0, Vec3::Zero(), 1, Vec3(-0.5, 0, 0))};
  const Model model(cart);
  Start start;
  start.bodies = {{}, {.x = Vec3(2, 0, 0), .R = SO3<>(), .v_W = Vec3(3, 1, 0), .omega_W = Vec3(0, 0, 2)}};
  const State x = consistent_start(model, start);
  CHECK(x.q[0] == doctest::Approx(1.5).epsilon(1e-12));
  CHECK(std::abs(x.q[1]) < 1e-12);
  CHECK(x.v[0] == doctest::Approx(3).epsilon(1e-12));
  CHECK(x.v[1] == doctest::Approx(2).epsilon(1e-12));

  const Mechanism stewart = stewart_platform();
  Start platform;
  platform.bodies.resize(stewart.bodies.size());
  platform.bodies[0] = {.x = Vec3(0.1, -0.05, 1.4),
                        .R = SO3<>::exp(Vec3(0.1, 0.05, 0.3)),
                        .v_W = Vec3(0.3, 0.1, -0.2),
                        .omega_W = Vec3(0.1, 0.4, 0.2)};
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model legs(stewart, formulation);
    const State assembled = consistent_start(legs, platform);
    CHECK(residual(legs, assembled) < 1e-11);
    check_platform_kept(legs, platform.bodies[0], assembled);
  }
}

TEST_CASE(
    "given values of a loop are kept if the other bodies can follow: a four-bar from its coupler alone") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start;
  start.bodies.resize(3);
  start.bodies[1] = {.x = bar.start.bodies[1].x, .R = bar.start.bodies[1].R, .omega_W = Vec3(0, 0, 1.5)};
  for (const std::vector<int>& cut : {std::vector<int>{}, {0}, {2}}) {
    const Model model(bar.mechanism, Formulation::tree, cut);
    const State x = consistent_start(model, start);
    CHECK(residual(model, x) < 1e-11);
    const Sample at = sample_of(model, x);
    CHECK((at.bodies[1].x - *start.bodies[1].x).norm() < 1e-9);
    CHECK(at.bodies[1].Omega[2] == doctest::Approx(1.5).epsilon(1e-9));
  }
}

TEST_CASE("a slider-crank that lies flat at zero angles is found from the position of its slider") {
  const Vec3 half(0.5, 0, 0);
  Mechanism crank{{rod("crank", 0.2, 1), rod("rod", 0.6, 1), rod("slider", 0.1, 1)}, {}, {}};
  Joint rail = joint_at("S", JointKind::prismatic, world, Vec3::Zero(), 2, Vec3::Zero());
  rail.X_PF.R = rail.X_CM.R = SO3<>::exp(Vec3(0, std::numbers::pi / 2, 0));  // along x
  crank.joints = {joint_at("A", JointKind::revolute, world, Vec3::Zero(), 0, -0.2 * half),
                  joint_at("B", JointKind::revolute, 0, 0.2 * half, 1, -0.6 * half),
                  joint_at("C", JointKind::revolute, 1, 0.6 * half, 2, Vec3::Zero()), rail};
  for (const double x : {0.6, -0.47})
    for (const int cut : {3, 2, 0}) {
      CAPTURE(x);
      CAPTURE(cut);
      const Model model(crank, Formulation::tree, {cut});
      Start by_body, by_joint;
      by_body.bodies.resize(3), by_joint.bodies.resize(3), by_joint.joints.resize(4);
      by_body.bodies[2].x = Vec3(x, 0, 0);
      by_joint.joints[3].q = Vec::Constant(1, x);
      for (const Start& start : {by_body, by_joint}) {
        const State found = consistent_start(model, start);
        CHECK(residual(model, found) < 1e-11);
        CHECK((sample_of(model, found).bodies[2].x - Vec3(x, 0, 0)).norm() < 1e-9);
      }
    }
}

TEST_CASE("an unreachable pose is refused with a suggestion") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start;
  start.bodies.resize(3);
  start.bodies[1] = {.x = Vec3(5, 0, 0), .R = SO3<>()};
  const std::string text = refusal(Model(bar.mechanism), start);
  CHECK(text.starts_with("body \"coupler\": its position is off by "));
  CHECK(text.ends_with(
      "; no consistent start was found near the given values; consistent = \"project\" moves the start to "
      "the nearest consistent one, and \"cut\" at other joints may help"));
}

TEST_CASE("project keeps the given values that the constraints allow") {
  const TurntableSphere rolling;
  const Model model(rolling.mechanism);
  Start start{{{.x = Vec3(0.5, 0, 0.13), .R = SO3<>(), .Omega = Vec3(26, 2, 0.5)}}, {}};
  std::vector<std::string> notes;
  const State x = consistent_start(model, start, 0, Consistency::project, &notes);
  CHECK(residual(model, x) < 1e-12);
  const Sample at = sample_of(model, x);
  CHECK((at.bodies[0].Omega - *start.bodies[0].Omega).norm() < 1e-12);
  CHECK((at.bodies[0].x - Vec3(0.5, 0, 0.1)).norm() < 1e-12);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "the start was moved onto the constraints: bodies by up to 0.03 m and 0 rad, their velocities by "
        "up to 0 m/s and 0 rad/s");
}

TEST_CASE("project finds a start where rows are redundant, although they are not at the given values") {
  // Ball and socket are both 0.5 m from the axis. Where they meet, no motion of the sleeve moves the ball
  // along x.
  Mechanism mechanism{{rod("body", 1, 1)}, {}, {}};
  mechanism.joints = {joint_at("sleeve", JointKind::cylindrical, world, Vec3::Zero(), 0, Vec3::Zero()),
                      joint_at("ball", JointKind::spherical, world, Vec3(0.5, 0, 0), 0, Vec3(0.5, 0, 0))};
  Start start;
  start.joints.resize(2);
  start.joints[0].q = Vector<double, 2>(0.3, 0.001);
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(mechanism, formulation);
    CHECK(refusal(model, start).starts_with("joint \"ball\": the start positions violate it by "));
    CHECK(refusal(model, start)
              .ends_with("; consistent = \"project\" would move the start to the nearest consistent state"));
    const State x = consistent_start(model, start, 0, Consistency::project);
    CHECK(residual(model, x) < 1e-12);
    CHECK(sample_of(model, x).bodies[0].x.norm() < 1e-12);
    CHECK(sample_of(model, x).bodies[0].R.log().norm() < 1e-12);
  }
}

TEST_CASE("under strong friction a given slip is kept, and a velocity that is not given is without slip") {
  const TurntableSphere rolling;
  const Model model(rolling.mechanism);
  const Start slipping{{{.x = Vec3(0.5, 0, 0.1), .R = SO3<>(), .v_W = Vec3(1, 2, 0), .Omega = Vec3(3, 4, 5)}},
                       {}};
  CHECK(refusal(model, slipping).starts_with("constraint \"contact\": the start velocities violate it by"));
  const State x = consistent_start(model, slipping, 0, Consistency::error, nullptr, Treatment::viscous);
  CHECK(x.v.head<3>() == Vec3(1, 2, 0));
  CHECK(x.v.tail<3>() == Vec3(3, 4, 5));
  Start sinking = slipping;
  sinking.bodies[0].v_W = Vec3(1, 2, -0.5);
  CHECK_THROWS_AS(consistent_start(model, sinking, 0, Consistency::error, nullptr, Treatment::viscous),
                  StartError);
  const Start turning{{{.x = Vec3(0.5, 0, 0.1), .R = SO3<>(), .Omega = Vec3(26, 2, 0.5)}}, {}};
  const State rolls = consistent_start(model, turning, 0, Consistency::error, nullptr, Treatment::viscous);
  CHECK(residual(model, rolls) < 1e-12);
}
