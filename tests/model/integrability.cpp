#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "some_constraints.hpp"
#include "torsor/model/constraints.hpp"

namespace torsor {
namespace {

using test::Random;
using Quantity = VelocityLaw::Term::Quantity;

/// A car that slides on the ground, and a trailer with its mass centre 1 m behind the hinge.
Mechanism car_with_trailer() {
  const SE3<> ahead(SO3<>(), Vec3(1, 0, 0));
  return {{{"car"}, {"trailer"}},
          {{"ground", JointKind::planar, world, 0}, {"hitch", JointKind::revolute, 0, 1, {}, ahead}}};
}

/// The constraint of no sideways velocity at a point of the body.
Constraint edge(const std::string& name, int body, const Vec3& p, const Vec3& sideways = Vec3::UnitY()) {
  return {name, VelocityLaw{{{Quantity::point_velocity, {body, p}, sideways}}, 0.}};
}

VelocityLaw::Term rate_of(int joint, int coordinate, double ratio = 1) {
  return {Quantity::joint_rate, {}, Vec3::Zero(), true, joint, coordinate, ratio};
}

Constraint rate(const std::string& name, int joint, int coordinate, const TimeFunction& value) {
  return {name, VelocityLaw{{rate_of(joint, coordinate)}, value}};
}

/// The names of the constraints whose rows are all holonomic at random configurations. `settle` makes a
/// configuration consistent.
std::string holonomic(const Mechanism& mechanism,
                      const std::function<void(test::Rows&, State&)>& settle = {}) {
  Random random(5);
  test::Rows rows(mechanism, Formulation::tree);
  std::vector<SamplePoint> points;
  for (const double t : {0.2, 0.9}) {
    State x = test::random_state(random, rows.model);
    if (settle) settle(rows, x);
    points.push_back({t, x.q});
  }
  const std::vector<Integrable> integrable =
      integrable_rows(pfaffian_system(rows.model, rows.constraints), points);
  std::string names;
  for (const auto& item : rows.constraints.items()) {
    bool all = item.constraint >= 0;
    for (int i = item.row_begin; i < item.row_begin + item.rows; ++i) {
      if (rows.constraints.rows()[i].holonomic) CHECK(integrable[i] == Integrable::yes);
      all = all && integrable[i] == Integrable::yes;
    }
    if (all) names += item.name + " ";
  }
  return names;
}

std::string holonomic_car(const std::vector<Constraint>& constraints) {
  Mechanism mechanism = car_with_trailer();
  mechanism.constraints = constraints;
  return holonomic(mechanism);
}

TEST_CASE("the rate of a joint at the end of a chain is integrable") {
  Random random(3);
  for (int chain = 0; chain < 20; ++chain) {
    Mechanism mechanism{{{"upper"}, {"middle"}, {"lower"}}, {}};
    const JointKind kinds[] = {JointKind::spherical, JointKind::revolute, JointKind::universal};
    for (int i = 0; i < 3; ++i)
      mechanism.joints.push_back({std::string(1, static_cast<char>('a' + i)), kinds[i],
                                  i == 0 ? world : i - 1, i, random.frame(), random.frame()});
    mechanism.constraints = {rate("held", 2, 1, 0.)};
    CHECK(holonomic(mechanism) == "held ");
  }
}

TEST_CASE("a knife edge is nonholonomic, and two edges along one line are holonomic") {
  const Constraint front = edge("front", 0, Vec3(0.5, 0.1, 0)), rear = edge("rear", 0, Vec3(-0.5, 0.1, 0));
  CHECK(holonomic_car({front}) == "");
  CHECK(holonomic_car({front, rear}) == "front rear ");
  CHECK(holonomic_car({front, edge("again", 0, Vec3(0.5, 0.1, 0))}) == "");
  CHECK(holonomic_car({front, rate("locked", 0, 2, 0.)}) == "front locked ");
}

TEST_CASE(
    "rows that depend on others add no term to the flag, and the costs of separate parts of a system add "
    "up") {
  Mechanism mechanism = car_with_trailer();
  const auto evaluations = [&](const std::vector<Constraint>& constraints) {
    mechanism.constraints = constraints;
    test::Rows rows(mechanism, Formulation::tree);
    PfaffianSystem system = pfaffian_system(rows.model, rows.constraints);
    int count = 0;
    system.rows = [&count, all = system.rows](double t, const Vec& q, Eigen::MatrixXd& A, Vec& a0) {
      ++count, all(t, q, A, a0);
    };
    Random random(5);
    const SamplePoint point{0.2, test::random_state(random, rows.model).q};
    integrable_rows(system, {point});
    return count;
  };
  const Constraint front = edge("front", 0, Vec3(0.5, 0.1, 0)), again = edge("again", 0, Vec3(0.5, 0.1, 0));
  CHECK(evaluations({front, again}) <= evaluations({front}));
  const Constraint locked = rate("locked", 1, 0, 0.);
  const int one = evaluations({front, locked});
  mechanism.bodies.push_back({"second car"});
  mechanism.joints.push_back({"second ground", JointKind::planar, world, 2});
  CHECK(evaluations({front, locked, edge("second", 2, Vec3(0.5, 0.1, 0))}) < 2 * one);
}

TEST_CASE("edges far from the origin of the body are judged like near ones") {
  for (const double far : {1e3, -2e3}) {
    CAPTURE(far);
    const Constraint front = edge("front", 0, Vec3(far, 0.1, 0));
    CHECK(holonomic_car({front}) == "");
    CHECK(holonomic_car({front, edge("rear", 0, Vec3(far - 1, 0.1, 0))}) == "front rear ");
    CHECK(holonomic_car({front, edge("trailer", 1, Vec3::Zero())}) == "");
  }
  CHECK(holonomic_car({edge("front", 0, Vec3(1e6, 0.1, 0))}) == "");
}

TEST_CASE("a row of the first derived system may be nonholonomic") {
  CHECK(holonomic_car({edge("car", 0, Vec3::Zero()), edge("trailer", 1, Vec3::Zero())}) == "");
  CHECK(holonomic_car({edge("car", 0, Vec3::Zero()), edge("trailer", 1, Vec3::Zero()),
                       rate("hitch", 1, 0, test::wave(0, 1))}) == "hitch ");
}

TEST_CASE("constraints on joint rates are holonomic, whether or not they depend on time") {
  CHECK(holonomic_car({rate("constant", 0, 0, 2.), rate("wave", 1, 0, test::wave(1, 2))}) ==
        "constant wave ");
  const VelocityLaw sum{{rate_of(0, 0), rate_of(1, 0, -0.3)}, test::wave(0, 1)};
  CHECK(holonomic_car({{"sum", sum}, edge("edge", 0, Vec3::Zero())}) == "sum ");
}

/// A row in three coordinates.
PfaffianSystem one_row(const std::function<Vec3(const Vec& q)>& row) {
  PfaffianSystem system;
  system.velocities = 3, system.exact = {false};
  system.rows = [row](double, const Vec& q, Eigen::MatrixXd& A, Vec& a0) { A.row(0) = row(q), a0.setZero(); };
  system.retract = [](const Vec& q, const Vec& xi, Vec& next) { next = q + xi; };
  system.dexp_inv = [](const Vec&, const Vec& w, Vec& out) { out = w; };
  return system;
}

TEST_CASE("coefficients that vary fast do not make an integrable row nonholonomic") {
  const std::vector<SamplePoint> points{{0, Vec3(0.1, 0.2, 0.3)}};
  for (const double k : {1., 30., 300., 3000.}) {
    CAPTURE(k);
    const auto closed = [k](const Vec& q) { return Vec3(1, -std::sin(k * q[1]), 1); };
    const auto open = [k](const Vec& q) { return Vec3(1, -std::sin(k * q[2]), 0); };
    CHECK(integrable_rows(one_row(closed), points).front() == Integrable::yes);
    CHECK(integrable_rows(one_row(open), points).front() == Integrable::no);
  }
}

TEST_CASE("a constraint on the spin about a body axis is holonomic only for rotation about a fixed axis") {
  const Constraint spin{
      "spin", VelocityLaw{{{Quantity::angular_velocity, {0, Vec3::Zero()}, Vec3(0, 0.6, 0.8)}}, 0.}};
  Mechanism mechanism = car_with_trailer();
  mechanism.constraints = {spin};
  CHECK(holonomic(mechanism) == "spin ");
  mechanism.joints[0].kind = JointKind::spherical;
  CHECK(holonomic(mechanism) == "");  // Suslov's problem
}

TEST_CASE(
    "rows that leave rotation about one body axis, or none, are holonomic; without rotation a knife edge is "
    "holonomic too") {
  const auto spin = [](const std::string& name, const Vec3& axis) {
    return Constraint{name, VelocityLaw{{{Quantity::angular_velocity, {0, Vec3::Zero()}, axis}}, 0.}};
  };
  Mechanism mechanism{{{"body"}}};
  mechanism.constraints = {spin("x", Vec3::UnitX()), spin("y", Vec3::UnitY())};
  CHECK(holonomic(mechanism) == "x y ");
  mechanism.constraints.push_back(spin("z", Vec3::UnitZ()));
  mechanism.constraints.push_back(edge("edge", 0, Vec3(0.3, 0, 0)));
  CHECK(holonomic(mechanism) == "x y z edge ");
}

TEST_CASE("v_x + c v_y = 0 is holonomic for constant c and nonholonomic for c = t") {
  const auto sliding = [](bool steady) {
    UserConstraint user{{0}, 1, false, {}};
    user.function = [steady](double t, const std::vector<BodyKinematics>&, UserRows& out) {
      out.rows[0] << 1, steady ? 2 : t, 0, 0, 0, 0;
    };
    Mechanism mechanism{{{"body"}}};
    mechanism.constraints = {{"user", user}};
    return holonomic(mechanism);
  };
  CHECK(sliding(true) == "user ");
  CHECK(sliding(false) == "");
}

/// Moves the free body along the normal of its horizontal plane until it touches the plane.
void touch(test::Rows& rows, State& x) {
  rows.evaluate(0, x);
  x.q[2] -= rows.values.phi[0];
}

std::string holonomic_rolling(const decltype(Rolling::shape)& shape, const MovingPlane& plane,
                              const std::vector<Constraint>& more = {}) {
  Mechanism mechanism{{{"roller"}}};
  mechanism.constraints = more;
  mechanism.constraints.insert(mechanism.constraints.begin(),
                               {"rolling", Rolling{0, Vec3::Zero(), shape, plane, false}});
  return holonomic(mechanism, touch);
}

TEST_CASE(
    "rolling is nonholonomic, also on a turntable; a sphere that rolls along a line without spin is "
    "holonomic") {
  const MovingPlane ground, table{{0., 0., 0.}, Vec3::UnitZ(), Vec3::UnitZ(), test::wave(0.4, 1)};
  CHECK(holonomic_rolling(RollingSphere{0.5}, ground) == "");
  CHECK(holonomic_rolling(RollingSphere{0.5}, table) == "");
  CHECK(holonomic_rolling(RollingDisk{Vec3::UnitY(), 0.5}, ground) == "");
  CHECK(holonomic_rolling(RollingEllipsoid{Vec3(0.4, 0.5, 0.6)}, ground) == "");
  const auto turning = [](const std::string& name, const Vec3& axis) {
    return Constraint{name, VelocityLaw{{{Quantity::angular_velocity, {0, Vec3::Zero()}, axis, false}}, 0.}};
  };
  CHECK(holonomic_rolling(RollingSphere{0.5}, ground, {turning("no spin", Vec3::UnitZ())}) == "");
  CHECK(holonomic_rolling(RollingSphere{0.5}, ground,
                          {turning("no spin", Vec3::UnitZ()), turning("straight", Vec3::UnitX())}) ==
        "rolling no spin straight ");
}

}  // namespace
}  // namespace torsor
