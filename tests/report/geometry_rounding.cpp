// Quantities of a mechanism that vanish up to rounding are reported as 0.
#include <doctest/doctest.h>

#include "torsor/report/geometry_report.hpp"
#include "torsor/system/consistent_start.hpp"

using namespace torsor;

namespace {

Body body_of(const char* name, double mass, const Vec3& inertia, GroupProduct group = GroupProduct::direct) {
  Body body;
  body.name = name, body.mass = mass, body.inertia = inertia.asDiagonal(), body.group = group;
  return body;
}

GeometryReport start_report(const Mechanism& mechanism, const Start& start) {
  const Model model(mechanism, Formulation::tree);
  return geometry_report(model, 0, consistent_start(model, start, 0, Consistency::error));
}

/// Checks that N of the only body is 0 up to rounding, and that P N is 0. `size`: of the body, m.
void check_no_bending(const GeometryReport& report, double size) {
  REQUIRE(report.bending.size() == 1);
  CHECK(report.bending[0].linear.norm() < 1e-13 * size);
  CHECK(report.bending[0].angular.norm() < 1e-13);
  CHECK(report.bending_tangential == 0);
}

}  // namespace

TEST_CASE("a body whose motion is only rounding of the motion of others is at rest: no axis and no turn") {
  Mechanism mechanism;
  mechanism.bodies = {body_of("moves", 2, Vec3(1, 2, 2.5)), body_of("rests", 2, Vec3(1, 2, 2.5)),
                      body_of("slow", 2, Vec3(1, 2, 2.5))};
  Start start;
  start.bodies.resize(3);
  start.bodies[0].v_W = Vec3(3, 0, 0), start.bodies[0].Omega = Vec3(0, 2, 1);
  start.bodies[1].v_W = Vec3(1e-16, 0, 1e-17), start.bodies[1].Omega = Vec3(0, 3e-109, 1e-16);
  start.bodies[2].v_W = Vec3(1e-11, 0, 0), start.bodies[2].Omega = Vec3(0, 0, 1e-11);
  const GeometryReport report = start_report(mechanism, start);
  CHECK(report.screws[1].turn == 0);
  CHECK(report.screws[1].velocity == Vec3(0, 0, 0));
  CHECK(report.screws[1].direction == Vec3(0, 0, 0));
  CHECK(report.screws[2].turn == doctest::Approx(1e-11).epsilon(1e-12));
  CHECK(report.screws[2].velocity == Vec3(1e-11, 0, 0));
  REQUIRE(report.transport.size() == 2);
  CHECK(report.transport[0].body == 0);
  CHECK(report.transport[1].body == 2);
}

TEST_CASE("a body without joints that turns about a principal axis has N = 0 up to rounding, and P N = 0") {
  for (const GroupProduct group : {GroupProduct::direct, GroupProduct::semidirect})
    for (const double size : {1e-4, 1., 1e4})
      for (const double spin : {0.7, 1.1, 2.3}) {
        CAPTURE(size);
        CAPTURE(spin);
        Mechanism mechanism;
        mechanism.bodies = {body_of("ball", 2, size * size * Vec3(0.5, 0.6, 0.7), group)};
        Start start;
        BodyStart ball;
        ball.R = SO3<>::exp(Vec3(0.4, 0.3, 0.2));
        ball.v_W = size * Vec3(0.3, 0.4, 0.5), ball.Omega = Vec3(0, spin, 0);
        start.bodies = {ball};
        check_no_bending(start_report(mechanism, start), size);
        mechanism.bodies[0].inertia = size * size * Mat3::Identity();
        start.bodies[0].Omega = spin * Vec3(1, 0.6, -0.4);
        check_no_bending(start_report(mechanism, start), size);
      }
}
