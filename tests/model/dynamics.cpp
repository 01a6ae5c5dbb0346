#include "torsor/model/dynamics.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>

#include "random_tree.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

/// Random wrenches, joint forces and gravity.
Loads<double> random_loads(Random& random, const Model& model) {
  Loads<double> loads(model);
  loads.gravity = random.vector(9);
  for (int i = 0; i < model.size(); ++i)
    loads.force[i] = random.vector(3), loads.torque[i] = random.vector(3);
  loads.tau = random.flat(model.nv());
  loads.has_wrenches = loads.has_tau = true;
  return loads;
}

struct Tree {
  explicit Tree(unsigned seed, int bodies = 24)
      : random(seed),
        model(test::random_tree(random, bodies)),
        x(test::random_state(random, model)),
        work(model) {
    forward_kinematics(model, x.q, x.v, work);
  }
  Random random;
  Model model;
  State x;
  Workspace<double> work;
};

TEST_CASE("accelerations solve the equations of motion with the dense mass matrix") {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    CAPTURE(seed);
    Tree tree(seed);
    const Loads<double> loads = random_loads(tree.random, tree.model);
    const int n = tree.model.nv();
    Vec a(n), bias(n), zero = Vec::Zero(n);
    Eigen::MatrixXd G(n, n);
    mass_matrix(tree.model, tree.work, G);
    inverse_dynamics(tree.model, tree.x.v, zero, loads, tree.work, bias);
    forward_dynamics(tree.model, tree.x.v, loads, tree.work, a);
    const Vec dense = G.llt().solve(loads.tau - bias);
    CHECK((a - dense).norm() < 1e-9 * dense.norm());
  }
}

TEST_CASE("inverse dynamics undoes forward dynamics") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Tree tree(seed);
    const Loads<double> loads = random_loads(tree.random, tree.model);
    Vec a(tree.model.nv()), tau(tree.model.nv());
    forward_dynamics(tree.model, tree.x.q, tree.x.v, loads, tree.work, a);
    inverse_dynamics(tree.model, tree.x.v, a, loads, tree.work, tau);
    CHECK((tau - loads.tau).lpNorm<Eigen::Infinity>() < 1e-10);
  }
}

}  // namespace
}  // namespace torsor
