#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "scene/language/evaluate.hpp"
#include "scene/language/expression.hpp"
#include "torsor/geometry/detail/taylor.hpp"
#include "torsor/lie/dual.hpp"

namespace torsor::scene {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// A formula of x, y and z that may use every function.
ParsedExpression read_kinked(const std::string& text) {
  static std::vector<std::string> measured;
  measured.clear();
  Vocabulary words{{"x", "y", "z"}};
  words.measured = &measured;
  return parse_expression(text, words);
}

Expression kinked_formula(const std::string& text) {
  const ParsedExpression parsed = read_kinked(text);
  REQUIRE_MESSAGE(parsed.error.empty(), text, ": ", parsed.error);
  REQUIRE_MESSAGE(parsed.rest.empty(), text, ": ", parsed.rest);
  return parsed.expression;
}

double value_of(const std::string& text, double x = 0, double y = 0, double z = 0) {
  const double at[] = {x, y, z};
  return kinked_formula(text).at(at);
}

std::string error_of(const std::string& text) { return read_kinked(text).error; }

struct Switched {
  double value;
  std::vector<double> switching;
};

Switched switched(const Expression& f, std::vector<double> at, const std::vector<signed char>& sides = {}) {
  Switched found{0, std::vector<double>(static_cast<std::size_t>(f.kinks()))};
  found.value = f.at(at.data(), sides.empty() ? nullptr : sides.data(), found.switching.data());
  return found;
}

std::vector<signed char> sides_of(const Switched& at) {
  std::vector<signed char> sides;
  for (const double s : at.switching) sides.push_back(s >= 0 ? 1 : -1);
  return sides;
}

const char* const kinked_texts[] = {"min(x, y)*x",
                                    "max(x*y, y^2, z, x - z)",
                                    "min(x, y, z)",
                                    "clamp(x*y, -1/2, z)",
                                    "abs(x - y)^3 + sign(y)*x",
                                    "smoothstep(-1, 1, x*y)",
                                    "smoothstep(2, y, x)",
                                    "x*floor(3*y)",
                                    "if(x < y and not (z > 0 or x >= 1), x*y, exp(z))",
                                    "if(x <= y, if(y < z, x, y^2), max(z, x)^3)",
                                    "min(2, max(x, -abs(y))) - floor(z/2)"};

/// Points that lie on no kink of these formulas.
std::vector<std::vector<double>> scattered_points() {
  std::vector<std::vector<double>> all;
  for (int i = 0; i < 60; ++i)
    all.push_back({2.7 * std::sin(1.3 * i + 0.1), 2.1 * std::sin(2.9 * i + 0.4), 1.9 * std::cos(1.7 * i)});
  return all;
}

}  // namespace

TEST_CASE("functions that are not smooth have the values of their definitions") {
  CHECK(value_of("min(3, 1, 2)") == 1);
  CHECK(value_of("max(3, 1, 4, 2)") == 4);
  CHECK(value_of("min(max(1, 2), max(0, 3), 5)") == 2);
  for (const double x : {-3., -1., 0., 0.5, 2., 7.}) {
    CHECK(value_of("clamp(x, -1, 2)", x) == std::clamp(x, -1., 2.));
    CHECK(value_of("abs(x)", x) == std::abs(x));
    CHECK(value_of("sign(x)", x) == (x > 0) - (x < 0));
    CHECK(value_of("floor(x/2)", x) == std::floor(x / 2));
  }
  CHECK(value_of("smoothstep(1, 3, 1.5)") == 0.15625);  // 3/4^2 - 2/4^3
  CHECK(value_of("smoothstep(3, 1, 2.5)") == 0.15625);
  CHECK(value_of("smoothstep(1, 3, 0)") == 0);
  CHECK(value_of("smoothstep(1, 3, 9)") == 1);
  CHECK(value_of("smoothstep(3, 1, 0)") == 1);
}

TEST_CASE(
    "comparisons are exact where both sides are equal, and operators of conditions bind in the order not, "
    "and, or") {
  for (const double x : {-1., -0., 0., 1.}) {
    CHECK(value_of("if(x < 0, 1, 0)", x) == (x < 0));
    CHECK(value_of("if(x <= 0, 1, 0)", x) == (x <= 0));
    CHECK(value_of("if(x > 0, 1, 0)", x) == (x > 0));
    CHECK(value_of("if(x >= 0, 1, 0)", x) == (x >= 0));
  }
  for (int i = 0; i < 8; ++i) {
    const bool p = i & 1, q = i & 2, r = i & 4;
    const auto truth = [&](const std::string& condition) {
      return value_of("if(" + condition + ", 1, 0)", p, q, r) == 1;
    };
    CHECK(truth("x > 0 or y > 0 and z > 0") == (p || (q && r)));
    CHECK(truth("x > 0 and y > 0 or z > 0") == ((p && q) || r));
    CHECK(truth("(x > 0 or y > 0) and z > 0") == ((p || q) && r));
    CHECK(truth("not x > 0 and y > 0") == (!p && q));
    CHECK(truth("not (x > 0 and y > 0)") == !(p && q));
    CHECK(truth("not not x + y > 1 or not(z>0)") == ((p && q) || !r));
    CHECK(truth("(x + y)*2 > (3 - z)") == (2 * (p + q) > 3 - r));
    CHECK(truth("((x > 0))") == p);
  }
}

TEST_CASE("derivatives of functions that are not smooth agree with differences away from kinks") {
  for (const char* text : kinked_texts) {
    CAPTURE(text);
    const Expression f = kinked_formula(text);
    for (const auto& p : scattered_points()) {
      using Second = Dual<Dual<double>>;
      const double h = 1e-5;
      const auto along = [&](double s) { return std::vector<double>{p[0] + s, p[1] - 2 * s, p[2] + s / 2}; };
      Taylor<double, 2> series[3] = {p[0], p[1], p[2]};
      series[0][1] = 1, series[1][1] = -2, series[2][1] = 0.5;
      const Second duals[] = {{{p[0], 1.}, {1., 0.}}, {{p[1], -2.}, {-2., 0.}}, {{p[2], 0.5}, {0.5, 0.}}};
      const auto by_series = f.at(series);
      const Second by_duals = f.at(duals);
      const double slope = (f.at(along(h).data()) - f.at(along(-h).data())) / (2 * h);
      // A series computes x^3 as x*x*x, with other rounding errors.
      CHECK(by_series[0] == doctest::Approx(f.at(p.data())).epsilon(1e-14));
      CHECK(by_series[1] == doctest::Approx(slope).epsilon(1e-6));
      CHECK(by_duals.value.derivative == by_series[1]);
      CHECK(by_duals.derivative.derivative == doctest::Approx(2 * by_series[2]).epsilon(1e-12));
    }
  }
}

TEST_CASE("each kink has a switching function, whose sign chooses the branch") {
  const std::pair<const char*, int> counts[] = {{"x*y", 0},
                                                {"abs(x)", 1},
                                                {"min(x, y, z)", 2},
                                                {"clamp(x, y, z)", 2},
                                                {"floor(x)", 1},
                                                {"sign(x)", 1},
                                                {"smoothstep(0, 1, x)", 2},
                                                {"if(x < y and not z > 1, x, max(y, z))", 3}};
  for (const auto& [text, count] : counts) CHECK(kinked_formula(text).kinks() == count);
  CHECK(switched(kinked_formula("abs(x) + min(y, z)"), {2, 5, 8}).switching == std::vector{2., -3.});
  CHECK(switched(kinked_formula("if(x >= y, 1, if(x <= z, 2, 3))"), {2, 5, 8}).switching ==
        std::vector{-3., 6.});
  CHECK(switched(kinked_formula("if(x < y, 1, if(x > z, 2, 3))"), {2, 5, 8}).switching ==
        std::vector{-3., 6.});
  CHECK(switched(kinked_formula("clamp(x, y, z)"), {2, 5, 8}).switching == std::vector{-3., -3.});
  CHECK(switched(kinked_formula("smoothstep(2, 4, x)"), {5, 0, 0}).switching == std::vector{1.5, 0.5});
  for (const char* text : kinked_texts) {
    CAPTURE(text);
    const Expression f = kinked_formula(text);
    for (const auto& p : scattered_points()) {
      const Switched by_value = switched(f, p);
      const Switched by_sides = switched(f, p, sides_of(by_value));
      CHECK(by_sides.value == by_value.value);
      CHECK(by_sides.switching == by_value.switching);
    }
  }
}

// A line may cross several kinks. With the sides frozen at its first point, the formula is one analytic
// function along the line, so the Taylor series at the first point gives the values at the other points.
TEST_CASE("a formula with frozen sides is smooth beyond its kinks") {
  const auto frozen = [](const char* text, double from, double to) {
    const Expression f = kinked_formula(text);
    return switched(f, {to, 0, 0}, sides_of(switched(f, {from, 0, 0}))).value;
  };
  CHECK(frozen("abs(x)", -1, 2) == -2);
  CHECK(frozen("sign(x)", -1, 2) == -1);
  CHECK(frozen("sign(x)", 0, -1) == 1);  // the side at 0 is 1
  CHECK(frozen("max(x, x^2)", 2, 0.5) == 0.25);
  CHECK(frozen("min(x, x^2)", 2, 0.5) == 0.5);
  CHECK(frozen("clamp(x, -1, 1)", 0, 5) == 5);
  CHECK(frozen("clamp(x, -1, 1)", 3, 0) == 1);
  CHECK(frozen("smoothstep(0, 2, x)", 1, 4) == 2 * 2 * (3 - 2 * 2));
  CHECK(frozen("smoothstep(0, 2, x)", -1, 4) == 0);
  CHECK(frozen("if(x < 1, x, 1/(x - 5))", 0, 5) == 5);
  for (const char* text : kinked_texts) {
    CAPTURE(text);
    const Expression f = kinked_formula(text);
    const std::string name = text;  // a frozen floor is constant for only half a unit; 1/(y - 2) has a pole
    if (name.find("floor") != name.npos || name.starts_with("smoothstep(2, y")) continue;
    for (const auto& p : scattered_points()) {
      const auto sides = sides_of(switched(f, p));
      using Series = Taylor<double, 12>;
      const auto line = [&](double s) {
        Series at[3] = {p[0] + s, p[1] - 2 * s, p[2] + s / 2};
        at[0][1] = 1, at[1][1] = -2, at[2][1] = 0.5;
        return f.at(at, sides.data(), static_cast<Series*>(nullptr));
      };
      CHECK(line(0).at(0.3) == doctest::Approx(line(0.3)[0]).epsilon(1e-10));
    }
  }
}

TEST_CASE("floor changes exactly at the integers, and with a frozen side half a unit beyond them") {
  const Expression f = kinked_formula("floor(x)");
  for (int n = -5; n <= 5; ++n) {
    CAPTURE(n);
    const double at = n, before = std::nextafter(at, -inf);
    CHECK(switched(f, {at, 0, 0}).value == n);
    CHECK(switched(f, {before, 0, 0}).value == n - 1);
    const bool even = n % 2 == 0;
    CHECK((switched(f, {at, 0, 0}).switching[0] >= 0) == even);
    CHECK((switched(f, {before, 0, 0}).switching[0] >= 0) == !even);
    CHECK(switched(f, {at + 0.3, 0, 0}).switching[0] ==
          doctest::Approx(std::sin(std::numbers::pi * (n + 0.3))).epsilon(1e-13));
    const auto sides = sides_of(switched(f, {n + 0.5, 0, 0}));
    for (const double x : {-0.49, -1e-9, 0., 0.5, 1., 1.49})
      CHECK(switched(f, {n + x, 0, 0}, sides).value == n);
  }
  CHECK(std::isnan(value_of("floor(0/x)")));
}

TEST_CASE("a branch that is not taken may be infinite or NaN, and a condition that is NaN gives NaN") {
  CHECK(value_of("if(x > 0, log(x), -1)", -1) == -1);
  CHECK(value_of("if(x > 0 and log(x) > 1, 1, 0)", -1) == 0);
  CHECK(value_of("if(x < 0 or log(x) > 1, 1, 0)", -1) == 1);
  CHECK(std::isnan(value_of("if(x < 0 and log(x) > 1, 1, 0)", -1)));
  CHECK(std::isnan(value_of("if(not log(x) > 1, 1, 0)", -1)));
  CHECK(value_of("min(1/x, 5)", 0) == 5);
  CHECK(std::isnan(value_of("max(log(x), 5)", -1)));
  CHECK(std::isnan(value_of("smoothstep(0, 1, log(x))", -1)));
  const Expression f = kinked_formula("if(x > 0, abs(log(x)), 1)");
  CHECK(std::isnan(switched(f, {-1, 0, 0}).switching[1]));
  const Dual<double> dual[] = {{-1., 1.}, {0.}, {0.}};
  CHECK(f.at(dual).derivative == 0);
}

TEST_CASE("a kink that is held on a side has no value where its switching function is NaN") {
  for (const char* text :
       {"max(log(x), 5)", "min(log(x), 5)", "clamp(log(x), 0, 1)", "sign(log(x))", "abs(log(x))",
        "floor(log(x))", "smoothstep(0, 1, log(x))", "if(log(x) > 0, 1, 2)"}) {
    CAPTURE(std::string(text));
    const Expression f = kinked_formula(text);
    for (const signed char side : {-1, 0, 1}) {
      const std::vector<signed char> sides(static_cast<std::size_t>(f.kinks()), side);
      CHECK(std::isnan(switched(f, {-1, 0, 0}, sides).value));
      CHECK(std::isfinite(switched(f, {2, 0, 0}, sides).value));
    }
  }
  const Expression f = kinked_formula("if(x > 0, clamp(log(x), 0, 1), 3)");
  CHECK(switched(f, {-1, 0, 0}, {1, 1, 1}).value == 3);
}

TEST_CASE("a smoothstep with equal limits is refused if they are constants, and gives NaN if they vary") {
  const auto refused = [](const std::string& limit) {
    return "the limits a and b of smoothstep(a, b, x) must differ, both are " + limit;
  };
  CHECK(error_of("smoothstep(1, 1, x)") == refused("1"));
  CHECK(error_of("1 + 2*smoothstep(-(2 - 1)/2, -0.5, x)") == refused("-0.5"));
  CHECK(error_of("if(x < 1, y, smoothstep(max(0, 2), smoothstep(0, 1, 5)*2, y))") == refused("2"));
  CHECK(error_of("smoothstep(smoothstep(3, 3, x), 1, x)") == refused("3"));
  for (const char* text : {"smoothstep(0, 1, 1)", "smoothstep(0, x, 0)", "smoothstep(x, 0, 0)"})
    CHECK(error_of(text) == "");
  const Expression f = kinked_formula("smoothstep(x, y, z)");
  for (const std::vector<signed char>& sides :
       std::vector<std::vector<signed char>>{{}, {1, 1}, {1, -1}, {-1, -1}}) {
    for (const double z : {-3., 1., 3.}) {
      const Switched at = switched(f, {1, 1, z}, sides);
      CHECK(std::isnan(at.value));
      CHECK(std::isnan(at.switching[0]));
      CHECK(std::isnan(at.switching[1]));
    }
    CHECK(std::isfinite(switched(f, {1, 2, 1.5}, sides).value));
  }
}

TEST_CASE("a function that is not smooth counts as neither affine nor quadratic in its variables") {
  using Degree = Expression::Degree;
  for (const char* text : {"min(x, 1)", "smoothstep(0, 1, x)", "if(x < 1, y, 2)", "if(y < 1, x, 2)",
                           "floor(x)", "clamp(y, 0, x)"}) {
    CHECK(kinked_formula(text).degree(0, 1) == Degree::higher);
    CHECK_FALSE(kinked_formula(text).is_quadratic(0, 1));
    CHECK(kinked_formula(text).degree(2, 3) == Degree::none);
    CHECK(kinked_formula(std::string("z^2*") + text).is_quadratic(2, 3));
  }
}

TEST_CASE("wrong formulas with conditions and functions get a message that states the correct form") {
  const std::string no_number = "a condition is not a number; write if(condition, then, else)",
                    not_smooth =
                        " is not smooth: of such functions, formulas of a [chart] may use abs and sign only";
  const std::pair<const char*, std::string> wrong[] = {
      {"x < 1", no_number},
      {"2*(x < 1)", no_number},
      {"-(x < 1)", no_number},
      {"sin(x < 1)", no_number},
      {"min(x, x < 1)", no_number},
      {"if(x < 1, x > 2, 3)", no_number},
      {"if((x < 1) < 2, 1, 2)", no_number},
      {"if(x, 1, 2)", "if needs a condition, such as x > 0"},
      {"if(x and y < 1, 1, 2)", "\"and\" needs a condition, such as x > 0"},
      {"if(x < 1 or y, 1, 2)", "\"or\" needs a condition, such as x > 0"},
      {"if(not x, 1, 2)", "\"not\" needs a condition, such as x > 0"},
      {"if(not not x, 1, 2)", "\"not\" needs a condition, such as x > 0"},
      {"if(x < 1, 2)", "if takes 3 arguments, got 2"},
      {"min(x)", "min takes at least 2 arguments, got 1"},
      {"max(x)", "max takes at least 2 arguments, got 1"},
      {"clamp(x, 1)", "clamp takes 3 arguments, got 2"},
      {"clamp(x, 1, 2, 3)", "clamp takes 3 arguments, got 4"},
      {"smoothstep(x)", "smoothstep takes 3 arguments, got 1"},
      {"floor(x, 1)", "floor takes 1 argument, got 2"},
      {"max", "max needs its argument in brackets"},
      {"smothstep(0, 1, x)", "unknown function \"smothstep\"; did you mean \"smoothstep\"?"},
      {"if(x < 1 < 2, 1, 2)", "expected ')' at character 10"},
      {"if(x < , 1, 2)", "expected a number, a name or a bracket at character 7"},
      {"if(x < 1 and, 1, 2)", "expected a condition at character 13"},
      {"joint.", "expected a word or a name in quotes at character 7"},
      {"joint.2", "expected a word or a name in quotes at character 7"},
      {"joint.'left hub'.angle", "expected ''' at character 12"}};
  for (const auto& [text, message] : wrong) {
    CAPTURE(text);
    CHECK(error_of(text) == message);
  }
  const Vocabulary chart{{"x", "t", "x'"}, {{"l", kinked_formula("min(x, 1)")}}, 1};
  const auto of_chart = [&](const char* text) { return parse_expression(text, chart).error; };
  CHECK(of_chart("max(x, 1)") == "max" + not_smooth);
  CHECK(of_chart("clamp(x, 1, 2)") == "clamp" + not_smooth);
  CHECK(of_chart("if(x < 1, 2, 3)") == "if" + not_smooth);
  CHECK(of_chart("2*l") == "min" + not_smooth);
  CHECK(of_chart("l'") == "min" + not_smooth);
  for (const char* jump : {"floor(x)", "if(x < 1, 2, 3)"}) {  // the rate is 0 beside the jumps
    const Vocabulary with_jump{{"x", "t", "x'"}, {{"l", kinked_formula(jump)}}, 1};
    CHECK(parse_expression("l'", with_jump).error.find(not_smooth) != std::string::npos);
  }
  CHECK(of_chart("abs(x)").empty());
}

TEST_CASE("formulas with functions of many arguments are limited in depth and fit the stack") {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "x";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  CHECK(error_of(nested(1000, "if(x<1,1,", ")")) == "an expression of more than 1024 characters");
  CHECK(error_of(nested(65, "min(1,", ")")) == "an expression nested more than 64 levels deep");
  const std::string in_quotes(40, ')');  // these brackets do not close any
  CHECK(error_of(nested(40, "(", ")").replace(40, 1, "table('" + in_quotes + "', \"y\", 1)")) ==
        "this formula cannot use a table");
  CHECK(error_of(std::string(40, '(') + "table('" + in_quotes + "', \"y\", " + nested(40, "(", ")")) ==
        "an expression nested more than 64 levels deep");
  CHECK(error_of("table('" + std::string(70, '(') + "', \"y\", x)") == "this formula cannot use a table");
  CHECK(value_of(nested(64, "1+1*min(2,", ")"), 1) == 3);
  CHECK(value_of(nested(60, "if(x<2,1,", ")"), 1) == 1);
  CHECK(value_of(nested(60, "if(x<1,1,", ")"), 1) == 1);
  CHECK(value_of(nested(50, "if(1<0 or ", ">0,1,0)"), 1) == 1);
  // Definitions add their depth to the depth of the formula that uses them.
  std::vector<std::string> measured;
  Vocabulary words{{"x"}};
  words.measured = &measured;
  const std::string deep = nested(50, "smoothstep(1,2,1*", ")");
  words.definitions = {{"l0", parse_expression(deep, words).expression}};
  bool refused = false;
  for (int i = 1; i <= 4 && !refused; ++i) {
    const std::string text = std::string(deep).replace(deep.find('x'), 1, "l" + std::to_string(i - 1));
    const ParsedExpression parsed = parse_expression(text, words);
    refused = parsed.error == "too complicated";
    words.definitions.push_back({"l" + std::to_string(i), parsed.expression});
  }
  CHECK(refused);
}

}  // namespace torsor::scene
