#include <algorithm>

#include "hdf5_result.hpp"

namespace torsor {
namespace {

using Sets = Hdf5Samples<ChartSample>;
using One = const ChartSample&;

/// [sample, item].
template <class Values>
void vectors(Sets& sets, const std::string& path, std::size_t items, Values values) {
  sets.add(path, {items}, "of the formulas", "", [values](One sample, std::span<double> row) {
    const Vec& all = values(sample);
    std::copy_n(all.data(), row.size(), row.begin());
  });
}

template <class Value>
void numbers(Sets& sets, const std::string& path, const char* unit, Value value) {
  sets.add(path, {}, unit, "", [value](One sample, std::span<double> row) { row[0] = value(sample); });
}

void declare_state(Hdf5File& file, Sets& sets, const ChartScene& chart) {
  const std::size_t n = chart.coordinates.size();
  file.group("/coordinates");
  file.strings("/coordinates/names", chart.coordinates);
  vectors(sets, "/coordinates/value", n, [](One at) -> const Vec& { return at.x.q; });
  vectors(sets, "/coordinates/rate", n, [](One at) -> const Vec& { return at.x.v; });
  vectors(sets, "/coordinates/acceleration", n, [](One at) -> const Vec& { return at.a; });
  file.group("/quasi_velocities");
  file.strings("/quasi_velocities/names", chart.quasi_velocities);
  vectors(sets, "/quasi_velocities/value", chart.quasi_velocities.size(),
          [](One at) -> const Vec& { return at.quasi; });
  file.group("/constraints");
  file.strings("/constraints/names", chart.constraints);
  vectors(sets, "/constraints/multipliers", chart.constraints.size(),
          [](One at) -> const Vec& { return at.multipliers; });
}

void declare_invariants(Hdf5File& file, Sets& sets) {
  file.group("/invariants");
  const auto declare = [&](const char* name, const char* unit, auto value) {
    numbers(sets, std::string("/invariants/") + name, unit, value);
  };
  declare("kinetic", "J", [](One at) { return at.kinetic; });
  declare("potential", "J", [](One at) { return at.potential; });
  declare("energy", "J", [](One at) { return at.energy(); });
  declare("work", "J", [](One at) { return at.work; });
  declare("position_residual", "of the formulas", [](One at) { return at.position_residual; });
  declare("velocity_residual", "of the formulas", [](One at) { return at.velocity_residual; });
  declare("acceleration_residual", "1", [](One at) { return at.acceleration_residual; });
}

}  // namespace

void declare(Hdf5File& file, Sets& sets, const Scene& scene, const ChartSample&) {
  numbers(sets, "/time", "s", [](One at) { return at.t; });
  declare_state(file, sets, *scene.chart);
  declare_invariants(file, sets);
}

}  // namespace torsor
