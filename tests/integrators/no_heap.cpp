#include <doctest/doctest.h>

#include "../support/allocations.hpp"
#include "constrained_bodies.hpp"
#include "integrators/doubling.hpp"
#include "invariant_system.hpp"
#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

void check_no_heap(Stepper& stepper, const System& system, State x) {
  Vec error;
  REQUIRE(stepper.do_step(system, x, 0, 1e-2, &error) == StepStatus::accepted);
  REQUIRE(stepper.do_step(system, x, 1e-2, 1e-2, &error) == StepStatus::accepted);
  const long before = allocations;
  StepStatus status = StepStatus::accepted;
  for (int i = 2; i < 12 && status == StepStatus::accepted; ++i)
    status = stepper.do_step(system, x, i * 1e-2, 1e-2, i % 2 ? &error : nullptr);
  const long during = allocations - before;
  CHECK(status == StepStatus::accepted);
  CHECK(during == 0);
}

using G = Product<SE3<>, SO3<>>;

}  // namespace

TEST_CASE("the counter of allocations works" * doctest::skip(!counts_allocations)) {
  const long before = allocations;
  const Vec v = Vec::Ones(100);
  CHECK(allocations > before);
  CHECK(v.sum() == 100);
}

TEST_CASE("no method allocates heap memory after its first steps" * doctest::skip(!counts_allocations)) {
  const SampleMotion<G> sample;
  const auto system = invariant_system<G>(sample.inertia, [&](double t, const G& q) -> G::Tangent {
    const G::Tangent load = (1 + t) * sample.load;
    return q.Ad_transpose(load);
  });
  const Phase<G> x = SampleMotion<G>::start();
  for (const MethodInfo& method : methods()) {
    CAPTURE(std::string(method.name));
    check_no_heap(*method.make(), system, group_state(x.q, x.v));
    Doubling doubled(method.make());
    check_no_heap(doubled, system, group_state(x.q, x.v));
  }
}

TEST_CASE("no method allocates heap memory on constrained systems after its first steps" *
          doctest::skip(!counts_allocations)) {
  Top top(ConstrainedBodies::Group::semidirect, 0.1);
  top.repeat_rows(2);
  for (const MethodInfo& method : methods()) {
    for (const Treatment treatment : method.treatments) {
      if (treatment > Treatment::index_1) continue;
      CAPTURE(std::string(method.name));
      CAPTURE(std::string(to_string(treatment)));
      check_no_heap(*method.make(treatment), top, top.start(1));
    }
  }
}

TEST_CASE("a nonlinear solve with a Jacobian does not allocate heap memory" *
          doctest::skip(!counts_allocations)) {
  const auto stiff = [](double, const SO3<>& R, const Vec3& v) -> Vec3 { return -1e5 * R.log() - v; };
  const auto system = group_system<SO3<>>(stiff);
  for (const std::string name : {"lie-midpoint", "generalized-alpha"}) {
    CAPTURE(name);
    check_no_heap(*find_method(name)->make(), system,
                  group_state(SO3<>::exp(Vec3(0.1, 0, 0)), Vec3(0, 1, 0)));
  }
}
