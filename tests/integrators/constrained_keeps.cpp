#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "constrained_bodies.hpp"
#include "integrators/projected.hpp"
#include "run.hpp"

using namespace torsor;
using namespace torsor::test;
using Group = ConstrainedBodies::Group;

namespace {

struct Drift {
  double size, trend;  ///< trend: growth of the least squares line over the run
};

template <class Mechanism>
Drift energy_drift(const std::string& method, Treatment treatment, const Mechanism& mechanism, State x,
                   double h, int steps) {
  const auto stepper = find_method(method)->make(treatment);
  const double start = mechanism.energy(x);
  double size = 0, moment = 0;
  for (int i = 0; i < steps; ++i) {
    REQUIRE(stepper->do_step(mechanism, x, i * h, h) == StepStatus::accepted);
    const double drift = mechanism.energy(x) - start;
    size = greatest(size, drift);
    moment += drift * (double(i) / steps - 0.5);
  }
  return {size, 12 * moment / steps};
}

}  // namespace

// Over 1e6 steps of the top at h = 2e-3 s, the drift is below 4e-3 J of 256 J and the trend -2e-7 J. The
// tests run a fiftieth of these steps.
TEST_CASE("rattlie, lie-midpoint and their compositions have an energy error without trend") {
  struct Case {
    const char* method;
    double h;
    int steps;
  };
  for (const Group group : {Group::direct, Group::semidirect}) {
    const Top top(group);
    for (const Case& one : {Case{"rattlie", 2e-3, 20'000}, Case{"lie-midpoint", 2e-3, 20'000},
                            Case{"rattlie4", 0.02, 2000}, Case{"lie-midpoint4", 0.02, 2000},
                            Case{"rattlie6", 0.04, 1000}, Case{"lie-midpoint6", 0.04, 1000}}) {
      CAPTURE(std::string(one.method));
      CAPTURE(group == Group::direct);
      const Drift drift =
          energy_drift(one.method, Treatment::stabilised_index_2, top, top.start(20), one.h, one.steps);
      CHECK(drift.size < 0.2);
      CHECK(std::abs(drift.trend) < 0.02 * drift.size);
    }
  }
}

// If the velocity of the next step were computed from its momentum, rounding would change the energy by
// the fraction 5e-12.
TEST_CASE("rounding errors of rattlie6 do not add up to a drift of the energy") {
  const Top top(Group::direct);
  const Drift drift = energy_drift("rattlie6", Treatment::stabilised_index_2, top, top.start(20), 5e-3, 4000);
  CHECK(drift.size < 5e-13 * top.energy(top.start(20)));
}

// This shows that the test of an energy error without trend can fail.
TEST_CASE("with cg3, the energy error of the same top has a trend") {
  const Top top(Group::direct);
  const Drift drift = energy_drift("cg3", Treatment::index_1, top, top.start(20), 2e-3, 20'000);
  CHECK(std::abs(drift.trend) > 0.3 * drift.size);
}

TEST_CASE("rattlie, lie-midpoint and their compositions return to the start when time is reversed") {
  const Chain chain(Group::semidirect);
  for (const std::string name :
       {"rattlie", "lie-midpoint", "rattlie4", "lie-midpoint4", "rattlie6", "lie-midpoint6"}) {
    CAPTURE(name);
    const auto method = find_method(name)->make(Treatment::stabilised_index_2);
    const State there = run(*method, chain, chain.start(), 0, 1, 50);
    CHECK(distance(chain, chain.start(), there) > 0.1);
    CHECK(distance(chain, run(*method, chain, there, 1, 0, 50), chain.start()) < 1e-10);
  }
}

TEST_CASE("a separate trial step leaves every bit of the main steps on constrained systems unchanged") {
  const Top top(Group::semidirect, 0.1);
  for_each_form([&](const MethodInfo& method, Treatment treatment) {
    const double h = 1. / 128;
    const State alone = run(*method.make(treatment), top, top.start(10), 0, 8 * h, 8);
    const auto stepper = method.make(treatment);
    State x = top.start(10);
    for (int i = 0; i < 8; ++i) {
      State aside = x;
      stepper->do_step(top, aside, i * h, 0.3 * h);
      REQUIRE(stepper->do_step(top, x, i * h, h) == StepStatus::accepted);
    }
    CHECK(x.q == alone.q);
    CHECK(x.v == alone.v);
  });
}

TEST_CASE("projection is refused for systems without constraints") {
  class Free final : public ConstrainedBodies {
   public:
    Free() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {}) {}

   private:
    void row(double, const std::vector<BodyMotion>&, int, Row&) const override {}
  };
  const Projected projected(find_method("rkmk4")->make());
  CHECK(*projected.why_unsuitable(Free()) == "projection needs constraints, and the system has none");
  CHECK(!projected.why_unsuitable(Top(Group::direct)));
}

TEST_CASE("the embedded error estimates of projected methods have their order") {
  const Chain chain(Group::semidirect);
  for (const std::string name : {"rkmk-dopri5", "rkmk-ck54", "cf4", "hemk5"}) {
    CAPTURE(name);
    const MethodInfo& method = *find_method(name);
    const auto error = [&](int n) {
      State x = chain.start();
      Vec estimate;
      const auto stepper = method.make(method.treatments.front());
      REQUIRE(stepper->do_step(chain, x, 0, 1. / n, &estimate) == StepStatus::accepted);
      return greatest(estimate);
    };
    const double slope = std::log2(error(40) / error(80));
    CHECK(slope > method.embedded_order + 0.5);
    CHECK(slope < method.embedded_order + 2);
  }
}
