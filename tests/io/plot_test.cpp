#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "sample_result.hpp"
#include "support/contains.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::test {
namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

long count(const std::string& text, const std::string& part) {
  long found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The path of the first curve of an SVG.
std::string first_path(const std::string& svg) {
  const auto curves = svg.find("<g fill=\"none\" stroke-width");
  const auto path = svg.find("<path d=\"", curves);
  REQUIRE(path != std::string::npos);
  return svg.substr(path + 9, svg.find('"', path + 9) - path - 9);
}
/// The points of the first curve, as (x, y).
std::vector<std::pair<double, double>> points(const std::string& svg) {
  std::string path = first_path(svg);
  std::replace_if(
      path.begin(), path.end(), [](char c) { return c == 'M' || c == 'L'; }, ' ');
  std::istringstream numbers(path);
  std::vector<std::pair<double, double>> all;
  for (double x = 0, y = 0; numbers >> x >> y;) all.emplace_back(x, y);
  return all;
}

TEST_CASE("a straight line is drawn straight from the left end of the axis to the right end") {
  const std::string svg = io::to_svg({{"", "t (s)", "x (m)", {{"x", {0, 1, 2, 4}, {1, 2, 3, 5}}}}});
  const auto drawn = points(svg);
  REQUIRE(drawn.size() == 4);
  const auto slope = [&](int i) {
    return (drawn[i + 1].second - drawn[i].second) / (drawn[i + 1].first - drawn[i].first);
  };
  for (int i = 0; i < 3; ++i) CHECK(slope(i) == doctest::Approx(slope(0)).epsilon(2e-3));
  CHECK(slope(0) < 0);
  CHECK(drawn.front().first == doctest::Approx(78));
  CHECK(drawn.back().first == doctest::Approx(702));
}

TEST_CASE("a power law is straight on logarithmic axes") {
  io::PlotLine line{"error", {}, {}, true};
  for (const double h : {1e-3, 2e-3, 4e-3, 8e-3}) line.x.push_back(h), line.y.push_back(std::pow(h, 4));
  io::Plot plot{"", "step (s)", "error (m)", {line}, true, true};
  const auto drawn = points(io::to_svg({plot}));
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    CHECK(drawn[i].first - drawn[i - 1].first ==
          doctest::Approx(drawn[1].first - drawn[0].first).epsilon(2e-3));
    CHECK(drawn[i].second - drawn[i - 1].second ==
          doctest::Approx(drawn[1].second - drawn[0].second).epsilon(2e-3));
  }
  CHECK(count(io::to_svg({plot}), "<circle") == 4);
}

TEST_CASE("numbers that cannot be shown leave gaps, and an axis without numbers is valid") {
  const std::string svg = io::to_svg({{"", "t", "x", {{"x", {0, 1, 2, 3, 4}, {1, 2, nan, 3, 4}}}}});
  CHECK(count(first_path(svg), "M") == 2);
  for (const auto& values :
       {std::vector<double>{}, {nan, nan}, {0, 0}, {3, 3}, {1e-300, 1e-300}, {-1e300, 1e300}})
    for (const bool logarithmic : {false, true}) {
      const std::string odd = io::to_svg({{"", "t", "x", {{"x", {0, 1}, values}}, false, logarithmic}});
      CHECK_FALSE(contains(odd, "nan"));
      CHECK_FALSE(contains(odd, "inf"));
    }
}

TEST_CASE("points that no line joins have marks only, in the legend too") {
  const io::PlotLine marks{"a", {0, 1, 2}, {1, 2, 3}, true, io::LineStyle{}, false},
      line{"b", {0, 1}, {0, 1}};
  const std::string svg = io::to_svg({{"", "t", "x", {marks, line}}});
  CHECK(count(svg, "<circle") == 4);
  CHECK(count(svg, "stroke-width=\"2\"") == 1);
  CHECK(points(svg).size() == 2);
}

TEST_CASE("a point without neighbours is drawn as a dot") {
  const auto dots = [](const std::vector<double>& x, const std::vector<double>& y, bool logarithmic) {
    return count(io::to_svg({{"", "t", "x", {{"x", x, y}}, false, logarithmic}}), "<circle");
  };
  CHECK(dots({1}, {3}, false) == 1);
  CHECK(dots({0, 1, 2, 3, 4}, {1, nan, 2, 3, nan}, false) == 1);
  CHECK(dots({0, 1, 2, 3, 4}, {1, 0, 2, 0, 3}, true) == 3);
  CHECK(dots({2, 2, 2}, {5, 5, 5}, false) == 1);  // the path of a body at rest
  CHECK(dots({0, 1, 2}, {1, 2, 3}, false) == 0);
}

TEST_CASE("the extremes of each pixel are kept where there are many points") {
  io::PlotLine line{"x", {}, {}};
  for (int i = 0; i < 200'000; ++i)
    line.x.push_back(i), line.y.push_back(i == 123'456 ? 50 : std::sin(0.01 * i));
  const std::string svg = io::to_svg({{"", "t", "x", {line}}});
  CHECK(svg.size() < 100'000);
  const auto drawn = points(svg);
  const auto peak = std::min_element(drawn.begin(), drawn.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  CHECK(peak->first == doctest::Approx(78 + 624 * 123'456. / 199'999).epsilon(2e-3));
  CHECK(peak->second < 100);
}

TEST_CASE("the label gives small numbers a power of ten") {
  const std::string svg = io::to_svg({{"", "t (s)", "drift (J)", {{"drift", {0, 1}, {0, -4e-9}}}}});
  CHECK(contains(svg, ">drift (10⁻⁹ J)</text>"));
  CHECK(contains(svg, ">-4</text>"));
}

TEST_CASE(
    "a long title is broken into lines, and a label that is longer than its diagram has a smaller font") {
  std::string title;
  for (int i = 0; i < 30; ++i) title += fmt::format("{}word{}", i > 0 ? " " : "", i);
  const std::string name(120, 'x');
  const io::PlotLine line{name, {0, 1}, {0, 1}};
  const std::string svg = io::to_svg({{title, "t (s)", name, {line, line}}});
  CHECK(count(svg, "font-weight=\"bold\"") == 3);
  for (const char* end : {">word0 ", " word29</text>"}) CHECK(contains(svg, end));
  std::size_t texts = 0;
  for (auto at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const auto begin = svg.find('>', at) + 1, size = svg.find(" font-size=\"", at);
    const auto letters = static_cast<double>(svg.find('<', begin) - begin);
    const bool smaller = size < begin;
    CHECK(letters * 0.6 * (smaller ? std::stod(svg.substr(size + 12)) : 13) < 660);
    texts += smaller;
  }
  CHECK(texts == 3);  // the label of the axis and two in the legend
}

TEST_CASE("texts are escaped in pictures and reports") {
  const std::string markup = "</text><script>alert(1)</script>";
  const std::string svg =
      io::to_svg({{markup, markup, markup, {{markup, {0, 1}, {0, 1}}, {markup, {0, 1}, {1, 0}}}}});
  CHECK_FALSE(contains(svg, "<script"));
  CHECK(count(svg, "&lt;script&gt;") == 5);
  io::StoredResult result;
  result.scene = sample_scene();
  result.scene.title = result.scene.mechanism.bodies[0].name = result.scene.resolved = markup;
  result.trajectory = sample_trajectory();
  result.facts = {{"status", markup}, {"message", markup}, {"method", markup}};
  result.events.push_back({markup, 1});
  CHECK_FALSE(contains(report_page(result), "<script"));
}

TEST_CASE("control characters and direction marks are escaped in pictures and reports") {
  const std::string raw = "a\033[31m\u202eb";
  const std::string svg = io::to_svg({{raw, raw, raw, {{raw, {0, 1}, {0, 1}}}}});
  io::StoredResult result;
  result.scene = sample_scene();
  result.scene.title = result.scene.resolved = raw;
  result.trajectory = sample_trajectory();
  result.facts = {{"status", raw}, {"message", raw}};
  for (const std::string& page : {svg, report_page(result)}) {
    CHECK(contains(page, "a\\u001B[31m\\u202Eb"));
    CHECK_FALSE(contains(page, "\033"));
    CHECK_FALSE(contains(page, "\u202e"));
  }
}

TEST_CASE("48 lines have 48 different looks in the legend") {
  io::Plot plot{"", "t", "x", {}};
  for (int i = 0; i < 48; ++i)
    plot.lines.push_back({std::string("line ") + std::to_string(i), {0, 1}, {0, 1.}, true});
  const std::string svg = io::to_svg({plot});
  std::set<std::string> looks;
  for (auto at = svg.find("h22\""); at != std::string::npos; at = svg.find("h22\"", at + 1)) {
    const auto stroke = svg.find("stroke=", at);
    std::string look = svg.substr(stroke, svg.find("/>", stroke) - stroke);
    const auto mark = svg.find('<', stroke);
    look += svg[mark + 1];
    // The corners of a polygon relative to its first corner.
    if (svg[mark + 1] == 'p') {
      const auto points = svg.find("points=\"", mark) + 8;
      std::string text = svg.substr(points, svg.find('"', points) - points);
      std::replace(text.begin(), text.end(), ',', ' ');
      std::istringstream numbers(text);
      double x0 = 0, y0 = 0;
      numbers >> x0 >> y0;
      for (double x = 0, y = 0; numbers >> x >> y;)
        look += ' ' + std::to_string(std::lround(x - x0)) + ' ' + std::to_string(std::lround(y - y0));
    }
    looks.insert(look);
  }
  CHECK(looks.size() == 48);
  plot.lines[3].style = io::LineStyle{1, 1, 0, true};
  CHECK(contains(io::to_svg({plot}), "fill=\"#ffffff\" stroke=\"#d9641e\""));
}

TEST_CASE("of curves that coincide, the first is the widest, and the marks of the others are outlined") {
  const std::vector<double> x{0, 1, 2, 3}, y{0, 2, 1, 3};
  const auto widths = [&](const std::vector<std::vector<double>>& curves) {
    io::Plot plot{"", "t (s)", "x (m)", {}};
    for (const auto& curve : curves)
      plot.lines.push_back({"x" + std::to_string(plot.lines.size()), x, curve, true});
    std::string svg = io::to_svg({plot});
    svg.erase(0, svg.find("<g fill=\"none\" stroke-width"));
    std::vector<double> all;
    for (auto at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) {
      const std::string path = svg.substr(at, svg.find("/>", at) - at), key = "stroke-width=\"";
      if (contains(path, "fill=\"none\"")) break;  // the legend
      const auto width = path.find(key);
      all.push_back(width == std::string::npos ? 1.5 : std::stod(path.substr(width + key.size())));
    }
    REQUIRE(all.size() == curves.size());
    return all;
  };
  const auto outlined = [&](const std::vector<double>& second) {
    io::Plot plot{"", "t (s)", "x (m)", {{"a", x, y, true}, {"b", x, second, true}}};
    return count(io::to_svg({plot}), "stroke=\"#ffffff\"");
  };
  CHECK(outlined(y) == 4);
  CHECK(outlined({3, 1, 2, 0}) == 0);
  CHECK(widths({y}) == std::vector{1.5});
  CHECK(widths({y, {3, 1, 2, 0}}) == std::vector{1.5, 1.5});
  CHECK(widths({y, {3, 1, 2, 0}, y, y}) == std::vector{4.5, 1.5, 3., 1.5});
  CHECK(widths({y, {0, 2, 3, nan}}) == std::vector{3., 1.5});  // the curves coincide at two of four points
  const auto many = widths(std::vector(12, y));
  for (std::size_t i = 1; i < many.size(); ++i) CHECK(many[i - 1] > many[i] + 0.3);
  CHECK(many.front() == 6);
}

TEST_CASE("one legend for several diagrams has each label once") {
  const io::PlotLine a{"a", {0, 1}, {0, 1}}, b{"b", {0, 1}, {1, 0}}, c{"<c>", {0, 1}, {1, 1}};
  const std::vector<io::Plot> plots = {{"", "t", "x", {a, b}}, {"", "t", "y", {b, c}}};
  CHECK(count(to_svg(plots), ">b</text>") == 2);
  io::PlotOptions options;
  options.legend = io::PlotOptions::Legend::once;
  const std::string once = to_svg(plots, options);
  for (const char* label : {">a</text>", ">b</text>", ">&lt;c&gt;</text>"}) CHECK(count(once, label) == 1);
  options.legend = io::PlotOptions::Legend::none;
  CHECK(count(to_svg(plots, options), ">b</text>") == 0);
  const std::string html = html_legend(plots);
  CHECK(count(html, "<span>") == 3);
  CHECK(contains(html, "</svg>&lt;c&gt;</span>"));
}

TEST_CASE("curves of the same unit share a diagram") {
  io::StoredResult result;
  result.scene = sample_scene();
  result.trajectory = sample_trajectory();
  const auto plots = plots_of(result, {"body.top.x", "energy", "body.top.y", "drift"});
  REQUIRE(plots.size() == 2);
  CHECK(plots[0].lines.size() == 2);
  CHECK(plots[0].y_label == "position (m)");
  CHECK(plots[1].y_label == "energy (J)");
  CHECK(plots[1].lines[1].label == "drift");
  CHECK(plots_of(result, {"body.top.vdot_x"})[0].y_label == "body.top.vdot_x (m/s²)");
}

TEST_CASE("a diagram without values states this") {
  CHECK(contains(io::to_svg({{"", "t", "x", {{"x", {0, 1}, {0, -1}}}, false, true}}),
                 ">no value above zero</text>"));
  CHECK(contains(io::to_svg({{"", "t", "x", {{"x", {0, 1}, {nan, nan}}}}}), ">no value</text>"));
  CHECK_FALSE(contains(io::to_svg({{"", "t", "x", {{"x", {0, 1}, {0, 0}}}}}), "no value"));
}

TEST_CASE("a diagram has at most 12 lines") {
  io::StoredResult result;
  result.scene = sample_scene();
  result.trajectory = sample_trajectory();
  std::size_t lines = 0;
  for (const io::Plot& plot : plots_of(result, {"body.*", "joint.*", "constraint.*"})) {
    CHECK(plot.lines.size() <= 12);
    lines += plot.lines.size();
  }
  CHECK(lines == curves(result, {"body.*", "joint.*", "constraint.*"}).size());
}

// If the cost of a curve grew with the number of columns, this test would take a minute.
TEST_CASE("each of many curves is drawn over its own column, at a cost that is linear in their number") {
  constexpr int count = 50'000;
  std::vector<io::Series> table{{"t", "s", {0, 1}}};
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const std::string body = "body.b" + std::to_string(i);
    table.push_back({body + ".x", "m", {1. * i, 2. * i}});
    table.push_back({body + ".y", "m", {3. * i, 4. * i}});
    names.push_back(body + ".y");
  }
  io::PlotView view;
  view.over = "body.*.x";
  int at = 0;
  bool right = true;
  for (const io::Plot& plot : plots_of(table, names, view))
    for (const io::PlotLine& line : plot.lines) {
      right &= line.label == names[static_cast<std::size_t>(at)];
      right &=
          line.x == std::vector<double>{1. * at, 2. * at} && line.y == std::vector<double>{3. * at, 4. * at};
      ++at;
    }
  CHECK(at == count);
  CHECK(right);
}

TEST_CASE("a plot can show a time window, and magnitudes on a logarithmic axis") {
  io::StoredResult result;
  result.scene = sample_scene();
  result.trajectory = sample_trajectory(11);  // a sample every 0.1 s
  const auto whole = plots_of(result, {"body.top.v_x"})[0].lines[0];
  const auto part = plots_of(result, {"body.top.v_x"}, {"title", 0.25, 0.75, true});
  CHECK(part[0].title == "title");
  CHECK(part[0].log_y);
  CHECK(part[0].y_label == "|body.top.v_x| (m/s)");
  const io::PlotLine& line = part[0].lines[0];
  REQUIRE(line.x.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(line.x[i] == whole.x[i + 3]);
    CHECK(line.y[i] == std::abs(whole.y[i + 3]));
  }
  CHECK_THROWS_WITH_AS(plots_of(result, {"energy"}, {"", 2., 3., false}),
                       "no sample from 2 s to 3 s: the result goes from 0 s to 1 s", io::ResultError);
}

TEST_CASE("a report lists the warnings of a run") {
  io::StoredResult good;
  good.scene = sample_scene();
  auto trajectory = sample_trajectory(2);
  trajectory.samples[1] = trajectory.samples[0];
  for (Sample& one : trajectory.samples) one.invariants.position_residual = 1e-12;
  good.trajectory = trajectory;
  good.facts = {{"status", "reached-end"}, {"general_solutions", 0L}};
  CHECK(warnings_of(good).empty());
  CHECK_FALSE(contains(report_page(good), "<ul class=\"warnings\">"));
  for (Sample& one : trajectory.samples)
    one.invariants.velocity_residual = one.invariants.acceleration_residual = 0;
  good.trajectory = trajectory;
  CHECK(contains(report_page(good), ">position_residual (m or rad)</text>"));
  CHECK(contains(report_page(good), "<td>1e-12 m or rad</td>"));
  io::StoredResult singular = good;
  singular.trajectory.samples[1].invariants.position_residual = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(report_page(singular), "<td>1e-12 m or rad (not a finite number at 1 of 2 outputs)</td>"));
  io::StoredResult at_rest = good;
  for (Sample& one : at_rest.trajectory.samples) one.invariants = {};
  CHECK(contains(report_page(at_rest), "All of them are zero at all times."));
  for (Sample& one : at_rest.trajectory.samples) one.invariants.angular_momentum.y() = 3;
  CHECK(contains(report_page(at_rest), ">angular_momentum_y (kg m²/s)</text>"));  // which of the three

  io::StoredResult bad = good;
  auto& samples = bad.trajectory.samples;
  samples[1].invariants.position_residual = 2e-5;
  samples[1].invariants.kinetic += 0.5;
  bad.facts = {{"status", "newton-failed"},
               {"message", "no luck"},
               {"t", 0.5},
               {"general_solutions", 3L},
               {"notes", "a note"}};
  const auto told = warnings_of(bad);
  REQUIRE(told.size() == 5);
  CHECK(told[0] == "The run did not reach its end: newton-failed at t = 0.5 s. no luck");
  CHECK(told[1] == "The greatest residual of the constraints is 2e-05 m or rad.");
  CHECK(told[2].starts_with("Energy drifts by 0.5 J"));
  CHECK(told[3] == "3 linear systems fell back to the general sparse solver.");
  CHECK(told[4] == "Note: a note");
  const std::string page = report_page(bad);
  CHECK(contains(page, "<th class=\"number\">x (m)</th>"));  // as the numbers below it
  CHECK(contains(page, "<th>body</th>"));
  CHECK(page.find(".wide { overflow: visible; }") > page.find("@media print"));  // paper does not scroll
  CHECK(contains(page, ".wide { overflow: visible; }"));
  CHECK(page.find("no luck") < page.find("<h2>The run"));
  bad.facts = {{"status", "energy-lost"}, {"message", "too large steps"}, {"t", 0.5}};
  CHECK(warnings_of(bad)[0] ==
        "The errors of the steps do not explain the drift of energy: energy-lost at t = 0.5 s. too large "
        "steps");
}
}  // namespace
}  // namespace torsor::test
