#include "torsor/integrators/step_control.hpp"

#include <doctest/doctest.h>

#include <limits>

using torsor::PiController;

namespace {

template <int solution, int embedded>
struct OrdersOfPair {
  static constexpr int order = solution, embedded_order = embedded;
};

}  // namespace

TEST_CASE(
    "an error equal to the tolerance is accepted; a greater error is rejected with a smaller step size") {
  PiController control(4);
  CHECK(control.judge(1).accept);
  const auto decision = control.judge(1.0001);
  CHECK(!decision.accept);
  CHECK(decision.factor < 1);
}

TEST_CASE("an estimate has the order of the less accurate one of its two solutions") {
  CHECK(torsor::estimate_order_of<OrdersOfPair<5, 4>> == 4);
  CHECK(torsor::estimate_order_of<OrdersOfPair<4, 5>> == 4);
}

TEST_CASE("an error that is huge or not finite is rejected") {
  PiController control(4);
  for (double error :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    const auto decision = control.judge(error);
    CHECK(!decision.accept);
    CHECK(decision.factor < 1);
    CHECK(decision.factor > 0);
  }
}

TEST_CASE("the step size does not grow right after a rejected step") {
  PiController control(4);
  control.judge(8);
  CHECK(control.judge(1e-3).factor <= 1);
  CHECK(control.judge(1e-3).factor > 1);
}

TEST_CASE("the step size factor stays within its limits") {
  PiController control(7);
  CHECK(control.judge(0).factor <= 8);
  CHECK(control.judge(1e-30).factor <= 8);
  CHECK(control.judge(1e30).factor >= 0.2);
}

TEST_CASE("step control of e = (h / h0)^k settles near the tolerance for every order") {
  for (int order : {1, 3, 4, 7}) {
    CAPTURE(order);
    PiController control(order);
    double h = 1e-3, error = 0;
    for (int i = 0; i < 60; ++i) {
      error = std::pow(h / 0.5, order + 1);
      h *= control.judge(error).factor;
    }
    CHECK(error < 1);
    CHECK(error > 0.1);
  }
}

TEST_CASE("the first step has an estimated error of a hundredth of the tolerance") {
  const double h = torsor::first_step(2, 3, 1e-8, 4);
  CHECK(3 * std::pow(h, 5) == doctest::Approx(1e-10).scale(0));
  CHECK(torsor::first_step(0, 0, 1e-8, 4) > 0);
  for (const double unknown :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    CHECK(torsor::first_step(3, unknown, 1e-8, 4) == torsor::first_step(3, 0, 1e-8, 4));
  CHECK(torsor::probe_step(0) > 0);
}
