#include "model/reaction.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/declared_joint.hpp"
#include "some_forces.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/start.hpp"

namespace torsor {
namespace {

using test::Random;

/// A mechanism at one instant, with its accelerations and reactions.
struct Instant {
  Instant(const Mechanism& mechanism, const std::function<State(const Model&)>& state)
      : model(mechanism), forces(model), x(state(model)), work(model), loads(model), a(model.nv()) {
    forces.evaluate(t, x.q, x.v, work, loads);
    forward_dynamics(model, x.q, x.v, loads, work, a);
    invariants(model, forces, t, x.q, x.v, a, work, loads);
    joints = joint_motions(model, x.q, x.v, work);
    body_accelerations(model, x.v, a, work);
  }
  BodyMotion body(int index) const { return index == world ? BodyMotion() : body_motion(model, work, index); }
  /// The joint point of the declared child in world axes.
  Vec3 joint_point(const Joint& joint) const {
    const BodyMotion child = body(joint.child);
    return child.x + child.R * joint.X_CM.p;
  }

  Model model;
  Forces forces;
  State x;
  Workspace<double> work;
  Loads<double> loads;
  Vec a;
  std::vector<JointMotion> joints;
  double t = 0.4;
};

Instant random_instant(unsigned seed, bool loaded) {
  Random random(seed);
  Mechanism tree = test::random_tree(random, 24);
  if (loaded) tree.forces = test::changing_forces(random, tree);
  return {tree, [&](const Model& model) { return test::random_state(random, model); }};
}

TEST_CASE(
    "reactions and loads satisfy Newton's and Euler's equations for each body, whatever the direction of the "
    "joints") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Instant now = random_instant(seed, true);
    const Mechanism& mechanism = now.model.mechanism();
    const auto n = mechanism.bodies.size();
    std::vector<Wrench> sum(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int link = now.model.link_of_body[i];
      sum[i] = {now.loads.force[link] + mechanism.bodies[i].mass * now.loads.gravity, now.loads.torque[link]};
    }
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
      const Joint& joint = mechanism.joints[j];
      for (const auto& [body, sign] : {std::pair{joint.child, 1.}, std::pair{joint.parent, -1.}}) {
        if (body == world) continue;
        const Vec3 arm = now.joint_point(joint) - now.body(body).x;
        sum[body].force += sign * now.joints[j].force;
        sum[body].torque += sign * (now.joints[j].torque + arm.cross(now.joints[j].force));
      }
    }
    for (int i = 0; i < static_cast<int>(n); ++i) {
      CAPTURE(i);
      const Body& body = mechanism.bodies[i];
      const BodyMotion motion = now.body(i);
      const Vec3 euler = body.inertia * motion.Omegadot + motion.Omega.cross(body.inertia * motion.Omega);
      const double scale = 1 + now.loads.gravity.norm() + motion.vdot.norm();
      CHECK((sum[i].force - body.mass * motion.vdot).norm() < 1e-10 * scale);
      CHECK((sum[i].torque - motion.R * euler).norm() < 1e-10 * scale);
    }
  }
}

TEST_CASE("a joint transmits only its driving force along its degrees of freedom") {
  for (const bool loaded : {false, true}) {
    const Instant now = random_instant(4, loaded);
    const Mechanism& mechanism = now.model.mechanism();
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
      CAPTURE(j);
      const Joint& joint = mechanism.joints[j];
      const int link = now.model.link_of_joint[j];
      const BodyMotion parent = now.body(joint.parent), child = now.body(joint.child);
      const auto velocity_at = [](const BodyMotion& body, const Vec3& point) -> Vec3 {
        return body.v + (body.R * body.Omega).cross(point - body.x);
      };
      const Vec3 at = now.joint_point(joint);
      const Vec3 v = velocity_at(child, at) - velocity_at(parent, at);
      const Vec3 omega = child.R * child.Omega - parent.R * parent.Omega;
      double driven = 0;
      if (now.loads.has_tau)
        driven = now.loads.tau.segment(now.model.v_begin[link], freedom_count(joint.kind))
                     .dot(now.x.v.segment(now.model.v_begin[link], freedom_count(joint.kind)));
      const double transmitted = now.joints[j].force.dot(v) + now.joints[j].torque.dot(omega);
      CHECK(transmitted == doctest::Approx(driven).epsilon(1e-9).scale(1 + now.joints[j].force.norm()));
    }
  }
}

TEST_CASE("exchanging the parent and the child of a joint inverts its coordinates, rates and reactions") {
  Random random(5);
  Joint hinge{"hinge", JointKind::helical, world, 0, random.frame(), random.frame(), 0.2};
  Joint arm{"arm", JointKind::cylindrical, 0, 1, random.frame(), random.frame()};
  Mechanism forward{
      {test::random_body(random, 0), test::random_body(random, 1)}, {hinge, arm}, {{"g", UniformGravity{}}}};
  Mechanism backward = forward;
  for (Joint& joint : backward.joints)
    std::swap(joint.parent, joint.child), std::swap(joint.X_PF, joint.X_CM);
  Start start;
  start.joints = {{Vec::Constant(1, 0.7), Vec::Constant(1, -1.2)},
                  {Vec::Constant(2, 0.3), Vec::Constant(2, 0.5)}};
  const Instant there(forward, [&](const Model& model) { return make_start(model, start); });
  for (JointStart& joint : start.joints) joint.q = -*joint.q, joint.v = -*joint.v;
  const Instant back(backward, [&](const Model& model) { return make_start(model, start); });
  for (int j = 0; j < 2; ++j) {
    CHECK(there.joints[j].q.isApprox(-back.joints[j].q));
    CHECK(there.joints[j].v.isApprox(-back.joints[j].v));
    // back.joints[j] is the opposite wrench, at the joint point of the other body.
    const Vec3 across = there.joint_point(forward.joints[j]) - back.joint_point(backward.joints[j]);
    CHECK(there.joints[j].force.isApprox(-back.joints[j].force, 1e-10));
    CHECK((there.joints[j].torque + across.cross(there.joints[j].force))
              .isApprox(-back.joints[j].torque, 1e-10));
  }
}

TEST_CASE("each joint of a hanging chain carries the weight of the links below it") {
  Mechanism chain;
  for (int i = 0; i < 5; ++i) {
    chain.bodies.push_back({"link" + std::to_string(i), 2, Vec3(0.1, 0.1, 0.01).asDiagonal()});
    chain.joints.push_back({"joint" + std::to_string(i),
                            JointKind::spherical,
                            i - 1,
                            i,
                            {SO3<>(), Vec3(0, 0, i ? -0.5 : 3)},
                            {SO3<>(), Vec3(0, 0, 0.5)}});
  }
  chain.forces = {{"g", UniformGravity{}}};
  const Instant now(chain, [](const Model& model) { return make_start(model, {}); });
  for (int j = 0; j < 5; ++j) {
    CHECK(now.joints[j].force.isApprox(Vec3(0, 0, (5 - j) * 2 * 9.81), 1e-12));
    CHECK(now.joints[j].torque.norm() < 1e-12);
  }
}

// ---- reactions in the states of reference motions ----

nlohmann::json reference(const std::string& name) {
  std::ifstream file(TORSOR_TESTS "/reference/" + name + ".json");
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

Vec3 vector(const nlohmann::json& a) { return {a[0].get<double>(), a[1].get<double>(), a[2].get<double>()}; }

BodyStart body_start(const nlohmann::json& body) {
  const auto q = body["q"].get<std::array<double, 4>>();
  const auto R = SO3<>::from_wxyz(q[0], q[1], q[2], q[3]).normalized();
  return {vector(body["x"]), R, vector(body["v"]), {}, {}, vector(body["Omega"])};
}

TEST_CASE("the reaction on the heavy top agrees with the reference") {
  const auto file = reference("heavy_top_bruls");
  const Vec3 X(0, 1, 0);
  const Mechanism top{{{"top", 15, Vec3(0.234375, 0.46875, 0.234375).asDiagonal()}},
                      {{"support", JointKind::spherical, world, 0, {}, {SO3<>(), -X}}},
                      {{"g", UniformGravity{}}}};
  for (const auto& output : file["outputs"]) {
    CAPTURE(output["t"].get<double>());
    const Start start{{body_start(output)}, {}};
    const Instant now(top, [&](const Model& model) { return make_start(model, start); });
    CHECK((now.joints[0].force - vector(output["lambda_world"])).norm() < 1e-10 * now.joints[0].force.norm());
    CHECK(now.joints[0].torque.norm() < 1e-9);
    CHECK((now.body(0).vdot - vector(output["vdot"])).norm() < 1e-11 * now.body(0).vdot.norm());
    CHECK((now.body(0).Omegadot - vector(output["Omegadot"])).norm() < 1e-11 * now.body(0).Omegadot.norm());
  }
}

TEST_CASE("the reactions in chains agree with the references") {
  for (const auto& [name, rods] : {std::pair{"chain3_spherical", 3}, std::pair{"chain10_spherical", 10}}) {
    const auto file = reference(name);
    Mechanism chain;
    chain.forces = {{"g", UniformGravity{}}};
    for (int i = 0; i < rods; ++i) {
      const std::string number = std::to_string(i);
      chain.bodies.push_back({"rod" + number, 1, Vec3(0.02 / 12, 1.01 / 12, 1.01 / 12).asDiagonal()});
      chain.joints.push_back({"joint_" + number,
                              JointKind::spherical,
                              i - 1,
                              i,
                              {SO3<>(), Vec3(i ? 0.5 : 0, 0, 0)},
                              {SO3<>(), Vec3(-0.5, 0, 0)}});
    }
    for (const auto& output : file["outputs"]) {
      CAPTURE(output["t"].get<double>());
      Start start;
      for (const Body& body : chain.bodies) start.bodies.push_back(body_start(output[body.name]));
      const Instant now(chain, [&](const Model& model) { return make_start(model, start); });
      for (int j = 0; j < rods; ++j) {
        const Vec3 expected = vector(output[chain.joints[j].name]);
        CHECK((now.joints[j].force - expected).norm() < 1e-9 * std::max(1., expected.norm()));
      }
    }
  }
}

}  // namespace
}  // namespace torsor
