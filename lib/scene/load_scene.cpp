#include <algorithm>
#include <filesystem>
#include <numeric>

#include "overrides.hpp"
#include "places.hpp"
#include "reading.hpp"
#include "repeat.hpp"
#include "source.hpp"
#include "toml.hpp"

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
  diagnostics.throw_if_any();

  reading.scene.resolved = to_toml(document);
  reading.scene.places = places(reading, file, overrides);
  return std::move(reading.scene);
}

Scene load_scene(const std::string& path, const Overrides& overrides) {
  return parse_scene(scene::read_text(path), path, overrides);
}

}  // namespace torsor
