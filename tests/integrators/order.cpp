#include <doctest/doctest.h>

#include "integrators/doubling.hpp"
#include "invariant_system.hpp"
#include "observed_order.hpp"
#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/semidirect_product.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

template <class G>
State start_of() {
  const Phase<G> x = SampleMotion<G>::start();
  return group_state(x.q, x.v);
}

/// The order over one second from the sample start. The reference is Fehlberg's method with steps so small
/// that rounding dominates its error.
ObservedOrder order_of(Stepper& stepper, const System& system, const State& x, int n, int count) {
  const State end = run("rkmk-fehlberg78", system, x, 0, 1, 100);
  return observed_order(
      [&](int steps) { return distance(system, run(stepper, system, x, 0, 1, steps), end); }, n, count);
}

}  // namespace

using R3xSO3 = Product<Rn<3>, SO3<>>;
using SE3xSO3 = Product<SE3<>, SO3<>>;

TEST_CASE_TEMPLATE("methods of order up to 4 have their order on every group", G, SO3<>, SE3<>, R3xSO3,
                   SE3xSO3, SE23<>, SGal3<>) {
  const auto system = group_system<G>(SampleMotion<G>());
  for (const MethodInfo& method : methods()) {
    const auto stepper = method.make();
    if (method.order > 4 || stepper->why_unsuitable(system)) continue;
    CAPTURE(std::string(method.name));
    const ObservedOrder observed = order_of(*stepper, system, start_of<G>(), method.order == 1 ? 128 : 48, 4);
    CAPTURE(observed.text());
    CHECK(std::abs(observed.slope - method.order) < 0.1);
  }
}

TEST_CASE_TEMPLATE("lie-midpoint6 has order 6 on every group", G, SO3<>, SE3<>, R3xSO3, SE3xSO3, SE23<>,
                   SGal3<>) {
  const auto system = group_system<G>(SampleMotion<G>());
  const ObservedOrder observed = order_of(*find_method("lie-midpoint6")->make(), system, start_of<G>(), 4, 4);
  CAPTURE(observed.text());
  CHECK(std::abs(observed.slope - 6) < 0.1);
}

TEST_CASE_TEMPLATE("the symplectic methods have their order under forces of position and time", G, SO3<>,
                   SE3<>, R3xSO3, SE3xSO3, SE23<>, SGal3<>) {
  const SampleMotion<G> sample;
  const auto system = invariant_system<G>(sample.inertia, [&](double t, const G& q) -> typename G::Tangent {
    const typename G::Tangent load = (1 + 0.5 * std::sin(3 * t)) * sample.load;
    return q.Ad_transpose(load);
  });
  for (const std::string name : {"lie-verlet", "geodesic-verlet", "lie-verlet4", "lie-verlet6"}) {
    CAPTURE(name);
    const MethodInfo& method = *find_method(name);
    const ObservedOrder observed = order_of(*method.make(), system, start_of<G>(), method.order == 6 ? 8 : 32,
                                            method.order == 6 ? 3 : 4);
    CAPTURE(observed.text());
    CHECK(std::abs(observed.slope - method.order) < 0.1);
  }
}

TEST_CASE("doubling has the order of its method") {
  const auto system = group_system<SE3<>>(SampleMotion<SE3<>>());
  Doubling doubled(find_method("rkmk4")->make());
  const ObservedOrder observed = order_of(doubled, system, start_of<SE3<>>(), 16, 4);
  CHECK(std::abs(observed.slope - 4) < 0.1);
}
