#include "csv_row.hpp"

namespace torsor {

void write_row(Row& row, const Scene& scene, const ChartSample& sample) {
  const ChartScene& chart = *scene.chart;
  const auto prefix = [&row](const char* kind, const std::string& name) {
    return row.heads() ? std::string(kind).append(".").append(name).append(".") : std::string();
  };
  row.number("", "t", "s", sample.t);
  for (std::size_t i = 0; i < chart.coordinates.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    const std::string name = prefix("coordinate", chart.coordinates[i]);
    row.number(name, "value", "", sample.x.q[place]);
    row.number(name, "rate", "", sample.x.v[place]);
    row.number(name, "acceleration", "", sample.a[place]);
  }
  for (std::size_t i = 0; i < chart.quasi_velocities.size(); ++i)
    row.number(prefix("quasi_velocity", chart.quasi_velocities[i]), "value", "",
               sample.quasi[static_cast<Eigen::Index>(i)]);
  for (std::size_t i = 0; i < chart.constraints.size(); ++i)
    row.number(prefix("constraint", chart.constraints[i]), "multiplier", "",
               sample.multipliers[static_cast<Eigen::Index>(i)]);
  row.number("", "kinetic", "J", sample.kinetic);
  row.number("", "potential", "J", sample.potential);
  row.number("", "energy", "J", sample.energy());
  row.number("", "work", "J", sample.work);
  row.number("", "position_residual", "", sample.position_residual);
  row.number("", "velocity_residual", "", sample.velocity_residual);
  row.number("", "acceleration_residual", "1", sample.acceleration_residual);
}

}  // namespace torsor
