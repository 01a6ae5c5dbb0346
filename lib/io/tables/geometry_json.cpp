#include "io/provenance.hpp"
#include "json_writer.hpp"
#include "torsor/io/results.hpp"

namespace torsor::io {
namespace {

const char* product_name(GroupProduct product) {
  return product == GroupProduct::direct ? "direct" : "semidirect";
}

void write(JsonWriter& json, std::string_view name, const NamedComponent& component) {
  json.open(name);
  if (!component.name.empty()) json.text("component", component.name);
  json.number("value", component.value);
  json.close();
}

void write_groups(JsonWriter& json, const GeometryReport& report) {
  json.open("groups");
  for (const GroupReport& group : report.groups) {
    json.open(group.name);
    json.text("group", group.group);
    json.text("product", product_name(group.product));
    json.integer("dimension", group.dimension);
    json.open("structure_coefficients");
    for (const NamedComponent& bracket : group.brackets) json.number(bracket.name, bracket.value);
    json.close();
    json.close();
  }
  json.close();
}

/// The class, the principal moments and the principal axes of each body that has an attitude.
void write_inertia(JsonWriter& json, const Mechanism& mechanism) {
  json.open("inertia");
  for (const Body& body : mechanism.bodies) {
    if (body.particle) continue;
    const geometry::PrincipalInertia inertia = principal_inertia(body);
    json.open(body.name);
    json.text("class", to_string(inertia.kind));
    if (is_line(body)) json.flag("degenerate", true);
    json.vector("moments", inertia.moments);
    json.open_list("axes");
    for (int k = 0; k < 3; ++k) json.vector({}, Vec3(inertia.axes.col(k)));
    json.close();
    json.close();
  }
  json.close();
}

void write_rotations(JsonWriter& json, const RotationMetricReport& rotations) {
  json.open("rotations");
  json.number("multiple", rotations.multiple);
  json.number("distance", rotations.distance);
  json.number("zero_strong_residual", rotations.zero);
  json.flag("zero_is_levi_civita", rotations.zero_is_levi_civita());
  json.close();
}

void write_connections(JsonWriter& json, const Mechanism& mechanism, const GeometryReport& report) {
  json.open("connections");
  for (const ConnectionReport& connection : report.connections) {
    json.open(mechanism.bodies[connection.body].name);
    json.text("connection", to_string(connection.connection));
    json.text("group", connection.group);
    if (connection.rotations) write_rotations(json, *connection.rotations);
    write(json, "torsion", connection.torsion);
    write(json, "curvature", connection.curvature);
    write(json, "non_metricity", connection.non_metricity);
    json.flag("metric", connection.metric);
    json.number("weak_residual", connection.weak);
    json.number("strong_residual", connection.strong);
    json.close();
  }
  json.close();
}

void write_rows(JsonWriter& json, const GeometryReport& report) {
  json.open_list("constraints");
  for (const RowReport& row : report.rows) {
    json.open();
    json.text("name", row.constraint);
    json.text("row", row.what);
    json.text("level", to_string(row.level));
    json.flag("rheonomic", row.rheonomic);
    if (row.gives_way) json.flag("gives_way", true);
    json.number("offset", row.offset);
    if (row.motion) {
      json.number("inertia", row.motion->inertia);
      json.number("inertia_rate", row.motion->inertia_rate);
      json.number("damping", row.motion->damping);
      json.number("stiffness", row.motion->stiffness);
      json.number("growth", row.motion->growth());
    }
    json.close();
  }
  json.close();
}

void write_names(JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
  json.open_list(name);
  for (const std::string& one : names) json.text({}, one);
  json.close();
}

void write_time(JsonWriter& json, const TimeReport& time) {
  json.open("time");
  if (time.has_verdict()) json.flag("scleronomic", time.removable);
  json.number("S1", time.S1);
  json.number("S2", time.S2);
  json.number("S1_around", time.S1_around);
  json.number("S2_around", time.S2_around);
  json.integer("states", time.states);
  json.flag("sampled", time.sampled);
  json.number("kinetic_energy_of_offset", time.G_nu_nu / 2);
  write_names(json, "constraints", time.rows);
  write_names(json, "forces", time.forces);
  json.close();
}

void write_screws(JsonWriter& json, const Mechanism& mechanism, const GeometryReport& report) {
  json.open("screws");
  for (const ScrewReport& screw : report.screws) {
    json.open(mechanism.bodies[screw.body].name);
    json.text("product", product_name(screw.product));
    json.text("in_use", report.geodesics() ? "geodesic" : screw.in_use);
    json.number("turn", screw.turn);
    json.vector("direction", screw.direction);
    json.open("semidirect");
    json.vector("point", screw.point);
    json.number("pitch", screw.pitch);
    json.close();
    json.open("direct");
    json.vector("centre", screw.centre);
    json.vector("velocity", screw.velocity);
    json.close();
    if (report.geodesics()) {
      json.open("geodesic");
      json.vector("Omega_dot", screw.Omega_dot);
      json.close();
    }
    json.close();
  }
  json.close();
}

void write_transport(JsonWriter& json, const Mechanism& mechanism, const GeometryReport& report) {
  json.open("transport");
  for (const TransportReport& turn : report.transport) {
    json.open(mechanism.bodies[turn.body].name);
    json.number("duration", turn.duration);
    json.number("christoffel", turn.christoffel);
    json.vector("kept", turn.kept);
    json.close();
  }
  json.close();
}

void write_bending(JsonWriter& json, const Mechanism& mechanism, const GeometryReport& report) {
  json.open("second_fundamental_form");
  json.number("tangential", report.bending_tangential);
  json.number("weak_residual", report.compatibility.weak);
  json.number("strong_residual", report.compatibility.strong);
  json.integer("directions", report.compatibility.directions);
  json.flag("sampled", report.compatibility.sampled);
  json.open("bodies");
  for (const BendingReport& bending : report.bending) {
    json.open(mechanism.bodies[bending.body].name);
    json.vector("linear", bending.linear);
    json.vector("angular", bending.angular);
    json.close();
  }
  json.close();
  json.close();
  json.open("reactions");
  for (const ReactionReport& reaction : report.reactions) {
    json.open(reaction.name);
    json.vector("bending_force", reaction.bending_force);
    json.vector("bending_torque", reaction.bending_torque);
    json.vector("load_force", reaction.load_force);
    json.vector("load_torque", reaction.load_torque);
    if (!reaction.unique) json.flag("unique", false);
    json.close();
  }
  json.close();
}

/// Writes the vector of each node as its three parts: centre, rotation and rest.
void write_parts(JsonWriter& json, std::string_view name, const std::vector<ParticleNode>& nodes,
                 const geometry::ParticleParts<double>& parts) {
  json.open(name);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    json.open(nodes[k].name);
    json.vector("centre", Vec3(parts.centre.col(i)));
    json.vector("rotation", Vec3(parts.rotation.col(i)));
    json.vector("rest", Vec3(parts.rest.col(i)));
    json.close();
  }
  json.close();
}

void write_rigid_particles(JsonWriter& json, const Mechanism& mechanism, const GeometryReport& report) {
  json.open("rigid_particles");
  for (const RigidParticlesReport& system : report.rigid_particles) {
    const Body& body = mechanism.bodies[system.body];
    json.open(body.name);
    json.text("span", to_string(system.span));
    json.vector("singular_values", system.singular_values);
    json.open("kinetic_energy");
    json.number("centre", system.kinetic_centre);
    json.number("rotation", system.kinetic_rotation);
    json.number("rest", system.kinetic_rest);
    json.close();
    json.vector("momentum", system.momentum);
    json.vector("angular_momentum", system.angular_momentum);
    write_parts(json, "velocity", body.nodes, system.velocity);
    write_parts(json, "force", body.nodes, system.force);
    json.open("reaction");
    for (std::size_t k = 0; k < body.nodes.size(); ++k)
      json.vector(body.nodes[k].name, Vec3(system.reaction.col(static_cast<Eigen::Index>(k))));
    json.close();
    json.close();
  }
  json.close();
}

}  // namespace

std::string to_json(const scene::Scene& scene, const GeometryReport& report) {
  JsonWriter json;
  json.open();
  json.text("scene", scene.name);
  json.text("version", provenance().version);
  json.number("t", report.t);
  json.integer("freedoms", report.freedoms);
  json.integer("rows", report.constraint_rows);
  write_groups(json, report);
  write_inertia(json, scene.mechanism);
  write_connections(json, scene.mechanism, report);
  write_rows(json, report);
  write_time(json, report.time);
  write_screws(json, scene.mechanism, report);
  write_transport(json, scene.mechanism, report);
  write_bending(json, scene.mechanism, report);
  write_rigid_particles(json, scene.mechanism, report);
  json.close();
  return json.finish();
}

}  // namespace torsor::io
