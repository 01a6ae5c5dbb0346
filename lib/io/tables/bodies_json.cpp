#include <array>

#include "energy_json.hpp"
#include "io/motion_kind.hpp"
#include "io/tables/body_columns.hpp"

namespace torsor::io {
namespace {

std::array<double, 4> quaternion_wxyz(const SO3<>& R) {
  std::array<double, 4> xyzw;
  R.to(xyzw.data());
  return {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
}

void write_bodies(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  json.open("bodies");
  for (const MovingPart& body : moving_parts(scene.mechanism, last)) {
    json.open(body.name);
    for (const BodyVector& vector : body_vectors) {
      if (!vector.listed_for(body)) continue;
      json.vector(vector.column.empty() ? "x" : vector.column, vector.value(body));
      if (vector.column == "v" && !body.particle) json.vector("q", quaternion_wxyz(body.motion.R));
    }
    json.close();
  }
  json.close();
}

void write_joints(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  json.open("joints");
  for (std::size_t i = 0; i < last.joints.size(); ++i) {
    const Joint& joint = scene.mechanism.joints[i];
    const auto numbers = [&](const char* name, const Vec& values, const std::vector<Column>& columns) {
      json.open(name);
      for (Eigen::Index k = 0; k < values.size(); ++k)
        json.number(columns[static_cast<std::size_t>(k)].name, values[k]);
      json.close();
    };
    json.open(joint.name);
    numbers("coordinates", labelled_coordinates(joint.kind, last.joints[i].q),
            coordinate_columns(joint.kind));
    numbers("rates", last.joints[i].v, rate_columns(joint.kind));
    numbers("accelerations", last.joints[i].a, acceleration_columns(joint.kind));
    json.vector("force", last.joints[i].force);
    json.vector("torque", last.joints[i].torque);
    if (!last.joints[i].unique) json.flag("unique", false);
    json.close();
  }
  json.close();
}

void write_forces(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  json.open("forces");
  const std::vector<Column> columns = scalar_forces(scene.mechanism);
  for (std::size_t i = 0; i < last.forces.size(); ++i) json.number(columns[i].name, last.forces[i]);
  json.close();
}

void write_states(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  if (last.states.empty()) return;
  json.open("states");
  const std::vector<Column> columns = own_states(scene.mechanism);
  for (std::size_t i = 0; i < last.states.size(); ++i) json.number(columns[i].name, last.states[i]);
  json.close();
}

void write_momentum(JsonWriter& json, const Sample& sample) {
  const Invariants& last = sample.invariants;
  json.open("momentum");
  json.vector("linear", last.linear_momentum);
  json.vector("angular", last.angular_momentum);
  json.close();
}

void write_points(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  json.open("points");
  for (std::size_t i = 0; i < last.points.size(); ++i) {
    json.open(scene.points[i].name);
    json.vector("x", last.points[i].x);
    json.vector("v", last.points[i].v);
    json.close();
  }
  json.close();
}

void write_constraints(JsonWriter& json, const scene::Scene& scene, const Sample& last) {
  json.open("constraints");
  for (std::size_t i = 0; i < last.constraints.size(); ++i) {
    const ConstraintMotion& motion = last.constraints[i];
    json.open(scene.mechanism.constraints[i].name);
    json.vector("force", motion.force);
    json.vector("torque", motion.torque);
    json.vector("multiplier", motion.multipliers);
    json.number("power", motion.power);
    if (!motion.unique) json.flag("unique", false);
    json.close();
  }
  json.close();
}

}  // namespace

void write_end_of_bodies(JsonWriter& json, const scene::Scene& scene, const Trajectory& trajectory) {
  const Sample& last = trajectory.samples.back();
  write_bodies(json, scene, last);
  write_joints(json, scene, last);
  write_forces(json, scene, last);
  write_states(json, scene, last);
  write_energy(json, trajectory);
  write_momentum(json, last);
  write_points(json, scene, last);
  write_constraints(json, scene, last);
}

}  // namespace torsor::io
