#include "comparison_diagrams.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor::batch {
namespace {

/// The index of a combination's value among the different values of one setting, and their number.
std::pair<int, int> place_among(const Comparison& all, std::size_t i, std::string Combination::*part) {
  std::vector<std::string> values;
  for (const Combination& one : all.combinations)
    if (std::find(values.begin(), values.end(), one.*part) == values.end()) values.push_back(one.*part);
  const auto found = std::find(values.begin(), values.end(), all.combinations[i].*part);
  return {static_cast<int>(found - values.begin()), static_cast<int>(values.size())};
}

io::LineStyle style_of(const Comparison& all, std::size_t i) {
  const int method = place_among(all, i, &Combination::method).first;
  const auto [group, groups] = place_among(all, i, &Combination::group);
  const auto [treatment, treatments] = place_among(all, i, &Combination::constraints);
  const auto [connection, connections] = place_among(all, i, &Combination::connection);
  const int again = method / 8;  // nonzero if its colour is also that of an earlier method
  return {method, (method * treatments + treatment) * connections + connection, group + groups * again,
          place_among(all, i, &Combination::formulation).first == 1};
}

/// The label of a combination, with its observed order.
std::string label_of(const Comparison& all, std::size_t i) {
  const auto order = all.observed_order(i);
  return order ? fmt::format("{} (order {:.1f})", all.combinations[i].label, *order)
               : all.combinations[i].label;
}

using Of = double (*)(const ComparedRun&);

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

/// One line for each combination, and a horizontal line for the error of the reference.
io::Plot diagram(const Comparison& all, const std::string& x_label, Of x, const std::string& y_label, Of y,
                 bool reference) {
  io::Plot plot{"", x_label, y_label, {}, true, true};
  double least = 0, most = 0;
  for (std::size_t i = 0; i < all.combinations.size(); ++i) {
    io::PlotLine line{label_of(all, i), {}, {}, true, style_of(all, i)};
    for (const ComparedRun& run : all.runs) {
      if (run.combination != i || !run.good() || !(y(run) > 0) || !(x(run) > 0)) continue;
      line.x.push_back(x(run)), line.y.push_back(y(run));
      least = least > 0 ? std::min(least, x(run)) : x(run), most = std::max(most, x(run));
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  if (reference && all.reference.own_error > 0 && most > least)
    plot.lines.push_back({"error of the reference",
                          {least, most},
                          {all.reference.own_error, all.reference.own_error},
                          false,
                          io::LineStyle{-1, 0, 1, false}});
  return plot;
}

}  // namespace

std::string error_label(const Comparison& all) {
  constexpr const char* names[] = {"error", "error of the attitudes", "error of the end time",
                                   "error of the work"};
  return with_unit(names[static_cast<int>(all.compared)], all.unit);
}

std::string position_unit(const Comparison& all) { return all.in_coordinates ? "" : "m or rad"; }
std::string velocity_unit(const Comparison& all) { return all.in_coordinates ? "" : "m/s or rad/s"; }
std::string position_label(const Comparison& all) {
  return with_unit("position residual", position_unit(all));
}
std::string velocity_label(const Comparison& all) {
  return with_unit("velocity residual", velocity_unit(all));
}

std::vector<io::Plot> diagrams(const Comparison& all) {
  const std::string error = error_label(all), control = all.by_step ? "step (s)" : "tolerance";
  const Of of_error = [](const ComparedRun& run) { return run.error; };
  std::vector<io::Plot> plots = {
      diagram(
          all, "computing time (s)", [](const ComparedRun& run) { return run.cpu_s; }, error, of_error, true),
      diagram(
          all, "evaluations", [](const ComparedRun& run) { return run.evaluations; }, error, of_error, true),
      diagram(
          all, control, [](const ComparedRun& run) { return run.control; }, error, of_error, true)};
  plots[0].title = "Error over computing time (lower left is better)";
  plots[1].title = "Error over evaluations (lower left is better)";
  plots[2].title = all.by_step ? "Error over step size" : "Error over tolerance";
  const auto more = [&](const std::string& label, Of of) {
    io::Plot plot = diagram(
        all, control, [](const ComparedRun& run) { return run.control; }, label, of, false);
    if (!plot.lines.empty()) plots.push_back(std::move(plot));
  };
  more("energy drift (J)", [](const ComparedRun& run) { return run.drift; });
  more(position_label(all), [](const ComparedRun& run) { return run.position_residual; });
  more(velocity_label(all), [](const ComparedRun& run) { return run.velocity_residual; });
  return plots;
}

}  // namespace torsor::batch
