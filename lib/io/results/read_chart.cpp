#include <fmt/format.h>

#include "read_parts.hpp"

namespace torsor {

void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected) {
  if (file.strings(path) != expected)
    file.fail(fmt::format("is damaged at {}: names differ from the scene", path));
}

ChartTrajectory read_chart(const Hdf5Reader& file, const ChartScene& chart, const std::vector<double>& t) {
  ChartTrajectory trajectory;
  auto& samples = trajectory.samples;
  samples.resize(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) samples[i].t = t[i];
  check_names(file, "/coordinates/names", chart.coordinates);
  check_names(file, "/quasi_velocities/names", chart.quasi_velocities);
  check_names(file, "/constraints/names", chart.constraints);
  const auto vectors = [&](const char* path, std::size_t width, const auto& member) {
    const auto& values = file.array(path, {t.size(), width});
    for (std::size_t i = 0; i < t.size(); ++i)
      member(samples[i]) = Eigen::Map<const Vec>(values.data() + i * width, static_cast<Eigen::Index>(width));
  };
  const auto numbers = [&](const char* path, double ChartSample::*member) {
    const auto& values = file.array(path, {t.size()});
    for (std::size_t i = 0; i < t.size(); ++i) samples[i].*member = values[i];
  };
  const std::size_t n = chart.coordinates.size();
  using One = ChartSample&;
  vectors("/coordinates/value", n, [](One at) -> Vec& { return at.x.q; });
  vectors("/coordinates/rate", n, [](One at) -> Vec& { return at.x.v; });
  vectors("/coordinates/acceleration", n, [](One at) -> Vec& { return at.a; });
  vectors("/quasi_velocities/value", chart.quasi_velocities.size(), [](One at) -> Vec& { return at.quasi; });
  vectors("/constraints/multipliers", chart.constraints.size(),
          [](One at) -> Vec& { return at.multipliers; });
  numbers("/invariants/kinetic", &ChartSample::kinetic);
  numbers("/invariants/potential", &ChartSample::potential);
  numbers("/invariants/work", &ChartSample::work);
  numbers("/invariants/position_residual", &ChartSample::position_residual);
  numbers("/invariants/velocity_residual", &ChartSample::velocity_residual);
  numbers("/invariants/acceleration_residual", &ChartSample::acceleration_residual);
  return trajectory;
}

}  // namespace torsor
