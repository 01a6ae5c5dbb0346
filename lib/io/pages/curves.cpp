#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "io/motion_kind.hpp"
#include "io/tables/columns.hpp"
#include "run/did_you_mean.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::io {
namespace {

constexpr std::string_view drift = "drift";

/// Whether a text matches a pattern, in which * stands for any characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++from;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

/// Indices of the columns that match the names or patterns, each once. `Columns`: a list of values with a
/// `name`.
template <class Columns>
std::vector<std::size_t> places(const Columns& columns, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  std::vector<char> taken(columns.size(), 0);
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < columns.size(); ++i) by_name[columns[i].name].push_back(i);
  const auto add = [&](std::size_t place) {
    if (!taken[place]) found.push_back(place);
    taken[place] = 1;
  };
  for (const std::string& name : names) {
    const auto same = by_name.find(name);
    bool any = same != by_name.end();
    if (name.find('*') == name.npos)
      for (std::size_t k = 0; any && k < same->second.size(); ++k) add(same->second[k]);
    else
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (matches(name, columns[i].name)) any = true, add(i);
    if (any) continue;
    std::vector<std::string_view> known;
    known.reserve(columns.size());
    for (const auto& column : columns) known.push_back(column.name);
    throw ResultError(fmt::format("no column \"{}\"{}", name, did_you_mean(name, known)));
  }
  return found;
}

}  // namespace

std::vector<Series> curves(const std::vector<Series>& table, const std::vector<std::string>& names) {
  std::vector<Series> all;
  for (const std::size_t i : places(table, names)) all.push_back(table[i]);
  return all;
}

std::vector<Series> curves(const StoredResult& result, const std::vector<std::string>& names) {
  const scene::Scene& scene = result.scene;
  check_not_empty(result.trajectory);
  const std::vector<Sample>& samples = result.trajectory.samples;
  std::vector<Column> columns = columns_of(scene, samples.front());
  columns.push_back({std::string(drift), "J"});
  const auto place = [&](std::string_view name) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    return static_cast<std::size_t>(found - columns.begin());
  };
  const std::size_t energy = place("energy"), work = place("work");
  std::vector<Series> all;
  const std::vector<std::size_t> wanted = places(columns, names);
  all.reserve(wanted.size());
  for (const std::size_t i : wanted) all.push_back({columns[i].name, columns[i].unit, {}});
  std::vector<double> row;
  double start = 0;
  for (const Sample& sample : samples) {
    column_values(scene, sample, row);
    if (&sample == &samples.front()) start = row[energy] - row[work];
    row.push_back(row[energy] - row[work] - start);
    for (std::size_t k = 0; k < wanted.size(); ++k) all[k].values.push_back(row[wanted[k]]);
  }
  return all;
}

std::vector<double> sample_times(const StoredResult& result) {
  std::vector<double> all;
  for (const Sample& one : result.trajectory.samples) all.push_back(one.t);
  return all;
}

}  // namespace torsor::io
