#include "torsor/model/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "chain.hpp"
#include "random_tree.hpp"

namespace torsor {
namespace {

Body body(const std::string& name) {
  Body out;
  out.name = name;
  return out;
}

Joint joint(const std::string& name, JointKind kind, int parent, int child) {
  Joint out;
  out.name = name, out.kind = kind, out.parent = parent, out.child = child;
  return out;
}

/// The error message for a mechanism; empty if it is accepted.
std::string refusal(const Mechanism& mechanism) {
  try {
    const Model model(mechanism);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

std::string refusal_of_inertia(const Mat3& inertia) {
  Mechanism mechanism;
  mechanism.bodies = {body("top")};
  mechanism.bodies[0].inertia = inertia;
  return refusal(mechanism);
}

Mat3 diagonal(double a, double b, double c) { return Vec3(a, b, c).asDiagonal(); }

TEST_CASE("masses that are not physical are refused") {
  for (const auto& [mass, shown] :
       {std::pair{0., "0"}, std::pair{-1., "-1"}, std::pair{std::numeric_limits<double>::infinity(), "inf"},
        std::pair{std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
    Mechanism mechanism;
    mechanism.bodies = {body("top")};
    mechanism.bodies[0].mass = mass;
    CHECK(refusal(mechanism) == std::string("body \"top\": mass must be positive and finite, got ") + shown);
  }
}

TEST_CASE("inertias that are not physical are refused") {
  CHECK(refusal_of_inertia(diagonal(1, 1, 3)) ==
        "body \"top\": inertia violates the triangle inequality: 1 + 1 < 3");
  CHECK(refusal_of_inertia(diagonal(1, 1, 2)) == "");  // a disk is on the bound
  CHECK(refusal_of_inertia(diagonal(1, 1, 2 + 1e-6)) ==
        "body \"top\": inertia violates the triangle inequality: 1 + 1 < 2.000001");
  CHECK(refusal_of_inertia(diagonal(1, 0, 1)) ==
        "body \"top\": inertia is not positive definite: its least principal moment is 0");
  CHECK(refusal_of_inertia(diagonal(1, -2, 1)) ==
        "body \"top\": inertia is not positive definite: its least principal moment is -2");
  CHECK(refusal_of_inertia(diagonal(1, 1e-20, 1)) ==
        "body \"top\": inertia is singular to rounding: its least principal moment is 1e-20, its trace is 2");
  CHECK(refusal_of_inertia(diagonal(1, std::numeric_limits<double>::quiet_NaN(), 1)) ==
        "body \"top\": inertia has an entry that is not a finite number");
  Mat3 J = diagonal(1, 1, 1);
  J(0, 1) = 0.1;
  CHECK(refusal_of_inertia(J) == "body \"top\": inertia is not symmetric: Jxy = 0.1, Jyx = 0");
  J = diagonal(1, 2, 2);
  J(1, 2) = J(2, 1) = -0.6;
  CHECK(refusal_of_inertia(J) ==
        "body \"top\": inertia violates the bound on products: |Jyz| = 0.6 > Jxx / 2 = 0.5");
  J = diagonal(2, 2, 3);  // bounds on products hold, triangle inequality in principal axes fails
  J(0, 1) = J(1, 0) = 0.9, J(0, 2) = J(2, 0) = 0.9, J(1, 2) = J(2, 1) = -0.9;
  CHECK(refusal_of_inertia(J).find("body \"top\": inertia violates the triangle inequality: ") == 0);
}

TEST_CASE("inertias of point masses are accepted, also in rotated axes") {
  test::Random random(51);
  for (int k = 0; k < 500; ++k) {
    const Mat3 R = SO3<>::exp(random.vector(3)).matrix();
    Mat3 J = R * random.inertia() * R.transpose();
    J = ((J + J.transpose()) / 2).eval();
    CHECK(refusal_of_inertia(J) == "");
    const Mat3 rod = R * diagonal(1e-6, 1, 1) * R.transpose();
    CHECK(refusal_of_inertia((rod + rod.transpose()) / 2) == "");
  }
}

TEST_CASE("a particle needs no inertia, and only a translation joint to the ground can hold it") {
  Mechanism mechanism;
  mechanism.bodies = {body("p"), body("b")};
  mechanism.bodies[0].particle = true;
  mechanism.bodies[0].inertia.setZero();
  CHECK(refusal(mechanism) == "");
  mechanism.joints = {joint("j", JointKind::translation, world, 0)};
  CHECK(refusal(mechanism) == "");
  const std::string why =
      "joint \"j\": particle \"p\" has no attitude; only a translation joint to the ground can hold it";
  mechanism.joints = {joint("j", JointKind::spherical, world, 0)};
  CHECK(refusal(mechanism) == why);
  mechanism.joints = {joint("j", JointKind::translation, 1, 0)};
  CHECK(refusal(mechanism) == why);
  mechanism.joints = {joint("j", JointKind::revolute, 0, 1)};
  CHECK(refusal(mechanism) == why);
}

TEST_CASE("a reason identifies the part and the field that are wrong, whatever the names are") {
  Mechanism mechanism;
  mechanism.bodies = {body("constraint \"rod\": mass"), body("")};
  mechanism.bodies[0].inertia = diagonal(1, 1, 3);
  mechanism.bodies[1].mass = 0;
  mechanism.joints = {joint("body \"rod\": inertia", JointKind::revolute, world, world)};
  mechanism.forces = {{"joint \"rod\"", UserForce{}}};
  mechanism.constraints = {{"force \"rod\"", Distance{}}};
  std::vector<std::tuple<Part::Kind, int, Reason::Field>> found;
  try {
    const Model model(mechanism);
  } catch (const ModelError& error) {
    for (const Reason& reason : error.reasons)
      found.emplace_back(reason.part.kind, reason.part.index, reason.field);
  }
  using Kind = Part::Kind;
  using Field = Reason::Field;
  const decltype(found) expected = {{Kind::body, 0, Field::inertia},
                                    {Kind::body, 1, Field::mass},
                                    {Kind::joint, 0, Field::whole},
                                    {Kind::force, 0, Field::whole},
                                    {Kind::constraint, 0, Field::whole}};
  CHECK(found == expected);
}

TEST_CASE("joints on missing bodies or with both ends on one body are refused") {
  Mechanism mechanism;
  mechanism.bodies = {body("a"), body("")};
  mechanism.joints = {joint("j", JointKind::revolute, 5, 0), joint("k", JointKind::revolute, world, -7),
                      joint("", JointKind::fixed, 1, 1), joint("m", JointKind::fixed, world, world)};
  CHECK(refusal(mechanism) ==
        "joint \"j\": its parent is the body with index 5, which does not exist\n"
        "joint \"k\": its child is the body with index -7, which does not exist\n"
        "joint #3: both its ends are on body #2\n"
        "joint \"m\": both its ends are on the ground");
}

TEST_CASE("frames that are not rigid, numbers that are not finite and repeated names are refused") {
  Mechanism mechanism;
  mechanism.bodies = {body("a"), body("a")};
  mechanism.joints = {joint("j", JointKind::helical, world, 0), joint("j", JointKind::fixed, 0, 1)};
  mechanism.joints[0].X_PF.R = SO3<>::from_wxyz(2, 0, 0, 0);
  mechanism.joints[0].X_CM.p[1] = std::numeric_limits<double>::infinity();
  mechanism.joints[0].pitch = std::numeric_limits<double>::quiet_NaN();
  mechanism.joints[1].angles_near[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal(mechanism) ==
        "body \"a\": the name is taken twice\n"
        "joint \"j\": the name is taken twice\n"
        "joint \"j\": its frame on the parent is not rigid: |quaternion| = 2\n"
        "joint \"j\": its frame on the child has a position that is not finite\n"
        "joint \"j\": pitch must be finite, got nan\n"
        "joint \"j\": angles_near must be finite, got nan");
}

TEST_CASE("a joint that closes a loop or is cut is left out of the tree") {
  Mechanism fourbar;
  fourbar.bodies = {body("crank"), body("coupler"), body("rocker")};
  fourbar.joints = {joint("a", JointKind::revolute, world, 0), joint("b", JointKind::revolute, 0, 1),
                    joint("c", JointKind::revolute, 1, 2), joint("d", JointKind::revolute, world, 2)};
  const Model closing_last(fourbar);
  CHECK(closing_last.link_of_joint == std::vector<int>{0, 1, 2, -1});
  CHECK(closing_last.constrained());
  CHECK(closing_last.nv() == 3);

  const Model cut_at_b(fourbar, Formulation::tree, {1});
  CHECK(cut_at_b.link_of_joint == std::vector<int>{0, -1, 2, 1});
  CHECK(cut_at_b.link_of_body == std::vector<int>{0, 2, 1});
  CHECK_THROWS_WITH_AS(Model(fourbar, Formulation::tree, {4}), "there is no joint 4 to cut", ModelError);

  fourbar.joints.pop_back();
  CHECK(!Model(fourbar).constrained());
}

TEST_CASE("in the absolute formulation every body is free and every joint is a constraint") {
  const Model chain(rod_chain(5), Formulation::absolute);
  CHECK(chain.nv() == 30);
  CHECK(chain.constrained());
  for (int i = 0; i < 5; ++i) {
    CHECK(chain.parent[i] == world);
    CHECK(chain.link_of_joint[i] == -1);
    CHECK(chain.span_parent[i] == i - 1);
    CHECK(chain.span_joint[i] == i);
  }
}

TEST_CASE("links are sorted with parents first, and a chain keeps its order") {
  const Model chain(rod_chain(50));
  for (int i = 0; i < chain.size(); ++i) CHECK((chain.parent[i] == i - 1 && chain.body[i] == i));
  test::Random random(52);
  const Model tree(test::random_tree(random, 60));
  for (int i = 0; i < tree.size(); ++i) {
    CHECK(tree.parent[i] < i);
    CHECK(tree.link_of_body[tree.body[i]] == i);
    if (tree.joint[i] >= 0) CHECK(tree.link_of_joint[tree.joint[i]] == i);
  }
}

TEST_CASE("a body that is not the child of a joint becomes the root of the bodies connected to it") {
  Mechanism mechanism;
  mechanism.bodies = {body("tail"), body("head"), body("stone")};
  mechanism.joints = {joint("neck", JointKind::revolute, 1, 0)};
  const Model model(mechanism);
  CHECK(model.body == std::vector{1, 0, 2});
  CHECK(model.joint == std::vector{-1, 0, -1});
  CHECK(model.reversed == std::vector<char>{0, 0, 0});
  CHECK((model.nq() == 15 && model.nv() == 13));
}

TEST_CASE("an empty mechanism is a model without links") {
  const Model model{Mechanism{}};
  CHECK((model.size() == 0 && model.nq() == 0 && model.nv() == 0));
}

}  // namespace
}  // namespace torsor
