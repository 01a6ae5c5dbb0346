#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "scene/language/evaluate.hpp"
#include "scene/language/expression.hpp"

namespace torsor::scene {

TEST_CASE("an angle by atan2 goes on beyond its jump while its side is held, and does not count as rough") {
  const Expression f = parse_expression("atan2(y, x)", Vocabulary{{"x", "y"}}).expression;
  REQUIRE(f.kinks() == 1);
  const auto value = [&](double x, double y) { return f.at(std::array{x, y}.data()); };
  const auto switching = [&](double x, double y) {
    double found = 0;
    f.at(std::array{x, y}.data(), nullptr, &found);
    return found;
  };
  const auto held = [&](double angle, signed char side) {
    return f.at(std::array{2 * std::cos(angle), 2 * std::sin(angle)}.data(), &side,
                static_cast<double*>(nullptr));
  };
  for (int i = -15; i <= 15; ++i) {
    const double angle = 0.2 * i;  // from -3 to 3
    CAPTURE(angle);
    const double found = switching(2 * std::cos(angle), 2 * std::sin(angle));
    const int side = (found > 0) - (found < 0);
    CHECK(side == (std::abs(angle) < std::numbers::pi / 2 ? 0 : angle > 0 ? 1 : -1));
    for (const double near : {angle - 0.7, angle, angle + 0.7})
      if (side != 0) CHECK(std::abs(held(near, static_cast<signed char>(side)) - near) < 1e-14);
    for (const int any : {-1, 0, 1})
      if (side == 0) CHECK(std::abs(held(angle, static_cast<signed char>(any)) - angle) < 1e-14);
  }
  CHECK(value(-1, 0) == std::numbers::pi);
  CHECK(switching(-1e300, -1e300) == -1);
  CHECK(switching(0, 0) == 0);
  CHECK_FALSE(rough_function(f, 2));
}

}  // namespace torsor::scene
