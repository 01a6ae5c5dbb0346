#include <doctest/doctest.h>

#include <cmath>

#include "integrators/doubling.hpp"
#include "observed_order.hpp"
#include "run.hpp"
#include "sample_motion.hpp"
#include "torsor/integrators/detail/munthe_kaas.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/lie/se3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

State start() {
  const Phase<SE3<>> x = SampleMotion<SE3<>>::start();
  return group_state(x.q, x.v);
}
/// Replaces an Odeint stepper; returns a given result with a given error.
struct Prescribed {
  using Vector12 = Eigen::Matrix<double, 12, 1>;
  static constexpr int order_value = 1, error_order_value = 1;
  static Vector12 chart() { return Vector12::LinSpaced(0.9, -0.6); }
  static Vector12 error() { return 1e-4 * Vector12::LinSpaced(-1, 2); }
  template <class Rate>
  void do_step(const Rate&, const Vector12&, const Vector12&, double, Vector12& u, double) {
    u = chart();
  }
  template <class Rate>
  void do_step(const Rate& rate, const Vector12& in, const Vector12& k, double t, Vector12& u, double h,
               Vector12& e) {
    do_step(rate, in, k, t, u, h);
    e = error();
  }
};

const auto se3_system = group_system<SE3<>>(SampleMotion<SE3<>>());

Vec estimate(Stepper& stepper, double h, State* end = nullptr) {
  State x = start();
  Vec error;
  REQUIRE(stepper.do_step(se3_system, x, 0, h, &error) == StepStatus::accepted);
  if (end) *end = x;
  return error;
}

}  // namespace

TEST_CASE("embedded error estimates have the order in the step size that step control expects") {
  for (const std::string name :
       {"rkmk-ck54", "rkmk-dopri5", "cf4", "rkmk-fehlberg78", "rkmk-dopri8", "rkmk-dop853"}) {
    CAPTURE(name);
    const auto stepper = find_method(name)->make();
    const auto size = [&](int n) { return greatest(estimate(*stepper, 1. / n)); };
    // The slopes of Fehlberg's method nearly cancel in the differentials of order 6: the order shows in
    // shorter steps.
    const int steps = name == "rkmk-fehlberg78" ? 8 : stepper->embedded_order() > 6 ? 4 : 16;
    const ObservedOrder observed = observed_order(size, steps, 3);
    CAPTURE(observed.text());
    CHECK(std::abs(observed.slope - (stepper->embedded_order() + 1)) < 0.6);
  }
}

TEST_CASE("the embedded error in the exponential chart is carried over to the group") {
  using Field = MechanicalField<SE3<>, SampleMotion<SE3<>>>;
  const Field field{SampleMotion<SE3<>>()};
  MuntheKaas<Field, Prescribed> method;
  const Phase<SE3<>> y = SampleMotion<SE3<>>::start();
  Field::Tangent slope, error, difference;
  Phase<SE3<>> next, embedded;
  field.rate(0, y, slope);
  method.step(field, y, slope, 0, 1, next, &error);
  field.retract(y, Prescribed::chart() - Prescribed::error(), embedded);
  field.difference(embedded, next, difference);
  CHECK((error - difference).norm() < 1e-3 * difference.norm());  // second order in 1e-4
  CHECK((Prescribed::error() - difference).norm() >
        0.05 * difference.norm());  // the vector in the chart differs from it
}

TEST_CASE("doubling predicts the error of its extrapolated solution") {
  for (const std::string name :
       {"lie-euler", "cg3", "rkmk4", "lie-midpoint", "cg4", "lie-midpoint4", "lie-midpoint6"}) {
    CAPTURE(name);
    Doubling stepper(find_method(name)->make());
    const double h = stepper.order() == 6 ? 0.1 : 0.02;
    State end;
    const Vec error = estimate(stepper, h, &end);
    const State exact = run("rkmk-fehlberg78", se3_system, start(), 0, h, 4);
    Vec true_error(2 * SE3<>::dof);
    se3_system.local_difference(end.q, exact.q, true_error.head(SE3<>::dof));
    true_error.tail(SE3<>::dof) = exact.v - end.v;
    CHECK((error - true_error).norm() < 0.15 * true_error.norm());
  }
}

TEST_CASE("a step without an error estimate gives the same bits") {
  for (const MethodInfo& method : methods()) {
    if (method.embedded_order == 0) continue;
    CAPTURE(std::string(method.name));
    State with, without = start();
    estimate(*method.make(), 0.1, &with);
    REQUIRE(method.make()->do_step(se3_system, without, 0, 0.1) == StepStatus::accepted);
    CHECK(with.q == without.q);
    CHECK(with.v == without.v);
  }
}
