#include <string>
#include <string_view>

#include "csv_row.hpp"
#include "io/motion_kind.hpp"
#include "io/tables/body_columns.hpp"

namespace torsor::io {
namespace {

void write_body(Row& row, const MovingPart& body, const std::string& prefix) {
  for (const BodyVector& vector : body_vectors) {
    if (!vector.listed_for(body)) continue;
    if (!vector.column.empty()) {
      row.vector(prefix, vector.column, vector.unit, vector.value(body));
      continue;
    }
    for (int k = 0; k < 3; ++k) row.number(prefix, axes[k] + 1, vector.unit, vector.value(body)[k]);
    if (body.particle) continue;
    double xyzw[4];
    body.motion.R.to(xyzw);
    row.number(prefix, "qw", "1", xyzw[3]);
    row.number(prefix, "qx", "1", xyzw[0]);
    row.number(prefix, "qy", "1", xyzw[1]);
    row.number(prefix, "qz", "1", xyzw[2]);
  }
}

void write_joint(Row& row, JointKind kind, const std::string& prefix, const JointMotion& motion) {
  const auto numbers = [&](const Vec& values, std::vector<Column> (*columns)(JointKind)) {
    const std::vector<Column> heads = row.heads() ? columns(kind) : std::vector<Column>();
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const Column column = row.heads() ? heads[static_cast<std::size_t>(k)] : Column();
      row.number(prefix, column.name, column.unit, values[k]);
    }
  };
  numbers(labelled_coordinates(kind, motion.q), coordinate_columns);
  numbers(motion.v, rate_columns);
  numbers(motion.a, acceleration_columns);
  row.vector(prefix, "force", "N", motion.force);
  row.vector(prefix, "torque", "N m", motion.torque);
}

void write_constraint(Row& row, const scene::Scene& scene, std::size_t i, const std::string& prefix,
                      const ConstraintMotion& motion) {
  row.vector(prefix, "force", "N", motion.force);
  row.vector(prefix, "torque", "N m", motion.torque);
  if (row.heads())
    for (const Column& column : multiplier_columns(scene.mechanism, i, motion.multipliers.size()))
      row.number(prefix + "multiplier_", column.name, column.unit, 0);
  else
    for (const double multiplier : motion.multipliers) row.number("", "", "", multiplier);
  row.number(prefix, "power", "W", motion.power);
}

void write_forces(Row& row, const Mechanism& mechanism, const std::vector<double>& forces) {
  const std::vector<Column> heads = row.heads() ? scalar_forces(mechanism) : std::vector<Column>();
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (row.heads())
      row.number("force." + heads[i].name, ".force", heads[i].unit, forces[i]);
    else
      row.number("", "", "", forces[i]);
}

void write_states(Row& row, const Mechanism& mechanism, const std::vector<double>& states) {
  const std::vector<Column> heads = row.heads() ? own_states(mechanism) : std::vector<Column>();
  for (std::size_t i = 0; i < states.size(); ++i)
    if (row.heads())
      row.number(heads[i].name, "", heads[i].unit, states[i]);
    else
      row.number("", "", "", states[i]);
}

void write_invariants(Row& row, const Invariants& invariants) {
  write_energies(row, invariants);
  row.vector("", "linear_momentum", "kg m/s", invariants.linear_momentum);
  row.vector("", "angular_momentum", "kg m^2/s", invariants.angular_momentum);
  row.number("", "group_defect", "1", invariants.group_defect);
  row.number("", "position_residual", "m or rad", invariants.position_residual);
  row.number("", "velocity_residual", "m/s or rad/s", invariants.velocity_residual);
  row.number("", "acceleration_residual", "1", invariants.acceleration_residual);
}

}  // namespace

void write_row_of_bodies(Row& row, const scene::Scene& scene, const Sample& sample) {
  row.number("", "t", "s", sample.t);
  for (const MovingPart& body : moving_parts(scene.mechanism, sample))
    write_body(row, body, prefix(row, "body", body.name));
  for (std::size_t i = 0; i < sample.joints.size(); ++i) {
    const Joint& joint = scene.mechanism.joints[i];
    write_joint(row, joint.kind, prefix(row, "joint", joint.name), sample.joints[i]);
  }
  for (std::size_t i = 0; i < sample.constraints.size(); ++i)
    write_constraint(row, scene, i, prefix(row, "constraint", scene.mechanism.constraints[i].name),
                     sample.constraints[i]);
  write_forces(row, scene.mechanism, sample.forces);
  write_states(row, scene.mechanism, sample.states);
  for (std::size_t i = 0; i < sample.points.size(); ++i) {
    const std::string name = prefix(row, "point", scene.points[i].name);
    for (int k = 0; k < 3; ++k) row.number(name, axes[k] + 1, "m", sample.points[i].x[k]);
    row.vector(name, "v", "m/s", sample.points[i].v);
  }
  write_invariants(row, sample.invariants);
}

}  // namespace torsor::io
