#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "constrained_bodies.hpp"
#include "run.hpp"
#include "torsor/integrators/projected.hpp"

using namespace torsor;
using namespace torsor::test;
using Group = ConstrainedBodies::Group;

namespace {

struct Drift {
  double size, trend;  ///< trend: of the least squares line, over the whole run
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

// Over 1e6 steps: top at h = 2e-3, drift below 4e-3 J of 256 J, trend -2e-7 J; tests run a fiftieth.
TEST_CASE("rattlie and lie-midpoint keep the energy of constrained mechanisms without trend") {
  for (const Group group : {Group::direct, Group::semidirect}) {
    const Top top(group);
    for (const std::string method : {"rattlie", "lie-midpoint"}) {
      CAPTURE(method);
      CAPTURE(group == Group::direct);
      const Drift drift =
          energy_drift(method, Treatment::stabilised_index_2, top, top.start(20), 2e-3, 20'000);
      CHECK(drift.size < 0.2);
      CHECK(std::abs(drift.trend) < 0.02 * drift.size);
    }
  }
}

TEST_CASE("a method that is neither has a trend") {  // so the test above can fail
  const Top top(Group::direct);
  const Drift drift = energy_drift("cg3", Treatment::index_1, top, top.start(20), 2e-3, 20'000);
  CHECK(std::abs(drift.trend) > 0.3 * drift.size);
}

TEST_CASE("they come back when time is turned round") {
  const Chain chain(Group::semidirect);
  for (const std::string name : {"rattlie", "lie-midpoint"}) {
    CAPTURE(name);
    const auto method = find_method(name)->make(Treatment::stabilised_index_2);
    const State there = run(*method, chain, chain.start(), 0, 1, 50);
    CHECK(distance(chain, chain.start(), there) > 0.1);
    CHECK(distance(chain, run(*method, chain, there, 1, 0, 50), chain.start()) < 1e-10);
  }
}

TEST_CASE("a side step leaves the bits of the main steps alone") {
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

TEST_CASE("projection is for constrained systems") {
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

TEST_CASE("the embedded errors of projected methods stand") {
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
