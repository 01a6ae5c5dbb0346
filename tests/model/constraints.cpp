#include "torsor/model/constraints.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <numbers>

#include "some_constraints.hpp"

namespace torsor {
namespace {

using test::Random;
using test::Rows;

/// All kinds of joints, between bodies and to the ground, in both directions.
Mechanism jointed_bodies(Random& random) {
  Mechanism mechanism = test::loose_bodies(random);
  for (const JointKind kind : test::all_kinds)
    for (const auto& [parent, child] : {std::pair{0, 1}, {world, 2}, {3, world}}) {
      mechanism.joints.push_back(test::joint_between(random, kind, parent, child));
      mechanism.joints.back().name += std::to_string(mechanism.joints.size());
    }
  return mechanism;
}

/// Checks |a - b| relative to 1 + |b| over the rows of each item.
void check_close(const Rows& rows, const Vec& a, const Vec& b, double tolerance) {
  for (const auto& item : rows.constraints.items()) {
    CAPTURE(item.name);
    const auto part = Eigen::seqN(item.row_begin, item.rows);
    CHECK((a(part) - b(part)).norm() < tolerance * (1 + b(part).norm()));
  }
}

Vec holonomic_only(const Rows& rows, Vec values) {
  for (int i = 0; i < rows.constraints.size(); ++i)
    if (!rows.constraints.rows()[i].holonomic) values[i] = 0;
  return values;
}

void check_derivatives(Rows& rows, Random& random, double t, const State& x) {
  const Vec a = random.flat(rows.model.nv());
  const auto at = [&](double s, auto&& value) {
    rows.evaluate(t + s, test::along(rows.model, x, a, s));
    return value();
  };
  const Vec phi_rate = test::derivative([&](double s) { return at(s, [&] { return rows.phi(); }); });
  const Vec psi_rate = test::derivative([&](double s) { return at(s, [&] { return rows.velocity(); }); });
  State still = x;
  still.v.setZero();
  const Vec time_rate = test::derivative([&](double s) {
    rows.evaluate(t + s, still);
    return rows.phi();
  });
  rows.evaluate(t, still);
  check_close(rows, holonomic_only(rows, rows.a0()), time_rate, 1e-9);
  rows.evaluate(t, x);
  check_close(rows, holonomic_only(rows, rows.velocity()), phi_rate, 1e-9);
  check_close(rows, rows.acceleration(x, a), psi_rate, 1e-8);
}

TEST_CASE("J, a0 and gamma of joint rows are derivatives of phi, also at states that violate the joints") {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    CAPTURE(seed);
    Random random(seed);
    Rows rows(jointed_bodies(random));
    check_derivatives(rows, random, 0.3, test::random_state(random, rows.model));
  }
}

TEST_CASE(
    "the rate of phi is J V + a0 in holonomic rows, and the rate of J V + a0 is J V' + gamma in all rows, "
    "with time dependence") {
  for (const unsigned seed : {11u, 12u, 13u, 14u}) {
    CAPTURE(seed);
    Random random(seed);
    Rows rows(test::constrained_bodies(random));
    check_derivatives(rows, random, 0.3, test::random_state(random, rows.model));
  }
}

TEST_CASE("rows of joints with an axis are far from zero if the axes of F and M are antiparallel") {
  for (const JointKind kind : {JointKind::revolute, JointKind::cylindrical, JointKind::planar}) {
    Random random(51);
    Mechanism mechanism = test::loose_bodies(random);
    mechanism.joints.push_back(test::joint_between(random, kind, world, 0));
    const Joint& joint = mechanism.joints.back();
    Rows rows(mechanism);
    for (const double twist : {0., 1., 3.}) {
      CAPTURE(twist);
      State x = test::random_state(random, rows.model);
      const SE3<> X_FM(SO3<>::exp(Vec3(std::numbers::pi, 0, 0)) * SO3<>::exp(Vec3(0, 0, twist)),
                       Vec3::Zero());
      (joint.X_PF * X_FM * joint.X_CM.inverse())
          .to(x.q.data() + rows.model.q_begin[rows.model.link_of_body[0]]);
      rows.evaluate(0, x);
      CHECK(rows.phi().norm() == doctest::Approx(2));
    }
  }
}

int expected_rows(const Mechanism& mechanism) {
  int count = 0;
  for (const Joint& joint : mechanism.joints) count += 6 - freedom_count(joint.kind);
  return count;
}

TEST_CASE("rows of tree joints hold for any coordinates, rates and accelerations of the tree") {
  for (const unsigned seed : {21u, 22u, 23u}) {
    CAPTURE(seed);
    Random random(seed);
    Rows rows(test::random_tree(random, 30), Formulation::tree);
    const State x = test::random_state(random, rows.model);
    const Vec a = random.flat(rows.model.nv());
    rows.evaluate(0, x);
    const Vec zero = Vec::Zero(rows.constraints.size());
    REQUIRE(rows.constraints.size() > 80);
    REQUIRE(rows.constraints.size() == expected_rows(rows.model.mechanism()));
    check_close(rows, rows.phi(), zero, 1e-13);
    check_close(rows, rows.velocity(), zero, 1e-13);
    check_close(rows, rows.acceleration(x, a), zero, 1e-12);
    for (const auto& item : rows.constraints.items()) {
      CHECK(item.tree);
      CHECK(item.links.front() == rows.model.link_of_joint[item.joint]);
    }
  }
}

TEST_CASE(
    "rows of a satisfied joint are wrenches about the origin of M, orthonormal except for the pitch term") {
  Random random(31);
  const Mechanism tree = test::random_tree(random, 30);
  Rows rows(tree, Formulation::tree);
  rows.evaluate(0, test::random_state(random, rows.model));
  for (const auto& item : rows.constraints.items()) {
    const Joint& joint = tree.joints[item.joint];
    if (joint.child == world) continue;
    CAPTURE(item.name);
    const int link = rows.model.link_of_body[joint.child];
    const int which = item.links[0] == link ? 0 : 1;
    const Vec3 arm = rows.work.R_WB[link] * joint.X_CM.p;
    Eigen::MatrixXd wrenches(item.rows, 6);
    for (int row = 0; row < item.rows; ++row) {
      const Vector<double, 6> w = rows.block(item, which, row);
      wrenches.row(row) << w.head<3>().transpose(), (w.tail<3>() - arm.cross(w.head<3>())).transpose();
    }
    Eigen::MatrixXd expected = Eigen::MatrixXd::Identity(item.rows, item.rows);
    if (joint.kind == JointKind::helical) expected(4, 4) += joint.pitch * joint.pitch;
    CHECK((wrenches * wrenches.transpose() - expected).norm() < 1e-14 * 20);
  }
}

TEST_CASE("a row between two bodies acts on both with opposite forces and moments") {
  Random random(41);
  for (Mechanism mechanism : {jointed_bodies(random), test::constrained_bodies(random)}) {
    Rows rows(mechanism);
    rows.evaluate(0.2, test::random_state(random, rows.model));
    int seen = 0;
    for (const auto& item : rows.constraints.items()) {
      const bool closed = item.joint >= 0 ? mechanism.joints[item.joint].parent != world &&
                                                mechanism.joints[item.joint].child != world
                                          : item.name == "distance" || item.name == "plane" ||
                                                item.name == "driver" || item.name == "constant velocity";
      if (!closed) continue;
      CAPTURE(item.name);
      ++seen;
      for (int row = 0; row < item.rows; ++row) {
        Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
        for (std::size_t k = 0; k < item.links.size(); ++k) {
          const Vector<double, 6> w = rows.block(item, static_cast<int>(k), row);
          force += w.head<3>();
          moment += w.tail<3>() + rows.work.p_WB[item.links[k]].cross(Vec3(w.head<3>()));
        }
        CHECK(force.norm() < 1e-14);
        CHECK(moment.norm() < 1e-13);
      }
    }
    CHECK(seen > 6);
  }
}

TEST_CASE("rows exert no torque on a particle") {
  Random random(51);
  Rows rows(test::constrained_bodies(random));
  rows.evaluate(0.2, test::random_state(random, rows.model));
  const int link = rows.model.link_of_body[test::particle];
  int seen = 0;
  for (const auto& item : rows.constraints.items())
    for (std::size_t k = 0; k < item.links.size(); ++k)
      for (int row = 0; item.links[k] == link && row < item.rows; ++row, ++seen)
        CHECK(rows.block(item, static_cast<int>(k), row).tail<3>().isZero(0));
  CHECK(seen == 6);
}

TEST_CASE(
    "Newton's method with the rows as Jacobian converges quadratically from a configuration that violates "
    "the joints") {
  Random random(61);
  Mechanism chain = test::loose_bodies(random);
  chain.bodies.pop_back();
  const std::array kinds{JointKind::helical, JointKind::universal, JointKind::fixed, JointKind::planar};
  for (int i = 0; i < 4; ++i) chain.joints.push_back(test::joint_between(random, kinds[i], i - 1, i));
  for (int i = 0; i < 4; ++i) chain.joints[i].name += std::to_string(i);
  chain.constraints = {{"cv", ConstantVelocityJoint{world, 3, random.frame(), random.frame()}}};
  // The tree model gives a configuration that satisfies the joints. The absolute model has the same bodies,
  // with rows for the joints.
  Rows rows(chain);
  chain.constraints.clear();
  Rows tree(chain, Formulation::tree);
  tree.evaluate(0, test::random_state(random, tree.model));
  State x = test::random_state(random, rows.model);
  for (int link = 0; link < 4; ++link) {
    const int from = tree.model.link_of_body[rows.model.body[link]];
    double* const q = x.q.data() + rows.model.q_begin[link];
    const SO3<> R = SO3<>::from_matrix(tree.work.R_WB[from]);
    SE3<>(R, tree.work.p_WB[from]).to(q);
  }
  const Vec off = 0.05 * random.flat(rows.model.nv());
  const Vec start = x.q;
  retract(rows.model, start.data(), off.data(), x.q.data());
  x.v.setZero();
  const int joints = rows.constraints.size() - 4;
  double before = 0;
  for (int pass = 0; pass < 6; ++pass) {
    rows.evaluate(0, x);
    const Vec phi = rows.phi().head(joints);
    if (pass > 0) CHECK(phi.norm() < 20 * before * before + 1e-14);
    before = phi.norm();
    Eigen::MatrixXd A(joints, rows.model.nv());
    for (int k = 0; k < rows.model.nv(); ++k) {
      State unit = x;
      unit.v = Vec::Unit(rows.model.nv(), k);
      rows.evaluate(0, unit);
      A.col(k) = rows.velocity().head(joints);
    }
    const Vec xi = -A.completeOrthogonalDecomposition().solve(phi);
    const Vec q = x.q;
    retract(rows.model, q.data(), xi.data(), x.q.data());
  }
  CHECK(before < 1e-14);
}

}  // namespace
}  // namespace torsor
