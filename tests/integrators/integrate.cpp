#include "torsor/integrators/integrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "observed_order.hpp"
#include "sample_motion.hpp"
#include "support/greatest.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"
#include "torsor/integrators/rkmk_order8.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/semidirect_product.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A first-order field that depends on position and time and whose values do not commute.
template <LieGroup G>
struct Wind {
  using Tangent = typename G::Tangent;
  Tangent fixed, turning;

  Wind() {
    for (int i = 0; i < G::dof; ++i) fixed[i] = number<double>(i), turning[i] = number<double>(i + 60);
  }
  Tangent operator()(double t, const G& g) const {
    return g.inverse().Ad(fixed) * (1 + 0.5 * std::sin(2 * t)) + std::cos(t) * turning;
  }
};

/// The Heisenberg group, with the functions of the concept LieGroup and no others.
struct Heisenberg {
  using Scalar = double;
  using Tangent = Vec3;
  using Square = Mat3;
  static constexpr int dof = 3, nq = 3;
  Vec3 p = Vec3::Zero();

  static Heisenberg identity() { return {}; }
  static Heisenberg exp(const Vec3& xi) { return {xi}; }
  Vec3 log() const { return p; }
  Heisenberg operator*(const Heisenberg& g) const { return {p + g.p + ad(p, g.p) / 2}; }
  Heisenberg inverse() const { return {-p}; }
  Heisenberg normalized() const { return *this; }
  double defect() const { return 0; }
  Mat3 Ad() const { return Mat3::Identity() + ad(p); }
  Vec3 Ad(const Vec3& xi) const { return xi + ad(p, xi); }
  static Mat3 ad(const Vec3& xi) { return Vec3::UnitZ() * Vec3(-xi[1], xi[0], 0).transpose(); }
  static Vec3 ad(const Vec3& xi, const Vec3& eta) { return ad(xi) * eta; }
  static Mat3 dexp(const Vec3& xi) { return Mat3::Identity() - ad(xi) / 2; }
  static Vec3 dexp(const Vec3& xi, const Vec3& w) { return w - ad(xi, w) / 2; }
  static Mat3 dexp_inv(const Vec3& xi) { return Mat3::Identity() + ad(xi) / 2; }
  static Vec3 dexp_inv(const Vec3& xi, const Vec3& w) { return w + ad(xi, w) / 2; }
  static Heisenberg from(const double* q) { return {Vec3(q[0], q[1], q[2])}; }
  void to(double* q) const { std::copy(p.begin(), p.end(), q); }
};

/// The point after one second with n equal steps.
template <template <class> class Method, class Field>
typename Field::Point after_one_second(const Field& field, typename Field::Point y, int n) {
  integrate_steps<Method>(field, y, 0., 1. / n, n);
  return y;
}

template <template <class> class Method, class Field>
void check_order(const Field& field, const typename Field::Point& start,
                 const typename Field::Point& reference) {
  const auto error = [&](int n) {
    typename Field::Tangent difference;
    field.difference(after_one_second<Method>(field, start, n), reference, difference);
    return greatest(difference);
  };
  const ObservedOrder observed = observed_order(error, 32, 3);
  CAPTURE(observed.text());
  CHECK(std::abs(observed.slope - Method<Field>::order) < 0.1);
}

}  // namespace

TEST_CASE_TEMPLATE("methods have their order on a first-order field of a user", G, SE3<>, SE23<>, SGal3<>) {
  const auto field = group_field<G>(Wind<G>());
  const G start = G::identity(), reference = after_one_second<Rkmk4>(field, start, 2048);
  check_order<LieEuler>(field, start, reference);
  check_order<Rkmk4>(field, start, reference);
  check_order<Rkmk4TwoBrackets>(field, start, reference);
  check_order<Cf4>(field, start, reference);
  check_order<Cg3>(field, start, reference);
  check_order<Cg4>(field, start, reference);
}

TEST_CASE_TEMPLATE("Nystrom's method has order 4 on the mechanical field of a user", G, SE3<>, SE23<>,
                   SGal3<>) {
  const auto field = mechanical_field<G>(SampleMotion<G>());
  const Phase<G> start = SampleMotion<G>::start();
  check_order<RkmkNystrom4>(field, start, after_one_second<RkmkNystrom4>(field, start, 1024));
}

TEST_CASE("the methods accept any group that models LieGroup, for fields and for mechanics") {
  const auto area = group_field<Heisenberg>([](double t, const Heisenberg&) -> Vec3 {
    return {-std::sin(t), std::cos(t), 0};  // a unit circle: the third coordinate is the area swept
  });
  Heisenberg y;
  integrate<RkmkDopri5>(area, y, 0, 6, {.tolerance = 1e-10});
  CHECK(y.p[2] == doctest::Approx((6 - std::sin(6)) / 2).epsilon(1e-8));

  const auto turning = mechanical_field<Heisenberg>([](double, const Heisenberg&, const Vec3& v) -> Vec3 {
    return {-v[1], v[0], 0};
  });
  Phase<Heisenberg> x{{}, Vec3::UnitY()};
  integrate<RkmkDopri5>(turning, x, 0, 6, {.tolerance = 1e-10});
  CHECK((x.q.p - y.p).norm() < 1e-8);
}

TEST_CASE("methods with Odeint's steppers take vectors of a long odd size") {
  using Line = Rn<33>;
  const auto cubic = group_field<Line>(
      [](double t, const Line&) -> Line::Tangent { return Line::Tangent::Constant(4 * t * t * t); });
  Line y, z;
  integrate_steps<Rkmk4>(cubic, y, 0., 0.25, 4);
  integrate<RkmkCk54>(cubic, z, 0, 1, {.tolerance = 1e-6});
  CHECK(greatest(Line::Tangent(y.log() - Line::Tangent::Ones())) < 1e-14);
  CHECK(greatest(Line::Tangent(z.log() - Line::Tangent::Ones())) < 1e-14);
}

TEST_CASE("the error is proportional to the tolerance") {
  const auto field = group_field<SE3<>>(Wind<SE3<>>());
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

TEST_CASE("error control holds the error of a field of time alone, which is a quadrature") {
  const auto wave = group_field<Rn<1>>(
      [](double t, const Rn<1>&) -> Rn<1>::Tangent { return Rn<1>::Tangent::Constant(std::cos(7 * t)); });
  const auto error = [&](double tolerance, auto run) {
    Rn<1> y;
    const IntegrateResult result = run(y, IntegrateOptions{.tolerance = tolerance});
    CHECK(result.status == StepStatus::reached_end);
    return std::abs(y.log()[0] - std::sin(70.) / 7);
  };
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    CAPTURE(tolerance);
    CHECK(error(tolerance, [&](Rn<1>& y, const IntegrateOptions& options) {
            return integrate<Cf4>(wave, y, 0, 10, options);
          }) < 30 * tolerance);
    CHECK(error(tolerance, [&](Rn<1>& y, const IntegrateOptions& options) {
            return integrate<RkmkDopri5>(wave, y, 0, 10, options);
          }) < 30 * tolerance);
    CHECK(error(tolerance, [&](Rn<1>& y, const IntegrateOptions& options) {
            return integrate<RkmkFehlberg78>(wave, y, 0, 10, options);
          }) < 30 * tolerance);
  }
}

// A rise that lies between the stages of a step is missed. The steps before it are long, because the rate is zero.
TEST_CASE("error control sees a rate of time alone that rises within a step, except at few places") {
  constexpr double width = 0.02;
  for (const double tolerance : {1e-7, 1e-10}) {
    int missed = 0, rises = 0;
    for (double rise = 3; rise < 8; rise += 0.02, ++rises) {
      CAPTURE(tolerance);
      CAPTURE(rise);
      const auto field = group_field<Rn<1>>([rise](double t, const Rn<1>&) -> Rn<1>::Tangent {
        return Rn<1>::Tangent::Constant(1 / (1 + std::exp((rise - t) / width)));
      });
      const auto error = [rise](const Rn<1>& y) { return std::abs(y.log()[0] - (10 - rise)); };
      Rn<1> y;
      integrate<RkmkFehlberg78>(field, y, 0, 10, {.tolerance = tolerance});
      missed += error(y) < 100 * tolerance ? 0 : 1;
      Rn<1> z;
      integrate<RkmkDop853>(field, z, 0, 10, {.tolerance = tolerance});
      missed += error(z) < 100 * tolerance ? 0 : 1;
      Rn<1> w;
      integrate<RkmkDop853>(field, w, 0, 10, {.tolerance = tolerance, .max_step = 5 * width});
      CHECK(error(w) < 100 * tolerance);
    }
    CHECK(missed <= rises / 50);  // of two runs each
  }
}

TEST_CASE("integration backwards in time undoes integration forwards") {
  const auto field = group_field<SE3<>>(Wind<SE3<>>());
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

  const auto steady = group_field<Line>([&](double, const Line&) -> Line::Tangent { return 1e306 * one; });
  y = Line::exp(1.797e308 * one);
  const IntegrateResult overflow =
      integrate<RkmkDopri5>(steady, y, 0, 1, {.tolerance = 1e300, .first_step = 1e-3});
  CHECK(overflow.status == StepStatus::underflow);
  CHECK(overflow.t > 0.06);
  CHECK(y.log().allFinite());
  y = Line::exp(HUGE_VAL * one);
  const IntegrateResult no_start = integrate<RkmkDopri5>(steady, y, 0, 1, {.tolerance = 1e300});
  CHECK(no_start.status == StepStatus::underflow);
  CHECK(no_start.accepted == 0);

  const auto wind = group_field<SE3<>>(Wind<SE3<>>());
  SE3<> g = SE3<>::identity();
  const IntegrateResult hopeless =
      integrate<RkmkDopri5>(wind, g, 0, 1, {.tolerance = 1e-30, .max_steps = 1000});
  CHECK((hopeless.status == StepStatus::underflow || hopeless.status == StepStatus::step_limit));
  CHECK(integrate<RkmkDopri5>(wind, g, 1e17, 1e17 + 64).status == StepStatus::underflow);
  CHECK(integrate<RkmkDopri5>(wind, g, 0, 1, {.tolerance = 1e-12, .max_steps = 5}).status ==
        StepStatus::step_limit);
}

TEST_CASE("the field is evaluated only between the start and the end, however slow the motion is") {
  const auto slow = group_field<Rn<1>>([](double t, const Rn<1>&) -> Rn<1>::Tangent {
    if (!(0 <= t && t <= 1)) throw std::domain_error("the field is defined from 0 to 1 only");
    return Rn<1>::Tangent::Constant(1e-4 * (1 + t));
  });
  for (const auto& [t, t_end] : {std::pair(0., 1.), std::pair(1., 0.), std::pair(1., 1.)}) {
    Rn<1> y;
    CHECK(integrate<RkmkDopri5>(slow, y, t, t_end).status == StepStatus::reached_end);
    CHECK(std::abs(y.p[0] - 1.5e-4 * (t_end - t)) < 1e-15);
  }
}

TEST_CASE("invalid times and options are refused") {
  const auto field = group_field<SE3<>>(Wind<SE3<>>());
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
