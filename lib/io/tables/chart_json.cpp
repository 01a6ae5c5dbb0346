#include "io/pages/facts.hpp"
#include "run_json.hpp"
#include "torsor/io/json.hpp"

namespace torsor {
namespace {

void write_state(JsonWriter& json, const ChartScene& chart, const ChartSample& last) {
  json.open("coordinates");
  for (std::size_t i = 0; i < chart.coordinates.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    json.open(chart.coordinates[i]);
    json.number("value", last.x.q[place]);
    json.number("rate", last.x.v[place]);
    json.number("acceleration", last.a[place]);
    json.close();
  }
  json.close();
  json.open("quasi_velocities");
  for (std::size_t i = 0; i < chart.quasi_velocities.size(); ++i)
    json.number(chart.quasi_velocities[i], last.quasi[static_cast<Eigen::Index>(i)]);
  json.close();
}

void write_energy(JsonWriter& json, const ChartTrajectory& trajectory) {
  const ChartSample& last = trajectory.samples.back();
  json.open("energy");
  json.number("initial", trajectory.samples.front().energy());
  json.number("final", last.energy());
  json.number("work", last.work);
  json.number("max_drift", trajectory.energy_max_drift);
  json.close();
}

void write_constraints(JsonWriter& json, const ChartScene& chart, const ChartSample& last) {
  json.open("constraints");
  for (std::size_t i = 0; i < chart.constraints.size(); ++i) {
    json.open(chart.constraints[i]);
    json.number("multiplier", last.multipliers[static_cast<Eigen::Index>(i)]);
    json.close();
  }
  json.close();
}

void write_residuals(JsonWriter& json, const ChartTrajectory& trajectory) {
  json.open("residuals");
  json.number("position", greatest(trajectory, &ChartSample::position_residual));
  json.number("velocity", greatest(trajectory, &ChartSample::velocity_residual));
  json.number("acceleration", greatest(trajectory, &ChartSample::acceleration_residual));
  json.close();
}

}  // namespace

std::string to_json(const Scene& scene, const ChartTrajectory& trajectory) {
  const ChartSample& last = trajectory.samples.back();
  JsonWriter json;
  json.open();
  write_head(json, scene, trajectory.summary);
  write_state(json, *scene.chart, last);
  write_energy(json, trajectory);
  write_constraints(json, *scene.chart, last);
  write_residuals(json, trajectory);
  write_events(json, scene, trajectory.summary);
  write_cost(json, trajectory.summary);
  json.close();
  return json.finish();
}

}  // namespace torsor
