#include "torsor/integrators/odeint_adaptor.hpp"

#include <doctest/doctest.h>

#include <boost/numeric/odeint/integrate/integrate_const.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <functional>
#include <variant>

#include "row_on_group.hpp"
#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;
namespace odeint = boost::numeric::odeint;

TEST_CASE("Odeint's integration functions accept the library's steppers") {
  using G = SO3<>;
  const auto system = group_system<G>(SampleMotion<G>());
  const Phase<G> start = SampleMotion<G>::start();
  State x = group_state(start.q, start.v);
  const State expected = run("cf4", system, x, 0, 1, 8);
  int seen = 0;
  odeint::integrate_const(OdeintStepper("cf4"), std::cref(system), x, 0., 1., 1. / 8,
                          [&](const State&, double) { ++seen; });
  CHECK(seen == 9);
  CHECK(x.q == expected.q);
  CHECK(x.v == expected.v);
}

TEST_CASE("a failed step ends Odeint's integration with an exception") {
  const auto broken = [](double t, const SO3<>&, const Vec3&) { return Vec3(0, t > 0.5 ? 0. / 0. : 0., 0); };
  const auto system = group_system<SO3<>>(broken);
  State x = group_state(SO3<>::identity(), Vec3(1, 0, 0));
  try {
    odeint::integrate_n_steps(OdeintStepper("rkmk4"), std::cref(system), x, 0., 0.1, 10);
    FAIL("no exception");
  } catch (const EvaluationError& failure) {
    CHECK(failure.status == StepStatus::non_finite);
  }
  CHECK(x.v.allFinite());
}

TEST_CASE("OdeintStepper refuses systems that its method cannot integrate, and states of another size") {
  const auto system = group_system<SO3<>>(SampleMotion<SO3<>>());
  State empty;
  CHECK_THROWS_WITH_AS(OdeintStepper("rkmk4").do_step(system, empty, 0, 0.1),
                       "the state has 0 coordinates and 0 velocities; the system has 4 and 3",
                       std::invalid_argument);
  State x = group_state(SO3<>::identity(), Vec3(1, 0, 0));
  CHECK_THROWS_WITH_AS(OdeintStepper("lie-verlet").do_step(system, x, 0, 0.1),
                       doctest::Contains("lie-verlet: the method needs"), std::invalid_argument);
  const RowOnGroup<SO3<>> constrained;
  CHECK_THROWS_WITH_AS(OdeintStepper("rkmk4").do_step(constrained, x, 0, 0.1),
                       "OdeintStepper takes systems without constraints, own states and counted angles; "
                       "`simulate` integrates the others",
                       std::invalid_argument);
}

TEST_CASE("OdeintStepper checks a second system also if it has the address of the first") {
  std::variant<RowOnGroup<SO3<>>, GroupSystem<SO3<>, SampleMotion<SO3<>>>> system;
  OdeintStepper stepper("rkmk4");
  State x = group_state(SO3<>::identity(), Vec3(1, 0, 0));
  stepper.do_step(system.emplace<1>(SampleMotion<SO3<>>()), x, 0, 0.1);
  CHECK_THROWS_AS(stepper.do_step(system.emplace<0>(), x, 0.1, 0.1), std::invalid_argument);
}

TEST_CASE("OdeintStepper refuses an unknown method") {
  CHECK_THROWS_AS(OdeintStepper("euler"), std::invalid_argument);
}
