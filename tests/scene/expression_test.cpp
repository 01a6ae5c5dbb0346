#include "expression.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace torsor::scene {
namespace {

double value(const std::string& text, double t = 0) {
  const ParsedExpression parsed = parse_expression(text, "t");
  REQUIRE_MESSAGE(parsed.error.empty(), text, ": ", parsed.error);
  REQUIRE(parsed.rest.empty());
  return parsed.expression(t).value;
}

}  // namespace

TEST_CASE("operators bind and associate as in mathematics") {
  CHECK(value("1 + 2*3") == 7);
  CHECK(value("(1 + 2)*3") == 9);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("24/4/3") == 2);
  CHECK(value("2^3^2") == 512);
  CHECK(value("-2^2") == -4);
  CHECK(value("2^-2") == 0.25);
  CHECK(value("2*-3") == -6);
  CHECK(value("--2 - -+3") == 5);
  CHECK(value("1e-3 + .5 + 5.") == 5.501);
  CHECK(value("0.1") == 0.1);  // digits are read to the nearest double
}

TEST_CASE("constants and functions") {
  CHECK(value("cos(pi)") == -1);
  CHECK(value("log(e)") == 1);
  CHECK(value("atan2(1, -1)") == doctest::Approx(3 * std::numbers::pi / 4).epsilon(1e-15));
  CHECK(value("pow(2, 10)") == 1024);
  CHECK(value("sqrt(t)*sinh(t) - cosh(t)*tan(t)", 0.7) ==
        doctest::Approx(std::sqrt(0.7) * std::sinh(0.7) - std::cosh(0.7) * std::tan(0.7)).epsilon(1e-15));
}

// Richardson's extrapolation of central differences leaves errors below 1e-8 in these functions.
TEST_CASE("derivatives are those of the function") {
  for (const char* text : {"sin(2*t)", "cos(t)^3", "tan(t)", "asin(t/2)", "acos(t/3)", "atan(t)",
                           "atan2(t, 1 + t^2)", "sinh(t)", "cosh(t)", "tanh(t)", "exp(-t)*t", "log(1 + t)",
                           "sqrt(1 + t)", "t^t", "t^2.5", "1/(1 + t^2)", "pow(t, 3) - t"}) {
    CAPTURE(text);
    const Expression f = parse_expression(text, "t").expression;
    const double t = 0.8, h = 2e-3;
    const auto at = [&](double s) { return f(t + s).value; };
    const auto slope = [&](double s) { return (at(s) - at(-s)) / (2 * s); };
    const auto bend = [&](double s) { return (at(s) - 2 * at(0) + at(-s)) / (s * s); };
    CHECK(f(t).rate == doctest::Approx((4 * slope(h / 2) - slope(h)) / 3).epsilon(1e-8));
    CHECK(f(t).acceleration == doctest::Approx((4 * bend(h / 2) - bend(h)) / 3).epsilon(1e-7));
  }
}

TEST_CASE("powers and roots are finite where their value is") {
  CHECK(parse_expression("t^1", "t").expression(0).acceleration == 0);
  CHECK(parse_expression("t^2", "t").expression(0).acceleration == 2);
  CHECK(parse_expression("t^0", "t").expression(0).rate == 0);
  CHECK(parse_expression("sqrt(0)*t", "t").expression(1).rate == 0);
}

TEST_CASE("what stands behind an expression is left over") {
  CHECK(parse_expression("30 deg", "t").rest == "deg");
  CHECK(parse_expression("2*t m/s", "t").rest == "m/s");
  CHECK(parse_expression("5kg*m^2", "t").rest == "kg*m^2");
}

TEST_CASE("an expression is bounded in length and depth, and what is allowed fits the stack") {
  const auto nested = [](int depth) { return std::string(depth, '(') + "t" + std::string(depth, ')'); };
  CHECK(parse_expression(nested(64), "t").error.empty());
  CHECK(!parse_expression(nested(65), "t").error.empty());
  CHECK(parse_expression(std::string(1023, '-') + "1", "t").error.empty());
  CHECK(!parse_expression(std::string(1024, '-') + "1", "t").error.empty());
  CHECK(!parse_expression(std::string(1000000, '('), "t").error.empty());

  std::string greedy;  // four operands pending in each bracket
  for (int i = 0; i < 64; ++i) greedy += "1+1*(";
  greedy += "1";
  for (int i = 0; i < 64; ++i) greedy += ")";
  CHECK(parse_expression(greedy, "t").expression(0).value == 65);
}

TEST_CASE("the function of a constant is a constant") {
  CHECK(parse_expression("2*pi", "t").expression.is_constant());
  CHECK(!parse_expression("2*t", "t").expression.is_constant());
}

}  // namespace torsor::scene
