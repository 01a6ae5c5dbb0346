#include <fmt/format.h>

#include "reading.hpp"

namespace torsor::scene {
namespace {

UniformGravity read_gravity(const TableReader& table) { return {table.time_vec3("acceleration")}; }

CentralGravity read_central_gravity(const TableReader& table) {
  return {table.time_function("mu"), table.vec3("centre").value_or(Vec3::Zero()), table.flag("gradient")};
}

PointSpring read_spring(const Reading& reading, const TableReader& table) {
  return {reading.point(table.inner("from")), reading.point(table.inner("to")),
          table.time_function("stiffness"), table.time_function("damping"),
          table.time_function("rest_length")};
}

JointForce read_joint_force(const Reading& reading, const TableReader& table) {
  JointForce law;
  const int joint = reading.known(table, "joint", reading.joints, "joint");
  law.joint = std::max(joint, 0);
  law.coordinate = static_cast<int>(table.integer("coordinate"));
  const auto units = joint < 0 ? std::vector<std::string_view>()
                               : coordinate_units(reading.scene.mechanism.joints[law.joint].kind);
  const bool turns =
      static_cast<std::size_t>(law.coordinate) < units.size() && units[law.coordinate] == "rad";
  law.stiffness = table.time_function("stiffness", turns ? "N*m/rad" : "N/m");
  law.rest = table.time_function("rest", turns ? "rad" : "m");
  law.damping = table.time_function("damping", turns ? "N*m*s/rad" : "N*s/m");
  law.force = table.time_function("force", turns ? "N*m" : "N");
  return law;
}

BodyForce read_body_force(const Reading& reading, const TableReader& table) {
  return {reading.point(table), table.time_vec3("force"), table.time_vec3("torque"),
          table.text("axes") == "body"};
}

LinearField read_linear_field(const Reading& reading, const TableReader& table) {
  LinearField law;
  const BodyPoint point = reading.point(table);
  law.body = point.body, law.p = point.p, law.node = point.node;
  law.K = table.matrix("stiffness").value_or(Mat3::Zero());
  law.C = table.matrix("damping").value_or(Mat3::Zero());
  law.x0 = table.time_vec3("centre");
  law.B = table.time_vec3("magnetic_field");
  law.charge = table.time_function("charge");
  return law;
}

Force read_force(const Reading& reading, const TableReader& table) {
  const std::string name = table.text("name"), kind = table.text("kind");
  if (kind == "gravity") return {name, read_gravity(table)};
  if (kind == "central-gravity") return {name, read_central_gravity(table)};
  if (kind == "spring") return {name, read_spring(reading, table)};
  if (kind == "joint-force") return {name, read_joint_force(reading, table)};
  if (kind == "body-force") return {name, read_body_force(reading, table)};
  return {name, read_linear_field(reading, table)};
}

}  // namespace

void read_forces(Reading& reading) {
  std::vector<Force>& forces = reading.scene.mechanism.forces;
  if (const Node* gravity = reading.document.find("gravity"); gravity && !gravity->bad) {
    const TableReader top(&reading.document, scene_rule(), "the scene", reading.begin, reading.diagnostics,
                          reading.definitions);
    forces.push_back({"gravity", UniformGravity{top.time_vec3("gravity")}});
    if (reading.forces.find("gravity") >= 0)
      reading.diagnostics.error(gravity->at, "the name \"gravity\" is used by this key and by a [[force]]");
  }
  for (const TableReader& table : reading.tables("force")) forces.push_back(read_force(reading, table));
}

}  // namespace torsor::scene
