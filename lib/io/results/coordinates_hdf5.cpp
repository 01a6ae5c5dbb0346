#include <algorithm>

#include "hdf5_samples.hpp"
#include "io/motion_kind.hpp"

namespace torsor::io {
namespace {

/// Dataset [sample, item].
template <class Values>
void vectors(Hdf5Samples& sets, const std::string& path, std::size_t items, Values values) {
  sets.add(path, {items}, "of the formulas", "", [values](const Sample& sample, std::span<double> row) {
    const Vec& all = values(sample);
    std::copy_n(all.data(), row.size(), row.begin());
  });
}

void declare_coordinate_state(Hdf5File& file, Hdf5Samples& sets, const scene::CoordinateScene& described) {
  const std::size_t n = described.coordinates.size();
  file.group("/coordinates");
  file.strings("/coordinates/names", described.coordinates);
  vectors(sets, "/coordinates/value", n, [](const Sample& at) -> const Vec& { return at.x.q; });
  vectors(sets, "/coordinates/rate", n, [](const Sample& at) -> const Vec& { return at.x.v; });
  vectors(sets, "/coordinates/acceleration", n, [](const Sample& at) -> const Vec& { return at.a; });
  file.group("/quasi_velocities");
  file.strings("/quasi_velocities/names", described.quasi_velocities);
  vectors(sets, "/quasi_velocities/value", described.quasi_velocities.size(),
          [](const Sample& at) -> const Vec& { return at.quasi_velocities; });
  file.group("/constraints");
  file.strings("/constraints/names", described.constraints);
  vectors(sets, "/constraints/multipliers", described.constraints.size(),
          [](const Sample& at) -> const Vec& { return at.multipliers; });
}

void declare_coordinate_invariants(Hdf5File& file, Hdf5Samples& sets) {
  file.group("/invariants");
  const auto declare = [&](const char* name, const char* unit, auto value) {
    sets.add(std::string("/invariants/") + name, {}, unit, "",
             [value](const Sample& sample, std::span<double> row) { row[0] = value(sample.invariants); });
  };
  declare("kinetic", "J", [](const Invariants& at) { return at.kinetic; });
  declare("potential", "J", [](const Invariants& at) { return at.potential; });
  declare("energy", "J", [](const Invariants& at) { return at.energy(); });
  declare("work", "J", [](const Invariants& at) { return at.work; });
  declare("position_residual", "of the formulas", [](const Invariants& at) { return at.position_residual; });
  declare("velocity_residual", "of the formulas", [](const Invariants& at) { return at.velocity_residual; });
  declare("acceleration_residual", "1", [](const Invariants& at) { return at.acceleration_residual; });
}

}  // namespace

void declare_in_coordinates(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene, const Sample&) {
  sets.add("/time", {}, "s", "", [](const Sample& sample, std::span<double> row) { row[0] = sample.t; });
  declare_coordinate_state(file, sets, *scene.in_coordinates);
  declare_coordinate_invariants(file, sets);
}

}  // namespace torsor::io
