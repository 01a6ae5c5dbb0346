#pragma once

#include <string>
#include <variant>
#include <vector>

#include "io/tables/columns.hpp"
#include "torsor/io/stored_result.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// The notes of a run and of its scene in one text; empty if there are none.
std::string notes_of(const scene::Scene& scene, const RunSummary& summary);

/// How a run was made and how it ended: scene, method, step or tolerance, outcome, cost, program and machine.
std::vector<Fact> facts(const scene::Scene& scene, const Trajectory& trajectory);

/// The names of bodies, joints, constraints or points.
template <class Parts>
std::vector<std::string> names_of(const Parts& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// Labels and units of a joint's coordinates, rates and accelerations as results give them (quaternions
/// scalar first), and the coordinates in that order.
std::vector<Column> coordinate_columns(JointKind kind);
std::vector<Column> rate_columns(JointKind kind);
std::vector<Column> acceleration_columns(JointKind kind);
Vec labelled_coordinates(JointKind kind, const Vec& q);

/// The first `count` multipliers of constraint i of a mechanism: their numbers, from 0, and their units.
std::vector<Column> multiplier_columns(const Mechanism& mechanism, std::size_t i, Eigen::Index count);

/// Names and units of the scalar forces, which a sample lists.
std::vector<Column> scalar_forces(const Mechanism& mechanism);

/// Names and units of the own states, with the kind as prefix: state.NAME or sampled.NAME.
std::vector<Column> own_states(const Mechanism& mechanism);

/// A moving part. Results list the bodies, then the nodes of rigid systems of particles.
struct MovingPart {
  const std::string& name;
  double mass;
  bool particle;
  const BodyMotion& motion;

  /// The force on the part (N) without the reactions of joints, constraints and the other nodes.
  Vec3 applied_force() const { return mass * motion.vdot - motion.reaction; }
};
std::vector<MovingPart> moving_parts(const Mechanism& mechanism, const Sample& sample);

/// Greatest value of a residual over all samples, including samples that the trajectory did not keep.
double greatest(const Trajectory& trajectory, double Invariants::*residual);

}  // namespace torsor::io
