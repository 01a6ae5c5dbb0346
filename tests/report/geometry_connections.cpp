#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "support/greatest.hpp"
#include "system/constrained.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/report/geometry_report.hpp"

using namespace torsor;
using namespace torsor::geometry;
using namespace torsor::test;

namespace {

constexpr double mass = 2, arm = 0.5;
const Vec3 about_pivot(2, 3, 4), about_centre(1.5, 2.5, 4);  // m arm^2 = 0.5

Mechanism top() {
  Mechanism mechanism;
  Body body;
  body.name = "top", body.mass = mass, body.inertia = about_centre.asDiagonal();
  mechanism.bodies = {body};
  mechanism.joints = {joint_at("pivot", JointKind::spherical, world, Vec3::Zero(), 0, Vec3(0, 0, -arm))};
  mechanism.forces = {weight({0, 0, -9.81})};
  return mechanism;
}

GeometryReport report_of(const Mechanism& mechanism, const char* method) {
  const Model model(mechanism);
  State x = consistent_start(model, Start(), 0, Consistency::error);
  for (Eigen::Index i = 0; i < x.v.size(); ++i) x.v[i] = 1.5 + std::sin(3. * static_cast<double>(i));
  SimulationOptions options;
  options.method = method, options.step = 1e-3;
  return geometry_report(model, 0, x, options);
}

/// Three rods on ball joints, in a bent configuration.
struct Chain {
  Mechanism mechanism;
  Vec q;

  explicit Chain(GroupProduct group) {
    for (int i = 0; i < 3; ++i) {
      mechanism.bodies.push_back(rod("rod" + std::to_string(i), 1, 1));
      mechanism.bodies.back().inertia = Vec3(0.05, 0.1, 0.12).asDiagonal();
      mechanism.bodies.back().group = group;
      mechanism.joints.push_back(joint_at("joint" + std::to_string(i), JointKind::spherical, i - 1,
                                          i == 0 ? Vec3(0, 0, 0) : Vec3(0.5, 0, 0), i, Vec3(-0.5, 0.1, 0)));
    }
    const Model model(mechanism);
    q = Vec::Zero(model.nq());
    Vec turn(model.nv());
    for (int i = 0; i < model.size(); ++i) q[model.q_begin[i] + 3] = 1;
    for (Eigen::Index i = 0; i < turn.size(); ++i) turn[i] = 0.5 * std::sin(2. * static_cast<double>(i) + 1);
    TreeSystem(model, 1).retract(q, turn, q);
  }
  ConstrainedCompatibility of(Canonical member) const {
    const Model model(mechanism);
    const MechanismSystem system(model, 1);
    return constrained_compatibility(system, 0, q, member);
  }
};

}  // namespace

TEST_CASE("geodesic steps use Christoffel's connection of the inertia about the pivot") {
  const GeometryReport report = report_of(top(), "geodesic-verlet");
  REQUIRE(report.connections.size() == 1);
  const ConnectionReport& connection = report.connections[0];
  CHECK(connection.group == "SO(3)");
  CHECK(connection.connection == StepConnection::christoffel);
  CHECK(connection.torsion.name.empty());
  CHECK(connection.non_metricity.name.empty());
  CHECK(connection.metric);
  CHECK(connection.weak == 0);
  CHECK(connection.strong == 0);
  // R(1, 2, 2, 1) of principal inertias, and its permutations; for (2, 3, 4) in this order it is 0.21875.
  double I[] = {2, 3, 4}, most = 0;
  do {
    const auto [a, b, c] = I;
    const double R = (a - b + c) * (-a + b + c) / (4 * c * a) - (a + b - c) / (2 * a);
    most = greatest(most, R);
  } while (std::next_permutation(I, I + 3));
  CHECK(std::abs(connection.curvature.value) == doctest::Approx(most).epsilon(1e-13));
  // Omega' = -I^-1 (Omega x I Omega): the velocity along the geodesic does not stay on the axis.
  const Vec3 Omega = report.screws[0].turn * report.screws[0].direction;  // world axes are body axes
  const Vec3 along = -Omega.cross(about_pivot.cwiseProduct(Omega)).cwiseQuotient(about_pivot);
  REQUIRE(along.norm() > 0.1);
  CHECK((report.screws[0].Omega_dot - along).norm() < 1e-12 * along.norm());
}

TEST_CASE("exponential steps use the canonical connection of the joint's group, with the same metric") {
  const GeometryReport report = report_of(top(), "rkmk4");
  REQUIRE(report.connections.size() == 1);
  const ConnectionReport& connection = report.connections[0];
  CHECK_FALSE(report.geodesics());
  CHECK(connection.group == "SO(3)");
  CHECK(connection.connection == StepConnection::canonical_plus);
  CHECK(std::abs(connection.torsion.value) == 1);
  CHECK(connection.curvature.name.empty());
  CHECK(std::abs(connection.non_metricity.value) == doctest::Approx(4 - 2));
  CHECK(connection.weak < 1e-15);
  CHECK(connection.strong > 0.1);
  // Bodies on moving bodies are reported with their own groups, because the mass matrix on the groups of
  // the joints is not constant.
  const GeometryReport chain = report_of(Chain(GroupProduct::semidirect).mechanism, "rkmk4");
  REQUIRE(chain.connections.size() == 3);
  CHECK(chain.connections[2].group == "SE(3)");
}

TEST_CASE("the canonical connection that the options name is reported; only (+) gives the motion of a top") {
  const auto report_with = [](const Mechanism& mechanism, StepConnection wanted) {
    const Model model(mechanism);
    State x = consistent_start(model, Start(), 0, Consistency::error);
    SimulationOptions options;
    options.method = "rkmk4", options.step = 1e-3, options.connection = wanted;
    const GeometryReport report = geometry_report(model, 0, x, options);
    CHECK(report.connection == wanted);
    REQUIRE(report.connections.size() == 1);
    CHECK(report.connections[0].connection == wanted);
    return report;
  };
  Mechanism ball = top();
  ball.joints.clear(), ball.forces.clear();
  ball.bodies[0].inertia = 0.4 * Mat3::Identity();
  for (const auto& [wanted, torsion, curvature] : {std::tuple(StepConnection::canonical_minus, -1., 0.),
                                                   std::tuple(StepConnection::canonical_zero, 0., 0.25),
                                                   std::tuple(StepConnection::canonical_plus, 1., 0.)}) {
    CAPTURE(to_string(wanted));
    const bool right = wanted == StepConnection::canonical_plus;
    const GeometryReport of_top = report_with(top(), wanted), of_ball = report_with(ball, wanted);
    const ConnectionReport& connection = of_top.connections[0];
    CHECK(connection.torsion.value == torsion);
    CHECK(std::abs(connection.curvature.value) == curvature);  // -[[e_1, e_2], e_1] / 4 = -e_2 / 4
    CHECK(connection.gives_motion() == right);
    CHECK((of_top.compatibility.weak < 1e-13) == right);
    CHECK(of_ball.connections[0].gives_motion());
    CHECK(of_ball.compatibility.weak < 1e-14);
  }
}

TEST_CASE("bodies that are not joined to each other have the same geometry together as each alone") {
  Mechanism slider = top(), body = top();
  slider.joints[0].kind = JointKind::prismatic, slider.bodies[0].name = "slider";
  body.joints.clear(), body.bodies[0].name = "free", body.bodies[0].inertia = Vec3(1, 2, 2.5).asDiagonal();
  Mechanism all = top();
  all.bodies.insert(all.bodies.end(), {slider.bodies[0], body.bodies[0]});
  all.joints.push_back(slider.joints[0]);
  all.joints[1].name = "slide", all.joints[1].child = 1;
  const GeometryReport together = report_of(all, "rkmk4");
  REQUIRE(together.connections.size() == 3);
  for (const ConnectionReport& connection : together.connections) {
    const Mechanism own = connection.body == 0 ? top() : connection.body == 1 ? slider : body;
    const ConnectionReport alone = report_of(own, "rkmk4").connections.at(0);
    CAPTURE(connection.group);
    CHECK(connection.group == alone.group);
    CHECK(connection.torsion.value == alone.torsion.value);
    CHECK(connection.non_metricity.value == alone.non_metricity.value);
    CHECK(connection.strong == alone.strong);
    CHECK(connection.rotations.has_value() == alone.rotations.has_value());
    if (alone.rotations) CHECK(connection.rotations->multiple == alone.rotations->multiple);
  }
}

TEST_CASE("the metric of rotations of a top is compared with -B/2, about the pivot") {
  for (const char* method : {"rkmk4", "geodesic-verlet"}) {
    const GeometryReport report = report_of(top(), method);
    const auto& rotations = report.connections.at(0).rotations;
    REQUIRE(rotations);
    CHECK(rotations->multiple == doctest::Approx(3).epsilon(1e-13));
    CHECK(rotations->distance == doctest::Approx(std::sqrt(2. / 29)).epsilon(1e-13));
    // The greatest difference is (I3 - I1) / (2 I2) = 1/3, the greatest affinity is (I3 + I2 - I1) / (2 I2) =
    // 5/6.
    CHECK(rotations->zero == doctest::Approx(0.4).epsilon(1e-13));
    CHECK_FALSE(rotations->zero_is_levi_civita());
  }
}

TEST_CASE("the canonical (0) connection is the Levi-Civita connection of a ball in the direct product only") {
  for (const GroupProduct group : {GroupProduct::direct, GroupProduct::semidirect}) {
    Mechanism mechanism;
    mechanism.bodies = {Body{"ball"}, Body{"point"}};
    mechanism.bodies[0].inertia = 0.4 * Mat3::Identity(), mechanism.bodies[0].group = group;
    mechanism.bodies[1].particle = true;
    const GeometryReport report = report_of(mechanism, "rkmk4");
    const auto& ball = report.connections.at(0).rotations;
    REQUIRE(ball);
    CHECK(ball->multiple == doctest::Approx(0.4).epsilon(1e-14));
    CHECK(ball->distance < 1e-14);
    CHECK(ball->zero_is_levi_civita() == (group == GroupProduct::direct));
    CHECK(ball->zero_is_levi_civita() == report.connections[0].metric);
    CHECK_FALSE(report.connections.at(1).rotations);
  }
}

TEST_CASE("under joints (+) is weakly compatible in all allowed directions, (0) and (-) are not") {
  for (const GroupProduct group : {GroupProduct::direct, GroupProduct::semidirect}) {
    const Chain chain(group);
    const auto right = chain.of(Canonical::plus);
    CHECK(right.directions == 9);
    CHECK_FALSE(right.sampled);
    CHECK(right.weak < 1e-14);
    CHECK(right.strong > 0.01);
    for (const Canonical wrong : {Canonical::zero, Canonical::minus}) CHECK(chain.of(wrong).weak > 0.01);
  }
}

TEST_CASE("the residuals under joints agree with dense tensors over the same directions") {
  const Model model(top());
  const MechanismSystem system(model, 1);
  const Vec q = consistent_start(model, Start(), 0, Consistency::error).q;
  const auto connection = canonical_connection<SO3<>>(Canonical::zero);
  const Constant<Mat3> J{about_centre.asDiagonal().toDenseMatrix()};
  const auto Gamma = christoffel(connection.frame, J).affinities(SO3<>());
  const auto L = connection.affinities(SO3<>());
  const auto W = weak_residual(L, Gamma, J.value);
  double weak = 0, strong = 0;  // over unit rotations about the pivot
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double unit = std::sqrt(about_pivot[a] * about_pivot[i] * about_pivot[j]);
        weak = greatest(weak, W(a, i, j) / unit);
        strong = greatest(strong, about_centre[j] * (L(j, i, a) - Gamma(j, i, a)) / unit);
      }
  const auto found = constrained_compatibility(system, 0, q, Canonical::zero);
  CHECK(found.weak / found.strong == doctest::Approx(weak / strong).epsilon(1e-12));
}

TEST_CASE("every canonical connection gives the motion where joints allow one principal rotation only") {
  FourBar bars(0.3, 1.0, 0.8, 1.1, 0.7);
  const Model planar(bars.mechanism);
  const State x = consistent_start(planar, bars.start, 0, Consistency::error);
  const MechanismSystem system(planar, 1);
  for (const Canonical member : {Canonical::plus, Canonical::zero, Canonical::minus}) {
    const auto found = constrained_compatibility(system, 0, x.q, member);
    CHECK(found.directions == 1);
    CHECK(found.weak < 1e-13);
  }
  Mechanism loose;
  loose.bodies = {bars.mechanism.bodies[0]};
  const Model free(loose);
  const MechanismSystem bodies(free, 1);
  const Vec q = consistent_start(free, Start(), 0, Consistency::error).q;
  CHECK(constrained_compatibility(bodies, 0, q, Canonical::plus).weak < 1e-14);
  CHECK(constrained_compatibility(bodies, 0, q, Canonical::minus).weak > 0.01);
}

TEST_CASE("four sampled directions decide weak compatibility where there are many velocities") {
  Mechanism mechanism;
  for (int i = 0; i < 25; ++i) {
    mechanism.bodies.push_back(rod("rod" + std::to_string(i), 1, 1));
    mechanism.joints.push_back(joint_at("joint" + std::to_string(i), JointKind::spherical, i - 1,
                                        i == 0 ? Vec3(0, 0, 0) : Vec3(0.5, 0, 0), i, Vec3(-0.5, 0, 0)));
  }
  const Model model(mechanism);
  const MechanismSystem system(model, 1);
  Vec q = Vec::Zero(model.nq());
  for (int i = 0; i < model.size(); ++i) q[model.q_begin[i] + 3] = 1;
  const auto right = constrained_compatibility(system, 0, q),
             wrong = constrained_compatibility(system, 0, q, Canonical::minus);
  CHECK(right.sampled);
  CHECK(right.directions == 4);
  CHECK(right.weak < 1e-13);
  CHECK(wrong.weak > 1e-3);
}

TEST_CASE("heavy bodies for which a connection is right do not hide a light one for which it is wrong") {
  for (const double mass : {1., 1e6, 1e12}) {
    CAPTURE(mass);
    Mechanism mechanism;
    mechanism.bodies = {rod("light", 1, 1)};
    for (int i = 0; i < 20; ++i) {
      Body ball = rod("ball" + std::to_string(i), 1, mass);
      ball.inertia = mass * Mat3::Identity();
      mechanism.bodies.push_back(ball);
    }
    const Model model(mechanism);
    const Vec q = consistent_start(model, Start(), 0, Consistency::error).q;
    const auto found = constrained_compatibility(MechanismSystem(model, 1), 0, q, Canonical::zero);
    CHECK(found.sampled);
    CHECK(found.weak > 1e-4);
  }
}
