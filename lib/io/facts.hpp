#pragma once

#include <string>
#include <variant>
#include <vector>

#include "torsor/io/columns.hpp"
#include "torsor/io/stored_result.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// How a run was made and how it went: scene, method, step or tolerance, outcome, cost, program and machine.
std::vector<Fact> facts(const Scene& scene, const RunSummary& summary, double energy_max_drift,
                        double energy_drift_slope);
std::vector<Fact> facts(const Scene& scene, const Trajectory& trajectory);
std::vector<Fact> facts(const Scene& scene, const ChartTrajectory& trajectory);

/// Of bodies, joints, constraints, points.
template <class Parts>
std::vector<std::string> names_of(const Parts& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// A joint's coordinates, rates and accelerations as results give them (quaternions scalar first): labels
/// with their units, and the coordinates in that order.
std::vector<Column> coordinate_columns(JointKind kind);
std::vector<Column> rate_columns(JointKind kind);
std::vector<Column> acceleration_columns(JointKind kind);
Vec labelled_coordinates(JointKind kind, const Vec& q);

/// The first multipliers of constraint i of a mechanism: their numbers from 0 on, and their units.
std::vector<Column> multiplier_columns(const Mechanism& mechanism, std::size_t i, Eigen::Index count);

/// The forces that a sample lists: names and units.
std::vector<Column> scalar_forces(const Mechanism& mechanism);

/// What moves, as results list it: the bodies, then the nodes of rigid systems of particles.
struct MovingPart {
  const std::string& name;
  double mass;
  bool particle;
  const BodyMotion& motion;

  /// What acts on it besides joints, constraints and the other nodes, N.
  Vec3 applied_force() const { return mass * motion.vdot - motion.reaction; }
};
std::vector<MovingPart> moving_parts(const Mechanism& mechanism, const Sample& sample);

/// Greatest value of a residual over the samples, kept or not.
double greatest(const Trajectory& trajectory, double Invariants::*residual);
double greatest(const ChartTrajectory& trajectory, double ChartSample::*residual);

}  // namespace torsor
