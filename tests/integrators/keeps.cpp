#include <doctest/doctest.h>

#include <cmath>

#include "invariant_system.hpp"
#include "run.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

const Vec3 inertia(2, 3, 4);

auto free_body() {
  return invariant_system<SO3<>>(inertia, [](double, const SO3<>&) { return Vec3(0, 0, 0); });
}
Vec3 spatial_momentum(const State& x) {
  return SO3<>::from(x.q.data()) * Vec3(inertia.cwiseProduct(Vec3(x.v)));
}

/// A top of 1 kg that is held at a point, with its mass centre at 0.5 m on the body axis z. Its potential
/// energy is 9.81 times the height of the mass centre.
auto heavy_top() {
  return invariant_system<SO3<>>(Vec3(0.9, 1, 0.4), [](double, const SO3<>& R) -> Vec3 {
    const Vec3 weight = R.inverse() * Vec3(0, 0, -9.81);
    return Vec3(-0.5 * weight[1], 0.5 * weight[0], 0);
  });
}
double energy(const State& x) {
  const Vec3 v = x.v, axis = SO3<>::from(x.q.data()) * Vec3(0, 0, 0.5);
  return 0.5 * v.dot(Vec3(0.9, 1, 0.4).cwiseProduct(v)) + 9.81 * axis[2];
}

}  // namespace

TEST_CASE("the symplectic methods conserve the spatial momentum of a free asymmetric body") {
  for (const std::string method : {"lie-verlet", "geodesic-verlet", "lie-verlet4", "lie-verlet6"}) {
    CAPTURE(method);
    State x = group_state(SO3<>::exp(Vec3(0.3, -0.2, 0.5)), Vec3(0.1, 2, 0.2));
    const Vec3 before = spatial_momentum(x);
    x = run(method, free_body(), x, 0, 1000, 20'000);
    CHECK((spatial_momentum(x) - before).norm() < 1e-10 * before.norm());
  }
}

/// Checks that over n steps of size h, the greatest relative energy error of the last three quarters exceeds
/// that of the first quarter by less than 5 %.
void check_energy_without_trend(const char* method, double h, int n, double bound) {
  const auto system = heavy_top();
  const auto stepper = find_method(method)->make();
  State x = group_state(SO3<>::exp(Vec3(0.6, 0, 0)), Vec3(0.4, 0.3, 12));
  const double before = energy(x);
  double early = 0, late = 0;
  for (int i = 0; i < n; ++i) {
    REQUIRE(stepper->do_step(system, x, i * h, h) == StepStatus::accepted);
    double& worst = i < n / 4 ? early : late;
    worst = greatest(worst, energy(x) / before - 1);
  }
  CHECK(early < bound);
  CHECK(late < 1.05 * early);
}

TEST_CASE("lie-verlet has a bounded energy error without trend on a top") {
  check_energy_without_trend("lie-verlet", 0.01, 40'000, 2e-3);
}
TEST_CASE("geodesic-verlet has a bounded energy error without trend on a top") {
  check_energy_without_trend("geodesic-verlet", 0.01, 40'000, 2e-3);
}
TEST_CASE("lie-verlet4 and lie-verlet6 have a bounded energy error without trend on a top") {
  check_energy_without_trend("lie-verlet4", 0.05, 8000, 2e-3);
  check_energy_without_trend("lie-verlet6", 0.1, 4000, 2e-3);
}

// If the velocity of the next step were computed from its momentum, rounding would change the energy by
// the fraction 3e-12.
TEST_CASE("rounding errors of lie-verlet6 do not add up to a drift of the energy of a free body") {
  const Vec3 moments(0.9, 1, 0.4);
  const auto system = invariant_system<SO3<>>(moments, [](double, const SO3<>&) { return Vec3(0, 0, 0); });
  const auto kinetic = [&](const State& x) { return Vec3(x.v).dot(moments.cwiseProduct(Vec3(x.v))) / 2; };
  const State x = group_state(SO3<>::exp(Vec3(0.6, 0, 0)), Vec3(0.4, 0.3, 5));
  const State end = run("lie-verlet6", system, x, 0, 200, 20'000);
  CHECK(std::abs(kinetic(end) / kinetic(x) - 1) < 5e-13);
}

// This shows that the tests of an energy error without trend can fail.
TEST_CASE("with a method that is not symplectic, the energy of the top drifts") {
  const auto system = heavy_top();
  State x = group_state(SO3<>::exp(Vec3(0.6, 0, 0)), Vec3(0.4, 0.3, 12));
  const double before = energy(x);
  const double once = std::abs(energy(run("cg3", system, x, 0, 100, 10'000)) - before);
  const double twice = std::abs(energy(run("cg3", system, x, 0, 200, 20'000)) - before);
  CHECK(twice > 1.7 * once);
}

TEST_CASE("time-symmetric methods return to the start after 10 000 steps there and back") {
  const auto system = heavy_top();
  const State x = group_state(SO3<>::exp(Vec3(0.6, 0, 0)), Vec3(0.4, 0.3, 5));
  for (const MethodInfo& method : methods()) {
    if (method.keeps.find("time-symmetric") == std::string_view::npos) continue;
    CAPTURE(std::string(method.name));
    const State there = run(method.name, system, x, 0, 200, 10'000);
    CHECK(distance(system, x, there) > 0.1);
    CHECK(distance(system, run(method.name, system, there, 200, 0, 10'000), x) < 2e-10);
  }
}

TEST_CASE("every method is exact on SE(3) at constant velocity") {
  const auto system = group_system<SE3<>>(
      [](double, const SE3<>&, const SE3<>::Tangent&) { return SE3<>::Tangent(SE3<>::Tangent::Zero()); });
  SE3<>::Tangent v;
  v << 1, -2, 0.5, 0.3, 0.7, -0.4;
  const State x = group_state(SE3<>::identity(), v), end = group_state(SE3<>::exp(v), v);
  for (const MethodInfo& method : methods()) {
    if (method.make()->why_unsuitable(system)) continue;
    CAPTURE(std::string(method.name));
    CHECK(distance(system, run(method.name, system, x, 0, 1, 4), end) < 1e-14);
  }
}

TEST_CASE("the test's distance of states fails where a number is not finite") {
  const auto system = free_body();
  const State x = group_state(SO3<>::identity(), Vec3(1, 2, 3));
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    State turned = x, faster = x;
    turned.q[1] = bad, faster.v[1] = bad;
    CHECK(distance(system, x, x) < 1e-15);
    CHECK_FALSE(distance(system, x, turned) < 1e300);
    CHECK_FALSE(distance(system, x, faster) < 1e300);
    CHECK_FALSE(distance(system, faster, x) > 0);
  }
}

TEST_CASE("every method keeps quaternions at unit length") {
  const auto system = heavy_top();
  const State x = group_state(SO3<>::exp(Vec3(0.6, 0, 0)), Vec3(0.4, 0.3, 12));
  for (const MethodInfo& method : methods()) {
    CAPTURE(std::string(method.name));
    CHECK(std::abs(run(method.name, system, x, 0, 10, 2000).q.norm() - 1) < 1e-14);
  }
}

TEST_CASE("generalized-alpha damps motion that is much faster than its step") {
  const auto stiff = [](double, const SO3<>& R, const Vec3&) -> Vec3 { return -1e8 * R.log(); };
  const auto system = group_system<SO3<>>(stiff);
  const State x = group_state(SO3<>::exp(Vec3(1e-5, 0, 0)), Vec3(0, 0, 0));
  const State end = run("generalized-alpha", system, x, 0, 2, 200);
  CHECK(SO3<>::from(end.q.data()).log().norm() < 1e-8);
}

TEST_CASE("lie-verlet refuses a system without an invariant metric") {
  const auto system = group_system<SO3<>>([](double, const SO3<>&, const Vec3& v) -> Vec3 { return -v; });
  const auto why = find_method("lie-verlet")->make()->why_unsuitable(system);
  REQUIRE(why);
  CHECK(*why ==
        "the method needs a constant mass matrix in body axes and forces that depend on position and time "
        "alone: the system, unlike one of rigid bodies, does not provide them");
}
