#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "linkage.hpp"
#include "model/kkt.hpp"
#include "torsor/lie/status.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// The solver with the velocities of all bodies as unknowns.
KktSolver in_velocities(const Linkage& linkage) {
  KktGraph graph = linkage.graph;
  for (KktGraph::Constraint& constraint : graph.constraints) constraint.joint_of = -1;
  return KktSolver(graph);
}

struct Solution {
  Solution(KktSolver& solver, const Linkage& linkage) : x(6 * linkage.bodies()), y(linkage.rows()) {
    Sampler sample(4);
    const Vec r = sample.numbers(6 * linkage.bodies());
    const Linkage::LongVec any = sample.numbers(6 * linkage.bodies()).cast<long double>();
    const Vec s = linkage.rows_times(any).cast<double>();
    solver.factor(linkage.G.data(), linkage.A.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
    const Linkage::LongVec rest = linkage.metric_times(x.cast<long double>()) -
                                  linkage.reaction(y.cast<long double>()) - r.cast<long double>();
    residual = static_cast<double>(rest.norm());
    missed = static_cast<double>((linkage.rows_times(x.cast<long double>()) - s.cast<long double>()).norm());
  }
  Vec x, y;
  double residual, missed;  // of the two equations
};

/// A four-bar in a plane. Its coupler carries a chain of bodies, and its first bar a body on a ball joint.
Linkage with_branches() {
  Linkage out = n_fourbar(1, true);
  Sampler sample(1);
  int on = 1;
  for (int k = 0; k < 4; ++k) {
    const Vec3 joint(1, 1 + k, 0);
    const int body = sample.add_body(out, on, joint + Vec3(0, 0.5, 0), 0);
    k % 2 ? out.add_spherical(body, on, joint) : out.add_revolute(body, on, joint, sample.vector());
    on = body;
  }
  out.add_spherical(sample.add_body(out, 0, Vec3(-1, 0, 0), 0), 0, Vec3(0, 0.5, 0));
  return out;
}

/// Two links from the ground whose end is held in the directions x and y, at the angle d (rad) from their
/// stretched pose along x.
Linkage stretched(double d) {
  Linkage out;
  const Vec3 z(0, 0, 1), moments(0.1, 0.1, 0.1), knee(std::cos(d), std::sin(d), 0),
      end(2 * std::cos(d), 0, 0);
  out.add_body(-1, knee / 2, 1, moments, Mat3::Identity());
  out.add_revolute(0, -1, Vec3::Zero(), z);
  out.add_body(0, (knee + end) / 2, 1, moments, Mat3::Identity());
  out.add_revolute(1, 0, knee, z);
  out.add_joint(1, -1, end, Mat3::Identity().leftCols<2>(), Eigen::Matrix3Xd(3, 0));
  return out;
}

/// A body on an axle, with a second body on the same axle and a constraint between them. In the mass matrix
/// of the joint coordinates, the pivot of the first body is the difference of the inertia of both bodies and
/// that of the second.
Linkage coaxial(double mass_of_first) {
  Linkage out;
  const Vec3 z(0, 0, 1), moments(0.1, 0.1, 0.1);
  out.add_body(-1, Vec3::Zero(), mass_of_first, mass_of_first * moments, Mat3::Identity());
  out.add_revolute(0, -1, Vec3::Zero(), z);
  out.add_body(0, Vec3::Zero(), 1, moments, Mat3::Identity());
  out.add_revolute(1, 0, Vec3::Zero(), z);
  out.add_constraint({0, 1}, 1, Sampler(1).numbers(12));
  return out;
}

/// A heavy body on the axle of a light one, and a body on a second axle. Gears couple the three.
Linkage geared(double light) {
  Linkage out;
  const Vec3 z(0, 0, 1), moments(0.1, 0.1, 0.1);
  out.add_body(-1, Vec3::Zero(), light, light * moments, Mat3::Identity());
  out.add_revolute(0, -1, Vec3::Zero(), z);
  out.add_body(0, Vec3(-0.3, 0, 0), 1, moments, Mat3::Identity());
  out.add_revolute(1, 0, Vec3::Zero(), z);
  out.add_body(-1, Vec3(1.27, 0.42, 0), 1, moments, Mat3::Identity());
  out.add_revolute(2, -1, Vec3(1, 0, 0), z);
  const auto couple = [&out](int a, int b, double of_a, double of_b) {
    Vec row = Vec::Zero(12);
    row[5] = of_a, row[11] = of_b;
    out.add_constraint({a, b}, 1, row);
    out.graph.constraints.back().grounded = true;
  };
  couple(0, 1, 3, -2);
  out.graph.constraints.back().moves = {{1, 1}};
  couple(0, 2, 1, -1);
  out.graph.constraints.back().moves = {{0, 0}, {2, 2}};
  return out;
}

}  // namespace

TEST_CASE("gears on a light body do not enlarge the growth of their rows") {
  for (const double light : {1e-3, 1e-8, 1e-15}) {
    CAPTURE(light);
    const Linkage linkage = geared(light);
    KktSolver coordinates(linkage.graph), velocities = in_velocities(linkage);
    const Solution a(coordinates, linkage), b(velocities, linkage);
    CHECK(coordinates.redundant_rows() == 0);
    CHECK(coordinates.pivot_growth() < 100 * velocities.pivot_growth());
    CHECK(a.residual < 1e-12);
    CHECK(a.missed < 1e-12);
    CHECK(b.missed < 1e-12);
  }
}

TEST_CASE("a constraint that moves a body in a joint must come after this joint") {
  const Linkage linkage = geared(1);
  for (const int joint : {-1, static_cast<int>(linkage.graph.constraints.size()) - 1}) {
    KktGraph graph = linkage.graph;
    graph.constraints.back().moves = {{0, joint}};
    CHECK_THROWS_AS(KktSolver(std::move(graph)), std::invalid_argument);
  }
}

TEST_CASE("an inertia that is not positive definite is refused also in joint coordinates") {
  for (const double inertia : {-0.01, 0.}) {
    Linkage linkage = n_fourbar(1, true);
    linkage.G[21] = inertia;
    KktSolver solver(linkage.graph);
    CHECK_THROWS_AS(solver.factor(linkage.G.data(), linkage.A.data()), EvaluationError);
  }
}

TEST_CASE("joint coordinates and the velocities of bodies give the same solution, with the same rank") {
  for (const Linkage& linkage : {n_fourbar(5, true), n_fourbar(5, false), two_rails(3, true),
                                 two_rails(3, false), with_branches(), stretched(0.5)}) {
    KktSolver in_coordinates(linkage.graph), plain = in_velocities(linkage);
    const Solution one(in_coordinates, linkage), other(plain, linkage);
    CHECK(in_coordinates.uses_coordinates());
    CHECK(in_coordinates.factor_size() < plain.factor_size());
    CHECK(in_coordinates.redundant_rows() == plain.redundant_rows());
    CHECK((one.x - other.x).norm() < 1e-11 * other.x.norm());
    CHECK((one.y - other.y).norm() < 1e-10 * other.y.norm());
    CHECK(one.residual < 1e-11 * other.y.norm());
    CHECK(one.missed < 1e-11 * other.x.norm());
  }
}

TEST_CASE(
    "a light body between bodies on the same axis, and joints with dependent rows, do not have joint "
    "coordinates") {
  const Linkage light = coaxial(1e-10);
  KktSolver of_light(light.graph), plain_of_light = in_velocities(light);
  const Solution found(of_light, light), expected(plain_of_light, light);
  CHECK_FALSE(of_light.uses_coordinates());
  CHECK((found.x - expected.x).norm() < 1e-9 * expected.x.norm());
  Linkage twice = n_fourbar(1, true);
  std::copy_n(twice.A.begin(), 6, twice.A.begin() + 6);  // the second row of the first joint
  KktSolver solver(twice.graph), plain = in_velocities(twice);
  const Solution one(solver, twice), other(plain, twice);
  CHECK_FALSE(solver.uses_coordinates());
  CHECK(solver.redundant_rows() == plain.redundant_rows());
  CHECK(one.x == other.x);
}

TEST_CASE(
    "a row that vanishes at a stretched pose has a pivot growth like the inverse square of the distance") {
  const auto growth = [](double d, bool coordinates) {
    const Linkage linkage = stretched(d);
    KktSolver solver = coordinates ? KktSolver(linkage.graph) : in_velocities(linkage);
    solver.factor(linkage.G.data(), linkage.A.data());
    return solver.pivot_growth();
  };
  for (const double d : {1e-2, 1e-3, 1e-4, 1e-5}) {
    CAPTURE(d);
    CHECK(growth(d, true) * d * d == doctest::Approx(growth(1e-2, true) * 1e-4).epsilon(0.01));
    CHECK(growth(d, true) > 0.1 * growth(d, false));
    CHECK(growth(d, true) < 10 * growth(d, false));
  }
}
