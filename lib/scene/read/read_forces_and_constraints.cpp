#include "read_forces_and_constraints.hpp"

#include <fmt/format.h>

#include "attitude.hpp"

namespace torsor::scene {

std::unique_ptr<LawTable> SceneLawTable::inner(std::string_view key) const {
  return std::make_unique<SceneLawTable>(reading_, table_.inner(key));
}

std::vector<std::unique_ptr<LawTable>> SceneLawTable::elements(std::string_view key) const {
  std::vector<std::unique_ptr<LawTable>> all;
  if (!table_.readable(key)) return all;
  for (const Node& element : *table_.find(key)->as<Node::Array>())
    all.push_back(std::make_unique<SceneLawTable>(reading_, table_.element(element, key)));
  return all;
}

Vec3 SceneLawTable::direction(std::string_view key) const { return read_direction(table_, key); }

std::optional<int> SceneLawTable::joint(std::string_view key) const {
  const int joint = reading_.known(table_, key, reading_.joints, "joint");
  return joint < 0 ? std::nullopt : std::optional(joint);
}

std::optional<NamedCoordinate> SceneLawTable::coordinate(std::string_view joint_key,
                                                         std::string_view coordinate_key, bool rate) const {
  const std::optional<int> joint = this->joint(joint_key);
  if (!joint) return std::nullopt;
  const Joint& known = reading_.scene.mechanism.joints[*joint];
  const long coordinate = integer(coordinate_key);
  const auto units = coordinate_units(known.kind);
  if (!rate && joint_type(known.kind).quaternion) {
    error(joint_key,
          fmt::format("{}: joint \"{}\" has no independent coordinates; constrain points or directions "
                      "of its bodies, as point-driver and constant-angle do",
                      where(), known.name));
  } else if (static_cast<std::size_t>(coordinate) >= units.size()) {
    error(coordinate_key, fmt::format("{}: joint \"{}\" has {} {}{}{}", where(), known.name, units.size(),
                                      rate ? "rate" : "coordinate", units.size() == 1 ? "" : "s",
                                      units.empty() ? "" : ", counted from 0"));
  } else {
    return NamedCoordinate{*joint, static_cast<int>(coordinate), units[coordinate]};
  }
  return std::nullopt;
}

Joint SceneLawTable::frames() const {
  Joint joint;
  read_frames(table_, joint, reading_.scene.notes);
  return joint;
}

void read_forces(Reading& reading) {
  std::vector<Force>& forces = reading.scene.mechanism.forces;
  if (const Node* gravity = reading.document.find("gravity"); gravity && !gravity->bad) {
    const TableReader top(&reading.document, scene_rule(), "the scene", reading.begin, reading.diagnostics,
                          reading.definitions);
    forces.push_back({"gravity", UniformGravity{top.of_state(reading).time_vec3("gravity")}});
    if (reading.forces.find("gravity") >= 0)
      reading.diagnostics.error(gravity->at, "the name \"gravity\" is used by this key and by a [[force]]");
  }
  for (const TableReader& table : reading.tables("force"))
    read_law(SceneLawTable(reading, table.of_state(reading)),
             forces.emplace_back(Force{table.text("name"), {}}));
}

void read_constraints(Reading& reading) {
  auto& constraints = reading.scene.mechanism.constraints;
  for (const TableReader& table : reading.tables("constraint"))
    read_law(SceneLawTable(reading, table.of_state(reading)),
             constraints.emplace_back(Constraint{table.text("name"), {}}));
}

}  // namespace torsor::scene
