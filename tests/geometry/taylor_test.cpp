#include "torsor/geometry/detail/taylor.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/greatest.hpp"
#include "torsor/lie/elementary.hpp"

using namespace torsor;

namespace {

using Series = Taylor<double, 5>;

/// The greatest difference between corresponding coefficients.
double distance(const Series& a, const Series& b) {
  double most = 0;
  for (int i = 0; i <= 5; ++i) most = test::greatest(most, a[i] - b[i]);
  return most;
}
const Series x = Series::variable();
const Series generic_series({0.7, -1.3, 0.4, 2.1, -0.6, 0.9});

}  // namespace

TEST_CASE("elementary functions have their known series") {
  const auto [s, c] = sin_cos(x);
  CHECK(distance(s, Series({0, 1, 0, -1. / 6, 0, 1. / 120})) < 1e-16);
  CHECK(distance(c, Series({1, 0, -1. / 2, 0, 1. / 24, 0})) < 1e-16);
  CHECK(distance(torsor::sqrt(Series(1) + x), Series({1, 1. / 2, -1. / 8, 1. / 16, -5. / 128, 7. / 256})) <
        1e-16);
  CHECK(distance(Series(1) / (Series(1) - x), Series({1, 1, 1, 1, 1, 1})) < 1e-16);
  CHECK(distance(arctan2(x, Series(1)), Series({0, 1, 0, -1. / 3, 0, 1. / 5})) < 1e-16);
}

TEST_CASE("the series of sinh is finite where the square of sinh overflows") {
  const Series f = torsor::sinh(Series(400) + x), g = torsor::sinh(Series(-400) + x);
  double factorial = 1;
  for (int i = 1; i <= 5; factorial *= ++i) {
    CAPTURE(i);
    const double expected = (i % 2 ? std::cosh(400.) : std::sinh(400.)) / factorial;
    CHECK(f[i] == doctest::Approx(expected).epsilon(1e-14));
    CHECK(g[i] == doctest::Approx(i % 2 ? expected : -expected).epsilon(1e-14));
  }
}

TEST_CASE("series obey the identities of their functions") {
  const auto [s, c] = sin_cos(generic_series);
  CHECK(distance(s * s + c * c, Series(1)) < 1e-14);
  CHECK(distance(s.derivative(), [&] {
          Series rate = c * generic_series.derivative();
          rate[5] = 0;  // the derivative lacks the last coefficient
          return rate;
        }()) < 1e-14);
  CHECK(distance(arctan2(s, c), generic_series) < 1e-14);
  CHECK(distance(torsor::sqrt(generic_series) * torsor::sqrt(generic_series), generic_series) < 1e-14);
  CHECK(distance(s / generic_series * generic_series, s) < 1e-13);
  Series tail = generic_series;
  tail[0] = 0;
  CHECK(distance(generic_series.derivative().integral(), tail) < 1e-16);
}

TEST_CASE("a series can be evaluated and compared") {
  CHECK(generic_series.at(0.5) == doctest::Approx(0.7 - 0.65 + 0.1 + 2.1 / 8 - 0.6 / 16 + 0.9 / 32));
  CHECK(x < generic_series);
  CHECK(torsor::max(x, generic_series)[3] == 2.1);
  CHECK(torsor::abs(-generic_series)[1] == -1.3);
}

TEST_CASE("a series of series has mixed derivatives") {
  using Two = Taylor<Taylor<double, 2>, 2>;
  const Two t = Two::variable(), e(Taylor<double, 2>::variable());
  const Two f = sin_cos(t * e + e).sin;  // e + t e + ..., without a term in e^2
  CHECK(f[0][1] == 1);
  CHECK(f[1][1] == 1);
  CHECK(f[1][2] == 0);
  CHECK((t * e / (Two(1) - t))[2][1] == 1);
}
