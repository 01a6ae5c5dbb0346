#include "scene/language/expression.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "scene/language/evaluate.hpp"
#include "torsor/geometry/detail/taylor.hpp"
#include "torsor/lie/dual.hpp"

namespace torsor::scene {
namespace {

double value(const std::string& text, double t = 0) {
  const ParsedExpression parsed = parse_expression(text, "t");
  REQUIRE_MESSAGE(parsed.error.empty(), text, ": ", parsed.error);
  REQUIRE(parsed.rest.empty());
  return parsed.expression.value(t);
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
  CHECK(value("0.1") == 0.1);  // digits are read as the nearest double
}

TEST_CASE("constants and functions have their values") {
  CHECK(value("cos(pi)") == -1);
  CHECK(value("log(e)") == 1);
  CHECK(value("atan2(1, -1)") == doctest::Approx(3 * std::numbers::pi / 4).epsilon(1e-15));
  CHECK(value("pow(2, 10)") == 1024);
  CHECK(value("t^t", 0) == 1);
  CHECK(value("sqrt(t)*sinh(t) - cosh(t)*tan(t)", 0.7) ==
        doctest::Approx(std::sqrt(0.7) * std::sinh(0.7) - std::cosh(0.7) * std::tan(0.7)).epsilon(1e-15));
}

// Richardson's extrapolation of central differences has relative errors below 1e-8 (first derivative) and
// 1e-7 (second derivative) for these functions.
TEST_CASE("derivatives of an expression agree with differences") {
  for (const char* text : {"sin(2*t)", "cos(t)^3", "tan(t)", "asin(t/2)", "acos(t/3)", "atan(t)",
                           "atan2(t, 1 + t^2)", "sinh(t)", "cosh(t)", "tanh(t)", "exp(-t)*t", "log(1 + t)",
                           "sqrt(1 + t)", "t^t", "t^2.5", "1/(1 + t^2)", "pow(t, 3) - t"}) {
    CAPTURE(text);
    const Expression f = parse_expression(text, "t").expression;
    const double t = 0.8, h = 2e-3;
    const auto at = [&](double s) { return f(t + s)[0]; };
    const auto slope = [&](double s) { return (at(s) - at(-s)) / (2 * s); };
    const auto bend = [&](double s) { return (at(s) - 2 * at(0) + at(-s)) / (s * s); };
    CHECK(f(t)[1] == doctest::Approx((4 * slope(h / 2) - slope(h)) / 3).epsilon(1e-8));
    CHECK(2 * f(t)[2] == doctest::Approx((4 * bend(h / 2) - bend(h)) / 3).epsilon(1e-7));
  }
}

TEST_CASE("formulas of many variables have exact derivatives of every order") {
  const Vocabulary words{{"x", "t", "x'"}, {{"twice", parse_expression("2*x", "x").expression}}};
  const auto read = [&](const std::string& text) {
    const ParsedExpression parsed = parse_expression(text, words);
    REQUIRE_MESSAGE(parsed.error.empty(), text, ": ", parsed.error);
    return parsed.expression;
  };
  const double at[] = {0.4, 1.5, -0.3};
  CHECK(read("twice*t + x'").at(at) == doctest::Approx(0.9).epsilon(1e-15));
  // Derivatives by x: Taylor series agree with nested dual numbers, and in third order with the closed form.
  using Series = Taylor<double, 3>;
  Series x[3] = {Series(0.4), Series(1.5), Series(-0.3)};
  x[0][1] = 1;
  const Series f = read("exp(t*x) + sin(x)^3").at(x);
  using Second = Dual<Dual<double>>;
  const Second y[3] = {Second({0.4, 1.}, {1., 0.}), Second(1.5), Second(-0.3)};
  const Second g = read("exp(t*x) + sin(x)^3").at(y);
  CHECK(f[1] == doctest::Approx(g.derivative.value).epsilon(1e-14));
  CHECK(f[2] == doctest::Approx(g.derivative.derivative / 2).epsilon(1e-14));
  const double s = std::sin(0.4), c = std::cos(0.4),
               third = 27 / 8. * std::exp(0.6) + 6 * c * c * c - 21 * s * s * c;
  CHECK(f[3] == doctest::Approx(third / 6).epsilon(1e-13));
  for (const char* text : {"tan(x)", "asin(x)", "acos(x)", "atan(x)", "atan2(x, 1 + x^2)", "sinh(x)",
                           "cosh(x)", "tanh(x)", "log(x)", "sqrt(x)", "x^x", "x^2.5", "x^-1"}) {
    CAPTURE(text);
    const Second dual = read(text).at(y);
    const Series series = read(text).at(x);
    CHECK(series[0] == doctest::Approx(dual.value.value).epsilon(1e-14));
    CHECK(series[1] == doctest::Approx(dual.derivative.value).epsilon(1e-13));
    CHECK(2 * series[2] == doctest::Approx(dual.derivative.derivative).epsilon(1e-13));
  }
}

TEST_CASE("a formula states its degree in the rates") {
  using Degree = Expression::Degree;
  const Vocabulary words{{"x", "t", "x'"}};
  const auto degree = [&](const char* text) { return parse_expression(text, words).expression.degree(2, 3); };
  for (const char* text : {"sin(x)*t", "2"}) CHECK(degree(text) == Degree::none);
  for (const char* text : {"x'", "-x'*sin(x)/t", "x*(x' - 2*x')"}) CHECK(degree(text) == Degree::linear);
  for (const char* text : {"x' + 1", "2*(x - x')"}) CHECK(degree(text) == Degree::affine);
  for (const char* text : {"x'^2", "x'*x'", "sin(x')", "1/x'", "x'/x'"})
    CHECK(degree(text) == Degree::higher);
}

TEST_CASE("a formula states whether it is a polynomial of the second degree in the rates") {
  const Vocabulary words{{"x", "t", "x'"}, {}, 1};
  const auto quadratic = [&](const char* text) {
    return parse_expression(text, words).expression.is_quadratic(2, 3);
  };
  for (const char* text : {"2", "sin(x)^3", "x'*x'*exp(x)/t", "x*(x' - 1)^2", "x' + x'^2/2", "-x'^1"})
    CHECK(quadratic(text));
  for (const char* text : {"x'^3", "x'*x'^2", "(x'^2)^2", "sin(x')", "1/x'", "x'^-1", "x'^(-2)", "x'^0.5",
                           "2^x'", "x'^x", "abs(x')"})
    CHECK_FALSE(quadratic(text));
}

TEST_CASE("the rate of a definition is its derivative along the motion, for every function") {
  Vocabulary words{{"x", "y", "t", "x'", "y'"}, {}, 2};
  const double at[] = {0.4, 0.7, 1.5, -0.3, 1.1};
  for (const char* text : {"2",
                           "x",
                           "t",
                           "-y",
                           "x + 2",
                           "3 - x",
                           "x*y",
                           "2*x*t",
                           "x/y",
                           "1/(x + y)",
                           "(x*y + t)/(1 + x^2)",
                           "x^3",
                           "2^x",
                           "(x + y)^(x*t)",
                           "sin(x*y)",
                           "cos(x + t)",
                           "tan(x)",
                           "asin(x)",
                           "acos(x)",
                           "atan(x*y)",
                           "atan2(x, y)",
                           "atan2(t, 2)",
                           "sinh(x)",
                           "cosh(x*y)",
                           "tanh(x)",
                           "exp(x*t)",
                           "log(x + y)",
                           "sqrt(x*y)",
                           "abs(x - y)^3",
                           "x*sign(x - y)",
                           "sqrt(0)*x"}) {
    CAPTURE(text);
    words.definitions = {{"l", parse_expression(text, words).expression}};
    const ParsedExpression rate = parse_expression("l'", words);
    REQUIRE(rate.error.empty());
    const Dual<double> moved[] = {{0.4, -0.3}, {0.7, 1.1}, {1.5, 1.}};
    CHECK(rate.expression.at(at) ==
          doctest::Approx(words.definitions[0].second.at(moved).derivative).epsilon(1e-14));
  }
  const double at_zero[] = {0, 0.7, 1.5, -0.3, 1.1};
  words.definitions = {{"l", parse_expression("x^0 + x^1", words).expression}};
  CHECK(parse_expression("l'", words).expression.at(at_zero) == -0.3);
  words.definitions = {{"l", parse_expression("x*y'", words).expression}};
  CHECK(parse_expression("l'", words).error == "\"l\" depends on rates, so that its rate l' is not known");
  CHECK(parse_expression("k'", words).error.starts_with("unknown name \"k'\""));
  std::string deep = "x";
  for (int i = 0; i < 10; ++i) {
    words.definitions = {{"l", parse_expression(deep, words).expression}};
    deep = "l*sin(l)*(1 + l)";
    if (i == 8) CHECK(parse_expression("l'", words).error == "too complicated");
    if (!parse_expression(deep, words).error.empty()) break;
  }
}

TEST_CASE("the formulas of a [chart] may use abs and sign, which have the derivative 0 at 0") {
  const Vocabulary words{{"x", "t", "x'"}, {}, 1};
  const Expression size = parse_expression("abs(x)", words).expression,
                   sign = parse_expression("sign(x)", words).expression;
  for (const double x : {-2., 0., 3.}) {
    const Dual<double> moved[] = {{x, 1.}, 0., 0.};
    CHECK(size.at(moved).value == std::abs(x));
    CHECK(size.at(moved).derivative == (x > 0) - (x < 0));
    CHECK(sign.at(moved).value == (x > 0) - (x < 0));
    CHECK(sign.at(moved).derivative == 0);
  }
  const double nan[] = {std::nan(""), 0, 0};
  CHECK(std::isnan(sign.at(nan)));
  CHECK(
      parse_expression("abs(t)", "t").error ==
      "abs is not smooth: only formulas of forces, states, samples, events and velocity constraints may use "
      "it, and those of a [chart]");
}

TEST_CASE("derivatives of asin, acos and sinh are correct to rounding near |x| = 1 and for large |x|") {
  Vocabulary words{{"x", "t", "x'"}, {}, 1};
  const auto slope = [&](const std::string& function, double x) {
    const Dual<double> moved[] = {{x, 1.}, 0., 0.};
    return parse_expression(function + "(x)", words).expression.at(moved).derivative;
  };
  const double rest = 0x1p-40, steep = 1 / std::sqrt(rest * (2 - rest)), at[] = {1 - rest, 0, 1};
  CHECK(slope("asin", 1 - rest) == doctest::Approx(steep).epsilon(1e-15));
  CHECK(slope("acos", rest - 1) == doctest::Approx(-steep).epsilon(1e-15));
  words.definitions = {{"l", parse_expression("asin(x)", words).expression}};
  CHECK(parse_expression("l'", words).expression.at(at) == doctest::Approx(steep).epsilon(1e-15));
  words.definitions = {{"l", parse_expression("acos(x)", words).expression}};
  CHECK(parse_expression("l'", words).expression.at(at) == doctest::Approx(-steep).epsilon(1e-15));
  words.definitions.clear();
  for (const double x : {1., 20., 400., -400.}) {
    CAPTURE(x);
    CHECK(slope("sinh", x) == doctest::Approx(std::cosh(x)).epsilon(2e-15));
  }
}

TEST_CASE("natural powers have finite derivatives at 0, and functions of the constant 0 the derivative 0") {
  CHECK(parse_expression("t^1", "t").expression(0)[2] == 0);
  CHECK(parse_expression("t^2", "t").expression(0)[2] == 1);
  CHECK(parse_expression("t^0", "t").expression(0)[1] == 0);
  CHECK(parse_expression("sqrt(0)*t", "t").expression(1)[1] == 0);
  CHECK(parse_expression("atan2(0, 0)*t", "t").expression(1)[1] == 0);
  CHECK(parse_expression("0^0.5*t", "t").expression(1)[1] == 0);
}

TEST_CASE("at x = 0 the derivatives of x^n are 0 in orders below n") {
  const Vocabulary words{{"x"}};
  using Series = Taylor<double, 3>;
  using Second = Dual<Dual<double>>;
  for (const char* text : {"x^3.5", "x^9", "x^64", "x^1000", "x^100.5"}) {
    CAPTURE(text);
    const Expression f = parse_expression(text, words).expression;
    const Series x = Series::variable(), series = f.at(&x);
    for (int i = 0; i <= 3; ++i) CHECK(series[i] == 0);
    const Second y({0., 1.}, {1., 0.}), dual = f.at(&y);
    CHECK(dual.value.value == 0);
    CHECK(dual.value.derivative == 0);
    CHECK(dual.derivative.value == 0);
    CHECK(dual.derivative.derivative == 0);
  }
}

TEST_CASE("at x = 0 the derivatives of x^n are infinite in orders above n if n is not an integer") {
  const Vocabulary words{{"x"}};
  const Taylor<double, 2> x = Taylor<double, 2>::variable(),
                          f = parse_expression("x^1.5", words).expression.at(&x);
  CHECK(f[0] == 0);
  CHECK(f[1] == 0);
  CHECK(std::isinf(f[2]));
  const Dual<double> y(0., 1.), root = parse_expression("x^0.5", words).expression.at(&y);
  CHECK(root.value == 0);
  CHECK(std::isinf(root.derivative));
}

TEST_CASE("the text after an expression is returned as rest") {
  CHECK(parse_expression("30 deg", "t").rest == "deg");
  CHECK(parse_expression("2*t m/s", "t").rest == "m/s");
  CHECK(parse_expression("5kg*m^2", "t").rest == "kg*m^2");
}

TEST_CASE("expressions are limited in length and depth, and those allowed fit the stack") {
  const auto nested = [](int depth) { return std::string(depth, '(') + "t" + std::string(depth, ')'); };
  CHECK(parse_expression(nested(64), "t").error.empty());
  CHECK(!parse_expression(nested(65), "t").error.empty());
  CHECK(parse_expression(std::string(1023, '-') + "1", "t").error.empty());
  CHECK(!parse_expression(std::string(1024, '-') + "1", "t").error.empty());
  CHECK(!parse_expression(std::string(1000000, '('), "t").error.empty());

  const auto repeated = [](const std::string& part, int count) {
    std::string text = "t";
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  CHECK(value(repeated(" + t^2", 100), 3) == 903);  // powers side by side are not nested
  CHECK(value(repeated("-t^e", 65), 1) == -64);     // e is a name here, not an exponent
  CHECK(value(repeated("*(1 - t^2)^2", 60), 0) == 0);
  CHECK(value(repeated("^1", 64), 3) == 3);
  CHECK(parse_expression(repeated("^1", 65), "t").error == "an expression nested more than 64 levels deep");
  CHECK(parse_expression(repeated("^ -1e-3", 65), "t").error ==
        "an expression nested more than 64 levels deep");
  CHECK(parse_expression("(" + repeated(")^(t", 65) + ")", "t").error ==
        "an expression nested more than 64 levels deep");

  std::string greedy;  // each open bracket leaves two operands on the stack
  for (int i = 0; i < 64; ++i) greedy += "1+1*(";
  greedy += "1";
  for (int i = 0; i < 64; ++i) greedy += ")";
  CHECK(parse_expression(greedy, "t").expression(0)[0] == 65);
}

TEST_CASE("an expression without t is a constant") {
  CHECK(parse_expression("2*pi", "t").expression.is_constant());
  CHECK(!parse_expression("2*t", "t").expression.is_constant());
}

TEST_CASE("at the side 0, sign and abs are 0, and all other functions take the branch of 0") {
  std::vector<std::string> measured;
  Vocabulary words{{"x"}};
  words.measured = &measured;
  const auto at_rest = [&](const char* text, double x) {
    const signed char side = 0;
    const ParsedExpression parsed = parse_expression(text, words);
    REQUIRE(parsed.error.empty());
    return parsed.expression.at(&x, &side, static_cast<double*>(nullptr));
  };
  for (const double x : {-0.5, 0., 0.5}) {
    CHECK(at_rest("sign(x)", x) == 0);
    CHECK(at_rest("abs(x)", x) == 0);
    CHECK(at_rest("if(x >= 0, 3, 4)", x) == 3);
    CHECK(at_rest("if(x < 0, 3, 4)", x) == 4);
    CHECK(at_rest("if(x > 0, 3, 4)", x) == 4);
    CHECK(at_rest("max(x, 0)", x) == x);
    CHECK(at_rest("min(x, 0)", x) == 0);
  }
}

TEST_CASE("a formula may use quantities of the motion, and the list of quantities grows with each new one") {
  std::vector<std::string> measured;
  Vocabulary words{{"t"}};
  words.measured = &measured;
  const auto read = [&](const std::string& text) { return parse_expression(text, words); };
  const Expression f =
      read("2*joint.pivot.angle + body.top.rotation.xy/joint.'left-hub'.angle - joint.\"pivot\".angle*t")
          .expression;
  CHECK(measured ==
        std::vector<std::string>{"joint.pivot.angle", "body.top.rotation.xy", "joint.left-hub.angle"});
  const double at[] = {10, 1, 2, 4, 8};
  CHECK(f.at(at) == 2 * 1 + 2. / 4 - 1 * 10);
  CHECK(read("state.integral - body.top.rotation.xy").expression.at(at) == 8 - 2);
  CHECK(measured.size() == 4);
  CHECK(read("joint.pivot.angle N*m").rest == "N*m");
  words.definitions = {{"gain", read("3*joint.pivot.angle").expression}};
  CHECK(read("gain + state.integral").expression.at(at) == 11);
  words.measured = nullptr;
  CHECK(read("1 + joint.'left-hub'.angle").error ==
        "\"joint.left-hub.angle\" is a quantity of the motion, and only formulas of forces, states, samples, "
        "events and velocity constraints may use these");
  CHECK(read("gain").error ==
        "\"gain\" depends on quantities of the motion, and only formulas of forces, states, samples, events "
        "and velocity constraints may use these");
}

}  // namespace torsor::scene
