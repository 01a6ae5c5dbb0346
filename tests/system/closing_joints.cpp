#include <doctest/doctest.h>

#include <array>
#include <numbers>

#include "constrained.hpp"
#include "model/random_tree.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/system/consistent_start.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

std::string refusal_of_loop(const Model& model, const Start& start) {
  try {
    consistent_start(model, start);
  } catch (const StartError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the given attitude, position and rates of a ball or free joint that closes a loop are kept") {
  const SO3<> R = SO3<>::exp(Vec3(0.8, -0.3, 2.1));
  const Vec3 p(0.5, -0.6, 7), v(-1, 0.5, 4), Omega(1, 2, 3);
  for (const JointKind kind : {JointKind::spherical, JointKind::free})
    for (const auto group : {GroupProduct::direct, GroupProduct::semidirect}) {
      const bool ball = kind == JointKind::spherical;
      Mechanism mechanism{{rod("a", 1, 1)}, {joint_at("j", kind, world, Vec3::Zero(), 0, Vec3::Zero())}, {}};
      mechanism.bodies[0].group = group;
      Start start;
      start.joints.resize(1);
      Vec &q = start.joints[0].q.emplace(ball ? 4 : 7), &rates = start.joints[0].v.emplace(ball ? 3 : 6);
      if (!ball) q.head<3>() = p, rates.head<3>() = v;
      R.to(q.data() + q.size() - 4), rates.tail<3>() = Omega;
      const Model model(mechanism, Formulation::tree, {0});
      const State x = consistent_start(model, start);
      Workspace<double> work(model);
      forward_kinematics(model, x.q, x.v, work);
      CHECK((work.R_WB[0] - R.matrix()).norm() < 1e-14);
      CHECK((work.w_WB[0] - R * Omega).norm() < 1e-14);
      if (ball) continue;
      CHECK((work.p_WB[0] - p).norm() < 1e-14);
      CHECK((work.v_WB[0] - (group == GroupProduct::direct ? v : Vec3(R * v))).norm() < 1e-13);
    }
}

TEST_CASE("given coordinates of a cut joint place its body as those of the uncut joint") {
  for (const JointKind kind : test::all_kinds)
    for (unsigned seed = 0; seed < 40; ++seed) {
      CAPTURE(joint_type(kind).name);
      CAPTURE(seed);
      Random random(seed);
      Mechanism mechanism{{rod("a", 1, 1)}, {joint_at("j", kind, world, Vec3::Zero(), 0, Vec3::Zero())}, {}};
      Joint& joint = mechanism.joints[0];
      if (seed % 2) std::swap(joint.parent, joint.child);
      joint.X_PF = random.frame(), joint.X_CM = random.frame(), joint.pitch = random.real(-0.3, 0.3);
      Start start;
      start.joints.resize(1);
      Vec& q = start.joints[0].q.emplace(3 * random.flat(coordinate_count(kind)));
      if (joint_type(kind).quaternion) q.tail<4>().normalize();
      const Model uncut(mechanism), cut(mechanism, Formulation::tree, {0});
      const State x = consistent_start(uncut, start), y = consistent_start(cut, start);
      Workspace<double> wanted(uncut), work(cut);
      forward_kinematics(uncut, x.q, x.v, wanted);
      forward_kinematics(cut, y.q, y.v, work);
      CHECK((work.p_WB[0] - wanted.p_WB[0]).norm() < 1e-13);
      CHECK((work.R_WB[0] - wanted.R_WB[0]).norm() < 1e-13);
    }
}

TEST_CASE("a given attitude of a ball joint that closes a loop must agree with the solution") {
  const Mechanism mechanism{{rod("a", 1, 1)},
                            {joint_at("hinge", JointKind::revolute, world, Vec3::Zero(), 0, Vec3::Zero()),
                             joint_at("ball", JointKind::spherical, world, Vec3::Zero(), 0, Vec3::Zero())},
                            {}};
  Start start;
  start.joints.resize(2);
  SO3<>::exp(Vec3(0, 0, 0.75)).to(start.joints[1].q.emplace(4).data());
  const Model model(mechanism);
  CHECK(refusal_of_loop(model, start) == "accepted");
  start.joints[0].q = Vec::Constant(1, 0.5);
  CHECK(refusal_of_loop(model, start) ==
        "joint \"ball\": its attitude differs by 0.25 rad from the given one in the loop that the joint "
        "closes");
}

TEST_CASE("a cut joint with an axis starts with parallel axes, however far they are from parallel before") {
  for (const JointKind kind :
       {JointKind::revolute, JointKind::helical, JointKind::cylindrical, JointKind::planar})
    for (const double tilt : {1., 1.5, 2., 3.}) {
      CAPTURE(tilt);
      Mechanism mechanism{{rod("a", 1, 1)}, {joint_at("j", kind, world, Vec3::Zero(), 0, {0.5, 0, 0})}, {}};
      mechanism.joints[0].pitch = kind == JointKind::helical ? 0.1 : 0;
      mechanism.joints[0].X_CM.R = SO3<>::exp(Vec3(tilt * Vec3(0.6, 0.8, 0)));
      const Model model(mechanism, Formulation::tree, {0});
      const State x = consistent_start(model, {});
      Workspace<double> work(model);
      forward_kinematics(model, x.q, x.v, work);
      const Vec3 z_M = work.R_WB[0] * Vec3(mechanism.joints[0].X_CM.R * Vec3(0, 0, 1));
      CHECK(z_M[2] == doctest::Approx(1).epsilon(1e-14));
    }
}

TEST_CASE("a cut joint that is tilted by exactly half a turn starts with parallel axes") {
  const std::array<double, 4> about_x{1, 0, 0, 0};  // x, y, z, w
  for (const JointKind kind : {JointKind::revolute, JointKind::helical, JointKind::cylindrical,
                               JointKind::planar, JointKind::prismatic})
    for (const bool in_tree : {false, true}) {
      CAPTURE(joint_type(kind).name);
      CAPTURE(in_tree);
      Mechanism mechanism{{rod("a", 1, 1)}, {joint_at("j", kind, world, Vec3::Zero(), 0, Vec3::Zero())}, {}};
      if (in_tree)
        mechanism.joints.push_back(joint_at("k", JointKind::spherical, world, Vec3::Zero(), 0, Vec3::Zero()));
      mechanism.joints[0].X_CM.R = SO3<>::from(about_x.data());
      const Model model(mechanism, Formulation::tree, {0});
      const State x = consistent_start(model, {});
      Workspace<double> work(model);
      forward_kinematics(model, x.q, x.v, work);
      CHECK(work.R_WB[0](2, 2) == doctest::Approx(-1).epsilon(1e-14));
    }
}

TEST_CASE("a loop whose last hinge can close only with antiparallel axes is refused") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.mechanism.joints[3].X_CM.R = SO3<>::exp(Vec3(std::numbers::pi, 0, 0));
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    CHECK(refusal_of_loop(Model(bar.mechanism, formulation), bar.start)
              .starts_with("joint \"D\": the start positions violate it by "));
}
