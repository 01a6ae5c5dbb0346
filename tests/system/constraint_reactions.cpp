#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numbers>
#include <stdexcept>

#include "constrained.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/system/reactions.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// The dense operators of a system at a state.
struct Dense {
  Eigen::MatrixXd G, A;
  Vec f, gamma;
};

Dense dense(const ConstrainedSystem& system, double t, const State& x) {
  const int n = system.nv(), m = system.rows();
  Dense out{Eigen::MatrixXd(n, n), Eigen::MatrixXd(m, n), Vec(n), Vec(m)};
  Vec column(n), row(m);
  for (int j = 0; j < n; ++j) {
    system.metric_times(t, x.q, Vec::Unit(n, j), column);
    out.G.col(j) = column;
    system.constraint_times(t, x.q, Vec::Unit(n, j), row);
    out.A.col(j) = row;
  }
  system.force(t, x.q, x.v, out.f);
  system.constraint_bias(t, x.q, x.v, out.gamma);
  return out;
}

/// 0.15 cos(3 t)
TimeFunction support() {
  return {
      [](double t) {
        return TimeFunction::Value{0.15 * std::cos(3 * t), -0.45 * std::sin(3 * t), -1.35 * std::cos(3 * t)};
      },
      "0.15 cos(3 t)"};
}

/// phi = |x - p|^2 - 0.81 with p = (0, 0, 0.15 cos 3t).
Mechanism pendulum_on_a_moving_support() {
  Mechanism mechanism;
  Body bob;
  bob.name = "bob", bob.mass = 1.2, bob.particle = true;
  mechanism.bodies = {bob};
  UserConstraint rod;
  rod.bodies = {0}, rod.holonomic = true;
  rod.function = [](double t, const std::vector<BodyKinematics>& bodies, UserRows& values) {
    const auto [p, pdot, pddot] = support().with_derivatives(t);
    const Vec3 d = bodies[0].X_WB.p - Vec3(0, 0, p), ddot = bodies[0].v_W - Vec3(0, 0, pdot);
    values.rows[0].head<3>() = 2 * d;
    values.rows[0].tail<3>().setZero();
    values.offset[0] = -2 * d[2] * pdot;
    values.rate[0] = 2 * ddot.dot(ddot) - 2 * d[2] * pddot;
    values.phi[0] = d.squaredNorm() - 0.81;
  };
  mechanism.constraints = {{"rod", rod}};
  return mechanism;
}

}  // namespace

TEST_CASE("multipliers and accelerations agree with the explicit formulas for independent rows") {
  // Lambda = -M_c [gamma + A G^-1 (f - b)], M_c = (A G^-1 A^T)^-1; `f` of the code is f - b
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.mechanism.joints[2].kind = bar.mechanism.joints[3].kind = JointKind::spherical;
  bar.start.joints.resize(4);
  bar.start.joints[0].v = Vec::Constant(1, 4.6);
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const State x = consistent_start(model, bar.start);
    const MechanismSystem system(model, 1);
    const auto [G, A, f, gamma] = dense(system, 0, x);
    Vec a(system.nv()), lambda(system.rows());
    system.acceleration(0, x.q, x.v, a, lambda);

    const auto redundant = redundant_rows(system, 0, x.q);
    REQUIRE(std::count(redundant.begin(), redundant.end(), 1) == 0);
    const Eigen::MatrixXd G_A = G.ldlt().solve(A.transpose());
    const Vec explicit_lambda = -(A * G_A).ldlt().solve(gamma + A * G.ldlt().solve(f));
    CHECK((lambda - explicit_lambda).norm() < 1e-12 * std::max(1., lambda.norm()));
    CHECK((G * a - f - A.transpose() * lambda).norm() < 1e-12 * f.norm());
    CHECK((A * a + gamma).norm() < 1e-12 * std::max(1., gamma.norm()));
  }
}

TEST_CASE("the power is that of the reactions, and the rate of A v + a0 is A a plus the constraint bias") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.mechanism.constraints = {{"drive", JointCoupling{{{0, 0, 1.}},
                                                       {[](double t) {
                                                          return TimeFunction::Value{
                                                              0.6 + 4 * t + 0.3 * std::sin(2 * t),
                                                              4 + 0.6 * std::cos(2 * t),
                                                              -1.2 * std::sin(2 * t)};
                                                        },
                                                        "0.6 + 4 t + 0.3 sin(2 t)"}}}};
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    const State x = consistent_start(model, bar.start);
    const MechanismSystem system(model, 1);
    const int m = system.rows();
    Vec psi(m), a(system.nv()), lambda(m);
    system.velocity_residual(0, x.q, x.v, psi);
    CHECK(psi.norm() < 1e-12);  // the start has the rate of the driver
    double power = 0;
    system.power()->acceleration_and_power(0, x.q, x.v, a, power);
    system.acceleration(0, x.q, x.v, a, lambda);
    const auto [G, A, f, gamma] = dense(system, 0, x);
    CHECK(power == doctest::Approx((A.transpose() * lambda).dot(x.v)).epsilon(1e-10));

    // d/dt (A v + a0) = A b + gamma along curves with the acceleration b. It is zero for the motion.
    CHECK((A * a + gamma).norm() < 1e-9);
    const double h = 1e-4;
    for (const Vec& b : {a, Vec(a + Vec::LinSpaced(a.size(), 1, 5))}) {
      State next{Vec(model.nq()), Vec(), {}};
      Vec ahead(m), behind(m);
      const auto along = [&](double s, Vec& out) {
        const Vec xi = s * x.v + s * s / 2 * b;
        system.retract(x.q, xi, next.q);
        system.velocity_residual(s, next.q, x.v + s * b, out);
      };
      along(h, ahead), along(-h, behind);
      CHECK(((ahead - behind) / (2 * h) - A * b - gamma).norm() < 1e-5);
    }
  }
}

TEST_CASE(
    "the force and the torque of a constraint act on the first body that it names other than the ground") {
  Mechanism mechanism;
  mechanism.bodies = {rod("a", 1, 1), rod("b", 2, 3)};
  const Vec3 push(1, 2, 3), arm(0.3, 0, 0);
  mechanism.forces = {{"push", BodyForce{{1, arm}, {push[0], push[1], push[2]}}}};
  Start start;
  start.bodies.resize(2);
  for (BodyStart& body : start.bodies) body.x = Vec3::Zero(), body.R = SO3<>();
  for (const auto& [first, second] : {std::pair{0, 1}, {1, 0}, {1, world}, {world, 1}}) {
    const std::vector<Constraint> laws = {
        {"rod", Distance{{first}, {second, {0., 1., 0.}}, 1.}},
        {"line", PointOnLine{{first}, {second}}},
        {"plane", PointOnPlane{{first}, {second}}},
        {"driver", PointDriver{{first}, {second}}},
        {"angle", ConstantAngle{first, second, Vec3::UnitX(), Vec3::UnitY(), std::numbers::pi / 2}},
        {"shaft", ConstantVelocityJoint{first, second}}};
    for (const Constraint& law : laws) {
      CAPTURE(law.name);
      CAPTURE(first);
      mechanism.constraints = {law};
      const Model model(mechanism);
      const Sample sample = sample_of(model, consistent_start(model, start));
      const int on = first == world ? second : first;
      const BodyMotion& motion = sample.bodies[on];
      const Vec3 load = on == 1 ? push : Vec3(Vec3::Zero());
      const Vec3 force = mechanism.bodies[on].mass * motion.vdot - load;
      const Vec3 torque = mechanism.bodies[on].inertia * motion.Omegadot - arm.cross(load);
      CHECK(force.norm() + torque.norm() > 0.01);
      CHECK((sample.constraints[0].force - force).norm() < 1e-11);
      CHECK((sample.constraints[0].torque - torque).norm() < 1e-11);
    }
  }
}

TEST_CASE(
    "shared reactions do not depend on where the ground frame is, for the ground as parent or as child") {
  const auto hinges = [](const Vec3& place) {
    Mechanism mechanism;
    mechanism.bodies = {rod("door", 2, 1)};
    mechanism.joints = {
        joint_at("lower", JointKind::revolute, world, place + Vec3(0, 0, -0.5), 0, Vec3(-0.6, 0, -0.5)),
        joint_at("upper", JointKind::revolute, 0, Vec3(-0.6, 0, 1), world, place + Vec3(0, 0, 1))};
    mechanism.forces = {weight({0, 0, -9.81})};
    const Model model(mechanism, Formulation::absolute);
    Start start;
    start.bodies.resize(1);
    start.bodies[0].x = place + Vec3(0.6, 0, 0);
    return sample_of(model, consistent_start(model, start)).joints;
  };
  const auto here = hinges(Vec3::Zero()), there = hinges(Vec3(100, -50, 0));
  CHECK(here[1].torque.norm() > 0.01);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK((here[k].force - there[k].force).norm() < 1e-9);
    CHECK((here[k].torque - there[k].torque).norm() < 1e-9);
  }
}

TEST_CASE("a solution with nearby factors does not use factors of another time") {
  const Model model(pendulum_on_a_moving_support());
  const MechanismSystem system(model, 1), fresh(model, 1);
  const Vec q = Vec3(0.45, -0.3, -0.6), r = Vec3(1, 2, 3), s = Vec::Constant(1, 0.7);
  Vec x(3), y(1), x_later(3), y_later(1), x_fresh(3), y_fresh(1);
  system.choices().choose(0, q);
  system.solve(0, q, r, s, x, y);
  system.solve(ConstrainedSystem::Factors::nearby, 0.5, q, r, s, x_later, y_later);
  fresh.solve(0.5, q, r, s, x_fresh, y_fresh);
  CHECK(x_later == x_fresh);
  CHECK(y_later == y_fresh);
  CHECK((x_later - x).norm() > 0.01);
}

TEST_CASE("with index 1, stages use velocities projected onto the constraints, orthogonally in the metric") {
  Mechanism mechanism;
  mechanism.bodies = {rod("crank", 0.6, 0.5), rod("bar", 0.9, 1.2)};
  mechanism.joints = {joint_at("A", JointKind::revolute, world, Vec3::Zero(), 0, Vec3(-0.3, 0, 0)),
                      joint_at("B", JointKind::spherical, 0, Vec3(0.3, 0, 0), 1, Vec3(-0.45, 0, 0))};
  mechanism.forces = {weight({0, -9.81, 0})};
  const Model model(mechanism, Formulation::absolute);
  Start start;
  start.bodies = {rod_from({0, 0, 0}, {0.6, 0, 0}), rod_from({0.6, 0, 0}, {1.14, 0.72, 0})};
  const State x = consistent_start(model, start);
  const MechanismSystem system(model, 1);
  REQUIRE(system.velocity_map());
  const VelocityMap& map = *system.velocity_map();
  const int n = system.nv();
  Vec v(n), met(n), again(n), psi(system.rows()), a(n), a_met(n), xi_rate(n);
  for (int i = 0; i < n; ++i) v[i] = 0.1 * std::sin(1 + i);
  map.velocity(0, x.q, v, met);
  system.velocity_residual(0, x.q, met, psi);
  CHECK(psi.norm() < 1e-13);
  map.velocity(0, x.q, met, again);
  CHECK((again - met).norm() < 1e-13);
  CHECK((v - met).norm() > 0.1);
  const auto [G, A, f, gamma] = dense(system, 0, x);
  CHECK((A.fullPivLu().kernel().transpose() * G * (v - met)).norm() < 1e-12);
  system.acceleration(0, x.q, v, a);
  system.acceleration(0, x.q, met, a_met);
  CHECK((a - a_met).norm() < 1e-10 * a.norm());
  system.chart_rate(0, x.q, Vec::Zero(n), v, xi_rate, a);
  CHECK((xi_rate - met).norm() < 1e-13);
  // In loops that can lose rank off the constraints, velocities are not projected.
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  const Model loop(bar.mechanism);
  CHECK_FALSE(MechanismSystem(loop, 1).velocity_map());
}

TEST_CASE("constraint inertia, damping and stiffness agree with the explicit formulas") {
  // Reference numbers with spring, damper and weight, off the constraint (50-digit arithmetic).
  Mechanism mechanism = pendulum_on_a_moving_support();
  LinearField field;
  field.K << 2, 0.3, 0, 0.3, 3, -0.4, 0, -0.4, 4;
  field.C << 0.8, 0.1, 0, 0.1, 0.6, 0.2, 0, 0.2, 0.5;
  mechanism.forces = {weight({0, 0, -9.81}), {"field", field}};
  const Model model(mechanism);
  TreatmentParameters parameters;
  parameters.floors = false;
  const MechanismSystem system(model, 1, Treatment::dynamic, parameters);
  const Vec q = Vec3(0.45, -0.3, -0.6), v = Vec3(0.7, 0.5, -0.2);
  Vec a(3), lambda(1);
  system.acceleration(0.4, q, v, a, lambda);
  const Vec3 expected(-4.276803727786578, 2.224813596302163, -3.4117251455042923);
  CHECK((Vec3(a) - expected).norm() < 1e-7);
  CHECK(lambda[0] == doctest::Approx(-4.124627192604326).epsilon(1e-7));

  // The motion of the row, and the root -D/2 +- sqrt(D^2/4 - K) with the greater real part.
  const RowMotion motion = row_motions(MechanismSystem(model, 1), 0.4, q, v).at(0);
  CHECK(motion.inertia == doctest::Approx(0.4162742608169116).epsilon(1e-13));
  CHECK(motion.inertia_rate == doctest::Approx(-0.02474880123916095).epsilon(1e-7));
  CHECK(motion.damping == doctest::Approx(0.07329677525931126).epsilon(1e-7));
  CHECK(motion.stiffness == doctest::Approx(1.0347332594104743).epsilon(1e-7));
  const double half_D = (0.07329677525931126 - 0.02474880123916095) / 0.4162742608169116 / 2;
  const double K = 1.0347332594104743 / 0.4162742608169116;
  REQUIRE(half_D * half_D < K);
  CHECK(motion.growth() == doctest::Approx(-half_D).epsilon(1e-7));
  std::get<LinearField>(mechanism.forces[1].law).K *= -1;
  const Model repelled(mechanism);
  CHECK(row_motions(MechanismSystem(repelled, 1), 0.4, q, v).at(0).growth() ==
        doctest::Approx(-half_D + std::sqrt(half_D * half_D + K)).epsilon(1e-7));
  mechanism.forces = {weight({0, 0, -9.81})};  // a weight does not depend on the position
  const Model free(mechanism);
  const RowMotion kept = row_motions(MechanismSystem(free, 1), 0, q, Vec::Zero(3)).at(0);
  CHECK(kept.stiffness == 0);
  CHECK(kept.growth() == 0);

  // With the parameter `floors` set, an error in phi decays at the given rate.
  parameters = {.rate = 30, .damping_ratio = 1, .floors = true};
  const MechanismSystem stiff(model, 1, Treatment::dynamic, parameters);
  Vec phi(1), psi(1), gamma(1);
  stiff.acceleration(0.4, q, v, a, lambda);
  stiff.position_residual(0.4, q, phi);
  stiff.velocity_residual(0.4, q, v, psi);
  stiff.constraint_bias(0.4, q, v, gamma);
  Vec A_a(1);
  stiff.constraint_times(0.4, q, a, A_a);
  CHECK(A_a[0] + gamma[0] == doctest::Approx(-60 * psi[0] - 900 * phi[0]).epsilon(1e-10));
}

TEST_CASE(
    "inertia rate and damping of a row agree with differences in time and need its functions at one instant "
    "only") {
  const double t0 = 0.4, h = 1e-4;
  const auto angle = [](double first, double last) {
    const auto function = [=](double t) {
      if (t < first || t > last) throw std::out_of_range("the angle is not defined");
      return TimeFunction::Value{0.5 * std::sin(t), 0.5 * std::cos(t), -0.5 * std::sin(t)};
    };
    return TimeFunction(function, "0.5 sin(t)");
  };
  Mechanism mechanism;
  Body stone;
  stone.name = "stone", stone.mass = 2, stone.inertia = Vec3(0.3, 0.5, 0.7).asDiagonal();
  mechanism.bodies = {stone};
  Start start;
  start.bodies.resize(1);
  start.bodies[0].x = Vec3(0.1, 0.2, 0.5), start.bodies[0].R = SO3<>::exp(Vec3(0.2, -0.3, 0.4));
  const Vec q = consistent_start(Model(mechanism), start).q;
  Rolling rolling;
  rolling.shape = RollingEllipsoid{Vec3(0.3, 0.4, 0.6)};
  rolling.plane.axis = Vec3::UnitX();
  rolling.plane.angle = angle(t0 - h, t0 + h);
  mechanism.constraints = {{"plane", rolling}};
  const Model model(mechanism);
  rolling.plane.angle = angle(t0, t0);
  mechanism.constraints = {{"plane", rolling}};
  const Model at_one_instant(mechanism);

  const MechanismSystem system(model, 1);
  const std::vector<RowMotion> motions = row_motions(MechanismSystem(at_one_instant, 1), t0, q, Vec::Zero(6));
  REQUIRE(motions.size() == 3);
  for (int row = 0; row < 3; ++row) {
    CAPTURE(row);
    Vec c_plus(6), c_minus(6), c(6), G_c(6), m_plus(3), m_minus(3), m(3);
    system.solve(t0 + h, q, Vec::Zero(6), Vec::Unit(3, row), c_plus, m_plus);
    system.solve(t0 - h, q, Vec::Zero(6), Vec::Unit(3, row), c_minus, m_minus);
    system.solve(t0, q, Vec::Zero(6), Vec::Unit(3, row), c, m);
    system.metric_times(t0, q, c, G_c);
    const double rate = (m_plus[row] - m_minus[row]) / (2 * h);
    CHECK(std::abs(rate) > 1e-3);
    CHECK(motions[row].inertia == doctest::Approx(m[row]).epsilon(1e-13));
    CHECK(motions[row].inertia_rate == doctest::Approx(rate).epsilon(1e-6));
    CHECK(motions[row].damping == doctest::Approx(-(c_plus - c_minus).dot(G_c) / (2 * h)).epsilon(1e-6));
  }
}

TEST_CASE("inertia, damping and stiffness of a row in SI units are the same for a mechanism of any size") {
  const auto motion = [](double size) {
    Mechanism mechanism;
    mechanism.bodies = {{"bob", 1.2, Mat3::Zero(), GroupProduct::direct, true}};
    mechanism.constraints = {{"rod", Distance{{world, {0., 0., 0.}}, {0}, size}}};
    PointSpring spring;
    spring.a = {world, size * Vec3(0.3, 0.5, 0.2)}, spring.b.body = 0;
    spring.stiffness = 7., spring.damping = 0.3, spring.rest_length = 0.4 * size;
    mechanism.forces = {{"spring", spring}};
    const Model model(mechanism);
    const Vec q = size * Vec3(0.6, 0, -0.8), v = size * Vec3(0.8, 0.3, 0.6);
    return row_motions(MechanismSystem(model, size), 0, q, v).at(0);
  };
  const RowMotion expected = motion(1);
  CHECK(expected.damping > 0.1);
  CHECK(expected.stiffness > 1);
  for (const double size : {1e-8, 1e-6, 1e-5, 1e-4, 1e-2, 100.}) {
    CAPTURE(size);
    const RowMotion found = motion(size);
    CHECK(found.inertia == doctest::Approx(expected.inertia).epsilon(1e-13));
    CHECK(found.damping == doctest::Approx(expected.damping).epsilon(2e-6));
    CHECK(found.stiffness == doctest::Approx(expected.stiffness).epsilon(2e-6));
  }
}

TEST_CASE("the residual of the accelerations of a body that cannot move is rounding") {
  Mechanism welded{{rod("body", 1, 3)},
                   {joint_at("weld", JointKind::fixed, world, {0.1, 0.2, 0.3}, 0, {-0.5, 0, 0})},
                   {weight({1, 2, -9})}};
  welded.joints[0].X_PF.R = SO3<>::exp(Vec3(0.3, 0.2, 0.7));
  const Model model(welded, Formulation::absolute);
  CHECK(sample_of(model, consistent_start(model, {})).invariants.acceleration_residual < 1e-14);
}
