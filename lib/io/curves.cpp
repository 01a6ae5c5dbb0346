#include <fmt/format.h>

#include <algorithm>

#include "torsor/io/columns.hpp"
#include "torsor/io/stored_result.hpp"
#include "torsor/sim/did_you_mean.hpp"

namespace torsor {
namespace {

constexpr std::string_view drift = "drift";

/// Whether a text is one that the pattern stands for.
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

/// Places of the columns that the names stand for, each once; the one behind the last is the drift.
std::vector<std::size_t> places(const std::vector<std::string>& columns,
                                const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  const auto add = [&](std::size_t place) {
    if (std::find(found.begin(), found.end(), place) == found.end()) found.push_back(place);
  };
  for (const std::string& name : names) {
    bool any = false;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (matches(name, columns[i])) any = true, add(i);
    if (!any)
      throw ResultError(
          fmt::format("no column \"{}\"{}", name, did_you_mean(name, {columns.begin(), columns.end()})));
  }
  return found;
}

/// The unit of a column that ends so, as docs/results.md has it; those of joints depend on their kind.
std::string unit_of(std::string_view column) {
  const auto ends = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](std::string_view end) { return column.ends_with(end); });
  };
  if (column == "t") return "s";
  if (column == drift || column == "kinetic" || column == "potential" || column == "energy" ||
      column == "work")
    return "J";
  if (column.starts_with("linear_momentum")) return "kg m/s";
  if (column.starts_with("angular_momentum")) return "kg m^2/s";
  if (column.starts_with("body.") || column.starts_with("point.")) {
    if (ends({".x", ".y", ".z"})) return "m";
    if (ends({".v_x", ".v_y", ".v_z"})) return "m/s";
    if (ends({".vdot_x", ".vdot_y", ".vdot_z"})) return "m/s^2";
    if (ends({".Omega_x", ".Omega_y", ".Omega_z"})) return "rad/s";
    if (ends({".Omegadot_x", ".Omegadot_y", ".Omegadot_z"})) return "rad/s^2";
    if (ends({"force_x", "force_y", "force_z", "reaction_x", "reaction_y", "reaction_z"})) return "N";
  }
  if (column.starts_with("joint.") || column.starts_with("constraint.")) {
    if (ends({".force_x", ".force_y", ".force_z"})) return "N";
    if (ends({".torque_x", ".torque_y", ".torque_z"})) return "N m";
    if (ends({".power"})) return "W";
    if (ends({".angle", ".angle_x", ".angle_y"})) return "rad";
    if (ends({".angle_rate", ".angle_x_rate", ".angle_y_rate"})) return "rad/s";
    if (ends({".displacement", ".x", ".y", ".z"})) return "m";
    if (ends({".displacement_rate", ".x_rate", ".y_rate", ".z_rate"})) return "m/s";
  }
  return {};
}

template <class AnyTrajectory>
std::vector<Series> gather(const Scene& scene, const AnyTrajectory& trajectory,
                           const std::vector<std::string>& names) {
  const auto& samples = trajectory.samples;
  std::vector<std::string> columns = column_names(scene, samples.front());
  columns.emplace_back(drift);
  const auto place = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  const std::size_t energy = place("energy"), work = place("work");
  std::vector<Series> all;
  const std::vector<std::size_t> wanted = places(columns, names);
  for (const std::size_t i : wanted) all.push_back({columns[i], unit_of(columns[i]), {}});
  std::vector<double> row;
  double start = 0;
  for (const auto& sample : samples) {
    column_values(scene, sample, row);
    if (&sample == &samples.front()) start = row[energy] - row[work];
    row.push_back(row[energy] - row[work] - start);
    for (std::size_t k = 0; k < wanted.size(); ++k) all[k].values.push_back(row[wanted[k]]);
  }
  return all;
}

}  // namespace

std::vector<Series> curves(const StoredResult& result, const std::vector<std::string>& names) {
  return std::visit([&](const auto& trajectory) { return gather(result.scene, trajectory, names); },
                    result.trajectory);
}

std::vector<double> sample_times(const StoredResult& result) {
  std::vector<double> all;
  std::visit(
      [&](const auto& trajectory) {
        for (const auto& one : trajectory.samples) all.push_back(one.t);
      },
      result.trajectory);
  return all;
}

}  // namespace torsor
