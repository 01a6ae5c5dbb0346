#include "torsor/lie/detail/trigonometry.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numbers>
#include <random>
#include <vector>

using namespace torsor;

namespace {

/// Distance in units in the last place of the exact value.
double ulps(double got, long double exact) {
  const double size = std::max(std::fabs(static_cast<double>(exact)), std::numeric_limits<double>::min());
  return static_cast<double>(std::fabs(got - exact) / (std::nextafter(size, HUGE_VAL) - size));
}

/// Doubles next to multiples of pi/2, and others of every size below 1e18. The reference for these is long
/// double.
std::vector<double> angles() {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-300, 18);
  std::vector<double> all{0., 1e-300, 5e5, 1e6, std::nextafter(1e6, 2e6), 1e17};
  for (int n = -3000; n <= 3000; ++n) all.push_back(n * std::numbers::pi / 2);
  for (int i = 0; i < 20000; ++i) all.push_back(mantissa(random) * std::pow(10., exponent(random)));
  for (int i = 0; i < 20000; ++i) all.push_back(10 * mantissa(random));
  return all;
}

}  // namespace

TEST_CASE("sine and cosine are within one unit in the last place") {
  for (double x : angles()) {
    CAPTURE(x);
    const auto [sine, cosine] = sin_cos(x);
    CHECK(ulps(sine, std::sin(static_cast<long double>(x))) < 1);
    CHECK(ulps(cosine, std::cos(static_cast<long double>(x))) < 1);
  }
}

TEST_CASE("an angle of any size is reduced exactly") {
  // Of all doubles, this one is nearest to a multiple of pi/2 (W. Kahan); its cosine is given to 20 digits.
  CHECK(ulps(sin_cos(5.319372648326541e255).cos, -4.6871659242546276111e-19L) < 1);
  CHECK(ulps(sin_cos(1e22).sin, -0.8522008497671888017727L) < 1);
  CHECK(ulps(sin_cos(-1e22).cos, 0.5232147853951389454976L) < 1);
}

TEST_CASE("sine and cosine of an argument that is not finite are NaN") {
  CHECK(std::isnan(sin_cos(HUGE_VAL).sin));
  CHECK(std::isnan(sin_cos(-HUGE_VAL).cos));
  CHECK(std::isnan(sin_cos(std::nan("")).sin));
}

TEST_CASE("the arctangent is within two units in the last place in every direction") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-30, 30);
  for (int i = 0; i < 40000; ++i) {
    const double y = mantissa(random) * std::pow(2., exponent(random)), x = mantissa(random);
    CAPTURE(y);
    CAPTURE(x);
    CHECK(ulps(arctan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))) < 2);
  }
}

TEST_CASE("the arctangent is exact on the axes and correct to rounding on the diagonals") {
  const double pi = std::numbers::pi;
  CHECK(arctan2(0., 0.) == 0);
  CHECK(arctan2(0., 1.) == 0);
  CHECK(arctan2(1e-300, 1.) == 1e-300);
  CHECK(arctan2(1., 1.) == pi / 4);
  CHECK(arctan2(1., 0.) == pi / 2);
  CHECK(arctan2(1., -1.) == doctest::Approx(3 * pi / 4).epsilon(1e-15));
  CHECK(arctan2(0., -1.) == pi);
  CHECK(arctan2(-1., 0.) == -pi / 2);
  CHECK(arctan2(1e-300, 1e-300) == pi / 4);
}
