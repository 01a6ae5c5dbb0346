#include "torsor/lie/detail/series.hpp"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numbers>
#include <vector>

#include "lie/samples.hpp"
#include "torsor/lie/detail/log_series.hpp"

using namespace torsor;

namespace {

// Closed forms in 100 digits, enough for the cancellation down to t = 1e-10.
using Exact = boost::multiprecision::cpp_bin_float_100;

struct ClosedForms {
  Exact a, b, c, q2, q3, e, d, d1, half_cos, half_sinc;

  explicit ClosedForms(const Exact& x) {
    const Exact t = sqrt(x), s = sin(t), co = cos(t), cot = cos(t / 2) / sin(t / 2);
    a = s / t;
    b = (1 - co) / x;
    c = (t - s) / (t * x);
    q2 = (x + 2 * co - 2) / (2 * x * x);
    q3 = (2 * t - 3 * s + t * co) / (2 * t * x * x);
    e = (2 - 2 * co - t * s) / (x * x);
    d = (1 - t / 2 * cot) / x;
    d1 = ((t / 2 * (1 + cot * cot) - cot) / (2 * t) - 2 * (1 - t / 2 * cot) / x) / x;
    half_cos = cos(t / 2);
    half_sinc = sin(t / 2) / t;
  }
};

/// Squared angles from 1e-20 to pi^2, and values on both sides of each switch of formula.
std::vector<double> squared_angles() {
  std::vector<double> all{1e-20, 1e-8};
  for (int i = 1; i <= 400; ++i) all.push_back(std::pow(i * std::numbers::pi / 400, 2));
  for (double at : {series::least_limit, series::short_limit<double>, series::near_limit}) {
    for (double x : {std::nextafter(at, 0.), at, std::nextafter(at, 100.)}) all.push_back(x);
  }
  return all;
}

constexpr double eps = std::numeric_limits<double>::epsilon();

double relative(double got, const Exact& exact) {
  return static_cast<double>(abs(got - exact) / abs(exact)) / eps;
}

}  // namespace

TEST_CASE("the coefficients of exp and of its derivative are within 6 eps up to half a turn") {
  for (double x : squared_angles()) {
    CAPTURE(x);
    const ClosedForms exact{Exact(x)};
    const auto [a, b, c] = series::coefficients<series::A, series::B, series::C>(x);
    CHECK(std::abs(static_cast<double>(a - exact.a)) < 6 * eps);
    CHECK(relative(b, exact.b) < 6);
    CHECK(relative(c, exact.c) < 6);
    const auto [q2, q3, e] = series::coefficients<series::Q2, series::Q3, series::E>(x);
    CHECK(relative(q2, exact.q2) < 6);
    CHECK(relative(q3, exact.q3) < 6);
    CHECK(relative(e, exact.e) < 6);
    const auto [d, d1] = series::coefficients<series::D, series::D1>(x);
    CHECK(relative(d, exact.d) < 6);
    CHECK(relative(d1, exact.d1) < 6);
    const auto [half_cos, half_sinc] = series::coefficients<series::HalfCos, series::HalfSinc>(x);
    CHECK(std::abs(static_cast<double>(half_cos - exact.half_cos)) < 6 * eps);
    CHECK(relative(half_sinc, exact.half_sinc) < 6);
  }
}

TEST_CASE("the coefficient d is e / (2 b)") {
  for (double x : squared_angles()) {
    const auto [d, e, b] = series::coefficients<series::D, series::E, series::B>(x);
    CHECK(d == doctest::Approx(e / (2 * b)).epsilon(1e-14));
  }
}

TEST_CASE("the closed forms hold beyond half a turn") {
  for (double t = 3.2; t < 40; t += 0.37) {
    CAPTURE(t);
    const ClosedForms exact{Exact(t * t)};
    const auto [b, c, q2, q3] = series::coefficients<series::B, series::C, series::Q2, series::Q3>(t * t);
    CHECK(std::abs(static_cast<double>(b - exact.b)) * t < 20 * eps);
    CHECK(relative(c, exact.c) < 20);
    CHECK(relative(q2, exact.q2) < 20);
    CHECK(relative(q3, exact.q3) < 20);
    const auto [d, d1] = series::coefficients<series::D, series::D1>(t * t);
    const double near_pole = 1 / std::abs(std::sin(t / 2));
    CHECK(std::abs(static_cast<double>(d - exact.d)) * t < 20 * eps * near_pole * near_pole);
    CHECK(std::abs(static_cast<double>(d1 - exact.d1)) * t < 20 * eps * std::pow(near_pole, 3));
  }
}

TEST_CASE("the limits at zero are the first terms of the series") {
  CHECK(series::coefficient<series::A>(0.) == 1);
  CHECK(series::coefficient<series::B>(0.) == 1 / 2.);
  CHECK(series::coefficient<series::C>(0.) == 1 / 6.);
  CHECK(series::coefficient<series::Q2>(0.) == 1 / 24.);
  CHECK(series::coefficient<series::Q3>(0.) == 1 / 120.);
  CHECK(series::coefficient<series::E>(0.) == 1 / 12.);
  CHECK(series::coefficient<series::D>(0.) == 1 / 12.);
}

TEST_CASE("the coefficients in long double have the accuracy of long double") {
  for (double x : squared_angles()) {
    CAPTURE(x);
    const ClosedForms exact{Exact(x)};
    const auto [b, c, d, d1] =
        series::coefficients<series::B, series::C, series::D, series::D1>(static_cast<long double>(x));
    CHECK(static_cast<double>(abs(b / exact.b - 1)) < 1e-18);
    CHECK(static_cast<double>(abs(c / exact.c - 1)) < 1e-18);
    CHECK(static_cast<double>(abs(d / exact.d - 1)) < 1e-18);
    CHECK(static_cast<double>(abs(d1 / exact.d1 - 1)) < 2e-18);
  }
}

TEST_CASE("the coefficients of log are within 4 eps") {
  std::vector<double> versines{1e-30, 1e-8};
  for (int i = 1; i <= 400; ++i) versines.push_back(i / 400.);
  for (double side : {0., 1.}) versines.push_back(std::nextafter(series::short_log_limit, side));
  for (double s : versines) {
    CAPTURE(s);
    const Exact angle = 2 * acos(1 - Exact(s)), scale = angle / sqrt(Exact(s) * (2 - Exact(s)));
    const Exact d = ClosedForms(angle * angle).d;
    CHECK(relative(series::log_scale(s), scale) < 4);
    CHECK(relative(series::log_d(s), d) < 4);
    CHECK(static_cast<double>(abs(series::log_scale(static_cast<long double>(s)) / scale - 1)) < 2e-18);
    CHECK(static_cast<double>(abs(series::log_d(static_cast<long double>(s)) / d - 1)) < 2e-18);
  }
}

/// The number of squared angles at which four terms and eight terms give different bits.
template <class Coefficient>
long differences_of_four_terms() {
  using namespace series;
  const auto& terms = near_terms<Coefficient, double>();
  long differences = 0;
  for (long i = 0; i <= 200'000; ++i) {
    const double x = least_limit * (1 - static_cast<double>(i) / 200'000);
    differences += polynomial<8>(x, terms) != polynomial<4>(x, terms);
  }
  return differences;
}

TEST_CASE_TEMPLATE("four terms give the same bits as eight terms at small angles", Coefficient, series::A,
                   series::B, series::C, series::Q2, series::Q3, series::E, series::HalfCos, series::HalfSinc,
                   series::D, series::D1) {
  CHECK(differences_of_four_terms<Coefficient>() == 0);
}

TEST_CASE("hard samples lie next to each switch of formula, on both sides") {
  const auto sampled = [](double limit, const auto& compared) {
    bool below = false, above = false;
    for (const auto& sample : hard_samples<SO3<>>()) {
      const double x = compared(sample.xi);
      if (std::abs(x - limit) <= 1e-12 * limit) (x < limit ? below : above) = true;
    }
    return below && above;
  };
  for (double limit : {series::least_limit, series::short_limit<double>, series::near_limit}) {
    CAPTURE(limit);
    CHECK(sampled(limit, [](const Vec3& w) { return w.squaredNorm(); }));
  }
  CHECK(sampled(series::short_log_limit, [](const Vec3& w) { return 1 - SO3<>::exp(w).w(); }));
}
