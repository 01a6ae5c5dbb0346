#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

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

TEST_CASE("a function of constants alone is not rough") {
  const auto rough = [](const char* formula) {
    std::vector<std::string> measured;
    Vocabulary vocabulary{{"x"}};
    vocabulary.measured = &measured;  // allows all functions
    const ParsedExpression parsed = parse_expression(formula, vocabulary);
    REQUIRE_MESSAGE(parsed.error.empty(), parsed.error);
    return rough_function(parsed.expression, 0).has_value();
  };
  for (const char* formula :
       {"x*sign(2)", "x + if(1 > 2, 3, 4)", "if(2 > 1, x, 2*x)", "floor(2.5 + sign(3))*x"})
    CHECK_MESSAGE(!rough(formula), formula);
  for (const char* formula : {"sign(x)", "2*sign(1 + sign(2)*x)", "x + if(x > 2, 3, 4)", "floor(2.5*x)"})
    CHECK_MESSAGE(rough(formula), formula);
}

}  // namespace torsor::scene
