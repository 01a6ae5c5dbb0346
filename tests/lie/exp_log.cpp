#include "torsor/lie/detail/exp_log.hpp"

#include <doctest/doctest.h>

#include "torsor/lie/pack.hpp"

using namespace torsor;

TEST_CASE("logarithms and powers of two are accurate to six digits, and log2(1) is exact") {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    const auto [whole, rest] = binary_log(x);
    CHECK(whole == std::rint(whole));
    CHECK(std::abs(rest) <= 0.5);
    CHECK(std::abs(std::exp2(-whole) * x / std::exp2(rest) - 1) <= 1e-7);
  }
  for (double x = -1000; x <= 1000; x += 0.37) CHECK(std::abs(power_of_two(x) / std::exp2(x) - 1) <= 8e-9);
  for (double x = -0.25; x <= 0.25; x += 0.001)
    CHECK(std::abs(near_power_of_two(x) / std::exp2(x) - 1) <= 5e-8);
  const auto rest = [](double x) { return binary_log(x).rest; };
  CHECK(binary_log(1.).whole == 0);
  CHECK(rest(1) == 0);
  CHECK(rest(std::nextafter(1., 2.)) > 0);
  CHECK(rest(std::nextafter(1., 0.)) < 0);
}

TEST_CASE("logarithms and powers of two of a pack agree bit for bit with those of a double") {
  for (double x = 1e-9; x < 1e9; x *= 1.9) {
    const Pack each([&](auto lane) { return x * (1 + 0.31 * static_cast<double>(lane)); });
    const auto logs = binary_log(each);
    const Pack powers = power_of_two(Pack(logs.whole + logs.rest));
    const Pack near = near_power_of_two(Pack(logs.rest / 2));
    for (int i = 0; i < lanes<Pack>; ++i) {
      const auto alone = binary_log(lane(each, i));
      CHECK(lane(logs.whole, i) == alone.whole);
      CHECK(lane(logs.rest, i) == alone.rest);
      CHECK(lane(powers, i) == power_of_two(alone.whole + alone.rest));
      CHECK(lane(near, i) == near_power_of_two(alone.rest / 2));
    }
  }
}
