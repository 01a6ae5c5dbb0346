#include "torsor/report/geometry_report.hpp"

#include "floating_point.hpp"
#include "geometry_parts.hpp"
#include "run/start_size.hpp"
#include "system/mechanism_parts.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {
namespace {

std::vector<RowReport> row_reports(const MechanismSystem& system, double t, const State& x, bool gives_way) {
  constexpr int most_velocities = 60;
  std::vector<RowReport> rows;
  if (system.rows() == 0) return rows;
  const std::vector<RowLevel> levels = row_levels(system, t, x.q);
  const mechanics::BodyEquations& bodies = system.parts().bodies;
  std::vector<RowMotion> motions;
  if (system.nv() <= most_velocities && !gives_way) motions = row_motions(system, t, x.q, x.v);
  system.parts().bodies.evaluate(t, x.q);  // a0 of the rows that friction replaces as well
  for (const Constraints::Item& item : system.constraints().items()) {
    for (int k = 0; k < item.rows && !item.tree; ++k) {
      const Constraints::Row& row = system.constraints().rows()[item.row_begin + k];
      const std::size_t at = rows.size();
      rows.push_back({item.name, row.what, levels[item.row_begin + k], row.rheonomic,
                      gives_way && !row.holonomic, bodies.rows().a0[item.row_begin + k],
                      motions.empty() ? std::nullopt : std::optional(motions[at])});
    }
  }
  return rows;
}

/// The model whose own states start at z.
Model with_states(const Model& model, VecIn z) {
  Mechanism mechanism = model.mechanism();
  for (std::size_t i = 0; i < mechanism.states.size(); ++i)
    mechanism.states[i].start = z[static_cast<Eigen::Index>(i)];
  return Model(std::move(mechanism), model.formulation(), model.cut());
}

std::vector<GroupReport> group_reports(const Model& model) {
  const Mechanism& mechanism = model.mechanism();
  std::vector<GroupReport> reports;
  for (int link = 0; link < model.size(); ++link) {
    const int joint = model.joint[link];
    const std::string& name =
        joint >= 0 ? mechanism.joints[joint].name : mechanism.bodies[model.body[link]].name;
    reports.push_back(mechanics::group_report(name, model.kind[link], model.group[link]));
  }
  return reports;
}

std::vector<RigidParticlesReport> rigid_particles_reports(const Model& model, const Sample& sample) {
  std::vector<RigidParticlesReport> reports;
  std::span<const BodyMotion> nodes = sample.nodes;
  for (int body = 0; body < model.size(); ++body) {
    const std::size_t count = model.mechanism().bodies[body].nodes.size();
    if (count == 0) continue;
    reports.push_back(
        mechanics::rigid_particles_report(model.mechanism(), body, sample.bodies[body], nodes.first(count)));
    nodes = nodes.subspan(count);
  }
  return reports;
}

}  // namespace

GeometryReport geometry_report(const Model& model, double t, const State& x,
                               const SimulationOptions& options) {
  const mechanics::DefaultArithmetic arithmetic;
  const auto states = static_cast<Eigen::Index>(model.mechanism().states.size());
  if (states > 0 && x.v.size() == model.nv() + states)
    return geometry_report(with_states(model, x.v.tail(states)), t, {x.q, x.v.head(model.nv()), {}}, options);
  mechanics::check_size(x, model.nq(), model.nv());
  const bool gives_way = options.constraints == Treatment::viscous;
  const MechanismSystem system(model, LinkLengths(model, x.q),
                               gives_way ? Treatment::viscous : Treatment::index_1, options.treatment);
  const Sample sample = mechanics::measured(model, t, x, gives_way, options.treatment);

  GeometryReport report;
  report.t = t;
  report.freedoms = system.nv(), report.constraint_rows = system.rows();
  report.groups = group_reports(model);
  const MethodInfo* const method = find_method(options.method);
  const bool geodesics = method != nullptr && method->follows(StepConnection::christoffel);
  report.connection =
      options.connection.value_or(geodesics ? StepConnection::christoffel : StepConnection::canonical_plus);
  const double greatest = mechanics::greatest_speed(model, sample.bodies);
  for (int body = 0; body < model.size(); ++body)
    report.screws.push_back(mechanics::screw_report(model, body, sample.bodies[body], greatest));
  for (const mechanics::InvariantGroup& group : mechanics::invariant_groups(model)) {
    report.connections.push_back(mechanics::connection_report(group, report.connection));
    if (!(report.screws[group.body].turn > 0)) continue;
    if (const auto turn = mechanics::transport_report(group, sample.bodies[group.body]))
      report.transport.push_back(*turn);
  }
  report.rigid_particles = rigid_particles_reports(model, sample);
  report.rows = row_reports(system, t, x, gives_way);
  report.time = mechanics::time_report(system, t, x.q);
  if (!report.geodesics())
    report.compatibility =
        constrained_compatibility(system, t, x.q, mechanics::canonical_member(report.connection));
  mechanics::report_bending(model, sample, gives_way, report);
  return report;
}

}  // namespace torsor
