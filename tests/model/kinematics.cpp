#include "torsor/model/kinematics.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "model/recursions.hpp"
#include "random_tree.hpp"
#include "torsor/lie/dual.hpp"

namespace torsor {
namespace {

using test::Random;
using D = Dual<double>;

Vec3 rates(const Vector<D, 3>& a) { return {a[0].derivative, a[1].derivative, a[2].derivative}; }

/// The motion q exp(t v), v + t a at t = 0 with its time derivative. Rates from the kinematics in doubles
/// are compared with the derivatives that dual numbers carry.
struct MovingTree {
  explicit MovingTree(unsigned seed)
      : random(seed),
        model(test::random_tree(random, 30)),
        x(test::random_state(random, model)),
        work(model),
        dual(model),
        a(random.flat(model.nv())) {
    const VecOf<D> q0 = x.q.cast<D>();
    VecOf<D> q(model.nq()), v(model.nv()), xi(model.nv());
    for (int k = 0; k < model.nv(); ++k) xi[k] = {0, x.v[k]}, v[k] = {x.v[k], a[k]};
    retract(model, q0.data(), xi.data(), q.data());
    forward_kinematics(model, q, v, dual);
    forward_kinematics(model, x.q, x.v, work);
  }
  Random random;
  Model model;
  State x;
  Workspace<double> work;
  Workspace<D> dual;
  Vec a;
};

TEST_CASE("velocities are the rates of the poses") {
  for (const unsigned seed : {11u, 12u, 13u}) {
    const MovingTree tree(seed);
    for (int i = 0; i < tree.model.size(); ++i) {
      CAPTURE(i);
      CHECK((rates(tree.dual.p_WB[i]) - tree.work.v_WB[i]).norm() < 1e-12);
      for (int k = 0; k < 3; ++k) {  // R' e_k = w x R e_k
        const Vec3 column = tree.work.R_WB[i].col(k);
        CHECK((rates(tree.dual.R_WB[i].col(k)) - tree.work.w_WB[i].cross(column)).norm() < 1e-12);
      }
    }
  }
}

TEST_CASE("accelerations are the rates of the velocities") {
  for (const unsigned seed : {21u, 22u, 23u}) {
    MovingTree tree(seed);
    body_accelerations(tree.model, tree.x.v, tree.a, tree.work);
    for (int i = 0; i < tree.model.size(); ++i) {
      CAPTURE(i);
      CHECK((rates(tree.dual.v_WB[i]) - tree.work.vdot_WB[i]).norm() < 1e-11);
      CHECK((rates(tree.dual.w_WB[i]) - tree.work.wdot_WB[i]).norm() < 1e-11);
    }
  }
}

TEST_CASE("bodies are in the positions that their joints allow") {
  Random random(31);
  const Mechanism mechanism = test::random_tree(random, 30);
  const Model model(mechanism);
  const State x = test::random_state(random, model);
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  const auto pose = [&](int body) {
    if (body == world) return SE3<>();
    const int link = model.link_of_body[body];
    return SE3<>(SO3<>::from_matrix(work.R_WB[link]), work.p_WB[link]);
  };
  for (const Joint& joint : mechanism.joints) {
    CAPTURE(joint.name);
    const SE3<> X_FM = (pose(joint.parent) * joint.X_PF).inverse() * (pose(joint.child) * joint.X_CM);
    switch (joint.kind) {  // the displacements that the kind of joint excludes
      case JointKind::fixed:
        CHECK(X_FM.log().norm() < 1e-12);
        break;
      case JointKind::revolute:
        CHECK((X_FM.p.norm() + X_FM.R.log().head<2>().norm()) < 1e-12);
        break;
      case JointKind::prismatic:
        CHECK((X_FM.p.head<2>().norm() + X_FM.R.log().norm()) < 1e-12);
        break;
      case JointKind::helical:
        CHECK(std::abs(X_FM.p[2] - joint.pitch * X_FM.R.log()[2]) < 1e-12);
        [[fallthrough]];
      case JointKind::cylindrical:
        CHECK((X_FM.p.head<2>().norm() + X_FM.R.log().head<2>().norm()) < 1e-12);
        break;
      case JointKind::planar:
        CHECK((std::abs(X_FM.p[2]) + X_FM.R.log().head<2>().norm()) < 1e-12);
        break;
      case JointKind::universal:  // axis x of F is perpendicular to axis y of M
        CHECK((X_FM.p.norm() + std::abs(X_FM.R.matrix()(0, 1))) < 1e-12);
        break;
      case JointKind::spherical:
        CHECK(X_FM.p.norm() < 1e-12);
        break;
      case JointKind::translation:
        CHECK(X_FM.R.log().norm() < 1e-12);
        break;
      case JointKind::free:
        break;
    }
  }
}

TEST_CASE("the Jacobian of a point gives its velocity and the angular velocity of its body") {
  Random random(41);
  const Model model(test::random_tree(random, 30));
  const State x = test::random_state(random, model);
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, model.nv());
  for (int link = 0; link < model.size(); ++link) {
    CAPTURE(link);
    const Vec3 p = random.vector();
    point_jacobian(model, work, link, p, J);
    Vector<double, 6> expected;
    expected << work.v_WB[link] + work.w_WB[link].cross(work.R_WB[link] * p), work.w_WB[link];
    CHECK((J * x.v - expected).norm() < 1e-12);
    CHECK((jacobian_times(model, work, link, p, x.v) - expected).norm() < 1e-12);
    const Vector<double, 6> wrench = random.flat(6);
    Vec tau = Vec::Ones(model.nv());
    add_jacobian_transpose(model, work, link, p, wrench, tau);
    CHECK((tau - Vec::Ones(model.nv()) - J.transpose() * wrench).norm() < 1e-12);
  }
}

}  // namespace
}  // namespace torsor
