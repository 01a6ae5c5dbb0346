#include "facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/motion_kind.hpp"
#include "io/provenance.hpp"
#include "model/multiplier_units.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::io {

std::string notes_of(const scene::Scene& scene, const RunSummary& summary) {
  std::string notes = summary.note;
  for (const std::string& note : scene.notes) notes += (notes.empty() ? "" : "; ") + note;
  return notes;
}

std::vector<Fact> facts(const scene::Scene& scene, const Trajectory& trajectory) {
  const RunSummary& summary = trajectory.summary;
  std::vector<Fact> all = {{"scene", scene.name},
                           {"title", scene.title},
                           {"status", std::string(to_string(summary.status))},
                           {"method", scene.run.method}};
  for (const auto& [name, value] : motion_kind(scene).form(scene))
    all.push_back({std::string(name), std::string(value)});
  if (scene.run.constraints) all.push_back({"treatment", std::string(to_string(*scene.run.constraints))});
  if (!summary.message.empty()) all.push_back({"message", summary.message});
  if (const std::string notes = notes_of(scene, summary); !notes.empty()) all.push_back({"notes", notes});
  if (scene.run.step) all.push_back({"step", *scene.run.step});
  if (scene.run.tolerance) all.push_back({"tolerance", *scene.run.tolerance});
  all.insert(all.end(), {{"t_begin", scene.run.t_begin},
                         {"t_end", scene.run.t_end},
                         {"t", summary.t},
                         {"steps_accepted", summary.accepted},
                         {"steps_rejected", summary.rejected},
                         {"evaluations", summary.evaluations},
                         {"general_solutions", summary.general_solutions},
                         {"energy_max_drift", trajectory.energy_max_drift},
                         {"energy_drift_slope", trajectory.energy_drift_slope},
                         {"wall_s", summary.wall_s}});
  for (auto& [name, value] : provenance().entries()) all.push_back({name, value});
  if (!scene.plugins.empty()) all.push_back({"scene_folder", scene.folder});
  const auto shared = shared_reactions(scene.mechanism, trajectory);
  if (!shared.empty()) all.push_back({"shared_reactions", fmt::format("{}", fmt::join(shared, ", "))});
  return all;
}

std::vector<Column> coordinate_columns(JointKind kind) {
  std::vector<Column> all;
  for (const JointCoordinate& one : joint_type(kind).coordinates)
    all.push_back({std::string(one.name), std::string(one.unit)});
  return all;
}

std::vector<Column> rate_columns(JointKind kind) {
  std::vector<Column> all;
  for (const JointRate& one : joint_type(kind).rates)
    all.push_back({std::string(one.name), std::string(one.unit)});
  return all;
}

std::vector<Column> acceleration_columns(JointKind kind) {
  auto columns = rate_columns(kind);
  for (Column& column : columns) {
    const std::size_t rate = column.name.find("_rate"), axis = column.name.find('_');
    if (rate != std::string::npos)
      column.name.replace(rate, std::string::npos, "_acceleration");
    else
      column.name.insert(std::min(axis, column.name.size()), "dot");  // v_x, Omega_x
    column.unit += "^2";
  }
  return columns;
}

std::vector<Column> scalar_forces(const Mechanism& mechanism) {
  std::vector<Column> all;
  for (const Force& force : mechanism.forces)
    if (const std::string_view unit = scalar_unit(force, mechanism); !unit.empty())
      all.push_back({force.name, std::string(unit)});
  return all;
}

std::vector<Column> own_states(const Mechanism& mechanism) {
  std::vector<Column> all;
  for (const OwnState& state : mechanism.states)
    all.push_back({(state.period > 0 ? "sampled." : "state.") + state.name, state.unit});
  return all;
}

std::vector<Column> multiplier_columns(const Mechanism& mechanism, std::size_t i, Eigen::Index count) {
  const std::vector<std::string> units = multiplier_units(mechanism.constraints[i], mechanism);
  std::vector<Column> all;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    all.push_back({std::to_string(k), k < units.size() ? units[k] : ""});
  return all;
}

Vec labelled_coordinates(JointKind kind, const Vec& q) {
  Vec ordered = q;
  if (joint_type(kind).quaternion) std::rotate(ordered.end() - 4, ordered.end() - 1, ordered.end());
  return ordered;
}

std::vector<MovingPart> moving_parts(const Mechanism& mechanism, const Sample& sample) {
  std::vector<MovingPart> all;
  for (std::size_t i = 0; i < sample.bodies.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    all.push_back({body.name, body.mass, body.particle, sample.bodies[i]});
  }
  auto motion = sample.nodes.begin();
  for (const Body& body : mechanism.bodies)
    for (const ParticleNode& node : body.nodes) all.push_back({node.name, node.mass, true, *motion++});
  return all;
}

double greatest(const Trajectory& trajectory, double Invariants::*residual) {
  double most = trajectory.passed.greatest.*residual;
  for (const Sample& sample : trajectory.samples) most = max_or_nan(most, sample.invariants.*residual);
  return most;
}

}  // namespace torsor::io
