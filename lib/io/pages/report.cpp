#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/motion_kind.hpp"
#include "markup.hpp"
#include "page_frame.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// The greatest absolute value of a column over the samples at which it is finite.
double greatest_of(const StoredResult& result, const std::string& column) {
  double most = 0;
  const std::vector<Series> found = curves(result, {column});
  for (const double value : found.front().values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  return most;
}

/// A number with the unit of its column. The unit of a residual in coordinates depends on the formulas.
std::string with_unit(double x, const StoredResult& result, const std::string& column) {
  const std::string unit = curves(result, {column}).front().unit;
  return fmt::format("{:.3g}{}{}", x, unit.empty() || unit == "1" ? "" : " ", unit == "1" ? "" : unit);
}

/// The end of a phrase that tells at how many samples a column is not a finite number; empty if at none.
std::string without_number(const StoredResult& result, const std::string& column) {
  const std::vector<Series> found = curves(result, {column});
  const std::vector<double>& values = found.front().values;
  const auto count = std::count_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  return count == 0 ? "" : fmt::format(" (not a finite number at {} of {} outputs)", count, values.size());
}

/// The energy scale, by which a drift is divided: the larger of the greatest kinetic energy and the range of
/// the potential energy.
double energy_scale(const StoredResult& result) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::vector<Series> found = curves(result, {"potential"});
  for (const double value : found.front().values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return std::max(greatest_of(result, "kinetic"), high > low ? high - low : 0);
}

std::string heading(const StoredResult& result) {
  const scene::Scene& scene = result.scene;
  const std::string status = result.text("status"), message = result.text("message"),
                    end = status == "event" ? fmt::format("ended as asked, by {} s", message)
                                            : fmt::format("{} at t = {} s", status, result.text("t"));
  std::string html =
      fmt::format("<header>\n<h1>{}</h1>\n", escaped(scene.title.empty() ? scene.name : scene.title));
  html +=
      fmt::format("<p class=\"soft\">{}</p>\n</header>\n", escaped(fmt::format("{}: {}", scene.name, end)));
  const auto warnings = warnings_of(result);
  if (warnings.empty()) return html;
  html += "<ul class=\"warnings\">\n";
  for (const std::string& warning : warnings) html += fmt::format("<li>{}</li>\n", escaped(warning));
  return html + "</ul>\n";
}

std::string about_the_run(const StoredResult& result) {
  Rows rows;
  const auto add = [&](const char* label, std::initializer_list<const char*> names, const char* unit = "") {
    std::string text;
    for (const char* name : names)
      if (result.fact(name)) text += (text.empty() ? "" : ", ") + result.text(name) + unit;
    if (!text.empty()) rows.push_back({label, text});
  };
  add("method", {"method"});
  add("tolerance", {"tolerance"});
  add("step", {"step"}, " s");
  add("group", {"group"});
  add("formulation", {"formulation"});
  add("equations", {"equations"});
  add("treatment of constraints", {"treatment"});
  rows.push_back({"time", fmt::format("from {} s to {} s", result.text("t_begin"), result.text("t_end"))});
  for (auto& row : motion_kind(result.scene).contents(result.scene)) rows.push_back(std::move(row));
  add("Torsor", {"version", "git", "compiler", "build_type", "instruction_set"});
  add("machine", {"cpu", "libm"});
  return html_table(rows, false);
}

std::string summary(const StoredResult& result) {
  const auto number = [](double x) { return fmt::format("{:.3g}", x); };
  Rows rows = {{"status", result.text("status")},
               {"steps", fmt::format("{} accepted, {} rejected", result.text("steps_accepted"),
                                     result.text("steps_rejected"))},
               {"evaluations", result.text("evaluations")},
               {"wall time", fmt::format("{} s", result.text("wall_s"))},
               {"greatest drift of energy minus work",
                number(greatest_of(result, "drift")) + " J" + without_number(result, "drift")}};
  if (const double scale = energy_scale(result); scale > 0)
    rows.push_back(
        {"this drift relative to the greatest kinetic energy or, if it is larger, the range of the "
         "potential energy",
         number(greatest_of(result, "drift") / scale)});
  const auto residual = [&](const char* label, const char* column) {
    rows.push_back(
        {label, with_unit(greatest_of(result, column), result, column) + without_number(result, column)});
  };
  residual("greatest residual of the constraints, positions", "position_residual");
  residual("greatest residual of the constraints, velocities", "velocity_residual");
  residual("greatest residual of the equations of motion, relative", "acceleration_residual");
  for (const auto& event : result.events)
    rows.push_back({"event " + event.name, fmt::format("{} s", event.t)});
  return html_table(rows, false);
}

/// A figure of the columns that are not zero throughout; empty if every column is zero throughout.
std::string figure(const StoredResult& result, const std::vector<std::string>& columns, const char* label,
                   const char* caption, bool logarithmic = false) {
  Plot plot{"", "t (s)", label, {}};
  plot.log_y = logarithmic;
  const auto t = sample_times(result);
  std::string only;
  std::vector<Series> found = curves(result, columns);
  for (Series& one : found) {
    if (std::all_of(one.values.begin(), one.values.end(), [](double x) { return x == 0; })) continue;
    if (logarithmic)
      for (double& value : one.values) value = std::abs(value);
    plot.lines.push_back({one.name, t, std::move(one.values)});
    only = axis_label(one.name, one.unit, false);
  }
  if (plot.lines.size() == 1 && found.size() > 1) plot.y_label = only;  // a single line has no legend
  return plot.lines.empty() ? "" : html_figure(to_svg({plot}), caption);
}

std::string invariants(const StoredResult& result) {
  std::string html =
      figure(result, {"kinetic", "potential", "energy", "work"}, "energy (J)", "Energies and work.");
  html += figure(result, {"drift"}, "drift (J)",
                 "Energy minus its value at the start and minus the work: the error of the method.");
  for (const ReportFigure& one : motion_kind(result.scene).figures(result.scene))
    html += figure(result, one.columns, one.label, one.caption, one.logarithmic);
  return html.empty() ? "<p class=\"soft\">All of them are zero at all times.</p>\n" : html;
}

}  // namespace

std::vector<std::string> warnings_of(const StoredResult& result) {
  constexpr double loose = 1e-6, drifting = 1e-3;
  std::vector<std::string> all;
  const std::string status = result.text("status"), message = result.text("message");
  if (status != "reached-end" && status != "event")
    all.push_back(fmt::format("{}: {} at t = {} s. {}",
                              status == "energy-lost"
                                  ? "The errors of the steps do not explain the drift of energy"
                                  : "The run did not reach its end",
                              status, result.text("t"), message));
  if (const double residual = greatest_of(result, "position_residual"); residual > loose)
    all.push_back(fmt::format("The greatest residual of the constraints is {}.",
                              with_unit(residual, result, "position_residual")));
  const double drift = greatest_of(result, "drift"), scale = energy_scale(result);
  if (scale > 0 && drift > drifting * scale)
    all.push_back(fmt::format(
        "Energy drifts by {:.2g} J, {:.2g} times the greatest kinetic energy or, if it is larger, "
        "the range of the potential energy.",
        drift, drift / scale));
  if (const std::string fallbacks = result.text("general_solutions"); !fallbacks.empty() && fallbacks != "0")
    all.push_back(fmt::format("{} linear system{} fell back to the general sparse solver.", fallbacks,
                              fallbacks == "1" ? "" : "s"));
  if (const std::string notes = result.text("notes"); !notes.empty()) all.push_back("Note: " + notes);
  return all;
}

std::string report_page(const StoredResult& result) {
  check_not_empty(result.trajectory);
  const scene::Scene& scene = result.scene;
  std::string body =
      heading(result) + html_section("The run", about_the_run(result)) +
      html_section("Summary", summary(result)) +
      html_section("Invariants and residuals", invariants(result)) +
      html_section("At the end", motion_kind(scene).html_end(scene, result.trajectory.samples.back()));
  body += html_section(
      "The scene as run",
      fmt::format("<details>\n<summary>{} lines</summary>\n<pre>{}</pre>\n</details>\n",
                  std::count(scene.resolved.begin(), scene.resolved.end(), '\n'), escaped(scene.resolved)));
  return page_of(scene.title.empty() ? scene.name : scene.title, body);
}

}  // namespace torsor::io
