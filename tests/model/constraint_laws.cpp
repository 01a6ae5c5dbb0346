#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "model/declared_joint.hpp"
#include "some_constraints.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {
namespace {

using test::Random;
using test::Rows;

constexpr double turn = 2 * std::numbers::pi;

/// Free bodies under the given constraints; a test sets the poses.
struct Free : Rows {
  Free(int bodies, const std::vector<Constraint>& laws, const std::vector<Joint>& joints = {})
      : Rows(mechanism(bodies, laws, joints)), x{identity_configuration(model), Vec::Zero(model.nv()), {}} {}
  static Mechanism mechanism(int bodies, const std::vector<Constraint>& laws,
                             const std::vector<Joint>& joints) {
    Mechanism out;
    for (int i = 0; i < bodies; ++i) out.bodies.push_back({"body" + std::to_string(i)});
    out.joints = joints, out.constraints = laws;
    return out;
  }
  void place(int body, const SE3<>& X_WB) { X_WB.to(x.q.data() + model.q_begin[model.link_of_body[body]]); }
  /// phi at t and at the present poses.
  Vec phi_at(double t) {
    evaluate(t, x);
    return phi();
  }
  std::string failure() {
    try {
      evaluate(0.5, x);
    } catch (const EvaluationError& error) {
      return std::string(to_string(error.status)) + ": " + error.what();
    }
    return "none";
  }

  State x;
};

SE3<> pose(const Vec3& p, const Vec3& rotation = Vec3::Zero()) { return {SO3<>::exp(rotation), p}; }

TEST_CASE("phi of points, lengths and angles follows the definition of the constraint") {
  const SE3<> at_0 = pose(Vec3(1, 2, 3), Vec3(0, 0, turn / 4)), at_1 = pose(Vec3(1, 5, 7));
  const MovingPoint a{0, {1., 0., 0.}}, b{1}, wall{world, {0., 0., test::wave(2, 1)}};  // a at (1, 3, 3)
  const double s = std::sin(0.3);
  Free rows(2, {{"distance", Distance{a, b, 4.}},
                {"line", PointOnLine{b, a, Vec3::UnitZ()}},
                {"plane", PointOnPlane{b, a, Vec3::UnitX(), 0.5}},
                {"driver", PointDriver{b, wall, {true, false, true}}},
                {"angle", ConstantAngle{0, 1, Vec3::UnitX(), Vec3(1, 1, 0), 0.5}}});
  rows.place(0, at_0), rows.place(1, at_1);
  const Vec phi = rows.phi_at(0.3);
  CHECK(phi[0] == doctest::Approx(std::sqrt(20.) - 4));
  CHECK(phi.segment<2>(1).norm() == doctest::Approx(2));  // distance from the vertical through a
  CHECK(phi[3] == doctest::Approx(1.5));                  // the x axis of body 0 points along y
  CHECK(phi[4] == doctest::Approx(1));
  CHECK(phi[5] == doctest::Approx(7 - (2 + s)));
  CHECK(phi[6] == doctest::Approx(turn / 8 - 0.5));
}

TEST_CASE("a homokinetic joint allows swing and excludes twist") {
  Random random(3);
  Free rows(1, {{"joint", ConstantVelocityJoint{world, 0}}});
  for (int i = 0; i < 10; ++i) {
    const double u = random.real(-1.5, 1.5), w = random.real(-1.5, 1.5);
    rows.place(0, pose(Vec3::Zero(), Vec3(u, w, 0)));
    CHECK(rows.phi_at(0).norm() < 1e-15);
    rows.place(0, pose(Vec3::Zero(), Vec3(u, w, 1e-3)));
    CHECK(rows.phi_at(0)[3] > 5e-4);
  }
}

Joint joint_to_ground(JointKind kind, int child) {
  Joint joint{"joint" + std::to_string(child), kind, world, child};
  joint.pitch = 0.2;
  return joint;
}

TEST_CASE("couplings count turns in both formulations") {
  const Mechanism gears =
      Free::mechanism(2, {{"gears", JointCoupling{{{0, 0, 2.}, {1, 0, 1.}}, 0.}}},
                      {joint_to_ground(JointKind::revolute, 0), joint_to_ground(JointKind::revolute, 1)});
  Rows tree(gears, Formulation::tree), absolute(gears);
  State x_tree{Vec::Zero(2), Vec::Zero(2), {}};
  State x{identity_configuration(absolute.model), Vec::Zero(12), {}};
  for (double angle = 0; angle < 20; angle += 0.5) {
    for (const int body : {0, 1}) {
      const double q = body == 0 ? angle : 0.01 - 2 * angle;
      x_tree.q[tree.model.q_begin[tree.model.link_of_body[body]]] = q;
      pose(Vec3::Zero(), Vec3(0, 0, q)).to(&x.q[absolute.model.q_begin[absolute.model.link_of_body[body]]]);
    }
    tree.evaluate(0, x_tree), absolute.evaluate(0, x);
    for (const int joint : {0, 1})  // as if a step to this state were accepted
      absolute.work.last_angle[joint][0] =
          declared_motion(absolute.model, joint, x.q, x.v, absolute.work).q[0];
    CHECK(tree.values.phi.back() == doctest::Approx(0.01));
    CHECK(absolute.values.phi.back() == doctest::Approx(0.01));
  }
}

TEST_CASE("a driven coordinate counts all turns, and a helical joint counts turns by its rise") {
  const TimeFunction law([](double t) { return TimeFunction::Value{9 * t, 9, 0}; }, "9 t");
  Free driven(1, {{"driver", JointCoupling{{{0, 0, -0.5}}, law}}}, {joint_to_ground(JointKind::revolute, 0)});
  for (const double t : {0., 3., -7.}) {
    driven.place(0, pose(Vec3::Zero(), Vec3(0, 0, -18 * t - 0.1)));
    CHECK(driven.phi_at(t)[5] == doctest::Approx(0.05));
  }
  Free helix(1, {{"driver", JointCoupling{{{0, 0, 1}}, law}}}, {joint_to_ground(JointKind::helical, 0)});
  for (const double angle : {0.3, 5., -40.}) {
    helix.place(0, pose(Vec3(0, 0, 0.2 * angle), Vec3(0, 0, angle)));
    const Vec phi = helix.phi_at(0);
    CHECK(phi.head<5>().norm() < 1e-13);
    CHECK(phi[5] == doctest::Approx(angle));
  }
}

/// The least height above the plane z = 0 of the points of a surface after the rotation R about the origin.
template <class Surface>
double least_height(const SO3<>& R, const Surface& surface) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 400; ++i)
    for (int j = 0; j < 400; ++j) least = std::min(least, (R * surface(turn * i / 400, turn * j / 400))[2]);
  return least;
}

TEST_CASE("the gap of a rolling body is the height of its lowest point") {
  Random random(7);
  const MovingPlane floor{{0., 0., -1.}};
  const Vec3 axes(0.4, 0.7, 0.5), centre(0.1, 0.2, 0.3);
  Free rows(1, {{"sphere", Rolling{0, centre, RollingSphere{0.6}, floor, false}},
                {"torus", Rolling{0, centre, RollingDisk{Vec3::UnitX(), 0.6, 0.1}, floor, false}},
                {"ellipsoid", Rolling{0, centre, RollingEllipsoid{axes}, floor, false}}});
  const auto sphere = [](double u, double w) {
    return Vec3(std::cos(u) * std::cos(w), std::cos(u) * std::sin(w), std::sin(u));
  };
  const auto ball = [&](double u, double w) { return Vec3(centre + 0.6 * sphere(u, w)); };
  const auto ellipsoid = [&](double u, double w) { return Vec3(centre + axes.cwiseProduct(sphere(u, w))); };
  const auto torus = [&](double u, double w) {
    const Vec3 radial(0, std::cos(u), std::sin(u));
    return Vec3(centre + (0.6 + 0.1 * std::cos(w)) * radial + 0.1 * std::sin(w) * Vec3::UnitX());
  };
  for (int i = 0; i < 3; ++i) {
    const SE3<> at = pose(random.vector(), random.vector(2));
    rows.place(0, at);
    const Vec phi = rows.phi_at(0);
    CHECK(phi[0] == doctest::Approx(at.p[2] + 1 + least_height(at.R, ball)).epsilon(1e-4));
    CHECK(phi[3] == doctest::Approx(at.p[2] + 1 + least_height(at.R, torus)).epsilon(1e-4));
    CHECK(phi[6] == doctest::Approx(at.p[2] + 1 + least_height(at.R, ellipsoid)).epsilon(1e-4));
  }
}

TEST_CASE(
    "a wheel that rolls does not slip on the ground, and slips on a turntable at the speed of the table") {
  const double radius = 0.5, spin = 3;
  const MovingPlane table{{0., 0., 0.},
                          Vec3::UnitZ(),
                          Vec3::UnitZ(),
                          TimeFunction(
                              [](double t) {
                                return TimeFunction::Value{2 * t, 2, 0};
                              },
                              "2 t")};
  const RollingDisk wheel{Vec3::UnitY(), radius};
  Free rows(1, {{"ground", Rolling{0, Vec3::Zero(), wheel, {}, true}},
                {"table", Rolling{0, Vec3::Zero(), wheel, table, false}}});
  rows.place(0, pose(Vec3(0.2, 0.7, radius), Vec3(0, 1.1, 0)));
  rows.x.v << radius * spin, 0, 0, 0, spin, 0;
  rows.evaluate(0.4, rows.x);
  CHECK(rows.phi().norm() < 1e-15);
  CHECK(rows.velocity().head<4>().norm() < 1e-14);
  CHECK(rows.velocity().tail<2>().norm() == doctest::Approx(2 * std::hypot(0.2, 0.7)));
}

TEST_CASE("a turntable makes slip rows rheonomic; a tilting table makes all its rows rheonomic") {
  const RollingDisk wheel{Vec3::UnitY(), 0.5};
  for (const bool tilts : {false, true}) {
    MovingPlane table;
    table.axis = tilts ? Vec3(0, 1, 1).normalized() : Vec3::UnitZ();
    table.angle = {[](double t) { return TimeFunction::Value{2 * t, 2, 0}; }, "2 t"};
    Free rows(1, {{"table", Rolling{0, Vec3::Zero(), wheel, table, true}}});
    rows.place(0, pose(Vec3(0.2, 0.7, 0.6), Vec3(0.1, 0.2, 0.3)));
    rows.x.v.setZero();
    rows.evaluate(0.4, rows.x);
    const auto& told = rows.constraints.rows();
    for (int row = 0; row < rows.constraints.size(); ++row) {
      const bool slip = row == 1 || row == 2;
      CHECK(told[static_cast<std::size_t>(row)].rheonomic == (slip || tilts));
      if (!slip) CHECK((std::abs(rows.a0()[row]) > 1e-3) == tilts);
    }
  }
}

TEST_CASE("rows state their kind, level and time dependence, and have names") {
  Random random(9);
  Mechanism mechanism = test::constrained_bodies(random);
  mechanism.joints[0].name.clear(), mechanism.constraints[0].name.clear();
  const Rows rows(mechanism);
  const auto text = [&](std::size_t index) {
    const auto& item = rows.constraints.items()[index];
    std::string out = item.name + ":";
    for (int i = item.row_begin; i < item.row_begin + item.rows; ++i) {
      const auto& row = rows.constraints.rows()[i];
      out += std::string(" ") + "ftm"[static_cast<int>(row.kind)] + (row.holonomic ? "" : "v") +
             (row.rheonomic ? "t" : "");
    }
    return out;
  };
  CHECK(text(0) == "joint 1: f f f t t");
  CHECK(text(1) == "joint2: f f t t");
  CHECK(text(4) == "joint5: f f t t f");
  CHECK(text(5) == "constraint 1: ft");
  CHECK(text(6) == "rod: ft");
  CHECK(text(13) == "constant velocity: f f f t");
  CHECK(text(14) == "coupling: mt");
  CHECK(text(15) == "velocities: mvt");
  CHECK(text(18) == "upright torus: ft fvt fvt tt");
  CHECK(text(20) == "user: mvt mvt");

  const auto names = [&](std::size_t index) {
    const auto& item = rows.constraints.items()[index];
    std::string out;
    for (int i = 0; i < item.rows; ++i) out += rows.constraints.rows()[item.row_begin + i].what + "; ";
    return out;
  };
  CHECK(names(0) == "position x; position y; position z; turn about x; turn about y; ");
  CHECK(names(3) == "position z; turn about x; turn about y; ");
  CHECK(names(4) == "position x; position y; turn about x; turn about y; rise; ");
  CHECK(names(10) == "position x; position z; ");
  CHECK(names(18) == "gap; slip 1; slip 2; upright; ");
  CHECK(names(20) == "row 1; row 2; ");
}

TEST_CASE("constraints whose direction is undefined fail as singular") {
  CHECK(Free(2, {{"rod", Distance{{0}, {1}, 1.}}}).failure() ==
        "singular: constraint \"rod\": the two points coincide at t = 0.5");
  CHECK(Free(2, {{"", ConstantAngle{0, 1, Vec3::UnitX(), Vec3::UnitX(), 1.}}}).failure() ==
        "singular: constraint 1: the two directions are parallel at t = 0.5");
  CHECK(Free(1, {{"coin", Rolling{0, Vec3::Zero(), RollingDisk{Vec3::UnitZ()}, {}, false}}}).failure() ==
        "singular: constraint \"coin\": the disk lies flat at t = 0.5");
}

TEST_CASE("errors of a user's function name the constraint and the time") {
  const auto failure = [](const auto& function) {
    return Free(1, {{"mine", UserConstraint{{0}, 2, true, function}}}).failure();
  };
  using Bodies = const std::vector<BodyKinematics>&;
  CHECK(failure([](double, Bodies, UserRows&) { throw 5; }) ==
        "callback-failed: constraint \"mine\" threw an object that is not an exception at t = 0.5");
  CHECK(failure([](double, Bodies, UserRows&) { throw std::runtime_error("no"); }) ==
        "callback-failed: constraint \"mine\": no at t = 0.5");
  CHECK(failure([](double, Bodies, UserRows& out) { out.rate[1] = std::nan(""); }) ==
        "callback-failed: constraint \"mine\": the function returned a number that is not finite at t = 0.5");
  CHECK(
      failure([](double, Bodies, UserRows& out) { out.offset.resize(1); }) ==
      "callback-failed: constraint \"mine\": the function returned offset of size 1 instead of 2 at t = 0.5");
  CHECK(failure([](double, Bodies, UserRows&) {}) == "none");

  const TimeFunction broken([](double) { return TimeFunction::Value{std::nan(""), 0, 0}; }, "0 / 0");
  CHECK(Free(1, {{"rod", Distance{{world, {1., 0., 0.}}, {0}, broken}}}).failure() ==
        "non-finite: constraint \"rod\" is not finite at t = 0.5");
  const TimeFunction throwing([](double) -> TimeFunction::Value { throw std::runtime_error("log of -1"); },
                              "");
  CHECK(Free(1, {{"rod", Distance{{world, {1., 0., 0.}}, {0}, throwing}}}).failure() ==
        "callback-failed: constraint \"rod\": log of -1 at t = 0.5");
}

}  // namespace
}  // namespace torsor
