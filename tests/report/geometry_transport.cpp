#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "system/constrained.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/follow.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/report/geometry_report.hpp"

using namespace torsor;
using namespace torsor::geometry;
using namespace torsor::test;

namespace {

using std::numbers::pi;
constexpr double body_mass = 2;
const Vec3 Omega(0.7, -1.1, 0.4);
const SO3<> R = SO3<>::exp(Vec3(0.4, 1, -0.3));

Mat3 full_inertia() {
  Mat3 J;
  J << 2.1, 0.3, -0.2, 0.3, 3.2, 0.5, -0.2, 0.5, 4.1;
  return J;
}

Mechanism free_body(const Mat3& J, GroupProduct group = GroupProduct::direct) {
  Mechanism mechanism;
  Body body;
  body.name = "body", body.mass = body_mass, body.inertia = J, body.group = group;
  mechanism.bodies = {body};
  return mechanism;
}

GeometryReport report_of(const Mechanism& mechanism, const Vec3& turn = Omega,
                         Formulation formulation = Formulation::tree) {
  const Model model(mechanism, formulation);
  Start start;
  start.bodies.resize(mechanism.bodies.size());
  BodyStart& body = start.bodies.front();
  if (!mechanism.bodies.front().particle) body.R = R, body.Omega = turn;
  return geometry_report(model, 0, consistent_start(model, start, 0, Consistency::error));
}

/// The matrix of parallel transport by the Christoffel connection of a metric on a group along exp(t n).
template <LieGroup G>
Matrix<double, G::dof> around(const Matrix<double, G::dof>& metric, const typename G::Tangent& n, double t) {
  const auto Gamma = christoffel(LeftInvariantFrame<G>(), Constant{metric});
  const auto curve = [&](double s) { return CurvePoint{G::exp(typename G::Tangent(s * n)), n}; };
  Matrix<double, G::dof> H;
  for (int i = 0; i < G::dof; ++i)
    H.col(i) = parallel_transport(Gamma, curve, Vector<double, G::dof>(Vector<double, G::dof>::Unit(i)), t);
  return H;
}

/// Checks that H rotates by the reported angle in some metric and keeps the reported direction.
void check_turn(const Mat3& H, const TransportReport& turn) {
  CHECK(std::abs(H.trace() - 1 - 2 * std::cos(turn.christoffel)) < 1e-10);
  const Vec3 kept = R.inverse() * turn.kept;
  CHECK(kept.norm() == doctest::Approx(1));
  CHECK((H * kept - kept).norm() < 1e-10);
}

}  // namespace

TEST_CASE(
    "one turn of a free body: the reported Christoffel transport agrees with integration on both products") {
  const Mat3 J = full_inertia();
  const auto G = rigid_body_inertia<double>(body_mass, Vec3::Zero(), J);
  Vector<double, 6> n;
  n << 0.5, -0.3, 0.8, Omega;
  for (const GroupProduct group : {GroupProduct::direct, GroupProduct::semidirect}) {
    const GeometryReport report = report_of(free_body(J, group));
    REQUIRE(report.transport.size() == 1);
    const TransportReport& turn = report.transport.front();
    CHECK(turn.duration == doctest::Approx(2 * pi / Omega.norm()));
    const Matrix<double, 6> H = group == GroupProduct::direct ? around<RigidBodyDirect<>>(G, n, turn.duration)
                                                              : around<SE3<>>(G, n, turn.duration);
    check_turn(H.bottomRightCorner<3, 3>(), turn);
    CHECK(H.bottomLeftCorner<3, 3>().norm() < 1e-10);  // translations do not become rotations
  }
}

TEST_CASE(
    "one turn about a pivot: transport uses the inertia about the pivot, whatever the frames of the joint") {
  const Vec3 arm(0.1, -0.2, 0.5);
  Mechanism top = free_body(full_inertia());
  top.joints = {joint_at("pivot", JointKind::spherical, world, Vec3::Zero(), 0, -arm)};
  top.joints[0].X_PF.R = SO3<>::exp(Vec3(-0.5, 0.2, 0.9)),
  top.joints[0].X_CM.R = SO3<>::exp(Vec3(1, 0.3, -0.6));
  const GeometryReport report = report_of(top);
  REQUIRE(report.transport.size() == 1);
  const TransportReport& turn = report.transport.front();
  const Mat3 about_pivot =
      full_inertia() + body_mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  check_turn(around<SO3<>>(about_pivot, Omega, turn.duration), turn);
}

TEST_CASE(
    "about an axis of symmetry Christoffel's angle is 2 pi (1 - J/2I): that of (-) for a disk, of (0) for a "
    "ball, of (+) for a rod") {
  for (const double ratio : {2., 1.5, 1., 0.4, 1e-3}) {
    CAPTURE(ratio);
    const Vec3 moments(1, 1, ratio);
    const GeometryReport report = report_of(free_body(moments.asDiagonal()), Vec3(0, 0, 3));
    CHECK(report.transport.at(0).christoffel == doctest::Approx(2 * pi * (1 - ratio / 2)).epsilon(1e-12));
    if (ratio < 2) CHECK((report.transport[0].kept - R * Vec3(0, 0, 1)).norm() < 1e-12);
  }
}

TEST_CASE(
    "after one turn, (-) and (+) transport returns every vector, (0) reverses those normal to the axis") {
  const double T = 2 * pi / Omega.norm();
  const Vec3 u(0.3, 0.9, -0.5), axis = Omega.normalized();
  const auto back = [&](Canonical member) {
    return Vec3(transport_along_autoparallel<SO3<>>(member, Omega, T, u));
  };
  CHECK((back(Canonical::minus) - u).norm() < 1e-14);
  CHECK((back(Canonical::plus) - u).norm() < 1e-14);
  CHECK((back(Canonical::zero) - (2 * axis.dot(u) * axis - u)).norm() < 1e-14);
}

TEST_CASE(
    "a body on a hinge or without rotation has no transport, and rotation by rounding alone has no screw "
    "axis") {
  Start start;
  start.bodies.resize(1);
  start.bodies[0].v_W = Vec3(2, 0, 0), start.bodies[0].Omega = Vec3(0, 1e-14, 0);
  const Model model(free_body(full_inertia()));
  const GeometryReport flight =
      geometry_report(model, 0, consistent_start(model, start, 0, Consistency::error));
  CHECK(flight.transport.empty());
  CHECK(flight.screws[0].turn == 0);
  CHECK(flight.screws[0].direction == Vec3(1, 0, 0));
  CHECK(report_of(free_body(full_inertia()), Vec3::Zero()).transport.empty());
  Mechanism hinge = free_body(full_inertia());
  hinge.joints = {joint_at("hinge", JointKind::revolute, world, Vec3::Zero(), 0, Vec3::Zero())};
  hinge.joints[0].X_PF.R = R;
  CHECK(report_of(hinge, Vec3(0, 0, 2)).transport.empty());
  Mechanism point = free_body(full_inertia());
  point.bodies[0].particle = true;
  CHECK(report_of(point).transport.empty());
}

TEST_CASE(
    "the report states the exponentials in use: of the body's group, or of the joints down to the ground") {
  const auto of = [](const Mechanism& mechanism, Formulation formulation = Formulation::tree) {
    return report_of(mechanism, Vec3::Zero(), formulation).screws.back().in_use;
  };
  CHECK(of(free_body(full_inertia())) == "line");
  CHECK(of(free_body(full_inertia(), GroupProduct::semidirect)) == "screw");
  Mechanism point = free_body(full_inertia());
  point.bodies[0].particle = true;
  CHECK(of(point) == "line");
  const auto chain = [](JointKind kind, int length) {
    Mechanism mechanism;
    for (int i = 0; i < length; ++i) {
      mechanism.bodies.push_back(rod("rod" + std::to_string(i), 1, 1));
      mechanism.joints.push_back(joint_at("joint" + std::to_string(i), i == 0 ? kind : JointKind::spherical,
                                          i - 1, Vec3(i == 0 ? 0 : 0.5, 0, 0), i, Vec3(-0.5, 0, 0)));
      if (i == 0) mechanism.joints[0].X_PF.R = R;
    }
    return mechanism;
  };
  CHECK(of(chain(JointKind::revolute, 1)) == "exp of SO(2)");
  CHECK(of(chain(JointKind::spherical, 1)) == "exp of SO(3)");
  CHECK(of(chain(JointKind::revolute, 1), Formulation::absolute) == "line");
  CHECK(of(chain(JointKind::fixed, 1)) == "rest");
  CHECK(of(chain(JointKind::fixed, 2)) == "exp of SO(3)");
  CHECK(of(chain(JointKind::universal, 3)) == "exp of SO(2) x SO(2), SO(3), SO(3)");
  CHECK(of(chain(JointKind::revolute, 5)) == "exp of 5 joints");
  // A point off the origin of the group does not move on a line.
  CHECK(of(chain(JointKind::free, 1)) == "exp of R^3 x SO(3)");
}
