#include <doctest/doctest.h>

#include <limits>

#include "some_forces.hpp"

namespace torsor {
namespace {

const double infinity = std::numeric_limits<double>::infinity();

/// Two bodies, a particle, a revolute and a spherical joint.
Mechanism base() {
  return {{{"a"}, {"b"}, {"p", 1, Mat3::Zero(), GroupProduct::direct, true}},
          {{"hinge", JointKind::revolute, world, 0}, {"ball", JointKind::spherical, 0, 1}},
          {}};
}

std::string refusal(const Force& force) {
  Mechanism mechanism = base();
  mechanism.forces = {force};
  try {
    const Model model(mechanism);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

const BodyPoint ground{world, Vec3::Zero()}, a{0, Vec3::UnitX()}, other_a{0, Vec3::UnitY()},
    p{2, Vec3::Zero()};

TEST_CASE("impossible forces are refused, each with its reason") {
  CHECK(refusal({"f", UniformGravity{{0., infinity, 0.}}}) == "force \"f\": g is not finite");
  CHECK(refusal({"f", CentralGravity{infinity}}) == "force \"f\": mu is not finite");
  CHECK(refusal({"f", CentralGravity{1., Vec3(infinity, 0, 0)}}) == "force \"f\": the centre is not finite");

  CHECK(refusal({"f", PointSpring{{7, Vec3::Zero()}, a}}) == "force \"f\": no body with index 7");
  CHECK(refusal({"f", PointSpring{{1, Vec3(infinity, 0, 0)}, a}}) == "force \"f\": a point is not finite");
  CHECK(refusal({"f", PointSpring{ground, a, infinity}}) == "force \"f\": the stiffness is not finite");
  CHECK(refusal({"f", PointSpring{ground, a, 1., infinity}}) == "force \"f\": the damping is not finite");
  CHECK(refusal({"f", PointSpring{ground, a, 1., 0., infinity}}) ==
        "force \"f\": the rest length is not finite");
  CHECK(refusal({"f", PointSpring{ground, a, 1., 0., -1.}}) == "force \"f\": the rest length is negative");
  CHECK(refusal({"f", PointSpring{a, other_a, 1.}}) == "force \"f\": both ends are on one body");
  CHECK(refusal({"f", PointSpring{ground, ground, 1.}}) == "force \"f\": both ends are on the ground");
  CHECK(refusal({"f", PointSpring{ground, {2, Vec3::UnitX()}, 1.}}) ==
        "force \"f\": the point on the particle \"p\" is not the particle itself");

  CHECK(refusal({"f", JointForce{5}}) == "force \"f\": no joint with index 5");
  CHECK(refusal({"f", JointForce{0, 1}}) ==
        "force \"f\": joint \"hinge\" has 1 degree of freedom, no coordinate 1");
  CHECK(refusal({"f", JointForce{1, 3}}) ==
        "force \"f\": joint \"ball\" has 3 degrees of freedom, no coordinate 3");
  CHECK(refusal({"f", JointForce{1, 0, 2.}}) ==
        "force \"f\": joint \"ball\" has no independent coordinates, so it cannot have a stiffness");
  CHECK(refusal({"f", JointForce{0, 0, infinity}}) == "force \"f\": the stiffness is not finite");
  CHECK(refusal({"f", JointForce{0, 0, 1., infinity}}) == "force \"f\": the rest coordinate is not finite");
  CHECK(refusal({"f", JointForce{0, 0, 1., 0., infinity}}) == "force \"f\": the damping is not finite");
  CHECK(refusal({"f", JointForce{0, 0, 1., 0., 0., infinity}}) ==
        "force \"f\": the joint force is not finite");

  CHECK(refusal({"f", BodyForce{ground}}) == "force \"f\": a force on the ground moves nothing");
  CHECK(refusal({"f", BodyForce{a, {infinity, 0., 0.}}}) == "force \"f\": the force is not finite");
  CHECK(refusal({"f", BodyForce{a, {0., 0., 0.}, {infinity, 0., 0.}}}) ==
        "force \"f\": the torque is not finite");
  CHECK(refusal({"f", BodyForce{p, {0., 0., 0.}, {1., 0., 0.}}}) ==
        "force \"f\": a torque acts on the particle \"p\", which does not turn");

  CHECK(refusal({"f", LinearField{world}}) == "force \"f\": a field on the ground moves nothing");
  CHECK(refusal({"f", LinearField{9}}) == "force \"f\": no body with index 9");
  CHECK(refusal({"f", LinearField{0, infinity * Mat3::Ones()}}) == "force \"f\": K is not finite");
  CHECK(refusal({"f", LinearField{0, Mat3::Zero(), infinity * Mat3::Ones()}}) ==
        "force \"f\": C is not finite");
  CHECK(refusal({"f", LinearField{0, Mat3::Zero(), Mat3::Zero(), {infinity, 0., 0.}}}) ==
        "force \"f\": x0 is not finite");
  CHECK(refusal({"f", LinearField{0, Mat3::Zero(), Mat3::Zero(), {0., 0., 0.}, {infinity, 0., 0.}}}) ==
        "force \"f\": B is not finite");
  CHECK(refusal({"f", LinearField{0, Mat3::Zero(), Mat3::Zero(), {0., 0., 0.}, {0., 0., 0.}, infinity}}) ==
        "force \"f\": the charge is not finite");

  CHECK(refusal({"f", UserForce{}}) == "force \"f\": no function is given");
  const TimeFunction empty(std::function<TimeFunction::Value(double)>(), "f");
  CHECK(refusal({"f", UniformGravity{{0., empty, 0.}}}) == "force \"f\": g is not finite");
  StateFunction function;
  CHECK(refusal({"f", CentralGravity{TimeFunction(function, "")}}) ==
        "force \"f\": a function of the state is empty");
  function.function = [](const double*, const signed char*, double*) { return 1.; };
  function.kinks = -1;
  CHECK(refusal({"f", CentralGravity{TimeFunction(function, "")}}) ==
        "force \"f\": a function of the state has a negative number of kinks");

  const auto element = [](std::vector<int> bodies, std::vector<int> states = {}) {
    ForceElement law = test::pull_together(0, 1);
    law.bodies = std::move(bodies), law.states = std::move(states);
    return law;
  };
  ForceElement without_function;
  without_function.bodies = {0};
  CHECK(refusal({"f", element({0, 1})}) == "accepted");
  CHECK(refusal({"f", element({})}) == "force \"f\": it acts on no body");
  CHECK(refusal({"f", element({0, 9})}) == "force \"f\": no body with index 9");
  CHECK(refusal({"f", element({0, 0})}) == "force \"f\": a body is listed twice");
  CHECK(refusal({"f", element({0, world})}) == "force \"f\": the ground is listed among its bodies");
  CHECK(refusal({"f", element({0, 1}, {0})}) == "force \"f\": no own state with index 0");
  CHECK(refusal({"f", without_function}) == "force \"f\": no function is given");
}

TEST_CASE("two forces, own states or functions of one name are refused") {
  StateFunction one;
  one.function = [](const double*, const signed char*, double*) { return 1.; };
  Mechanism mechanism = base();
  mechanism.forces = {
      {"f", UniformGravity{}}, {"", UniformGravity{}}, {"", UniformGravity{}}, {"z", UniformGravity{}}};
  mechanism.states = {{"z", "", 0, 1.}, {"f", "", 0, 1.}};
  mechanism.functions = {{"z", one}, {"f", one}};
  CHECK_NOTHROW(Model{mechanism});
  mechanism.forces.push_back({"f", UniformGravity{}});
  mechanism.states.push_back({"z", "", 0, 2.});
  mechanism.functions.push_back({"z", one});
  CHECK_THROWS_WITH_AS(Model{mechanism},
                       "force \"f\": the name is taken twice\n"
                       "function \"z\": the name is taken twice\n"
                       "state \"z\": the name is taken twice",
                       ModelError);
}

TEST_CASE("possible forces are accepted, also with a negative stiffness") {
  CHECK(refusal({"f", PointSpring{ground, a, -3., 0.1, 1.}}) == "accepted");
  CHECK(refusal({"f", PointSpring{p, a, 3., 0.1, 1.}}) == "accepted");
  CHECK(refusal({"f", JointForce{1, 2, 0., 0., 0.1, 2.}}) == "accepted");
  CHECK(refusal({"f", BodyForce{p, {1., 0., 0.}}}) == "accepted");
}

}  // namespace
}  // namespace torsor
