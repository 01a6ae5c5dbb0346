#include "torsor/integrators/integrate.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "observed_order.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A first-order field that depends on position and time and whose values do not commute.
struct Wind {
  SE3<>::Tangent operator()(double t, const SE3<>& g) const {
    SE3<>::Tangent fixed, turning;
    fixed << 0.3, -0.5, 0.7, 0.9, -0.4, 0.2;
    turning << 0.2, 0.1, -0.3, 0.5, 1.1, -0.8;
    return g.inverse().Ad(fixed) * (1 + 0.5 * std::sin(2 * t)) + std::cos(t) * turning;
  }
};

template <template <class> class Method>
void check_order() {
  const auto field = group_field<SE3<>>(Wind());
  const auto end = [&](long n) {
    SE3<> y = SE3<>::identity();
    integrate_steps<Method>(field, y, 0., 1. / static_cast<double>(n), n);
    return y;
  };
  SE3<> reference = SE3<>::identity();
  REQUIRE(integrate<RkmkDopri5>(field, reference, 0, 1, {.tolerance = 1e-14}).status ==
          StepStatus::reached_end);
  const auto error = [&](int n) { return difference(end(n), reference).norm(); };
  const ObservedOrder observed = observed_order(error, 32, 3);
  CAPTURE(observed.text());
  CHECK(std::abs(observed.slope - Method<GroupField<SE3<>, Wind>>::order) < 0.1);
}

}  // namespace

TEST_CASE("methods have their order on a first-order field of a user") {
  check_order<LieEuler>();
  check_order<Rkmk4>();
  check_order<Cf4>();
  check_order<Cg3>();
  check_order<Cg4>();
}

TEST_CASE("the error is proportional to the tolerance") {
  const auto field = group_field<SE3<>>(Wind());
  SE3<> reference = SE3<>::identity();
  integrate<RkmkDopri5>(field, reference, 0, 10, {.tolerance = 1e-14});
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    SE3<> y = SE3<>::identity();
    const IntegrateResult result = integrate<RkmkDopri5>(field, y, 0, 10, {.tolerance = tolerance});
    CHECK(result.status == StepStatus::reached_end);
    CHECK(result.t == 10);
    CHECK(difference(y, reference).norm() < 30 * tolerance);
    CHECK(difference(y, reference).norm() > 0.01 * tolerance);
  }
}

TEST_CASE("integration backwards in time undoes integration forwards") {
  const auto field = group_field<SE3<>>(Wind());
  SE3<> y = SE3<>::identity();
  integrate<Cf4>(field, y, 0, 2, {.tolerance = 1e-10});
  CHECK(y.log().norm() > 0.1);
  integrate<Cf4>(field, y, 2, 0, {.tolerance = 1e-10});
  CHECK(y.log().norm() < 1e-8);
}

TEST_CASE("runs that cannot continue end with a status and the last good state") {
  using Line = Rn<1>;
  const Line::Tangent one = Line::Tangent::Constant(1);
  const auto pole = group_field<Line>([](double, const Line& y) -> Line::Tangent {
    const Line::Tangent x = y.log();
    return x.cwiseProduct(x);
  });
  Line y = Line::exp(one);
  const IntegrateResult at_pole = integrate<RkmkDopri5>(pole, y, 0, 2, {.max_steps = 100'000});
  CHECK(at_pole.status == StepStatus::underflow);
  CHECK(at_pole.t < 1.0001);
  CHECK(y.log().allFinite());

  const auto not_a_number = group_field<Line>([&](double t, const Line&) -> Line::Tangent {
    return t > 0.5 ? Line::Tangent(one / 0.) - Line::Tangent(one / 0.) : one;
  });
  y = Line::identity();
  const IntegrateResult broken = integrate<RkmkDopri5>(not_a_number, y, 0, 2);
  CHECK(broken.status == StepStatus::underflow);
  CHECK(broken.t <= 0.5);
  CHECK(y.log()[0] == doctest::Approx(broken.t));

  const auto wind = group_field<SE3<>>(Wind());
  SE3<> g = SE3<>::identity();
  const IntegrateResult hopeless =
      integrate<RkmkDopri5>(wind, g, 0, 1, {.tolerance = 1e-30, .max_steps = 1000});
  CHECK((hopeless.status == StepStatus::underflow || hopeless.status == StepStatus::step_limit));
  CHECK(integrate<RkmkDopri5>(wind, g, 1e17, 1e17 + 64).status == StepStatus::underflow);
  CHECK(integrate<RkmkDopri5>(wind, g, 0, 1, {.tolerance = 1e-12, .max_steps = 5}).status ==
        StepStatus::step_limit);
}

TEST_CASE("invalid times and options are refused") {
  const auto field = group_field<SE3<>>(Wind());
  SE3<> y = SE3<>::identity();
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto refused = [&](double t, double t_end, const IntegrateOptions& options = {}) {
    CHECK_THROWS_AS(integrate<RkmkDopri5>(field, y, t, t_end, options), std::invalid_argument);
  };
  refused(0, nan), refused(nan, 1), refused(0, inf), refused(-inf, 0);
  for (const double bad : {nan, 0., -1.}) {
    refused(0, 1, {.tolerance = bad});
    refused(0, 1, {.max_step = bad});
  }
  refused(0, 1, {.first_step = nan}), refused(0, 1, {.first_step = -1}), refused(0, 1, {.max_steps = 0});
  CHECK(difference(y, SE3<>::identity()).norm() == 0);
  CHECK(integrate<RkmkDopri5>(field, y, 1, 1).status == StepStatus::reached_end);
}
