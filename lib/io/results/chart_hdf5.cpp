#include <algorithm>

#include "hdf5_result.hpp"

namespace torsor {
namespace {

using ChartSets = Hdf5Samples<ChartSample>;
using ChartOne = const ChartSample&;

/// Dataset [sample, item].
template <class Values>
void vectors(ChartSets& sets, const std::string& path, std::size_t items, Values values) {
  sets.add(path, {items}, "of the formulas", "", [values](ChartOne sample, std::span<double> row) {
    const Vec& all = values(sample);
    std::copy_n(all.data(), row.size(), row.begin());
  });
}

template <class Value>
void numbers(ChartSets& sets, const std::string& path, const char* unit, Value value) {
  sets.add(path, {}, unit, "", [value](ChartOne sample, std::span<double> row) { row[0] = value(sample); });
}

void declare_state(Hdf5File& file, ChartSets& sets, const ChartScene& chart) {
  const std::size_t n = chart.coordinates.size();
  file.group("/coordinates");
  file.strings("/coordinates/names", chart.coordinates);
  vectors(sets, "/coordinates/value", n, [](ChartOne at) -> const Vec& { return at.x.q; });
  vectors(sets, "/coordinates/rate", n, [](ChartOne at) -> const Vec& { return at.x.v; });
  vectors(sets, "/coordinates/acceleration", n, [](ChartOne at) -> const Vec& { return at.a; });
  file.group("/quasi_velocities");
  file.strings("/quasi_velocities/names", chart.quasi_velocities);
  vectors(sets, "/quasi_velocities/value", chart.quasi_velocities.size(),
          [](ChartOne at) -> const Vec& { return at.quasi; });
  file.group("/constraints");
  file.strings("/constraints/names", chart.constraints);
  vectors(sets, "/constraints/multipliers", chart.constraints.size(),
          [](ChartOne at) -> const Vec& { return at.multipliers; });
}

void declare_invariants(Hdf5File& file, ChartSets& sets) {
  file.group("/invariants");
  const auto declare = [&](const char* name, const char* unit, auto value) {
    numbers(sets, std::string("/invariants/") + name, unit, value);
  };
  declare("kinetic", "J", [](ChartOne at) { return at.kinetic; });
  declare("potential", "J", [](ChartOne at) { return at.potential; });
  declare("energy", "J", [](ChartOne at) { return at.energy(); });
  declare("work", "J", [](ChartOne at) { return at.work; });
  declare("position_residual", "of the formulas", [](ChartOne at) { return at.position_residual; });
  declare("velocity_residual", "of the formulas", [](ChartOne at) { return at.velocity_residual; });
  declare("acceleration_residual", "1", [](ChartOne at) { return at.acceleration_residual; });
}

}  // namespace

void declare(Hdf5File& file, ChartSets& sets, const Scene& scene, const ChartSample&) {
  numbers(sets, "/time", "s", [](ChartOne at) { return at.t; });
  declare_state(file, sets, *scene.chart);
  declare_invariants(file, sets);
}

}  // namespace torsor
