#include "torsor/lie/detail/real_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "support/greatest.hpp"

using namespace torsor;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The difference between a double and the C library's long double, in units in the last place of the double.
/// It is not finite if one of the two numbers is not finite.
double units(double value, long double exact) {
  const auto nearest = static_cast<double>(exact);
  const double unit = std::nextafter(std::abs(nearest), infinity) - std::abs(nearest);
  const auto off = static_cast<double>(std::abs(value - exact) / unit);
  return off;
}

struct Function {
  std::string_view name;
  double (*own)(double);
  long double (*exact)(long double);
  double first, last;
};

const Function functions[] = {
    {"exp", real::exp, std::exp, -700, 700},      {"log", real::log, std::log, 1e-310, 50},
    {"sinh", real::sinh, std::sinh, -700, 700},   {"cosh", real::cosh, std::cosh, -700, 700},
    {"sinh", real::sinh, std::sinh, -0.01, 0.01}, {"tanh", real::tanh, std::tanh, -25, 25},
    {"tanh", real::tanh, std::tanh, -0.01, 0.01}, {"log", real::log, std::log, 0.5, 1.6},
    {"asin", real::asin, std::asin, -1, 1},       {"acos", real::acos, std::acos, -1, 1},
    {"atan", real::atan, std::atan, -1e4, 1e4},   {"atan", real::atan, std::atan, -1.5, 1.5}};

}  // namespace

TEST_CASE(
    "errors of the functions are below 0.51 units in the last place, and below 2.5 for asin, acos and atan") {
  for (const Function& f : functions) {
    CAPTURE(f.name);
    double worst = 0;
    for (int i = 0; i <= 20000; ++i) {
      const double x = f.first + (f.last - f.first) * i / 20000;
      worst = test::greatest(worst, units(f.own(x), f.exact(x)));
    }
    CHECK(worst < (f.name.starts_with('a') ? 2.5 : 0.51));
  }
}

TEST_CASE(
    "powers with exponents up to 30 are accurate to the last digit, exact where the result is a double, and "
    "have the right sign") {
  for (double x = 1e-8; x < 1e8; x *= 1.9)
    for (double w = -30; w <= 30; w += 0.37) {
      CAPTURE(x);
      CAPTURE(w);
      CHECK(units(real::pow(x, w), std::pow(static_cast<long double>(x), static_cast<long double>(w))) < 0.8);
    }
  CHECK(real::pow(2, -1000) == 0x1p-1000);
  CHECK(real::pow(2, 0.5) == std::sqrt(2.));
  CHECK(real::pow(10, 22) == 1e22);
  CHECK(real::pow(10, -5) == 1e-5);
  CHECK(real::pow(-3, 5) == -243);
  CHECK(real::pow(-3, 4) == 81);
  CHECK(real::pow(-2, 101) == -0x1p101);
  CHECK(real::pow(-1, 1e15 + 1) == -1);
}

TEST_CASE("the functions have the values of the C standard at overflow, underflow, infinity, NaN and poles") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(real::exp(1000) == infinity);
  CHECK(real::exp(-1000) == 0);
  CHECK(real::exp(-infinity) == 0);
  CHECK(real::exp(-745.1) > 0);
  CHECK(real::log(0) == -infinity);
  CHECK(real::log(infinity) == infinity);
  CHECK(real::sinh(-infinity) == -infinity);
  CHECK(real::cosh(800) == infinity);
  CHECK(real::tanh(infinity) == 1);
  CHECK(real::atan(infinity) == std::numbers::pi / 2);
  CHECK(real::pow(0, -1) == infinity);
  CHECK(real::pow(0, 0) == 1);
  CHECK(real::pow(10, 400) == infinity);
  CHECK(real::pow(1e300, 2.5) == infinity);
  CHECK(real::pow(1e-300, 2.5) == 0);
  for (const double x : {real::exp(nan), real::log(-1), real::asin(1.5), real::acos(nan), real::pow(-2, 0.5),
                         real::pow(nan, 2)})
    CHECK(std::isnan(x));
}
