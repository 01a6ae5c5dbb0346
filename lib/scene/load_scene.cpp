#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>

#include "overrides.hpp"
#include "places.hpp"
#include "reading.hpp"
#include "repeat.hpp"
#include "source.hpp"
#include "toml.hpp"
#include "torsor/model/model.hpp"

namespace torsor {
namespace scene {
namespace {

/// Overrides, schema and repetitions: from the document as written to the one that is read.
void resolve(Node& document, const Overrides& overrides, Diagnostics& diagnostics) {
  std::vector<int> all(overrides.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> later = apply_overrides(document, overrides, all, diagnostics);
  check_schema(document, diagnostics);
  if (diagnostics.empty()) check_with_validator(document, diagnostics);
  expand_repeats(document, diagnostics);
  if (later.empty()) return;
  report_unknown(document, overrides, apply_overrides(document, overrides, later, diagnostics), diagnostics);
  check_schema(document, diagnostics);
  if (diagnostics.empty()) check_with_validator(document, diagnostics);
}

ScenePlaces::BodyPlace body_place(const TableReader& table) {
  const auto first = [&](std::initializer_list<std::string_view> keys) {
    for (std::string_view key : keys)
      if (table.find(key)) return table.at(key);
    return table.at();
  };
  return {.table = table.at(),
          .mass = first({"mass", "solid"}),
          .inertia = first({"inertia", "solid"}),
          .position = first({"position"}),
          .attitude = first({"quaternion_wxyz", "rotation_vector", "euler_zxz", "rows"}),
          .velocity = first({"velocity_world", "velocity_body"}),
          .angular_velocity = first({"angular_velocity_world", "angular_velocity_body"})};
}

std::shared_ptr<const ScenePlaces> places(const Reading& reading, const std::string& file,
                                          const Overrides& overrides) {
  auto all = std::make_shared<ScenePlaces>();
  all->file = file;
  all->overrides = overrides;
  for (const char* key : {"body", "particle"})
    for (const TableReader& table : reading.tables(key)) all->bodies.push_back(body_place(table));
  for (const TableReader& table : reading.tables("joint")) all->joints.push_back(table.at());
  if (const Node* gravity = reading.document.find("gravity")) all->forces.push_back(gravity->at);
  for (const TableReader& table : reading.tables("force")) all->forces.push_back(table.at());
  for (const TableReader& table : reading.tables("constraint")) all->constraints.push_back(table.at());
  return all;
}

/// Where the tables of a scene begin.
std::vector<Position> beginnings(const Node& document) {
  std::vector<Position> all;
  const auto add = [&](const Node& node) {
    if (node.as<Node::Table>()) all.push_back(node.at);
  };
  for (const Entry& entry : *document.as<Node::Table>()) {
    add(entry.value);
    if (const auto* array = entry.value.as<Node::Array>()) std::for_each(array->begin(), array->end(), add);
  }
  return all;
}

/// Where mistakes were found, the bodies without any are judged all the same, so that all of a file is told
/// at once. What is set from outside may spoil any of them.
void judge_sound_bodies(const Reading& reading, const std::string& file, const Overrides& overrides,
                        Diagnostics& diagnostics) {
  const auto all = places(reading, file, overrides);
  const auto& bodies = reading.scene.mechanism.bodies;
  if (!overrides.empty() || all->bodies.size() != bodies.size()) return;
  const auto begins = beginnings(reading.document);
  const auto sound = [&](const Position& begin) {
    Position end(std::numeric_limits<int>::max(), 0);
    for (const Position& at : begins)
      if (at.line > begin.line && at.line < end.line) end = at;
    return !diagnostics.any_between(begin, end);
  };
  Mechanism judged;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (sound(all->bodies[i].table)) judged.bodies.push_back(bodies[i]);
  try {
    const Model model(judged);
  } catch (const ModelError& error) {
    tell(error.reasons, reading.scene.mechanism, *all, diagnostics);
  }
}

}  // namespace
}  // namespace scene

Scene parse_scene(std::string_view text, const std::string& file, const Overrides& overrides) {
  using namespace scene;
  Diagnostics diagnostics(file, overrides);
  scan(text, diagnostics);
  Node document = parse_toml(text, diagnostics);
  resolve(document, overrides, diagnostics);

  Reading reading{document, diagnostics};
  const TableReader top(&document, scene_rule(), "the scene", 0, diagnostics);
  reading.scene.name = std::filesystem::path(file).stem().string();
  reading.scene.title = top.text("title");
  read_names(reading);
  read_run(reading);
  read_bodies(reading);
  read_joints(reading);
  read_cut(reading);
  read_forces(reading);
  read_constraints(reading);
  read_points(reading);
  read_events(reading);
  if (!diagnostics.empty()) judge_sound_bodies(reading, file, overrides, diagnostics);
  diagnostics.throw_if_any();

  reading.scene.resolved = to_toml(document);
  reading.scene.places = places(reading, file, overrides);
  return std::move(reading.scene);
}

Scene load_scene(const std::string& path, const Overrides& overrides) {
  return parse_scene(scene::read_text(path), path, overrides);
}

}  // namespace torsor
