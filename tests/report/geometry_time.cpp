#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "torsor/report/geometry_report.hpp"
#include "torsor/system/consistent_start.hpp"

using namespace torsor;

namespace {

Body link_body(const char* name, double mass, const Vec3& inertia) {
  return {.name = name, .mass = mass, .inertia = inertia.asDiagonal()};
}

SO3<> z_along(const Vec3& axis) {
  const Vec3 turn = Vec3::UnitZ().cross(axis);
  if (turn.norm() == 0) return SO3<>::identity();
  return SO3<>::exp(turn.normalized() * std::atan2(turn.norm(), axis.z()));
}

/// A Bennett linkage on a table that turns at a constant rate. Three of the rows of its four hinges are
/// redundant where the linkage is closed.
Mechanism bennett_on_table() {
  const std::array<Vec3, 4> places{Vec3::Zero(), Vec3(0.5403023058681398, 0.8414709848078965, 0),
                                   Vec3(-0.6879137970125562, 0.0930871532559182, 0.527923479900257),
                                   Vec3(-1.5320888862379562, 0, 0)};
  const std::array<Vec3, 4> axes{Vec3::UnitZ(),
                                 Vec3(0.540887122945246, -0.347299627697107, 0.766044443118978),
                                 Vec3(-0.344577579435729, 0.8486323991110267, 0.4013593688071535),
                                 Vec3(0, 0.9848077530122079, -0.1736481776669303)};
  Mechanism mechanism;
  mechanism.bodies = {link_body("table", 3, Vec3(1, 1, 1))};
  std::array<Vec3, 4> centres{Vec3::Zero()};
  for (int i = 0; i < 3; ++i) {
    mechanism.bodies.push_back(link_body(i == 0 ? "a" : i == 1 ? "b" : "c", 1, Vec3(0.1, 0.12, 0.15)));
    centres[i + 1] = (places[i] + places[i + 1]) / 2;
  }
  for (int i = 0; i < 4; ++i) {
    Joint hinge;
    hinge.kind = JointKind::revolute, hinge.parent = i, hinge.child = (i + 1) % 4;
    hinge.X_PF = {z_along(axes[i]), places[i] - centres[hinge.parent]};
    hinge.X_CM = {z_along(axes[i]), places[i] - centres[hinge.child]};
    mechanism.joints.push_back(hinge);
  }
  Joint axle;
  axle.kind = JointKind::revolute, axle.child = 0;
  axle.X_PF.R = axle.X_CM.R = z_along(Vec3(0.48, 0.6, 0.64));
  mechanism.joints.push_back(axle);
  JointCoupling drive;
  drive.terms = {{4, 0, 1}};
  drive.value = {[](double t) { return TimeFunction::Value{0.7 * t, 0.7, 0}; }, "0.7*t"};
  mechanism.constraints = {{"drive", drive}};
  return mechanism;
}

TimeReport time_report(Formulation formulation) {
  const Model model(bennett_on_table(), formulation);
  return geometry_report(model, 0, consistent_start(model, {})).time;
}

}  // namespace

TEST_CASE("S1 and S2 of an over-constrained linkage are the same in both formulations") {
  const TimeReport tree = time_report(Formulation::tree), absolute = time_report(Formulation::absolute);
  CHECK(tree.S1 > 0.05);
  CHECK(tree.S2 > 0.5);
  CHECK(std::abs(absolute.S1 / tree.S1 - 1) < 1e-7);
  CHECK(std::abs(absolute.S2 / tree.S2 - 1) < 1e-7);
}

TEST_CASE("S1 does not become small if bodies that nothing drives are heavy") {
  for (const double mass : {1., 1e12}) {
    CAPTURE(mass);
    Mechanism mechanism;
    mechanism.bodies = {link_body("bob", 1, Vec3(0.1, 0.1, 0.1))};
    for (int i = 0; i < 9; ++i) {
      mechanism.bodies.push_back(link_body("", mass, mass * Vec3::Ones()));
      mechanism.bodies.back().name = "heavy" + std::to_string(i);
    }
    const TimeFunction moves([](double t) { return TimeFunction::Value{0.7 * t, 0.7, 0}; }, "0.7*t");
    mechanism.constraints = {{"rod", Distance{{world, {moves, 0., 0.}}, {0, {}}, 1.}}};
    Start start;
    start.bodies.resize(mechanism.bodies.size());
    start.bodies[0].x = Vec3(0.6, 0, -0.8), start.bodies[0].R = SO3<>();
    const Model model(mechanism);
    const TimeReport time = geometry_report(model, 0, consistent_start(model, start)).time;
    CHECK(time.sampled);
    CHECK(time.S1 > 0.01);
  }
}
