#include "torsor/batch/ensemble.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fields.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

using namespace torsor;
using test::Frame, test::Top;

namespace {

struct Copy {
  Phase<SO3<>> y;
  std::array<double, 2> parameters;
};

/// Tops at random angular speeds, from less than 0.1 rad/s to more than 10 rad/s.
std::vector<Copy> random_tops(std::size_t count) {
  std::mt19937_64 random(1736);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Copy> tops(count);
  for (Copy& top : tops) {
    const Vec3 turn = 3 * Vec3(number(random), number(random), number(random));
    const double speed = std::pow(10, 1.2 * number(random));
    top.y.q = SO3<>::exp(turn);
    top.y.v = speed * Vec3(number(random), number(random), number(random));
    top.parameters = {1.5 + number(random), 2 * number(random)};
  }
  return tops;
}

Ensemble<Top> ensemble_of(const std::vector<Copy>& tops) {
  Ensemble<Top> ensemble(tops.size());
  for (std::size_t k = 0; k < tops.size(); ++k) {
    ensemble.set(k, tops[k].y);
    ensemble.set_parameters(k, tops[k].parameters);
  }
  return ensemble;
}

template <class Point>
std::vector<double> stored(const Point& y) {
  std::vector<double> all(Point::nq);
  y.to(all.data());
  return all;
}

std::vector<Isa> sets() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::sse2, Isa::avx2, Isa::avx512})
    if (is_available(isa)) all.push_back(isa);
  return all;
}

template <template <class> class Method>
void check_equal_steps(std::size_t count) {
  const double t = 0.25, h = 0.01;
  const long n = 37;
  const auto tops = random_tops(count);
  for (const Isa isa : sets()) {
    CAPTURE(to_string(isa));
    CAPTURE(count);
    auto ensemble = ensemble_of(tops);
    ensemble.steps(ensemble_kernels<Top, Method>(isa), t, h, n);
    for (std::size_t k = 0; k < count; ++k) {
      Phase<SO3<>> alone = tops[k].y;
      integrate_steps<Method>(Top<double>(tops[k].parameters), alone, t, h, n);
      REQUIRE(stored(ensemble.get(k)) == stored(alone));
    }
  }
}

/// Integrates all copies with error control and compares each with `integrate`.
template <template <class> class Method>
void check_controlled(const std::vector<Copy>& tops, double t, double t_end,
                      const IntegrateOptions& options) {
  for (const Isa isa : sets()) {
    CAPTURE(to_string(isa));
    auto ensemble = ensemble_of(tops);
    const auto results = ensemble.integrate(ensemble_kernels<Top, Method>(isa), t, t_end, options);
    REQUIRE(results.size() == tops.size());
    for (std::size_t k = 0; k < tops.size(); ++k) {
      CAPTURE(k);
      Phase<SO3<>> y = tops[k].y;
      const IntegrateResult alone = integrate<Method>(Top<double>(tops[k].parameters), y, t, t_end, options);
      CHECK(results[k].status == alone.status);
      CHECK(results[k].t == alone.t);
      CHECK(results[k].accepted == alone.accepted);
      CHECK(results[k].rejected == alone.rejected);
      CHECK(results[k].evaluations == alone.evaluations);
      if (std::isfinite(tops[k].y.v[0])) REQUIRE(stored(ensemble.get(k)) == stored(y));
    }
  }
}

long rejected(const std::vector<IntegrateResult>& results) {
  return std::accumulate(results.begin(), results.end(), 0L,
                         [](long sum, const IntegrateResult& one) { return sum + one.rejected; });
}

}  // namespace

TEST_CASE("equal steps give each copy the bits of a single integration, whatever the number of copies") {
  for (const std::size_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 100}) {
    check_equal_steps<RkmkNystrom4>(count);
    check_equal_steps<Cf4>(count);
    check_equal_steps<RkmkDopri5>(count);
  }
}

TEST_CASE("error control gives each copy the steps and bits of a single integration") {
  const auto tops = random_tops(101);
  const auto results =
      ensemble_of(tops).integrate(ensemble_kernels<Top, RkmkDopri5>(), 0, 3, {.tolerance = 1e-7});
  CHECK(rejected(results) > 10);  // the lanes must take different steps
  check_controlled<RkmkDopri5>(tops, 0, 3, {.tolerance = 1e-7});
  check_controlled<Cf4>(tops, 0, 1, {.tolerance = 1e-6, .max_step = 0.05});
  check_controlled<RkmkDop853>(tops, 0, 1, {.tolerance = 1e-9, .first_step = 0.5});
  check_controlled<RkmkDopri5>(tops, 0, 1e-3,
                               {.tolerance = 1e-13});  // shorter than the probe of the first step
  for (const std::size_t count : {1, 3, 8, 11}) check_controlled<RkmkDopri5>(random_tops(count), 0, 1, {});
}

TEST_CASE("time may run backwards or not at all") {
  const auto tops = random_tops(20);
  check_controlled<RkmkDopri5>(tops, 2, -1, {.tolerance = 1e-7});
  check_controlled<Cf4>(tops, 1, 1, {});
}

TEST_CASE("a limit of steps ends only the copies that reach it") {
  const auto tops = random_tops(50);
  const IntegrateOptions options{.tolerance = 1e-8, .max_steps = 60};
  check_controlled<RkmkDopri5>(tops, 0, 2, options);
  const auto results = ensemble_of(tops).integrate(ensemble_kernels<Top, RkmkDopri5>(), 0, 2, options);
  const auto limited = std::count_if(results.begin(), results.end(),
                                     [](const auto& one) { return one.status == StepStatus::step_limit; });
  CHECK(limited > 5);
  CHECK(limited < 45);
}

TEST_CASE("a copy with NaN ends without effect on the others") {
  auto tops = random_tops(30);
  for (const std::size_t k : {4, 5, 17, 29}) tops[k].y.v[0] = std::numeric_limits<double>::quiet_NaN();
  check_controlled<RkmkDopri5>(tops, 0, 1, {.tolerance = 1e-7});
  auto ensemble = ensemble_of(tops);
  CHECK(ensemble.integrate(ensemble_kernels<Top, RkmkDopri5>(), 0, 1)[17].status == StepStatus::underflow);
  auto equal = ensemble_of(tops), clean = ensemble_of(random_tops(30));
  equal.steps(ensemble_kernels<Top, RkmkNystrom4>(), 0, 0.01, 50);
  clean.steps(ensemble_kernels<Top, RkmkNystrom4>(), 0, 0.01, 50);
  for (std::size_t k = 0; k < 30; ++k) {
    CHECK(equal.finite(k) == (k != 4 && k != 5 && k != 17 && k != 29));
    if (equal.finite(k)) CHECK(stored(equal.get(k)) == stored(clean.get(k)));
  }
}

TEST_CASE("a copy ends before it overflows, with the bits of a single integration") {
  const IntegrateOptions options{.tolerance = 1e300, .first_step = 1e-3};
  Ensemble<test::Overflow> line(11);
  const auto start = [](std::size_t k) {
    return Rn<1>::exp(Vector<double, 1>::Constant(1.797e308 - 2e305 * static_cast<double>(k)));
  };
  for (std::size_t k = 0; k < line.size(); ++k) line.set(k, start(k));
  const auto results = line.integrate(ensemble_kernels<test::Overflow, RkmkDopri5>(), 0, 1, options);
  for (std::size_t k = 0; k < line.size(); ++k) {
    CAPTURE(k);
    Rn<1> y = start(k);
    const IntegrateResult alone = integrate<RkmkDopri5>(test::Overflow<double>(), y, 0, 1, options);
    CHECK(results[k].status == alone.status);
    CHECK(results[k].status == (k < 5 ? StepStatus::underflow : StepStatus::reached_end));
    CHECK(results[k].t == alone.t);
    CHECK(line.finite(k));
    CHECK(stored(line.get(k)) == stored(y));
  }
}

TEST_CASE("the order of the copies and their division into ranges do not change any bit") {
  auto tops = random_tops(60);
  auto whole = ensemble_of(tops);
  const auto& kernels = ensemble_kernels<Top, RkmkDopri5>();
  whole.integrate(kernels, 0, 1);

  auto parts = ensemble_of(tops);
  CHECK(parts.integrate(kernels, 0, 1, {}, {0, 13}).size() == 13);
  CHECK(parts.integrate(kernels, 0, 1, {}, {13, 14}).size() == 1);
  CHECK(parts.integrate(kernels, 0, 1, {}, {14}).size() == 46);
  for (int i = 0; i < Ensemble<Top>::numbers; ++i)
    CHECK(std::equal(parts.row(i).begin(), parts.row(i).end(), whole.row(i).begin()));

  std::vector<std::size_t> order(tops.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::vector<Copy> shuffled;
  for (const std::size_t k : order) shuffled.push_back(tops[k]);
  auto other = ensemble_of(shuffled);
  other.integrate(kernels, 0, 1);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(stored(other.get(i)) == stored(whole.get(order[i])));
}

TEST_CASE("an ensemble accepts fields without velocities and without parameters") {
  Ensemble<Frame> frames(21);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    SE3<> X = SE3<>::identity();
    X.p[0] = 0.3 * static_cast<double>(k);
    frames.set(k, X);
  }
  const Ensemble<Frame> start = frames;
  auto equal = frames;
  equal.steps(ensemble_kernels<Frame, Rkmk4TwoBrackets>(), 0, 0.1, 20);
  const auto results = frames.integrate(ensemble_kernels<Frame, Cf4>(), 0, 2, {.tolerance = 1e-6});
  for (std::size_t k = 0; k < frames.size(); ++k) {
    SE3<> X = start.get(k);
    const IntegrateResult alone = integrate<Cf4>(Frame<double>(), X, 0, 2, {.tolerance = 1e-6});
    CHECK(stored(frames.get(k)) == stored(X));
    CHECK(results[k].evaluations == alone.evaluations);
    X = start.get(k);
    integrate_steps<Rkmk4TwoBrackets>(Frame<double>(), X, 0, 0.1, 20);
    CHECK(stored(equal.get(k)) == stored(X));
  }
}

namespace {

/// The order observed when the step size 1/64 is halved.
template <template <class> class Method>
double observed_order(const auto& field, const auto& start, const auto& distance) {
  auto exact = start;
  integrate<RkmkDop853>(field, exact, 0, 1, {.tolerance = 1e-13});
  const auto error = [&](long n) {
    auto y = start;
    integrate_steps<Method>(field, y, 0., 1. / static_cast<double>(n), n);
    return distance(y, exact);
  };
  return std::log2(error(64) / error(128));
}

}  // namespace

TEST_CASE("two brackets give a method of order 4 on groups") {
  SE3<> frame = SE3<>::identity();
  frame.p = Vec3(2, 1, -1);
  CHECK(observed_order<Rkmk4TwoBrackets>(Frame<double>(), frame, [](const auto& a, const auto& b) {
          return difference(a, b).norm();
        }) == doctest::Approx(4).epsilon(0.03));
}

TEST_CASE("Nystrom's method with its bracket has order 4 for mechanics on SO(3) and SE(3)") {
  const auto distance = [](const auto& a, const auto& b) {
    return difference(a.q, b.q).norm() + (a.v - b.v).norm();
  };
  const Phase<SO3<>> top{SO3<>::exp(Vec3(0.3, 1, 0.2)), Vec3(2, -3, 4)};
  CHECK(observed_order<RkmkNystrom4>(Top<double>({0.7, 3}), top, distance) ==
        doctest::Approx(4).epsilon(0.03));
  const auto body = mechanical_field<SE3<>>([](double t, const SE3<>& X, const Vector<double, 6>& v) {
    const Vec3 linear = v.head<3>(), angular = v.tail<3>();
    Vector<double, 6> a = 0.3 * v.reverse();
    a.head<3>() += cross(angular, linear) + X.R.inverse() * Vec3(std::cos(t), 0, -1);
    a.tail<3>() -= cross(X.p, linear);
    return a;
  });
  Phase<SE3<>> start;
  start.v << 0.5, -1, 0.3, 1, 2, -0.7;
  CHECK(observed_order<RkmkNystrom4>(body, start, distance) == doctest::Approx(4).epsilon(0.03));
}

TEST_CASE("error control is refused for a method without an error estimate") {
  Ensemble<Top> tops(3);
  CHECK_THROWS_WITH_AS(tops.integrate(ensemble_kernels<Top, RkmkNystrom4>(), 0, 1),
                       "error control needs a method with an embedded solution", std::invalid_argument);
}
