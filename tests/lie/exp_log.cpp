#include "torsor/lie/detail/exp_log.hpp"

#include <doctest/doctest.h>

#include "torsor/lie/pack.hpp"

using namespace torsor;

TEST_CASE("logarithm and exponential are accurate to twelve digits, and log(1) is exact") {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    const double exact = std::log(x);
    CHECK(std::abs(natural_log(x) - exact) <= 1e-13 * std::max(1., std::abs(exact)));
  }
  for (double x = -700; x <= 700; x += 0.37) CHECK(std::abs(exponential(x) / std::exp(x) - 1) <= 1e-13);
  CHECK(natural_log(1.) == 0);
  CHECK(natural_log(std::nextafter(1., 2.)) > 0);
  CHECK(natural_log(std::nextafter(1., 0.)) < 0);
}

TEST_CASE("logarithm and exponential of a pack agree bit for bit with the functions of a double") {
  for (double x = 1e-9; x < 1e9; x *= 1.9) {
    const Pack each([&](auto lane) { return x * (1 + 0.31 * static_cast<double>(lane)); });
    const Pack logs = natural_log(each), powers = exponential(logs);
    for (int i = 0; i < lanes<Pack>; ++i) {
      const double alone = natural_log(lane(each, i));
      CHECK(lane(logs, i) == alone);
      CHECK(lane(powers, i) == exponential(alone));
    }
  }
}
