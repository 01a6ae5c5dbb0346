#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "../model/some_forces.hpp"
#include "../support/allocations.hpp"
#include "run/additions.hpp"
#include "run/sign_changes.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/mechanism_system.hpp"
#include "torsor/system/tree_system.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// Checks that no method that takes the system allocates memory after the first five steps of a run. The
/// tangent of a tree allocates memory. The steps are so small that the iterations of implicit methods
/// converge without the tangent.
void check_no_heap(const System& system, const State& start) {
  for (const MethodInfo& method : methods())
    for (const bool controlled : {false, true}) {
      if (method.make()->why_unsuitable(system) || (controlled && method.fixed_step_only)) continue;
      CAPTURE(method.name);
      CAPTURE(controlled);
      SimulationOptions options;
      options.method = method.name;
      if (controlled)
        options.tolerance = method.order < 4 ? 1e-5 : 1e-12;
      else
        options.step = 1e-3;
      options.output_step = 3e-4;
      options.t_end = 1000;
      options.max_steps = 40;
      long steps = 0, first = 0, last = 0;
      options.progress = [&](double) { (++steps == 5 ? first : last) = allocations; };
      const auto summary = simulate(system, start, options, [](double, const State&) {});
      CHECK(summary.status == StepStatus::step_limit);
      REQUIRE(steps > 5);
      CHECK(last == first);
    }
}

}  // namespace

TEST_CASE(
    "steps of a tree with every kind of joint and force do not allocate memory, with and without the work" *
    doctest::skip(!counts_allocations)) {
  const Vec three = Vec::Ones(3);
  const long before = allocations;
  CHECK((Vec(three) * 2).norm() > 3);
  REQUIRE(allocations > before);  // check that the counter works

  test::Random random(11);
  Mechanism mechanism = test::random_tree(random, 20);
  mechanism.forces = test::changing_forces(random, mechanism);
  const Model model(mechanism);
  const State start = test::random_state(random, model);
  const TreeSystem tree(model, LinkLengths(model, start.q));
  check_no_heap(tree, start);
  const mechanics::FreeWithAdditions with_work(tree, tree.power());
  check_no_heap(with_work, mechanics::with_additions(with_work, start));
}

TEST_CASE("accelerations in absolute form do not allocate memory, with every kind of joint and force" *
          doctest::skip(!counts_allocations)) {
  test::Random random(11);
  Mechanism mechanism = test::random_tree(random, 20);
  mechanism.forces = test::changing_forces(random, mechanism);
  const Model model(mechanism, Formulation::absolute);
  const State x = test::random_state(random, model);
  const MechanismSystem system(model, LinkLengths(model, x.q));
  Vec a(model.nv());
  system.acceleration(0, x.q, x.v, a);
  const long before = allocations;
  system.acceleration(0.1, x.q, x.v, a);
  const long during = allocations - before;
  CHECK(during == 0);
}

TEST_CASE("the state ahead, from which the rates of events follow, is computed without new memory" *
          doctest::skip(!counts_allocations)) {
  test::Random random(11);
  Mechanism mechanism = test::random_tree(random, 20);
  mechanism.forces = test::changing_forces(random, mechanism);
  const Model model(mechanism);
  const State now = test::random_state(random, model);
  const TreeSystem tree(model, LinkLengths(model, now.q));
  Vec a(model.nv());
  tree.acceleration(0, now.q, now.v, a);
  const Vec expected = now.v + 1e-3 * a;
  State ahead;
  mechanics::look_ahead(tree, 0, now, 1e-6, ahead);
  const long before = allocations;
  mechanics::look_ahead(tree, 0, now, 1e-3, ahead);
  CHECK(allocations == before);
  CHECK(ahead.v == expected);
}

TEST_CASE(
    "steps in which events and kinks are watched do not allocate memory, nor does the search for their "
    "rounding" *
    doctest::skip(!counts_allocations)) {
  test::Random random(11);
  Mechanism mechanism = test::random_tree(random, 20);
  mechanism.forces = test::changing_forces(random, mechanism);
  const State start = test::random_state(random, Model(mechanism));
  const Measured height{Measured::Quantity::position, 0, 2, {7, Vec3::Zero()}};
  StateFunction pushes{{height}, 1, [](const double* y, const signed char* sides, double* switching) {
                         if (switching) *switching = 2 + std::sin(y[1]);
                         return sides && *sides < 0 ? 1. : 2.;
                       }};
  mechanism.forces.push_back({"push", BodyForce{{7, Vec3::Zero()}, {TimeFunction(pushes, "push"), 0., 0.}}});
  const Model pushed(mechanism);
  const TreeSystem tree(pushed, LinkLengths(pushed, start.q));
  SimulationOptions options;
  options.events = {{"far", [](double, const State& x) { return 2 + std::sin(x.q[0]); }}};
  options.max_steps = 40, options.t_end = 1000;
  long steps = 0, first = 0, last = 0;
  options.progress = [&](double) { (++steps == 5 ? first : last) = allocations; };
  CHECK(simulate(tree, start, options).status == StepStatus::step_limit);
  REQUIRE(steps > 5);
  CHECK(last == first);

  mechanics::StatesBeside beside;
  const std::function<void(double, const State&, Vec&)> values = [](double, const State& x, Vec& out) {
    out = x.v;
  };
  const Vec before = beside.rounding_of(tree, 0, start, values);
  const long here = allocations;
  const Vec& again = beside.rounding_of(tree, 0, start, values);
  CHECK(allocations == here);
  CHECK(again == before);
}
