#include "model/declared_joint.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "model/detail/reversed_joint.hpp"
#include "random_tree.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

struct JointCase {
  JointKind kind;
  GroupProduct group;
};
std::vector<JointCase> all_joints() {
  std::vector<JointCase> out;
  for (const JointKind kind : test::all_kinds) out.push_back({kind, GroupProduct::direct});
  out.push_back({JointKind::free, GroupProduct::semidirect});
  return out;
}

constexpr double pitch = 0.21;

/// Random coordinates within one turn.
Vec random_coordinates(Random& random, JointKind kind) {
  Vec q = random.flat(coordinate_count(kind));
  if (kind == JointKind::spherical) q.normalize();
  if (kind == JointKind::free) q.tail<4>().normalize();
  return q;
}

TEST_CASE("pose and twist of a joint give back its coordinates and rates") {
  Random random(71);
  for (const auto& [kind, group] : all_joints()) {
    CAPTURE(static_cast<int>(kind));
    const Vec q = random_coordinates(random, kind), v = random.flat(freedom_count(kind));
    Vec q_again(q.size()), v_again(v.size());
    joint_coordinates(kind, pitch, joint_pose(kind, pitch, q.data()), q_again.data());
    joint_rates(kind, group, q.data(), joint_twist(kind, group, pitch, q.data(), v.data()), v_again.data());
    CHECK((q_again - q).norm() < 1e-14);
    CHECK((v_again - v).norm() < 1e-14);
  }
}

TEST_CASE(
    "the axes of a joint are its twists for unit rates, and the numbers of axes and rows add up to six") {
  Random random(73);
  for (const auto& [kind, group] : all_joints()) {
    CAPTURE(joint_type(kind).name);
    const Vec q = random_coordinates(random, kind);
    const int n = freedom_count(kind);
    spatial::Mat3<double> R;
    spatial::Vec3<double> p;
    const auto unit = spatial::Mat3<double>::identity();
    const Vec rest = Vec::Zero(n);
    joints::JointMove<double> to{R = unit, p};
    int columns = 0;
    with_joint(kind, [&]<class Kind>(Kind) {
      Kind::move(joints::JointState<double>{group, pitch, unit, true, q.data(), rest.data()}, to);
      Kind::axes(joints::JointFrame<double>{group, pitch, unit, R}, [&](const auto&... axis) {
        [[maybe_unused]] const auto check = [&](const spatial::Vec6<double>& column) {
          const Vec rate = Vec::Unit(n, columns++);
          Vector<double, 6> a;
          column.lin.to(a.data()), column.ang.to(a.data() + 3);
          CHECK((joint_twist(kind, group, pitch, q.data(), rate.data()) - a).norm() < 1e-14);
        };
        (check(joints::column<double>(axis)), ...);
      });
    });
    CHECK(columns == n);
    CHECK(static_cast<int>(joint_type(kind).rows.size()) == 6 - n);
    const SE3<> X = joint_pose(kind, pitch, q.data());
    CHECK((R.eigen() - X.R.matrix()).norm() < 1e-14);
    CHECK((p.eigen() - X.p).norm() < 1e-14);
  }
}

TEST_CASE(
    "a kind of joint is found by its name, and seen_from_child inverts the pose and is its own inverse") {
  Random random(74);
  for (const auto& [kind, group] : all_joints()) {
    const JointType& type = joint_type(kind);
    CAPTURE(type.name);
    CHECK(find_joint_kind(type.name) == kind);
    if (!type.seen_from_child) continue;
    const Vec q = random_coordinates(random, kind), v = random.flat(freedom_count(kind));
    Vec q_seen(q.size()), v_seen(v.size()), q_again(q.size()), v_again(v.size());
    type.seen_from_child(group, pitch, q.data(), v.data(), q_seen.data(), v_seen.data());
    type.seen_from_child(group, pitch, q_seen.data(), v_seen.data(), q_again.data(), v_again.data());
    CHECK((q_again - q).norm() < 1e-14);
    CHECK((v_again - v).norm() < 1e-14);
    CHECK((difference(SE3<>::identity(),
                      joint_pose(kind, pitch, q.data()) * joint_pose(kind, pitch, q_seen.data())))
              .norm() < 1e-14);
  }
  CHECK(test::all_kinds.size() == joint_kind_count);
  CHECK_FALSE(find_joint_kind("hinge"));
}

/// Joint rates are found by projecting the twist on each column of S. That needs orthogonal columns.
TEST_CASE("the columns of S of a joint are orthogonal, in both directions of the tree through the joint") {
  Random random(75);
  for (const auto& [kind, group] : all_joints())
    for (const bool reversed : {false, true}) {
      CAPTURE(joint_type(kind).name);
      CAPTURE(reversed);
      Mechanism mechanism;
      mechanism.bodies.resize(1);
      mechanism.bodies[0].group = group;
      Joint joint;
      joint.kind = kind, joint.parent = reversed ? 0 : world, joint.child = reversed ? world : 0;
      joint.pitch = pitch;
      mechanism.joints = {joint};
      const Model model(mechanism);
      const Vec q = random_coordinates(random, kind);
      const int n = freedom_count(kind);
      Eigen::Matrix<double, 6, Eigen::Dynamic> S(6, n);
      for (int k = 0; k < n; ++k) S.col(k) = inboard_twist(model, 0, q.data(), Vec(Vec::Unit(n, k)).data());
      Eigen::MatrixXd products = S.transpose() * S;
      products.diagonal().setZero();
      CHECK(products.norm() < 1e-14);
    }
}

TEST_CASE("the twist is the rate of the pose") {
  Random random(72);
  const double h = 1e-5;
  for (const auto& [kind, group] : all_joints()) {
    if (kind == JointKind::spherical || kind == JointKind::free)
      continue;  // the rates are not the derivatives of q
    CAPTURE(static_cast<int>(kind));
    const Vec q = random_coordinates(random, kind), v = random.flat(freedom_count(kind));
    const Vec ahead = q + h * v, behind = q - h * v;
    const SE3<> X = joint_pose(kind, pitch, q.data());
    const Vector<double, 6> rate = (difference(X, joint_pose(kind, pitch, ahead.data())) -
                                    difference(X, joint_pose(kind, pitch, behind.data()))) /
                                   (2 * h);
    CHECK((joint_twist(kind, group, pitch, q.data(), v.data()) - rate).norm() < 1e-9);
  }
}

TEST_CASE("the displacement of a helical joint determines the number of its turns") {
  for (const double angle : {-20., -3., 0., 3., 4., 50.}) {
    double found;
    joint_coordinates(JointKind::helical, pitch, joint_pose(JointKind::helical, pitch, &angle), &found);
    CHECK(found == doctest::Approx(angle).epsilon(1e-13));
  }
}

TEST_CASE("half a turn has the angle pi, not -pi") {
  const SE3<> X(SO3<>::from_wxyz(0, 0, 0, -1), Vec3::Zero());
  double angle;
  joint_coordinates(JointKind::revolute, 0, X, &angle);
  CHECK(angle == std::numbers::pi);
}

/// Declared coordinates refer to the declared frames, whatever the direction of the tree through the joint.
TEST_CASE("declared coordinates describe the motion of the declared child relative to the declared parent") {
  Random random(73);
  const Mechanism mechanism = test::random_tree(random, 40);
  const Model model(mechanism);
  const State x = test::random_state(random, model);
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  struct Motion {
    SE3<> X_WB;
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();
  };
  const auto motion = [&](int body) -> Motion {
    if (body == world) return {};
    const int i = model.link_of_body[body];
    return {SE3<>(SO3<>::from_matrix(work.R_WB[i]), work.p_WB[i]), work.v_WB[i], work.w_WB[i]};
  };
  int reversed = 0;
  for (int j = 0; j < static_cast<int>(mechanism.joints.size()); ++j) {
    const Joint& joint = mechanism.joints[j];
    CAPTURE(joint.name);
    const int link = model.link_of_joint[j];
    reversed += model.reversed[link];
    const Motion parent = motion(joint.parent), child = motion(joint.child);
    const SE3<> X_WF = parent.X_WB * joint.X_PF, X_WM = child.X_WB * joint.X_CM;
    Vec q(coordinate_count(joint.kind)), v(freedom_count(joint.kind));
    const double* const q_tree = x.q.data() + model.q_begin[link];
    const double* const v_tree = x.v.data() + model.v_begin[link];
    declared_from_tree(model, link, q_tree, v_tree, q.data(), v.data());

    CHECK(difference(X_WF.inverse() * X_WM, joint_pose(joint.kind, joint.pitch, q.data())).norm() < 1e-12);
    const Vec3 to_M = X_WM.p - parent.X_WB.p, arm = X_WM.p - child.X_WB.p;
    const Vec3 slip = child.v + child.w.cross(arm) - parent.v - parent.w.cross(to_M);
    Vector<double, 6> twist;
    twist << X_WM.R.inverse() * slip, X_WM.R.inverse() * Vec3(child.w - parent.w);
    CHECK((joint_twist(joint.kind, model.group[link], joint.pitch, q.data(), v.data()) - twist).norm() <
          1e-12);

    Vec q_back(q.size()), v_back(v.size()), tau(v.size());
    tree_from_declared(model, link, q.data(), v.data(), q_back.data(), v_back.data());
    CHECK((q_back - Eigen::Map<const Vec>(q_tree, q.size())).norm() < 1e-12);
    CHECK((v_back - Eigen::Map<const Vec>(v_tree, v.size())).norm() < 1e-12);
    const Vec force = random.flat(static_cast<int>(v.size()));  // power is the same in both descriptions
    tree_force_from_declared(model, link, q_tree, force.data(), tau.data());
    CHECK(tau.dot(Eigen::Map<const Vec>(v_tree, v.size())) == doctest::Approx(force.dot(v)).epsilon(1e-12));
  }
  CHECK(reversed > 10);
}

Vector<double, 6> flat(const spatial::Vec6<double>& a) {
  Vector<double, 6> out;
  a.lin.to(out.data()), a.ang.to(out.data() + 3);
  return out;
}

/// The pose, the velocity and the drift of a joint whose frames are exchanged: its M is fixed in the parent
/// with the pose X_PF, and its F moves.
template <class Kind>
struct ReversedMotion {
  ReversedMotion(GroupProduct group, const SE3<>& X_PF, const Vec& q, const Vec& v)
      : R(X_PF.R.matrix()), p(X_PF.p) {
    const auto R_PF = R;
    joints::JointMove<double> to{R, p};
    detail::Reversed<Kind>::move(joints::JointState<double>{group, pitch, R_PF, false, q.data(), v.data()},
                                 to);
    velocity = to.motion.velocity, drift = to.motion.drift;
  }
  Vector<double, 6> in_P(const spatial::Vec6<double>& a) const { return flat({R * a.lin, R * a.ang}); }

  spatial::Mat3<double> R;
  spatial::Vec3<double> p;
  spatial::Vec6<double> velocity, drift;
};

TEST_CASE("the reversed motion of every kind has the inverse pose, and its axes and drift fit its velocity") {
  Random random(76);
  for (const auto& [kind, group] : all_joints()) {
    CAPTURE(joint_type(kind).name);
    const Vec q = random_coordinates(random, kind), v = random.flat(freedom_count(kind));
    const SE3<> X_PF = random.frame(), X = joint_pose(kind, pitch, q.data());
    with_joint(kind, [&, kind = kind, group = group]<class Kind>(Kind) {
      const ReversedMotion<Kind> motion(group, X_PF, q, v);
      const Vector<double, 6> velocity = flat(motion.velocity), drift = motion.in_P(motion.drift);
      const SE3<> X_PM = X_PF * X.inverse();
      CHECK((motion.R.eigen() - X_PM.R.matrix()).norm() < 1e-14);
      CHECK((motion.p.eigen() - X_PM.p).norm() < 1e-14);
      CHECK((velocity + X.Ad(joint_twist(kind, group, pitch, q.data(), v.data()))).norm() < 1e-14);
      const spatial::Mat3<double> R_PF(X_PF.R.matrix());
      const joints::JointFrame<double> at{group, pitch, R_PF, motion.R};
      const auto p_FM = motion.p - spatial::Vec3<double>(X_PF.p);
      detail::Reversed<Kind>::axes(at, p_FM, [&](const auto&... axis) {
        spatial::Vec6<double> sum;
        [[maybe_unused]] int k = 0;
        (joints::add_along(axis, v[k++], sum), ...);
        CHECK((velocity - flat(sum)).norm() < 1e-14);
      });
      if (Kind::quaternion) return;  // the rates are not the derivatives of q
      const double h = 1e-5;
      const ReversedMotion<Kind> ahead(group, X_PF, q + h * v, v), behind(group, X_PF, q - h * v, v);
      const Vector<double, 6> change = ahead.in_P(ahead.velocity) - behind.in_P(behind.velocity);
      CHECK((change / (2 * h) - drift).norm() < 1e-9);
    });
  }
}

TEST_CASE(
    "a reversed universal joint, whose inverse is not a universal joint, keeps its declared coordinates") {
  Mechanism mechanism;
  mechanism.bodies.resize(1);
  Joint joint;
  joint.kind = JointKind::universal, joint.parent = 0, joint.child = world;
  mechanism.joints = {joint};
  const Model model(mechanism);
  REQUIRE(model.reversed[0]);
  const std::array q{0.3, -0.4}, v{1., 2.};
  CHECK(difference(inboard_pose(model, 0, q.data()), joint_pose(joint.kind, 0, q.data()).inverse()).norm() ==
        0);
  std::array<double, 2> q_declared, v_declared, q_found;
  declared_from_tree(model, 0, q.data(), v.data(), q_declared.data(), v_declared.data());
  CHECK(q_declared == q);
  CHECK(v_declared == v);
  inboard_coordinates(model, 0, inboard_pose(model, 0, q.data()), q_found.data());
  CHECK(q_found[0] == doctest::Approx(0.3));
  CHECK(q_found[1] == doctest::Approx(-0.4));
}

TEST_CASE("a reversed planar joint keeps the number of turns of its angle") {
  Mechanism mechanism;
  mechanism.bodies.resize(1);
  Joint joint;
  joint.kind = JointKind::planar, joint.parent = 0, joint.child = world;
  mechanism.joints = {joint};
  const Model model(mechanism);
  REQUIRE(model.reversed[0]);
  const Vec3 q(0.3, -0.4, 20), v(1, 2, 3);
  Vec3 q_declared, v_declared;
  declared_from_tree(model, 0, q.data(), v.data(), q_declared.data(), v_declared.data());
  CHECK(q_declared[2] == -20);
  CHECK(v_declared[2] == -3);
}

}  // namespace
}  // namespace torsor
