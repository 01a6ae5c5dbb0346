#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "constrained.hpp"
#include "support/greatest.hpp"
#include "torsor/system/consistent_start.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE(
    "four-bars side by side start as each one alone: from their cranks, from their bodies, and projected") {
  constexpr int count = 40;
  for (const double gap : {0., 0.01}) {
    CAPTURE(gap);
    Mechanism all;
    Start from_cranks, from_bodies;
    std::vector<State> from_crank, from_body;
    const Consistency consistency = gap > 0 ? Consistency::project : Consistency::error;
    for (int i = 0; i < count; ++i) {
      FourBar bar(0.3, 0.9, 0.7, 0.8, 0.5 + 0.01 * i);
      bar.mechanism.joints[3].X_PF.p[0] += gap;
      Start start;
      start.joints.resize(4), start.bodies.resize(3);
      start.joints[0] = {.q = Vec::Constant(1, 0.4 + 0.01 * i), .v = Vec::Constant(1, 4.6)};
      from_crank.push_back(consistent_start(Model(bar.mechanism), start, 0, consistency));
      from_body.push_back(consistent_start(Model(bar.mechanism), bar.start, 0, consistency));
      from_cranks.joints.insert(from_cranks.joints.end(), start.joints.begin(), start.joints.end());
      from_cranks.bodies.resize(from_cranks.bodies.size() + 3);
      from_bodies.bodies.insert(from_bodies.bodies.end(), bar.start.bodies.begin(), bar.start.bodies.end());
      for (Body& body : bar.mechanism.bodies) {
        body.name += std::to_string(i);
        all.bodies.push_back(body);
      }
      for (Joint& joint : bar.mechanism.joints) {
        joint.name += std::to_string(i);
        if (joint.parent != world) joint.parent += 3 * i;
        joint.child += 3 * i;
        all.joints.push_back(joint);
      }
    }
    const Model model(all);
    const auto differ = [&](const State& x, const std::vector<State>& alone) {
      double most = 0;
      for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
          const int link = model.link_of_body[3 * i + k];
          const int own = Model(FourBar(0.3, 0.9, 0.7, 0.8, 0.6).mechanism).link_of_body[k];
          most = test::greatest(most, x.q[model.q_begin[link]] - alone[i].q[own],
                                x.v[model.v_begin[link]] - alone[i].v[own]);
        }
      return most;
    };
    CHECK(differ(consistent_start(model, from_cranks, 0, consistency), from_crank) < 1e-12);
    CHECK(differ(consistent_start(model, from_bodies, 0, consistency), from_body) < 1e-12);
  }
}

// With dense equations, this start would take minutes.
TEST_CASE("the start of a long train of gears follows from one of them") {
  constexpr int count = 8000;
  Mechanism mechanism;
  for (int i = 0; i < count; ++i) {
    mechanism.bodies.push_back(rod("wheel" + std::to_string(i), 1, 1));
    mechanism.joints.push_back(
        joint_at("axle" + std::to_string(i), JointKind::revolute, world, Vec3(i, 0, 0), i, Vec3::Zero()));
    if (i > 0)
      mechanism.constraints.push_back(
          {"gear" + std::to_string(i), JointCoupling{{{i - 1, 0, 1.}, {i, 0, 1.}}, 0.}});
  }
  Start start;
  start.joints.resize(count);
  start.joints[5] = {.q = Vec::Constant(1, 0.3), .v = Vec::Constant(1, 2)};
  const Model model(mechanism);
  const State x = consistent_start(model, start);
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const int link = model.link_of_joint[i], side = i % 2 == 0 ? -1 : 1;
    worst = test::greatest(worst, x.q[model.q_begin[link]] - side * 0.3, x.v[model.v_begin[link]] - side * 2);
  }
  CHECK(worst < 1e-11);
}
