#include "energy_json.hpp"
#include "io/motion_kind.hpp"

namespace torsor::io {
namespace {

void write_state(JsonWriter& json, const scene::CoordinateScene& described, const Sample& last) {
  json.open("coordinates");
  for (std::size_t i = 0; i < described.coordinates.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    json.open(described.coordinates[i]);
    json.number("value", last.x.q[place]);
    json.number("rate", last.x.v[place]);
    json.number("acceleration", last.a[place]);
    json.close();
  }
  json.close();
  json.open("quasi_velocities");
  for (std::size_t i = 0; i < described.quasi_velocities.size(); ++i)
    json.number(described.quasi_velocities[i], last.quasi_velocities[static_cast<Eigen::Index>(i)]);
  json.close();
}

void write_multipliers(JsonWriter& json, const scene::CoordinateScene& described, const Sample& last) {
  json.open("constraints");
  for (std::size_t i = 0; i < described.constraints.size(); ++i) {
    json.open(described.constraints[i]);
    json.number("multiplier", last.multipliers[static_cast<Eigen::Index>(i)]);
    json.close();
  }
  json.close();
}

}  // namespace

void write_end_in_coordinates(JsonWriter& json, const scene::Scene& scene, const Trajectory& trajectory) {
  const Sample& last = trajectory.samples.back();
  write_state(json, *scene.in_coordinates, last);
  write_energy(json, trajectory);
  write_multipliers(json, *scene.in_coordinates, last);
}

}  // namespace torsor::io
