#include <doctest/doctest.h>

#include <cmath>

#include "constrained_bodies.hpp"
#include "invariant_system.hpp"
#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/integrators/geodesic_flow.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::geometry;
using namespace torsor::test;

namespace {

using R3xSO3 = Product<Rn<3>, SO3<>>;

template <class G>
auto no_force() {
  return [](double, const G&) { return typename G::Tangent(G::Tangent::Zero()); };
}

template <class G>
auto free_motion() {
  return invariant_system<G>(SampleMotion<G>().inertia, no_force<G>());
}

template <class G>
State start() {
  const Phase<G> x = SampleMotion<G>::start();
  return group_state(x.q, x.v);
}

}  // namespace

TEST_CASE_TEMPLATE("geodesics have the acceleration of the metric's Christoffel connection", G, SO3<>, SE3<>,
                   R3xSO3) {
  const auto system = free_motion<G>();
  const auto connection =
      christoffel(LeftInvariantFrame<G>(),
                  Constant{typename G::Square(SampleMotion<G>().inertia.asDiagonal().toDenseMatrix())});
  GeodesicSystem geodesics;
  geodesics.bind(system);
  for (double speed : {1e-6, 1., 40.}) {
    CAPTURE(speed);
    const State x = start<G>();
    const typename G::Tangent v = speed * x.v;
    Vec a(G::dof);
    geodesics.acceleration(0, x.q, v, a);
    const auto motion = autoparallel_motion(connection, G::from(x.q.data()), v);
    CHECK((a - motion.rate).norm() < 1e-14 * speed * (1 + speed));
  }
}

TEST_CASE_TEMPLATE("without forces geodesic-verlet is exact in one step and lie-verlet is not", G, SO3<>,
                   SE3<>, R3xSO3) {
  const auto system = free_motion<G>();
  const State x = start<G>(), end = run("rkmk-fehlberg78", system, x, 0, 1.5, 400);
  CHECK(distance(system, run("geodesic-verlet", system, x, 0, 1.5, 1), end) < 1e-12);
  CHECK(distance(system, run("lie-verlet", system, x, 0, 1.5, 1), end) > 1e-3);
}

TEST_CASE("a geodesic may turn by more than half a turn in one step") {
  const auto system = invariant_system<SO3<>>(Vec3(2, 3, 4), no_force<SO3<>>());
  const State x = group_state(SO3<>::identity(), Vec3(0, 9, 0.3));
  const State end = run("rkmk-fehlberg78", system, x, 0, 2, 4000);
  CHECK(distance(system, run("geodesic-verlet", system, x, 0, 2, 1), end) < 1e-11);
}

TEST_CASE("without forces one geodesic step is exact for many turns, forward and backward in time") {
  const Vec3 J(5.8, 6.8, 1.5), v(0.2, 0.1, 20);
  const auto top = invariant_system<SO3<>>(J, no_force<SO3<>>());
  const State x = group_state(SO3<>::identity(), v);
  for (const double t : {2.5, 30., -30.}) {  // from 8 to 95 turns
    CAPTURE(t);
    const State end = run("geodesic-verlet", top, x, 0, t, 1);
    CHECK(distance(top, end, run("rkmk-fehlberg78", top, x, 0, t, 20'000)) < 1e-10);
    const Vec3 momentum_W = SO3<>::from(end.q.data()) * Vec3(J.cwiseProduct(end.v));
    CHECK((momentum_W - J.cwiseProduct(v)).norm() < 1e-12 * J.cwiseProduct(v).norm());
  }
}

TEST_CASE("on an isotropic metric a geodesic is an exponential") {
  const auto round = invariant_system<SO3<>>(Vec3(2, 2, 2), no_force<SO3<>>());
  const Vec3 v(0.4, -1, 0.7);
  const State end = run("geodesic-verlet", round, group_state(SO3<>::identity(), v), 0, 2, 1);
  CHECK(distance(round, end, group_state(SO3<>::exp(2 * v), v)) < 1e-14);
}

TEST_CASE("forces that make a geodesic step fail leave the state unchanged and give a message") {
  const auto broken = invariant_system<SO3<>>(
      Vec3(2, 3, 4), [](double t, const SO3<>&) { return Vec3(0, t > 0.05 ? std::nan("") : 1e300, 0); });
  const auto stepper = find_method("geodesic-verlet")->make();
  State x = group_state(SO3<>::identity(), Vec3(1, 0, 0));
  const State before = x;
  for (double h : {0.1, 1e300}) {
    CHECK(stepper->do_step(broken, x, 0, h) != StepStatus::accepted);
    CHECK(!stepper->message().empty());
    CHECK(x.q == before.q);
    CHECK(x.v == before.v);
  }
}

TEST_CASE("methods for free bodies refuse constraints") {
  const Top top(ConstrainedBodies::Group::semidirect, 0.1);
  for (const char* method : {"lie-verlet", "lie-verlet4", "geodesic-verlet"}) {
    const auto why = find_method(method)->make()->why_unsuitable(top);
    REQUIRE(why);
    CHECK(*why == "the method cannot integrate a system with constraints; rattlie can");
  }
}
