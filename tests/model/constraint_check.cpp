#include <doctest/doctest.h>

#include <limits>

#include "torsor/model/constraints.hpp"

namespace torsor::constraint_check {
namespace {

const double infinity = std::numeric_limits<double>::infinity();
const Vec3 far(infinity, 0, 0);

/// Two bodies, a particle, a revolute, a spherical and a planar joint.
Mechanism base() {
  Mechanism mechanism{{{"a"}, {"b"}, {"p", 1, Mat3::Zero(), GroupProduct::direct, true}},
                      {{"hinge", JointKind::revolute, world, 0}, {"ball", JointKind::spherical, 0, 1}}};
  mechanism.joints.push_back({"plate", JointKind::planar, world, 1});
  return mechanism;
}

/// The error message for these constraints, or "accepted".
std::string refusal(const std::vector<Constraint>& constraints) {
  Mechanism mechanism = base();
  mechanism.constraints = constraints;
  try {
    const Model model(mechanism);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

/// The error message for one constraint, without the prefix that names it.
std::string refusal(const decltype(Constraint::law)& law) {
  const std::string text = refusal(std::vector<Constraint>{{"c", law}}), prefix = "constraint \"c\": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

const MovingPoint ground{}, a{0}, other_a{0, {1., 0., 0.}}, b{1}, p{2}, nobody{7}, beside_p{2, {1., 0., 0.}},
    far_a{0, {infinity, 0., 0.}};

TEST_CASE("impossible distances are refused") {
  CHECK(refusal(Distance{nobody, a}) == "no body with index 7");
  CHECK(refusal(Distance{{-2}, a}) == "no body with index -2");
  CHECK(refusal(Distance{far_a, b}) == "a point is not finite");
  CHECK(refusal(Distance{a, other_a}) == "both of its ends are on one body");
  CHECK(refusal(Distance{ground, ground}) == "it acts on the ground alone");
  CHECK(refusal(Distance{a, beside_p}) == "the point on the particle \"p\" is not the particle itself");
  CHECK(refusal(Distance{a, b, infinity}) == "the length is not finite");
  CHECK(refusal(Distance{a, b, 0.}) == "the length is not positive");
  CHECK(refusal(Distance{a, p, 2.}) == "accepted");
}

TEST_CASE("impossible constraints on points are refused") {
  CHECK(refusal(PointOnLine{a, other_a}) == "both of its ends are on one body");
  CHECK(refusal(PointOnLine{a, b, Vec3::Zero()}) == "the direction is zero");
  CHECK(refusal(PointOnLine{a, b, far}) == "the direction is not finite");
  CHECK(refusal(PointOnPlane{a, nobody}) == "no body with index 7");
  CHECK(refusal(PointOnPlane{a, b, Vec3::Zero()}) == "the normal is zero");
  CHECK(refusal(PointOnPlane{a, b, Vec3::UnitX(), infinity}) == "the distance is not finite");
  CHECK(refusal(PointDriver{a, ground, {false, false, false}}) == "no axis is driven");
  CHECK(refusal(PointDriver{far_a, ground}) == "a point is not finite");
  CHECK(refusal(PointDriver{p, ground}) == "accepted");
}

TEST_CASE("impossible constraints on attitudes are refused") {
  const Vec3 x = Vec3::UnitX(), z = Vec3::UnitZ();
  const std::string parallel =
      "the angle is not inside (0, pi); parallel directions need two rows, such as two constraints "
      "of this kind with the angle pi / 2";
  CHECK(refusal(ConstantAngle{0, 2, x, z, 1.}) == "the particle \"p\" has no attitude");
  CHECK(refusal(ConstantAngle{0, 0, x, z, 1.}) == "both of its ends are on one body");
  CHECK(refusal(ConstantAngle{0, 1, Vec3::Zero(), z, 1.}) == "the first direction is zero");
  CHECK(refusal(ConstantAngle{0, 1, x, far, 1.}) == "the second direction is not finite");
  CHECK(refusal(ConstantAngle{0, 1, x, z, 0.}) == parallel);
  CHECK(refusal(ConstantAngle{0, 1, x, z, 3.2}) == parallel);
  CHECK(refusal(ConstantAngle{0, 1, x, z, infinity}) == "the angle is not finite");
  CHECK(refusal(ConstantVelocityJoint{world, 2}) == "the particle \"p\" has no attitude");
  CHECK(refusal(ConstantVelocityJoint{1, 1}) == "both of its ends are on one body");
  CHECK(refusal(ConstantVelocityJoint{0, 1, {SO3<>::from_wxyz(2, 0, 0, 0), x}}) ==
        "the frame on the parent is not rigid");
  CHECK(refusal(ConstantVelocityJoint{0, 1, {}, {SO3<>(), far}}) == "the frame on the child is not rigid");
  CHECK(refusal(ConstantAngle{0, 1, x, z, 1.}) == "accepted");
}

TEST_CASE(
    "positions cannot be constrained to a function of the state, whose second derivative is not known") {
  StateFunction one;
  one.function = [](const double*, const signed char*, double*) { return 1.; };
  const TimeFunction of_state(one, "1");
  const MovingPoint moving{0, {0., of_state, 0.}};
  MovingPlane plane, turning;
  plane.point[2] = of_state, turning.angle = of_state;
  const auto refused = [](const decltype(Constraint::law)& law, const std::string& what) {
    CHECK(refusal(law) ==
          what +
              " is a function of the state; it must be a function of time, since the equations "
              "need its second derivative");
  };
  refused(Distance{a, b, of_state}, "the length");
  refused(Distance{moving, b}, "a point");
  refused(PointOnLine{moving, b}, "a point");
  refused(PointOnPlane{a, b, Vec3::UnitX(), of_state}, "the distance");
  refused(PointDriver{b, moving}, "a point");
  refused(ConstantAngle{0, 1, Vec3::UnitX(), Vec3::UnitY(), of_state}, "the angle");
  refused(JointCoupling{{{0, 0, 1}}, of_state}, "the value");
  refused(Rolling{0, Vec3::Zero(), RollingSphere{1}, plane}, "the point of the plane");
  refused(Rolling{0, Vec3::Zero(), RollingSphere{1}, turning}, "the angle of the plane");
}

TEST_CASE("joint couplings and velocity laws with invalid terms are refused") {
  using Quantity = VelocityLaw::Term::Quantity;
  const auto coupling = [](int joint, int coordinate, double ratio) {
    return refusal(JointCoupling{{{joint, coordinate, ratio}}, 0.});
  };
  CHECK(refusal(JointCoupling{}) == "no joint coordinate is named");
  CHECK(coupling(5, 0, 1) == "no joint with index 5");
  CHECK(coupling(0, 1, 1) == "joint \"hinge\" has 1 degree of freedom, no coordinate 1");
  CHECK(coupling(2, 3, 1) == "joint \"plate\" has 3 degrees of freedom, no coordinate 3");
  CHECK(coupling(1, 0, 1) ==
        "joint \"ball\" has no coordinate that a constraint could name; constrain points or "
        "directions of its bodies, as point-driver and constant-angle do");
  CHECK(coupling(0, 0, 0) == "a ratio is zero");
  CHECK(coupling(0, 0, infinity) == "a ratio is not finite");
  CHECK(refusal(JointCoupling{{{0, 0, 1}}, infinity}) == "the value is not finite");
  CHECK(coupling(2, 2, 1) == "accepted");

  const auto law = [](Quantity quantity, const BodyPoint& point, const Vec3& c) {
    return refusal(VelocityLaw{{{quantity, point, c}}, 0.});
  };
  CHECK(refusal(VelocityLaw{}) == "no velocity is named");
  CHECK(law(Quantity::point_velocity, {0, far}, Vec3::UnitX()) == "a point is not finite");
  CHECK(law(Quantity::point_velocity, {world, Vec3::Zero()}, Vec3::UnitX()) == "the ground does not move");
  CHECK(law(Quantity::point_velocity, {9, Vec3::Zero()}, Vec3::UnitX()) == "no body with index 9");
  CHECK(law(Quantity::point_velocity, {0, Vec3::Zero()}, Vec3::Zero()) == "a direction is zero");
  CHECK(law(Quantity::point_velocity, {2, Vec3::UnitX()}, Vec3::UnitX()) ==
        "the point on the particle \"p\" is not the particle itself");
  CHECK(law(Quantity::angular_velocity, {2, Vec3::Zero()}, Vec3::UnitX()) ==
        "the particle \"p\" has no attitude");
  CHECK(law(Quantity::joint_rate, {}, Vec3::Zero()) == "accepted");
}

TEST_CASE(
    "the value of a velocity law may depend on coordinates of a joint only if their derivatives are the "
    "joint's rates") {
  const auto value_of = [](int joint, int coordinate) {
    StateFunction function;
    function.inputs = {{Measured::Quantity::joint_coordinate, joint, coordinate, {}}};
    function.function = [](const double* y, const signed char*, double*) { return y[1]; };
    function.rate = [](const double*, const double* y_rate, const signed char*) { return y_rate[1]; };
    VelocityLaw law;
    law.terms.resize(1);
    law.terms[0].quantity = VelocityLaw::Term::Quantity::joint_rate;
    law.value = TimeFunction(function, "q");
    return refusal(law);
  };
  CHECK(value_of(0, 0) == "accepted");
  CHECK(value_of(2, 2) == "accepted");
  for (int k = 0; k < 4; ++k)
    CHECK(value_of(1, k) ==
          "the value cannot depend on coordinates of the joint \"ball\", because its rates are not their "
          "derivatives; use positions and rotations of bodies");
}

TEST_CASE("impossible rolling constraints are refused") {
  const auto rolling = [](int body, const auto& shape, const MovingPlane& plane, bool upright = false) {
    return refusal(Rolling{body, Vec3::Zero(), shape, plane, upright});
  };
  const RollingSphere ball{1};
  CHECK(rolling(2, ball, {}) == "the particle \"p\" has no attitude");
  CHECK(rolling(world, ball, {}) == "the ground does not roll");
  CHECK(rolling(0, RollingSphere{0}, {}) == "the radius is not positive and finite");
  CHECK(rolling(0, RollingDisk{Vec3::UnitX(), -1}, {}) == "the radius is not positive and finite");
  CHECK(rolling(0, RollingDisk{Vec3::Zero(), 1}, {}) == "the axis of the disk is zero");
  CHECK(rolling(0, RollingDisk{Vec3::UnitX(), 1, -1}, {}) ==
        "the radius of the edge is negative or not finite");
  CHECK(rolling(0, RollingEllipsoid{Vec3(1, 0, 1)}, {}) == "a semi-axis is not positive and finite");
  CHECK(rolling(0, ball, {{0., 0., 0.}, Vec3::Zero()}) == "the normal of the plane is zero");
  CHECK(rolling(0, ball, {{0., 0., 0.}, Vec3(0, 0, 1e200)}) ==
        "the normal of the plane is so long that the square of its length overflows");
  CHECK(rolling(0, ball, {{0., 0., 0.}, Vec3(0, 0, 1e-160)}) ==
        "the normal of the plane is so short that the square of its length underflows");
  CHECK(rolling(0, ball, {{0., 0., 0.}, Vec3::UnitZ(), Vec3::Zero()}) ==
        "the axis that the plane turns about is zero");
  CHECK(rolling(0, ball, {{infinity, 0., 0.}}) == "the point of the plane is not finite");
  CHECK(rolling(0, ball, {{0., 0., 0.}, Vec3::UnitZ(), Vec3::UnitZ(), infinity}) ==
        "the angle of the plane is not finite");
  CHECK(rolling(0, ball, {}, true) == "only a disk can be kept upright");
  CHECK(refusal(Rolling{0, far, ball, {}, false}) == "the centre is not finite");
  CHECK(rolling(0, RollingDisk{}, {}, true) == "accepted");
}

TEST_CASE("a user's constraint is refused if its function, its rows or its bodies are missing or wrong") {
  const auto nothing = [](double, const std::vector<BodyKinematics>&, UserRows&) {};
  CHECK(refusal(UserConstraint{{0}, 1, false, {}}) == "no function is given");
  CHECK(refusal(UserConstraint{{0}, 0, false, nothing}) == "it has no rows");
  CHECK(refusal(UserConstraint{{}, 1, false, nothing}) == "it acts on no body");
  CHECK(refusal(UserConstraint{{world}, 1, false, nothing}) == "the ground is listed among its bodies");
  CHECK(refusal(UserConstraint{{4}, 1, false, nothing}) == "no body with index 4");
  CHECK(refusal(UserConstraint{{0, 1, 0}, 1, false, nothing}) == "a body is listed twice");
  CHECK(refusal(UserConstraint{{0, 1}, 1, false, nothing}) == "accepted");
}

TEST_CASE("all invalid constraints are listed, by name or by number") {
  const std::vector<Constraint> wrong{
      {"rod", Distance{a, b, -1.}}, {"", Distance{a, b, 0.}}, {"rod", Distance{a, b, 2.}}};
  CHECK(refusal(wrong) ==
        "constraint \"rod\": the length is not positive\n"
        "constraint #2: the length is not positive\n"
        "constraint \"rod\": the name is taken twice");
}

}  // namespace
}  // namespace torsor::constraint_check
