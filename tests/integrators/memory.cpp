#include <doctest/doctest.h>

#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

template <class G>
const auto system_on = group_system<G>(SampleMotion<G>());
const auto so3_system = system_on<SO3<>>;

template <class G>
State start_on() {
  const Phase<G> x = SampleMotion<G>::start();
  return group_state(x.q, x.v);
}
State start_on_so3() { return start_on<SO3<>>(); }

/// Whether a run with `used` has the bits and the number of evaluations of a run with a new stepper.
template <class G>
bool runs_like_new(Stepper& used, const MethodInfo& method) {
  const auto fresh = method.make();
  const long before = used.evaluations();
  const State x = run(used, system_on<G>, start_on<G>(), 0, 1, 8);
  const State y = run(*fresh, system_on<G>, start_on<G>(), 0, 1, 8);
  return x.q == y.q && x.v == y.v && used.evaluations() - before == fresh->evaluations();
}

}  // namespace

TEST_CASE("a separate trial step leaves every bit of the main steps unchanged") {
  for (const MethodInfo& method : methods()) {
    if (method.make()->why_unsuitable(so3_system)) continue;
    CAPTURE(std::string(method.name));
    const State alone = run(method.name, so3_system, start_on_so3(), 0, 1, 16);
    const auto stepper = method.make();
    State x = start_on_so3();
    for (int i = 0; i < 16; ++i) {
      State aside = x;
      stepper->do_step(so3_system, aside, i / 16., 0.3 / 16);
      REQUIRE(stepper->do_step(so3_system, x, i / 16., 1 / 16.) == StepStatus::accepted);
    }
    CHECK(x.q == alone.q);
    CHECK(x.v == alone.v);
  }
}

TEST_CASE("first-same-as-last methods save one evaluation in each step") {
  const auto count = [](const char* method) {
    const auto stepper = find_method(method)->make();
    run(*stepper, so3_system, start_on_so3(), 0, 1, 10);
    return stepper->evaluations();
  };
  CHECK(count("rkmk-dopri5") == 61);
  CHECK(count("cf4") == 41);
  CHECK(count("rkmk4") == 40);
  CHECK(count("rkmk-ck54") == 60);
  CHECK(count("rkmk-fehlberg78") == 130);
  CHECK(count("rkmk-dopri8") == 130);
  CHECK(count("cg3") == 30);
  CHECK(count("cg4") == 50);
  CHECK(count("lie-euler") == 10);
}

TEST_CASE("a slope from the previous step is not used at another time") {
  State x = start_on_so3();
  const auto stepper = find_method("rkmk-dopri5")->make();
  REQUIRE(stepper->do_step(so3_system, x, 0, 0.1) == StepStatus::accepted);
  State fresh = x, late = x;
  fresh.memory.resize(0);
  REQUIRE(stepper->do_step(so3_system, fresh, 5, 0.1) == StepStatus::accepted);
  REQUIRE(stepper->do_step(so3_system, late, 5, 0.1) == StepStatus::accepted);
  CHECK(late.v == fresh.v);
}

TEST_CASE("a method does not use the stored slope of another method") {
  for (const MethodInfo& first : methods()) {
    for (const MethodInfo& second : methods()) {
      if (&first == &second || first.make()->why_unsuitable(so3_system)) continue;
      if (second.make()->why_unsuitable(so3_system)) continue;
      if (first.name == "rkmk-dopri5" && second.name == "cf4") continue;  // both store the same last slope
      if (first.name == "cf4" && second.name == "rkmk-dopri5") continue;
      CAPTURE(std::string(first.name));
      CAPTURE(std::string(second.name));
      State x = start_on_so3();
      REQUIRE(first.make()->do_step(so3_system, x, 0, 0.125) == StepStatus::accepted);
      State fresh = x;
      fresh.memory.resize(0);
      REQUIRE(second.make()->do_step(so3_system, fresh, 0.125, 0.125) == StepStatus::accepted);
      REQUIRE(second.make()->do_step(so3_system, x, 0.125, 0.125) == StepStatus::accepted);
      CHECK(x.v == fresh.v);
    }
  }
}

TEST_CASE("one stepper takes steps of systems of different sizes") {
  for (const MethodInfo& method : methods()) {
    if (method.make()->why_unsuitable(so3_system)) continue;
    CAPTURE(std::string(method.name));
    const auto stepper = method.make();
    CHECK(runs_like_new<SE3<>>(*stepper, method));
    CHECK(runs_like_new<SO3<>>(*stepper, method));
    CHECK(runs_like_new<Product<SO3<>, Rn<1>>>(*stepper, method));
    CHECK(runs_like_new<SO3<>>(*stepper, method));
  }
}
