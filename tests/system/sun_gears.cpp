#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "constrained.hpp"
#include "system/body_solver.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A sun gear, gear 0, that turns planet gears: gear i turns by i times the angle of gear 0. All axles are on
/// the ground.
Mechanism sun_and_planets(int planets) {
  Mechanism mechanism;
  for (int i = 0; i <= planets; ++i) {
    mechanism.bodies.push_back(rod("gear" + std::to_string(i), 1, 1 + 0.1 * (i % 7)));
    mechanism.joints.push_back(
        joint_at("axle" + std::to_string(i), JointKind::revolute, world, Vec3(i, 0, 0), i, Vec3::Zero()));
    if (i > 0)
      mechanism.constraints.push_back(
          {"mesh" + std::to_string(i), JointCoupling{{{i, 0, 1.}, {0, 0, -1. * i}}, 0.}});
  }
  mechanism.forces = {{"motor", JointForce{0, 0, 0., 0., 0., 5.}}};
  return mechanism;
}

/// The angular acceleration of each gear at rest.
std::vector<double> accelerations(const Mechanism& mechanism, Formulation formulation) {
  const Model model(mechanism, formulation);
  std::vector<double> all;
  for (const BodyMotion& body : sample_of(model, consistent_start(model, Start())).bodies)
    all.push_back(body.Omegadot[2]);
  return all;
}

}  // namespace

TEST_CASE("the cost per planet of gears around a sun is bounded") {
  const auto per_planet = [](int planets, Formulation formulation) {
    const Model model(sun_and_planets(planets), formulation);
    return static_cast<double>(KktSolver(mechanics::graph_of(model, Constraints(model))).factor_cost()) /
           planets;
  };
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    CHECK(per_planet(1000, formulation) < 1.1 * per_planet(100, formulation));
}

TEST_CASE(
    "a sun turns its planets as the sum of their inertias demands, and rests beside a planet that is held") {
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    Mechanism mechanism = sun_and_planets(30);
    double inertia = 0;
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
      inertia += (i == 0 ? 1. : static_cast<double>(i * i)) * mechanism.bodies[i].inertia(2, 2);
    const auto check = [&](double sun) {
      const std::vector<double> found = accelerations(mechanism, formulation);
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(std::abs(found[i] - (i == 0 ? 1. : static_cast<double>(i)) * sun) < 1e-12);
    };
    check(5 / inertia);
    Constraint again = mechanism.constraints[7];
    again.name = "redundant";
    mechanism.constraints.push_back(again);
    check(5 / inertia);
    mechanism.constraints.push_back({"brake", JointCoupling{{{20, 0, 1.}}, 0.}});
    check(0);
  }
}
