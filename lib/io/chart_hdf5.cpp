#include <algorithm>

#include "hdf5_events.hpp"
#include "partial_file.hpp"
#include "torsor/io/hdf5.hpp"

namespace torsor {
namespace {

using Samples = std::vector<ChartSample>;

/// [sample, item].
template <class Values>
void vectors(Hdf5File& file, const std::string& path, const Samples& samples, std::size_t items,
             Values values) {
  file.array(path, samples.size(), {items}, [&](std::size_t i, std::span<double> row) {
    const Vec& all = values(samples[i]);
    std::copy_n(all.data(), row.size(), row.begin());
  });
  file.attribute(path, {"unit", std::string("of the formulas")});
}

template <class Value>
void numbers(Hdf5File& file, const std::string& path, const Samples& samples, const char* unit, Value value) {
  file.array(path, samples.size(), {},
             [&](std::size_t i, std::span<double> row) { row[0] = value(samples[i]); });
  file.attribute(path, {"unit", std::string(unit)});
}

void write_state(Hdf5File& file, const ChartScene& chart, const Samples& samples) {
  using One = const ChartSample&;
  const std::size_t n = chart.coordinates.size();
  file.group("/coordinates");
  file.strings("/coordinates/names", chart.coordinates);
  vectors(file, "/coordinates/value", samples, n, [](One at) -> const Vec& { return at.x.q; });
  vectors(file, "/coordinates/rate", samples, n, [](One at) -> const Vec& { return at.x.v; });
  vectors(file, "/coordinates/acceleration", samples, n, [](One at) -> const Vec& { return at.a; });
  file.group("/quasi_velocities");
  file.strings("/quasi_velocities/names", chart.quasi_velocities);
  vectors(file, "/quasi_velocities/value", samples, chart.quasi_velocities.size(),
          [](One at) -> const Vec& { return at.quasi; });
  file.group("/constraints");
  file.strings("/constraints/names", chart.constraints);
  vectors(file, "/constraints/multipliers", samples, chart.constraints.size(),
          [](One at) -> const Vec& { return at.multipliers; });
}

void write_invariants(Hdf5File& file, const Samples& samples) {
  file.group("/invariants");
  const auto write = [&](const char* name, const char* unit, auto value) {
    numbers(file, std::string("/invariants/") + name, samples, unit, value);
  };
  write("kinetic", "J", [](const ChartSample& at) { return at.kinetic; });
  write("potential", "J", [](const ChartSample& at) { return at.potential; });
  write("energy", "J", [](const ChartSample& at) { return at.energy(); });
  write("work", "J", [](const ChartSample& at) { return at.work; });
  write("position_residual", "of the formulas", [](const ChartSample& at) { return at.position_residual; });
  write("velocity_residual", "of the formulas", [](const ChartSample& at) { return at.velocity_residual; });
  write("acceleration_residual", "1", [](const ChartSample& at) { return at.acceleration_residual; });
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Scene& scene, const ChartTrajectory& trajectory) {
  const Samples& samples = trajectory.samples;
  Hdf5File content(path);
  content.attribute("/", {"format", std::string("torsor/result/1")});
  for (const Fact& fact : facts(scene, trajectory)) content.attribute("/", fact);
  content.text("/scene", scene.resolved);
  numbers(content, "/time", samples, "s", [](const ChartSample& at) { return at.t; });
  write_state(content, *scene.chart, samples);
  write_invariants(content, samples);
  write_events(content, scene, trajectory.summary);

  PartialFile partial(path);
  OutputFile file(partial.path());
  file.bytes = content.image();
  file.close();
  partial.commit();
}

}  // namespace torsor
