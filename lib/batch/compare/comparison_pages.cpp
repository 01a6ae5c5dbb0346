#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison_diagrams.hpp"
#include "io/pages/markup.hpp"
#include "io/pages/page_frame.hpp"
#include "io/provenance.hpp"
#include "io/tables/csv_row.hpp"
#include "torsor/batch/compare.hpp"

namespace torsor::batch {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string three(double x) { return std::isfinite(x) ? fmt::format("{:.3g}", x) : ""; }
std::string control_name(const Comparison& all) { return all.by_step ? "step" : "tolerance"; }
std::string control_label(const Comparison& all) { return all.by_step ? "step (s)" : "tolerance"; }
Rows combination_rows(const Comparison& all) {
  Rows rows = {{"combination", "order", "observed", fmt::format("least {}", error_label(all)),
                "its CPU time (s)", "greatest drift (J)", position_label(all), velocity_label(all),
                "failed"}};
  for (std::size_t i = 0; i < all.combinations.size(); ++i) {
    const Combination& one = all.combinations[i];
    if (!one.refused.empty()) continue;
    const ComparedRun* best = nullptr;
    double drift = 0, position = std::nan(""), velocity = std::nan("");
    long failed = 0, count = 0;
    for (const ComparedRun& run : all.runs) {
      if (run.combination != i) continue;
      ++count;
      failed += !run.good();
      if (!run.good()) continue;
      if (!best || !(run.error >= best->error)) best = &run;
      drift = max_or_nan(drift, run.drift), position = std::fmax(position, run.position_residual);
      velocity = std::fmax(velocity, run.velocity_residual);
    }
    const auto order = all.observed_order(i);
    rows.push_back({one.label, fmt::format("{}", one.order), order ? fmt::format("{:.2f}", *order) : "",
                    best ? three(best->error) : "", best ? three(best->cpu_s) : "", best ? three(drift) : "",
                    three(position), three(velocity), fmt::format("{} of {}", failed, count)});
  }
  return rows;
}

Rows run_rows(const Comparison& all) {
  Rows rows = {{"combination", control_label(all), error_label(all), "CPU time (s)", "evaluations", "steps",
                "drift (J)", position_label(all), velocity_label(all)}};
  for (const ComparedRun& run : all.runs)
    if (run.good())
      rows.push_back({all.combinations[run.combination].label, three(run.control), three(run.error),
                      three(run.cpu_s), fmt::format("{}", run.evaluations), fmt::format("{}", run.steps),
                      three(run.drift), three(run.position_residual), three(run.velocity_residual)});
  return rows;
}

/// Tables of the refused combinations, of the failed runs and of those with notes.
std::string trouble(const Comparison& all) {
  std::string html;
  Rows refused = {{"refused", "why"}}, failed = {{"failed", control_label(all), "status", "message"}},
       noted = {{"with a note", control_label(all), "status", "message"}};
  for (const Combination& one : all.combinations)
    if (!one.refused.empty()) refused.push_back({one.label, one.refused});
  for (const ComparedRun& run : all.runs)
    if (!run.good() || run.noted())
      (run.good() ? noted : failed)
          .push_back({all.combinations[run.combination].label, three(run.control), run.status, run.message});
  if (refused.size() > 1) html += io::html_table(refused, true);
  if (failed.size() > 1) html += io::html_table(failed, true);
  if (noted.size() > 1) html += io::html_table(noted, true);
  return html;
}

/// A table of the runs that differ only in their group, side by side. Errors whose ratio is shown as 1 count
/// as equal.
std::string groups_side_by_side(const Comparison& all) {
  Rows rows = {{"combination", control_label(all), error_label(all) + ", direct",
                error_label(all) + ", semidirect", "ratio", position_label(all) + ", direct",
                position_label(all) + ", semidirect"}};
  long better = 0, worse = 0, count = 0;
  double direct_most = std::nan(""), semi_most = std::nan("");
  for (const ComparedRun& direct : all.runs)
    for (const ComparedRun& semi : all.runs) {
      const Combination &a = all.combinations[direct.combination], &b = all.combinations[semi.combination];
      const bool pair = a.group == "direct" && b.group == "semidirect" && a.method == b.method &&
                        a.formulation == b.formulation && a.connection == b.connection &&
                        a.constraints == b.constraints && direct.control == semi.control && direct.good() &&
                        semi.good();
      if (!pair) continue;
      std::string label = a.method;
      for (const std::string& part : {a.formulation, a.connection, a.constraints})
        if (!part.empty()) label += ", " + part;
      const std::string ratio = three(semi.error / direct.error);
      rows.push_back({label, three(direct.control), three(direct.error), three(semi.error), ratio,
                      three(direct.position_residual), three(semi.position_residual)});
      ++count;
      if (ratio != "1" && semi.error != direct.error) ++(semi.error < direct.error ? better : worse);
      direct_most = std::fmax(direct_most, direct.position_residual);
      semi_most = std::fmax(semi_most, semi.position_residual);
    }
  if (count == 0) return {};
  std::string residuals;
  if (!std::isnan(direct_most) && !std::isnan(semi_most))
    residuals = fmt::format(
        " The greatest position residual is {} with the semi-direct product and {} with the direct product.",
        three(semi_most), three(direct_most));
  return io::html_section(
      "SE(3) beside R\xc2\xb3 \xc3\x97 SO(3)",
      fmt::format("<p>The semi-direct product has the smaller error in {} of {} pairs of runs, the direct "
                  "product in {}.{}</p>\n",
                  better, count, worse, residuals) +
          io::html_table(rows, true));
}

}  // namespace

std::string comparison_csv(const Comparison& all) {
  const std::string size = all.unit;  // unit of the error
  std::string csv = io::table_head("torsor/comparison/3", {{"method", ""},
                                                           {"group", ""},
                                                           {"formulation", ""},
                                                           {"connection", ""},
                                                           {"constraints", ""},
                                                           {control_name(all), all.by_step ? "s" : "1"},
                                                           {"status", ""},
                                                           {"error", size},
                                                           {"cpu_s", "s"},
                                                           {"evaluations", "1"},
                                                           {"steps", "1"},
                                                           {"energy_max_drift", "J"},
                                                           {"position_residual", position_unit(all)},
                                                           {"velocity_residual", velocity_unit(all)},
                                                           {"message", ""}});
  csv += io::comment("scene", all.scene) + io::comment("t_end", fmt::format("{}", all.t_end)) +
         io::comment("reference", all.reference.how) + io::comment("version", io::provenance().version);
  const auto line = [&](const Combination& one, const auto& fill) {
    io::Row row(csv);
    for (const std::string& text : {one.method, one.group, one.formulation, one.connection, one.constraints})
      row.text(text);
    fill(row);
    csv += '\n';
  };
  for (const ComparedRun& run : all.runs)
    line(all.combinations[run.combination], [&](io::Row& row) {
      row.number(run.control);
      row.text(run.status);
      for (const double x : {run.error, run.cpu_s, run.evaluations, run.steps, run.drift,
                             run.position_residual, run.velocity_residual})
        run.good() && !std::isnan(x) ? row.number(x) : row.blank();
      row.text(run.message);
    });
  for (const Combination& one : all.combinations)
    if (!one.refused.empty())
      line(one, [&](io::Row& row) {
        row.blank();
        row.text("refused");
        for (int i = 0; i < 7; ++i) row.blank();
        row.text(one.refused);
      });
  return csv;
}

std::string comparison_svg(const Comparison& all) {
  std::vector<io::Plot> plots = diagrams(all);
  plots.resize(std::min<std::size_t>(plots.size(), 3));
  return to_svg(plots, {720, 330, io::PlotOptions::Legend::once});
}

std::string comparison_page(const Comparison& all) {
  const std::string title = fmt::format("{}: methods compared", all.title.empty() ? all.scene : all.title);
  std::string body = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", io::escaped(title),
      io::escaped(fmt::format("{}, to t = {} s; {} runs", all.scene, all.t_end, all.runs.size())));
  body += fmt::format("<p class=\"soft\">{}</p>\n</header>\n", io::escaped(all.about_reference()));
  if (const std::string errors = all.about_errors(); !errors.empty())
    body += fmt::format("<p>{}</p>\n", errors);
  body += io::html_section("Combinations", io::html_table(combination_rows(all), true));
  if (const std::string text = trouble(all); !text.empty())
    body += io::html_section("Refused, failed, or with a note", text);
  const std::vector<io::Plot> plots = diagrams(all);
  std::string figures = html_legend(plots);
  for (const io::Plot& plot : plots)
    figures += io::html_figure(io::to_svg({plot}, {760, 340, io::PlotOptions::Legend::none}), "");
  body += io::html_section("Diagrams", figures) + groups_side_by_side(all);
  body += io::html_section("Runs", io::html_table(run_rows(all), true));
  return io::page_of(title, body);
}

}  // namespace torsor::batch
