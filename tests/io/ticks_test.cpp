#include "io/pages/ticks.hpp"

#include <doctest/doctest.h>

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
  for (const double a : {0., 1., -1., 1e20, -1e20, most, -most, least, -least, 1e-300})
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

}  // namespace
}  // namespace torsor::test
