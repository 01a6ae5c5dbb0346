#include "torsor/io/csv.hpp"

#include <string>
#include <string_view>

#include "csv_row.hpp"

namespace torsor {
namespace {

void write_body(Row& row, const MovingPart& body, const std::string& prefix) {
  const BodyMotion& motion = body.motion;
  double xyzw[4];
  motion.R.to(xyzw);
  for (int k = 0; k < 3; ++k) row.number(prefix, axes[k] + 1, motion.x[k]);
  if (!body.particle) {
    row.number(prefix, "qw", xyzw[3]);
    row.number(prefix, "qx", xyzw[0]);
    row.number(prefix, "qy", xyzw[1]);
    row.number(prefix, "qz", xyzw[2]);
  }
  row.vector(prefix, "v", motion.v);
  if (!body.particle) row.vector(prefix, "Omega", motion.Omega);
  row.vector(prefix, "vdot", motion.vdot);
  if (!body.particle) row.vector(prefix, "Omegadot", motion.Omegadot);
  if (!body.particle) return;
  row.vector(prefix, "force", body.applied_force());
  row.vector(prefix, "reaction", motion.reaction);
}

void write_joint(Row& row, JointKind kind, const std::string& prefix, const JointMotion& motion) {
  const Vec q = labelled_coordinates(kind, motion.q);
  const auto q_labels =
      row.heads() ? coordinate_labels(kind) : std::vector<std::string>(static_cast<std::size_t>(q.size()));
  const auto v_labels =
      row.heads() ? rate_labels(kind) : std::vector<std::string>(static_cast<std::size_t>(motion.v.size()));
  for (Eigen::Index k = 0; k < q.size(); ++k) row.number(prefix, q_labels[static_cast<std::size_t>(k)], q[k]);
  for (Eigen::Index k = 0; k < motion.v.size(); ++k)
    row.number(prefix, v_labels[static_cast<std::size_t>(k)], motion.v[k]);
  row.vector(prefix, "force", motion.force);
  row.vector(prefix, "torque", motion.torque);
}

void write_constraint(Row& row, const std::string& prefix, const ConstraintMotion& motion) {
  row.vector(prefix, "force", motion.force);
  row.vector(prefix, "torque", motion.torque);
  for (Eigen::Index k = 0; k < motion.multipliers.size(); ++k)
    row.number(prefix, row.heads() ? "multiplier_" + std::to_string(k) : std::string(),
               motion.multipliers[k]);
  row.number(prefix, "power", motion.power);
}

void write_invariants(Row& row, const Invariants& invariants) {
  row.number("", "kinetic", invariants.kinetic);
  row.number("", "potential", invariants.potential);
  row.number("", "energy", invariants.energy());
  row.number("", "work", invariants.work);
  row.vector("", "linear_momentum", invariants.linear_momentum);
  row.vector("", "angular_momentum", invariants.angular_momentum);
  row.number("", "group_defect", invariants.group_defect);
  row.number("", "position_residual", invariants.position_residual);
  row.number("", "velocity_residual", invariants.velocity_residual);
  row.number("", "acceleration_residual", invariants.acceleration_residual);
}

}  // namespace

void write_row(Row& row, const Scene& scene, const Sample& sample) {
  const auto prefix = [&row](const char* kind, const std::string& name) {
    return row.heads() ? std::string(kind).append(".").append(name).append(".") : std::string();
  };
  row.number("", "t", sample.t);
  for (const MovingPart& body : moving_parts(scene.mechanism, sample))
    write_body(row, body, prefix("body", body.name));
  for (std::size_t i = 0; i < sample.joints.size(); ++i) {
    const Joint& joint = scene.mechanism.joints[i];
    write_joint(row, joint.kind, prefix("joint", joint.name), sample.joints[i]);
  }
  for (std::size_t i = 0; i < sample.constraints.size(); ++i)
    write_constraint(row, prefix("constraint", scene.mechanism.constraints[i].name), sample.constraints[i]);
  for (std::size_t i = 0; i < sample.points.size(); ++i) {
    const std::string name = prefix("point", scene.points[i].name);
    for (int k = 0; k < 3; ++k) row.number(name, axes[k] + 1, sample.points[i].x[k]);
    row.vector(name, "v", sample.points[i].v);
  }
  write_invariants(row, sample.invariants);
}

void write_csv(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory) {
  write_table(path, scene, trajectory);
}

}  // namespace torsor
