#include <doctest/doctest.h>

#include <stdexcept>

#include "constrained.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/system/reactions.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("vectors that are too short for the mechanism are refused") {
  const Body body{.name = "b", .mass = 2};
  Distance rod;
  rod.a.body = 0, rod.a.p = {1., 0., 0.};
  const Model model({{body}, {}, {}, {{"k", rod}}});
  const State x = consistent_start(model, {}, 0);
  const MechanismSystem system(model, LinkLengths(model, x.q));
  const Vec none = Vec::Zero(2), lambda = Vec::Zero(1);
  Vec a(6);
  std::vector<Wrench> on_links, one(1);
  const char* const reactions_need = "reactions need 1 multipliers and 1 wrenches, got ";
  const auto refused = [](const auto& call, const std::string& why) {
    CHECK_THROWS_WITH_AS(call(), why.c_str(), std::invalid_argument);
  };
  refused([&] { reactions(system, 0, x.q, x.v, lambda, on_links); }, reactions_need + std::string("1 and 0"));
  refused([&] { reactions(system, 0, x.q, x.v, Vec(), one); }, reactions_need + std::string("0 and 1"));
  const std::string sizes = "the vectors of coordinates and of velocities or accelerations have ",
                    model_has = " entries; the model has 7 and 6";
  refused([&] { redundant_rows(system, 0, none); }, sizes + "2 and 6" + model_has);
  refused([&] { row_motions(system, 0, x.q, none); }, sizes + "7 and 2" + model_has);
  refused([&] { system.acceleration(0, none, x.v, a); }, sizes + "2 and 6" + model_has);
  const Forces forces(model);
  Workspace<double> work(model);
  Loads<double> loads(model);
  Vec shorter(1);
  refused([&] { forward_dynamics<double>(model, none, x.v, loads, work, a); }, sizes + "2 and 6" + model_has);
  refused([&] { forward_dynamics<double>(model, x.q, x.v, loads, work, shorter); },
          sizes + "7 and 1" + model_has);
  const std::string has_one = sizes + "7 and 1" + model_has;
  refused([&] { inverse_dynamics<double>(model, x.v, x.v, loads, work, shorter); }, has_one);
  Eigen::MatrixXd narrow(6, 1);
  refused([&] { mass_matrix<double>(model, work, narrow); }, has_one);
  refused([&] { point_jacobian<double>(model, work, 0, Vec3::Zero(), narrow); }, has_one);
  refused([&] { jacobian_times<double>(model, work, 0, Vec3::Zero(), shorter); }, has_one);
  const Vector<double, 6> wrench = Vector<double, 6>::Zero();
  refused([&] { add_jacobian_transpose<double>(model, work, 0, Vec3::Zero(), wrench, shorter); }, has_one);
  refused([&] { group_defect(model, none); }, sizes + "2 and 6" + model_has);
  refused([&] { invariants(model, forces, 0, x.q, x.v, shorter, work, loads); },
          sizes + "7 and 1" + model_has);
}
