#include "torsor/report/geometry_report.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "system/constrained.hpp"
#include "torsor/geometry/event_manifold.hpp"
#include "torsor/geometry/scleronomicity.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

using namespace torsor;
using namespace torsor::geometry;
using namespace torsor::test;

namespace {

Body solid(const char* name, double mass, const Vec3& inertia, GroupProduct group = GroupProduct::direct) {
  Body body;
  body.name = name, body.mass = mass, body.inertia = inertia.asDiagonal(), body.group = group;
  return body;
}

GeometryReport report_of(const Mechanism& mechanism, const Start& start, double t = 0,
                         Formulation formulation = Formulation::tree) {
  const Model model(mechanism, formulation);
  return geometry_report(model, t, consistent_start(model, start, t, Consistency::error));
}

// ---- a pendulum whose pivot moves: x3 = 0.3 cos(2 t)

constexpr double bob_mass = 1.3, rod_length = 0.8, amplitude = 0.3, omega = 2;

struct BobPosition {
  template <class S>
  Vector<S, 3> operator()(const Vector<S, 3>& at) const {
    const auto [s1, c1] = sin_cos(at[0]);
    const auto [s2, c2] = sin_cos(at[1]);
    const S L(rod_length);
    return Vector<S, 3>(L * s1 * c2, L * s1 * s2, L * c1 + S(amplitude) * sin_cos(S(omega) * at[2]).cos);
  }
};

Mechanism moving_pendulum() {
  Mechanism mechanism;
  Body bob;
  bob.name = "bob", bob.mass = bob_mass, bob.particle = true;
  mechanism.bodies = {bob};
  const TimeFunction height(
      [](double t) {
        const double c = amplitude * std::cos(omega * t), s = amplitude * std::sin(omega * t);
        return TimeFunction::Value{c, -omega * s, -omega * omega * c};
      },
      "0.3*cos(2*t)");
  Distance rod;
  rod.a.p = {0., 0., height}, rod.b.body = 0, rod.length = rod_length;
  mechanism.constraints = {{"rod", rod}};
  return mechanism;
}

// ---- a sphere that rolls on a rotating plane

constexpr double ball_mass = 1, ball_inertia = 0.004, ball_radius = 0.1, table_rate = 7;

Mechanism sphere_on_turntable() {
  Mechanism mechanism;
  mechanism.bodies = {solid("ball", ball_mass, Vec3::Constant(ball_inertia))};
  Rolling rolling;
  rolling.shape = RollingSphere{ball_radius};
  rolling.plane.angle = TimeFunction(
      [](double t) {
        return TimeFunction::Value{table_rate * t, table_rate, 0};
      },
      "7*t");
  mechanism.constraints = {{"contact", rolling}};
  return mechanism;
}

/// A start at x with the velocity of the offset nu: the ball rolls without slip and does not
/// spin about the vertical.
Start carried(double x) {
  const double k = ball_inertia * table_rate / (ball_mass * ball_radius * ball_radius + ball_inertia);
  Start start;
  BodyStart ball;
  ball.x = Vec3(x, 0, ball_radius), ball.v_W = Vec3(0, k * x, 0);
  ball.Omega = Vec3((table_rate - k) * x / ball_radius, 0, 0);
  start.bodies = {ball};
  return start;
}

// ---- chains

Mechanism chain(int n) {
  Mechanism mechanism;
  for (int i = 0; i < n; ++i) {
    mechanism.bodies.push_back(rod("rod" + std::to_string(i), 1, 1));
    mechanism.joints.push_back(joint_at("joint" + std::to_string(i), JointKind::spherical,
                                        i == 0 ? world : i - 1, i == 0 ? Vec3(0, 0, 0) : Vec3(0.5, 0, 0), i,
                                        Vec3(-0.5, 0, 0)));
  }
  mechanism.forces = {weight({0, 0, -9.81})};
  return mechanism;
}

State whirling(const Model& model) {
  State x;
  x.q = Vec::Zero(model.nq()), x.v = Vec::Zero(model.nv());
  for (int i = 0; i < model.size(); ++i) {
    x.q[model.q_begin[i] + 3] = 1;
    x.v.segment<3>(model.v_begin[i]) = Vec3(std::sin(i + 1.), std::cos(3. * i), std::sin(2. * i));
  }
  Vec turn = 0.3 * x.v;
  TreeSystem(model, 1).retract(x.q, turn, x.q);
  return x;
}

}  // namespace

TEST_CASE("S1 and S2 of a pendulum whose pivot moves agree with its event metric in two angles") {
  const double t = 0.4;
  const Vector<double, 3> at(1.1, 0.3, t);  // (theta, t)
  const auto inclusion = embedding<4, 3>(at_equal_time(BobPosition()));
  const Constant<Matrix<double, 4>> flat{
      Vector<double, 4>(bob_mass, bob_mass, bob_mass, 1).asDiagonal().toDenseMatrix()};
  const auto dense = scleronomicity(CoordinateFrame<3>(), induced_metric(inclusion, flat), at, 1.);

  Start start;
  BodyStart bob;
  bob.x = BobPosition()(at);
  const Matrix<double, 4, 3> tangents = inclusion.basis(at);
  bob.v_W = tangents.topRows<3>() * Vec3(0.7, -0.4, 1);
  start.bodies = {bob};
  const GeometryReport report = report_of(moving_pendulum(), start, t);
  const TimeReport& time = report.time;
  REQUIRE(time.directions.cols() == 2);
  // The derivatives by both angles in terms of the orthonormal directions: X^T G dx/dtheta.
  const Eigen::MatrixXd by = bob_mass * time.directions.transpose() * tangents.topLeftCorner<3, 2>();
  CHECK((by.transpose() * time.S1_matrix * by - dense.S1).norm() < 1e-8 * dense.S1.norm());
  CHECK((by.transpose() * time.S2_vector - dense.S2).norm() < 1e-8 * dense.S2.norm());
  CHECK_FALSE(time.removable);
  CHECK(time.rows == std::vector<std::string>{"rod"});
}

TEST_CASE(
    "a sphere on a turntable has S1 = 0, S2 proportional to the distance from the axis, and is rheonomic at "
    "the axis too") {
  const double mrr = ball_mass * ball_radius * ball_radius;
  for (const double x : {0., 0.5}) {
    CAPTURE(x);
    const TimeReport time = report_of(sphere_on_turntable(), carried(x)).time;
    const double slope = 2 * ball_mass * ball_inertia * table_rate * table_rate / (mrr + ball_inertia) * x;
    CHECK(time.S1 < 1e-9);
    CHECK(std::abs(time.S2 - slope / std::sqrt(ball_mass * (mrr + ball_inertia) / mrr)) < 1e-8);
    CHECK_FALSE(time.removable);
  }
}

TEST_CASE(
    "rows of slip are found integrable although they contradict each other off the constraints: a rigid axle "
    "on two wheels") {
  Mechanism mechanism;
  mechanism.bodies = {solid("axle", 2, Vec3(0.03, 0.01, 0.03))};
  for (const double side : {0.2, -0.2}) {
    Rolling wheel;
    wheel.centre = Vec3(0, side, 0), wheel.shape = RollingDisk{Vec3::UnitY(), 0.1};
    mechanism.constraints.push_back({side > 0 ? "left" : "right", wheel});
  }
  Start start;
  BodyStart axle;
  axle.x = Vec3(0, 0, 0.1), axle.v_W = Vec3(0.3, 0, 0), axle.Omega = Vec3(0, 3, 0);
  start.bodies = {axle};
  const GeometryReport report = report_of(mechanism, start);
  REQUIRE(report.rows.size() == 6);
  for (const RowReport& row : report.rows) {  // the axle can only roll straight ahead
    CAPTURE(row.constraint);
    CAPTURE(row.what);
    CHECK(row.level == (row.what == "gap" ? RowLevel::position : RowLevel::integrable));
  }
}

TEST_CASE("a prescribed spin about a body axis changes the metric of the other rotations") {
  const double rate = 1.7;
  const Vec3 J(1, 2, 2.5);
  Mechanism mechanism;
  mechanism.bodies = {solid("body", 2, J)};
  VelocityLaw spin;
  VelocityLaw::Term term;
  term.quantity = VelocityLaw::Term::Quantity::angular_velocity;
  term.point.body = 0, term.c = Vec3::UnitZ();
  spin.terms = {term}, spin.value = rate;
  mechanism.constraints = {{"spin", spin}};
  Start start;
  BodyStart body;
  body.R = SO3<>::exp(Vec3(0.4, 1, -0.3)), body.Omega = Vec3(0.3, -0.2, rate);
  start.bodies = {body};
  const TimeReport time = report_of(mechanism, start).time;
  REQUIRE(time.directions.cols() == 5);
  const Vec e_1 = J[0] * time.directions.row(3).transpose(), e_2 = J[1] * time.directions.row(4).transpose();
  CHECK(e_1.dot(time.S1_matrix * e_2) == doctest::Approx(rate * (J[0] - J[1])));  // (L_nu G)(e_1, e_2)
  CHECK(std::abs(e_1.dot(time.S1_matrix * e_1)) < 1e-9);
  CHECK(time.S2 < 1e-9);
  CHECK_FALSE(time.removable);
}

TEST_CASE("rows that friction replaces have the a0 that they have as constraints") {
  const Model model(sphere_on_turntable());
  const State x = consistent_start(model, carried(0.5), 0, Consistency::error);
  SimulationOptions viscous;
  viscous.constraints = Treatment::viscous;
  const GeometryReport held = geometry_report(model, 0, x), slips = geometry_report(model, 0, x, viscous);
  REQUIRE(held.rows.size() == slips.rows.size());
  double greatest_offset = 0;
  for (std::size_t i = 0; i < held.rows.size(); ++i) {
    CHECK(slips.rows[i].gives_way == (held.rows[i].level != RowLevel::position));
    CHECK(slips.rows[i].offset == held.rows[i].offset);
    if (slips.rows[i].gives_way) greatest_offset = std::max(greatest_offset, std::abs(slips.rows[i].offset));
  }
  CHECK(greatest_offset == doctest::Approx(0.5 * table_rate));
}

TEST_CASE("a plane that rises at constant speed and a time-dependent force leave the metric scleronomic") {
  Mechanism mechanism = sphere_on_turntable();
  auto& rolling = std::get<Rolling>(mechanism.constraints[0].law);
  rolling.plane.angle = 0.;
  rolling.plane.point[2] = TimeFunction([](double t) { return TimeFunction::Value{t, 1, 0}; }, "t");
  BodyForce push;
  push.point.body = 0, push.force[0] = rolling.plane.point[2];
  mechanism.forces = {{"push", push}};
  Start start = carried(0);
  start.bodies[0].v_W = Vec3(0, 0, 1);
  const TimeReport time = report_of(mechanism, start).time;
  CHECK(time.removable);
  CHECK(time.G_nu_nu == doctest::Approx(ball_mass));
  CHECK(time.rows == std::vector<std::string>{"contact"});
  CHECK(time.forces == std::vector<std::string>{"push"});
}

TEST_CASE(
    "the second fundamental form is -C gamma of dense matrices, and its reactions add to those of loads") {
  FourBar bars(0.3, 1.0, 0.8, 1.1, 0.7);
  const Model model(bars.mechanism, Formulation::absolute);
  State x = consistent_start(model, bars.start, 0, Consistency::error);
  const MechanismSystem system(model, 1);
  for (Eigen::Index j = 0; j < x.v.size(); ++j) x.v[j] = std::sin(3. * static_cast<double>(j));
  system.project_velocity(0, x.q, x.v);
  const GeometryReport report = geometry_report(model, 0, x);
  CHECK(report.bending_tangential < 1e-12);

  Mechanism bare = bars.mechanism;
  bare.forces.clear();
  const Model free_model(bare, Formulation::absolute);
  const MechanismSystem free(free_model, 1);
  const int n = free.nv(), m = free.rows();
  Eigen::MatrixXd G(n, n), A(m, n);
  Vec column(n), row(m), f(n), gamma(m);
  for (int j = 0; j < n; ++j) {
    free.metric_times(0, x.q, Vec::Unit(n, j), column), G.col(j) = column;
    free.constraint_times(0, x.q, Vec::Unit(n, j), row), A.col(j) = row;
  }
  free.force(0, x.q, x.v, f);
  free.constraint_bias(0, x.q, x.v, gamma);
  const auto point = constrained_point_of_any_rank<double>(G, A);
  const Vec GN = point.reaction(f, gamma);
  REQUIRE(GN.norm() > 0.1);
  for (const BendingReport& body : report.bending) {
    const int at = free_model.v_begin[free_model.link_of_body[body.body]];
    const Body& inert = bare.bodies[body.body];
    CHECK((inert.mass * body.linear - GN.segment<3>(at)).norm() < 1e-9 * GN.norm());
    CHECK((inert.inertia * body.angular - GN.segment<3>(at + 3)).norm() < 1e-9 * GN.norm());
  }
  const Sample loaded = sample_of(model, x);
  for (std::size_t j = 0; j < report.reactions.size(); ++j) {
    const ReactionReport& part = report.reactions[j];
    CHECK((part.bending_force + part.load_force - loaded.joints[j].force).norm() < 1e-9);
  }
}

TEST_CASE("the second fundamental form about the axis of a wire does not depend on its radius") {
  for (const double thin : {1., 1e-4, 1e-12}) {
    CAPTURE(thin);
    const Mechanism mechanism{{solid("wire", 1, Vec3(1, 1, thin))},
                              {joint_at("cross", JointKind::universal, world, Vec3::Zero(), 0, Vec3::Zero())},
                              {}};
    Start start;
    start.joints = {{.v = Vector<double, 2>(3, 2)}};
    // R = exp(3 t e_x) exp(2 t e_y), so the rate of Omega_z = 3 sin(2 t) is 6 at t = 0.
    CHECK((report_of(mechanism, start).bending[0].angular - Vec3(0, 0, 6)).norm() < 1e-12);
  }
}

TEST_CASE("the second fundamental form and its reactions are the same in joint and body coordinates") {
  const Model tree(chain(5)), absolute(chain(5), Formulation::absolute);
  const State x = whirling(tree);
  const Sample sample = sample_of(tree, x);
  Start start;
  for (const BodyMotion& body : sample.bodies) {
    BodyStart one;
    one.x = body.x, one.R = body.R, one.v_W = body.v, one.Omega = body.Omega;
    start.bodies.push_back(one);
  }
  const GeometryReport a = geometry_report(tree, 0, x),
                       b = geometry_report(absolute, 0,
                                           consistent_start(absolute, start, 0, Consistency::error));
  for (std::size_t i = 0; i < a.bending.size(); ++i) {
    CHECK((a.bending[i].linear - b.bending[i].linear).norm() < 1e-9);
    CHECK((a.bending[i].angular - b.bending[i].angular).norm() < 1e-8);
    CHECK((a.reactions[i].bending_force - b.reactions[i].bending_force).norm() < 1e-9);
  }
}

TEST_CASE("the report states which connections are metric, and the brackets of both products") {
  Mechanism mechanism;
  mechanism.bodies = {solid("direct", 2, Vec3(1, 2, 2.5)), solid("ball", 2, Vec3(3, 3, 3)),
                      solid("screw", 2, Vec3(3, 3, 3), GroupProduct::semidirect)};
  Start start;
  start.bodies.resize(3);
  const GeometryReport report = report_of(mechanism, start);
  CHECK(report.groups[0].group == "R^3 x SO(3)");
  CHECK(report.groups[0].brackets.size() == 3);
  CHECK(report.groups[2].group == "SE(3)");
  CHECK(report.groups[2].brackets.size() == 9);
  CHECK(report.connections[0].non_metricity.name == "turn y: turn x, turn z");
  CHECK(report.connections[0].non_metricity.value == doctest::Approx(1.5));  // J_z - J_x
  CHECK_FALSE(report.connections[0].metric);
  CHECK(report.connections[1].metric);
  CHECK_FALSE(report.connections[2].metric);  // it changes along translations
  for (const ConnectionReport& connection : report.connections) {
    CHECK(connection.weak < 1e-14);
    CHECK(connection.curvature.value == 0);
    CHECK(std::abs(connection.torsion.value) == 1);
  }
}

TEST_CASE("whether a connection is metric and whether a body rotates do not depend on the size of the body") {
  for (const double size : {1e-8, 1., 1e8}) {
    CAPTURE(size);
    const double J = 2 * size * size;
    Mechanism mechanism;
    mechanism.bodies = {solid("direct", 2, J * Vec3(1, 2, 2.5)), solid("ball", 2, J * Vec3(3, 3, 3)),
                        solid("screw", 2, J * Vec3(3, 3, 3), GroupProduct::semidirect)};
    Start start;
    start.bodies.resize(3);
    start.bodies[2].v_W = Vec3(1e3 * size, 0, 0), start.bodies[2].Omega = Vec3(1e-3, 0, 0);
    const GeometryReport report = report_of(mechanism, start);
    CHECK(report.connections[0].non_metricity.name == "turn y: turn x, turn z");
    CHECK(report.connections[0].non_metricity.value == doctest::Approx(1.5 * J));
    CHECK_FALSE(report.connections[0].metric);
    CHECK(report.connections[1].metric);
    CHECK_FALSE(report.connections[2].metric);
    CHECK(report.screws[2].turn == doctest::Approx(1e-3));
  }
}

TEST_CASE("every point of a screw axis moves along the axis at pitch times the angular velocity") {
  Mechanism mechanism;
  mechanism.bodies = {solid("body", 2, Vec3(1, 2, 2.5), GroupProduct::semidirect)};
  Start start;
  BodyStart body;
  body.x = Vec3(1, -2, 0.5), body.R = SO3<>::exp(Vec3(0.4, 1, -0.3));
  body.v_W = Vec3(0.5, 1.2, -0.3), body.Omega = Vec3(0.6, -0.4, 1.1);
  start.bodies = {body};
  const ScrewReport screw = report_of(mechanism, start).screws[0];
  const Vec3 omega = *body.R * *body.Omega;
  const Vec3 on_axis = *body.v_W + omega.cross(screw.point - *body.x);
  CHECK((omega - screw.turn * screw.direction).norm() < 1e-14);
  CHECK((on_axis - screw.pitch * omega).norm() < 1e-14);
}

TEST_CASE("a report is given if joints are redundant on the constraints alone") {
  const SE3<> at(SO3<>(), Vec3(0.3, 0.2, 0));
  Mechanism mechanism;
  mechanism.bodies = {solid("a", 1, Vec3::Ones()), solid("b", 1, Vec3::Ones())};
  mechanism.joints = {{"plane", JointKind::planar, 0, 1}, {"ball", JointKind::spherical, 0, 1, at, at}};
  VelocityLaw::Term spin{VelocityLaw::Term::Quantity::angular_velocity, {1, Vec3::Zero()}, Vec3(0.3, 1, 0.2)};
  mechanism.constraints = {{"spin", VelocityLaw{{spin}, 0.}}};
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const GeometryReport report = report_of(mechanism, {}, 0, formulation);
    REQUIRE_FALSE(report.rows.empty());
    CHECK(report.rows.back().level == RowLevel::nonholonomic);
  }
}
