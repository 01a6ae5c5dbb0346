#include "csv_row.hpp"
#include "io/motion_kind.hpp"

namespace torsor::io {

void write_row_in_coordinates(Row& row, const scene::Scene& scene, const Sample& sample) {
  const scene::CoordinateScene& described = *scene.in_coordinates;
  row.number("", "t", "s", sample.t);
  for (std::size_t i = 0; i < described.coordinates.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    const std::string name = prefix(row, "coordinate", described.coordinates[i]);
    row.number(name, "value", "", sample.x.q[place]);
    row.number(name, "rate", "", sample.x.v[place]);
    row.number(name, "acceleration", "", sample.a[place]);
  }
  for (std::size_t i = 0; i < described.quasi_velocities.size(); ++i)
    row.number(prefix(row, "quasi_velocity", described.quasi_velocities[i]), "value", "",
               sample.quasi_velocities[static_cast<Eigen::Index>(i)]);
  for (std::size_t i = 0; i < described.constraints.size(); ++i)
    row.number(prefix(row, "constraint", described.constraints[i]), "multiplier", "",
               sample.multipliers[static_cast<Eigen::Index>(i)]);
  write_energies(row, sample.invariants);
  row.number("", "position_residual", "", sample.invariants.position_residual);
  row.number("", "velocity_residual", "", sample.invariants.velocity_residual);
  row.number("", "acceleration_residual", "1", sample.invariants.acceleration_residual);
}

}  // namespace torsor::io
