#include "chain.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <functional>

#include "random_tree.hpp"
#include "support/greatest.hpp"
#include "torsor/model/dynamics.hpp"

namespace torsor {
namespace {

template <class Scalar>
VecOf<Scalar> acceleration(const Model& model, const State& x) {
  Workspace<Scalar> work(model);
  Loads<Scalar> loads(model);
  loads.gravity[2] = Scalar(-9.81);
  VecOf<Scalar> a(model.nv());
  const VecOf<Scalar> q = x.q.cast<Scalar>(), v = x.v.cast<Scalar>();
  forward_dynamics(model, q, v, loads, work, a);
  return a;
}

/// The chain with random angles and random rates added.
State bent(const Model& model, double angles, double rates) {
  test::Random random(81);
  State x = rod_chain_start(model);
  const Vec xi = angles * random.flat(model.nv());
  retract(model, x.q.data(), xi.data(), x.q.data());
  x.v += rates * random.flat(model.nv());
  return x;
}

/// The error relative to the norm of all accelerations.
double error(const Model& model, const State& x) {
  const auto exact = acceleration<long double>(model, x);
  return static_cast<double>((acceleration<double>(model, x).cast<long double>() - exact).norm() /
                             exact.norm());
}

/// Runs `work` on a thread whose stack has space for a few hundred frames, but not for one frame per link.
void with_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  const auto call = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, call, &work) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_CASE("accelerations of long chains agree with a computation in long double") {
  for (const auto& [rods, bound] :
       {std::pair{10, 1e-13}, std::pair{100, 3e-11}, std::pair{1000, 2e-9}, std::pair{10000, 6e-9}}) {
    CAPTURE(rods);
    const Model model(rod_chain(rods));
    CHECK(error(model, rod_chain_start(model)) < bound);
    for (const double angles : {0., 0.1, 1.}) {
      CHECK(error(model, bent(model, angles, 0)) < bound);
      CHECK(error(model, bent(model, angles, 0.1)) < bound);
      // At rates up to 1 rad/s, the rounding error of w x J w is divided by the small inertia of the rods
      // about their axes.
      CHECK(error(model, bent(model, angles, 1)) < std::max(bound, 1e-11));
    }
  }
}

TEST_CASE("a rod on a pin accelerates as a pendulum") {
  const Model model(rod_chain(1));
  State x = rod_chain_start(model);
  x.v.setZero();
  const double across = 1. / 12 * (3e-4 + 1) + 0.25;
  CHECK(acceleration<double>(model, x)[1] == doctest::Approx(9.81 / 2 / across).epsilon(1e-14));
}

TEST_CASE("100 000 links are built and evaluated on a small stack") {
  bool finite = false;
  with_small_stack([&] {
    const Model model(rod_chain(100'000));
    finite = acceleration<double>(model, rod_chain_start(model)).allFinite();
  });
  CHECK(finite);
}

TEST_CASE(
    "on a chain with side branches, forward dynamics gives the same bits twice, and inverse dynamics inverts "
    "forward dynamics") {
  Mechanism comb = rod_chain(40);
  for (int i = 0; i < 40; i += 3) {  // a branch of two rods at every third link
    for (int k = 0; k < 2; ++k) {
      Joint joint = comb.joints[1];
      joint.name += "tooth" + std::to_string(comb.joints.size());
      joint.parent = k == 0 ? i : static_cast<int>(comb.bodies.size()) - 1;
      joint.child = static_cast<int>(comb.bodies.size());
      Body rod = comb.bodies[0];
      rod.name = joint.name;
      comb.bodies.push_back(rod), comb.joints.push_back(joint);
    }
  }
  const Model model(comb);
  const State x = bent(model, 0.5, 1);
  Workspace<double> work(model);
  Loads<double> loads(model);
  loads.gravity = Vec3(0, 0, -9.81);
  Vec a(model.nv()), again(model.nv()), tau(model.nv());
  forward_dynamics(model, x.q, x.v, loads, work, a);
  forward_dynamics(model, x.q, x.v, loads, work, again);
  CHECK(a == again);
  inverse_dynamics(model, x.v, a, loads, work, tau);
  CHECK(test::greatest(tau) < 1e-9);
}

}  // namespace
}  // namespace torsor
