#include "io/pages/ticks.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "support/contains.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::test {
namespace {

TEST_CASE("ticks have the necessary number of decimals and stay inside the picture") {
  const std::string svg = io::to_svg({{"", "t (s)", "x (m)", {{"x", {0, 0.2}, {-700, 700}}}}});
  CHECK(contains(svg, ">-750</text>"));
  CHECK(contains(svg, ">0.025</text>"));
  for (auto at = svg.find("<text x=\""); at != std::string::npos; at = svg.find("<text x=\"", at + 1)) {
    if (svg.compare(svg.find("text-anchor", at), 20, "text-anchor=\"middle\"") != 0) continue;
    const auto begin = svg.find('>', at) + 1;
    const double letters = static_cast<double>(svg.find('<', begin) - begin);
    CHECK(std::stod(svg.substr(at + 9)) + letters * 0.56 * 13 / 2 <= 720);
  }
}

TEST_CASE("an axis has a moderate number of ticks, whatever its range") {
  constexpr double most = std::numeric_limits<double>::max(),
                   least = std::numeric_limits<double>::denorm_min();
  for (const double a : {0., 1., 2., 5., -1., 1e20, -1e20, most, -most, least, -least, 1e-300})
    for (const double b : {a, std::nextafter(a, most), a * (1 + 1e-12), 0., 1., most, -most, least})
      for (const bool logarithmic : {false, true})
        for (const bool round_ends : {false, true}) {
          CAPTURE(a);
          CAPTURE(b);
          CAPTURE(logarithmic);
          const std::vector<double> values = {a, b};
          const io::Axis axis = io::make_axis({&values}, logarithmic, 6, round_ends);
          CHECK(axis.ticks.size() >= 1);
          CHECK(axis.ticks.size() <= 20);
          CHECK(axis.low < axis.high);
          for (const io::Axis::Tick& tick : axis.ticks) {
            CHECK(axis.place(tick.at) >= -0.01);
            CHECK(axis.place(tick.at) <= 1.01);
          }
        }
}

TEST_CASE("a small diagram has fewer ticks, each with its number") {
  io::PlotOptions small;
  small.width = 320, small.height = 200;
  const std::string svg = to_svg({{"", "t (s)", "x (m)", {{"x", {0, 2}, {0, 1}}}}}, small);
  for (const char* tick : {">0</text>", ">1</text>", ">2</text>"}) CHECK(contains(svg, tick));
  CHECK_FALSE(contains(svg, ">0.25</text>"));
}

TEST_CASE("ticks of a logarithmic axis are decimals near one and powers of ten elsewhere") {
  const auto ticks = [](double low, double high) {
    const std::string svg = io::to_svg({{"", "t", "x", {{"x", {0, 1}, {low, high}}}, false, true}});
    std::string all;
    for (auto at = svg.find("text-anchor=\"end\">"); at != std::string::npos;
         at = svg.find("text-anchor=\"end\">", at + 1))
      all += svg.substr(at + 18, svg.find('<', at) - at - 18) + " ";
    return all;
  };
  CHECK(ticks(0.5, 30) == "0.5 1 2 5 10 20 50 ");
  CHECK(ticks(1e-5, 1e-4) == "10⁻⁵ 2·10⁻⁵ 5·10⁻⁵ 10⁻⁴ ");
  CHECK(ticks(2e-3, 1) == "2·10⁻³ 5·10⁻³ 10⁻² 2·10⁻² 5·10⁻² 10⁻¹ 2·10⁻¹ 5·10⁻¹ 1 ");
  CHECK(ticks(2e-3, 2) == "10⁻³ 10⁻² 10⁻¹ 1 10 ");
  CHECK(ticks(1e-8, 100) == "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 1 10² ");
}

TEST_CASE("numbers of many digits are given as differences from a value in the label") {
  struct Shown {
    double low, high;
    const char* label;
    const char* lowest;
  };
  for (const auto& [low, high, label, lowest] :
       {Shown{5435.69679086, 5435.696790866, "x − 5435.69679086 m (10⁻⁹ m)", "0"},
        Shown{-12345.61, -12345.59, "x + 12345.6 m (m)", "-0.010"},
        Shown{123.40, 123.45, "x (m)", "123.40"}}) {
    CAPTURE(label);
    const std::string svg = io::to_svg({{"", "t (s)", "x (m)", {{"x", {1e6, 1e6 + 2}, {low, high}}}}});
    CHECK(contains(svg, fmt::format(">{}</text>", label)));
    CHECK(contains(svg, ">t − 1000000 s (s)</text>"));
    const auto tick = svg.find("text-anchor=\"end\">") + 18;
    CHECK(svg.substr(tick, svg.find('<', tick) - tick) == lowest);
  }
}

TEST_CASE("a tick and the value in the label add up to the place of the tick") {
  for (const double middle : {1., -3e-7, 123456.789, -9.99999e12})
    for (const double width : {1e-3, 3e-6, 7e-9, 2e-11}) {
      CAPTURE(middle);
      CAPTURE(width);
      const std::vector<double> values = {middle, middle * (1 + width)};
      const io::Axis axis = io::make_axis({&values}, false, 6, true);
      REQUIRE(axis.ticks.size() > 2);
      const double step = axis.ticks[1].at - axis.ticks[0].at;
      for (const io::Axis::Tick& tick : axis.ticks) {
        CHECK(tick.text.size() <= 7);
        const double told = std::stod(tick.text) * std::pow(10., axis.exponent);
        CHECK(std::abs(told + axis.offset - tick.at) < 0.01 * step);
      }
    }
}

}  // namespace
}  // namespace torsor::test
