#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "torsor/io/pages.hpp"

namespace torsor::io {
namespace {

constexpr std::size_t most_lines = 12;  ///< of one diagram: more lines are hard to distinguish

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// The quantity of a column by its unit; the last part of the column's name if the list lacks the unit.
std::string quantity_of(const Series& one) {
  constexpr std::pair<const char*, const char*> quantities[] = {{"m", "position"},
                                                                {"m/s", "velocity"},
                                                                {"m/s^2", "acceleration"},
                                                                {"rad", "angle"},
                                                                {"rad/s", "angular velocity"},
                                                                {"rad/s^2", "angular acceleration"},
                                                                {"N", "force"},
                                                                {"N m", "torque"},
                                                                {"J", "energy"},
                                                                {"W", "power"},
                                                                {"kg m/s", "momentum"},
                                                                {"kg m^2/s", "angular momentum"},
                                                                {"m or rad", "residual"},
                                                                {"m/s or rad/s", "residual"},
                                                                {"1", "dimensionless"}};
  for (const auto& [known, quantity] : quantities)
    if (one.unit == known) return quantity;
  return last_part(one.name);
}

/// The index range [first, last) of the samples in a window of time.
std::pair<std::size_t, std::size_t> window(const std::vector<double>& t, const PlotView& view) {
  const double from = view.from.value_or(t.front()), to = view.to.value_or(t.back());
  const auto first = std::lower_bound(t.begin(), t.end(), from), last = std::upper_bound(first, t.end(), to);
  if (first >= last)
    throw ResultError(fmt::format("no sample from {} s to {} s: the result goes from {} s to {} s", from, to,
                                  t.front(), t.back()));
  return {first - t.begin(), last - t.begin()};
}

}  // namespace

std::string axis_label(const std::string& name, std::string unit, bool magnitude) {
  if (const auto square = unit.find("^2"); square != std::string::npos) unit.replace(square, 2, "²");
  const std::string shown = magnitude ? fmt::format("|{}|", name) : name;
  return unit.empty() || unit == "1" ? shown : fmt::format("{} ({})", shown, unit);
}

namespace {

/// The column of the horizontal axis for the column `name`. A * in `over` stands for a part of `name`. This
/// part begins after the text that stands before the *, and leaves as many dotted parts at the end as follow
/// the *: for "body.top.y", "body.*.x" is "body.top.x".
std::string abscissa_of(const std::string& name, const std::string& over) {
  const auto star = over.find('*');
  if (star == over.npos) return over;
  const std::string before = over.substr(0, star), after = over.substr(star + 1);
  std::size_t end = name.size();
  for (auto parts = std::count(after.begin(), after.end(), '.'); parts > 0 && end != name.npos; --parts)
    end = end == 0 ? name.npos : name.rfind('.', end - 1);
  if (end == name.npos || end <= star || !name.starts_with(before))
    throw ResultError(fmt::format("the * of \"{}\" stands for no part of the column \"{}\"", over, name));
  return before + name.substr(star, end - star) + after;
}

/// The columns of the horizontal axes, and for each series the index of its column among them. The columns
/// are read together: `columns(names)` returns columns of the result.
template <class Columns>
std::pair<std::vector<Series>, std::vector<std::size_t>> abscissae(const std::vector<double>& t,
                                                                   const std::vector<Series>& series,
                                                                   const std::string& over,
                                                                   const Columns& columns) {
  if (over.empty()) return {{{"t", "s", t}}, std::vector<std::size_t>(series.size(), 0)};
  std::vector<std::string> names;
  for (const Series& one : series) names.push_back(abscissa_of(one.name, over));
  std::vector<Series> all = columns(names);
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) places.emplace(all[i].name, i);
  std::vector<std::size_t> of_series;
  for (const std::string& name : names) {
    const auto [place, added] = places.emplace(name, all.size());
    if (added)
      all.push_back(columns({name}).front());  // another * in the name: the first column that matches
    of_series.push_back(place->second);
  }
  return {std::move(all), std::move(of_series)};
}

template <class Columns>
std::vector<Plot> plots_over(const std::vector<double>& t, const std::vector<Series>& series,
                             const PlotView& view, const Columns& columns) {
  const auto [first, last] = window(t, view);
  const auto cut = [first = static_cast<std::ptrdiff_t>(first),
                    last = static_cast<std::ptrdiff_t>(last)](const std::vector<double>& values) {
    return std::vector<double>(values.begin() + first, values.begin() + last);
  };
  const bool shared = view.over.find('*') != view.over.npos;  // several columns share this axis
  std::vector<Plot> plots;
  std::unordered_map<std::string, std::size_t> last_of;  // diagram, by the unit or quantity of its lines
  const auto [over, over_of] = abscissae(t, series, view.over, columns);
  for (std::size_t k = 0; k < series.size(); ++k) {
    const Series &one = series[k], &x = over[over_of[k]];
    const std::string quantity = quantity_of(one), group = one.unit.empty() ? quantity : one.unit;
    const auto open = last_of.find(group);
    const bool full = open == last_of.end() || plots[open->second].lines.size() == most_lines;
    const std::size_t place = full ? plots.size() : open->second;
    if (full) {
      last_of[group] = place;
      plots.push_back({"",
                       axis_label(shared ? last_part(x.name) : x.name, x.unit, false),
                       axis_label(one.name, one.unit, view.logarithmic),
                       {},
                       false,
                       view.logarithmic});
    }
    Plot& plot = plots[place];
    if (!plot.lines.empty()) plot.y_label = axis_label(quantity, one.unit, view.logarithmic);
    PlotLine line{one.name, cut(x.values), cut(one.values)};
    if (view.logarithmic)
      for (double& value : line.y) value = std::abs(value);
    plot.lines.push_back(std::move(line));
  }
  if (!plots.empty()) plots.front().title = view.title;
  return plots;
}

}  // namespace

std::vector<Plot> plots_of(const StoredResult& result, const std::vector<std::string>& columns,
                           const PlotView& view) {
  return plots_over(sample_times(result), curves(result, columns), view,
                    [&](const std::vector<std::string>& names) { return curves(result, names); });
}

std::vector<Plot> plots_of(const std::vector<Series>& table, const std::vector<std::string>& columns,
                           const PlotView& view) {
  return plots_over(table.front().values, curves(table, columns), view,
                    [&](const std::vector<std::string>& names) { return curves(table, names); });
}

}  // namespace torsor::io
