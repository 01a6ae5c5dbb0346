#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "floating_point.hpp"
#include "overrides.hpp"
#include "run/plain_text.hpp"
#include "scene/plugins/plugins_allowed.hpp"
#include "scene/read/attitude.hpp"
#include "scene/read/places.hpp"
#include "scene/read/reading.hpp"
#include "scene/read/repeat.hpp"
#include "source.hpp"
#include "title.hpp"
#include "toml.hpp"
#include "torsor/model/model.hpp"

namespace torsor::scene {

/// The files that the scenes of a source use. Threads may share them.
struct SceneFiles {
  explicit SceneFiles(const std::filesystem::path& place, std::map<std::string, std::string> known = {})
      : tables(std::move(known)) {
    std::error_code failure;
    folder = (std::filesystem::current_path(failure) / place).string();
  }
  std::map<std::string, std::string> texts() {
    const std::lock_guard lock(guard);
    return tables;
  }

  std::string folder;  ///< absolute, so that a scene finds its files also if the program changes its folder
  std::mutex guard;
  std::map<std::string, std::string> tables;  ///< texts that were read from files in the folder
};

namespace {

std::filesystem::path folder_of(const std::string& file) { return std::filesystem::path(file).parent_path(); }

/// Which checks of the schema run: our own alone, or also the independent validator.
enum class Opinion { ours, both };

void check(Node& document, Opinion opinion, Diagnostics& diagnostics) {
  check_schema(document, scene_language(), diagnostics);
  if (opinion == Opinion::both && diagnostics.empty())
    check_with_validator(document, scene_language(), diagnostics);
}

void refuse_study(const Node& document, Diagnostics& diagnostics) {
  const Node* scene = document.find("scene");
  if (!scene || document.find("run")) return;
  diagnostics.error(scene->at, "this is a study, not a scene; `torsor batch` runs it");
  diagnostics.throw_if_any();
}

/// Applies overrides, checks the schema and expands repetitions. Turns the document as written into the
/// document that is read, and returns its definitions.
Definitions resolve(Node& document, SceneFiles& files, const Overrides& overrides, Opinion opinion,
                    Diagnostics& diagnostics) {
  refuse_study(document, diagnostics);
  std::vector<int> all(overrides.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> later = apply_overrides(document, overrides, all, diagnostics);
  check(document, opinion, diagnostics);
  Definitions definitions(document, diagnostics, files.folder, files.texts());
  expand_repeats(document, definitions, diagnostics);
  if (later.empty()) return definitions;
  report_unknown(document, overrides, apply_overrides(document, overrides, later, diagnostics), diagnostics);
  check(document, opinion, diagnostics);
  return definitions;
}

ScenePlaces::BodyPlace body_place(const TableReader& table) {
  const auto first = [&](const std::vector<std::string_view>& keys) {
    for (std::string_view key : keys)
      if (table.find(key)) return table.at(key);
    return table.at();
  };
  return {.table = table.at(),
          .mass = first({"mass", "solid"}),
          .inertia = first({"inertia", "solid"}),
          .position = first({"position"}),
          .attitude = first(attitude_keys),
          .velocity = first({"velocity_world", "velocity_body"}),
          .angular_velocity = first({"angular_velocity_world", "angular_velocity_body"})};
}

std::shared_ptr<const ScenePlaces> places(const Reading& reading, const std::string& file,
                                          const Overrides& overrides) {
  auto all = std::make_shared<ScenePlaces>();
  all->file = file;
  all->overrides = overrides;
  auto place = reading.body_places.begin();
  for (const char* key : {"body", "particle", "rigid_particles"})
    for (const TableReader& table : reading.tables(key))
      if (place != reading.body_places.end() && (place++)->node < 0) all->bodies.push_back(body_place(table));
  for (const TableReader& table : reading.tables("joint")) all->joints.push_back(table.at());
  if (const Node* chart = reading.document.find("chart")) all->whole = chart->at;
  if (const Node* gravity = reading.document.find("gravity")) all->forces.push_back(gravity->at);
  for (const TableReader& table : reading.tables("force")) all->forces.push_back(table.at());
  for (const TableReader& table : reading.tables("constraint")) all->constraints.push_back(table.at());
  for (const TableReader& table : reading.tables("sampled")) all->periods.push_back(table.at("period"));
  return all;
}

/// The lines in which the tables of a scene begin, in increasing order.
std::vector<int> first_lines(const Node& document) {
  std::vector<int> all;
  const auto add = [&](const Node& node) {
    if (node.as<Node::Table>()) all.push_back(node.at.line);
  };
  for (const Entry& entry : *document.as<Node::Table>()) {
    add(entry.value);
    if (const auto* array = entry.value.as<Node::Array>()) std::for_each(array->begin(), array->end(), add);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// If the file has errors, still lets the model check the bodies that have none, so that all errors are
/// reported together. Does nothing if there are overrides, because these may make any body wrong.
void judge_sound_bodies(const Reading& reading, const std::string& file, const Overrides& overrides,
                        Diagnostics& diagnostics) {
  const auto all = places(reading, file, overrides);
  const auto& bodies = reading.scene.mechanism.bodies;
  if (!overrides.empty() || all->bodies.size() != bodies.size()) return;
  const std::vector<int> lines = first_lines(reading.document);
  const auto sound = [&](const Position& begin) {
    const auto next = std::upper_bound(lines.begin(), lines.end(), begin.line);
    return !diagnostics.any_between(begin,
                                    {next == lines.end() ? std::numeric_limits<int>::max() : *next, 0});
  };
  Mechanism judged;
  ScenePlaces judged_places;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (sound(all->bodies[i].table)) {
      judged.bodies.push_back(bodies[i]);
      judged_places.bodies.push_back(all->bodies[i]);
    }
  try {
    const Model model(judged);
  } catch (const ModelError& error) {
    tell(error.reasons, judged_places, diagnostics);
  }
}

Node parse(std::string_view text, const std::string& file) {
  const Overrides none;
  const Diagnostics diagnostics(file, none);
  scan(text, diagnostics);
  return parse_toml(text, diagnostics);
}

void read_mechanism(Reading& reading) {
  read_bodies(reading);
  read_joints(reading);
  read_cut(reading);
  read_points(reading);
  read_functions(reading);
  read_forces(reading);
  read_constraints(reading);
  read_states(reading);
  add_plugin_states(reading);
  read_events(reading);
}

/// Adds the texts of the files that formulas read, so that the resolved scene needs no other file. Keeps the
/// texts that the document does not have, so that later scenes use the same texts; returns whether there are
/// any.
bool embed(const std::map<std::string, std::string>& texts, Node& document, SceneFiles& files) {
  if (texts.empty()) return false;
  if (!document.find("files")) {
    document.as<Node::Table>()->push_back({"files", {}, {}});
    document.find("files")->value = Node::Table();
  }
  Node& all = *document.find("files");
  const std::lock_guard lock(files.guard);
  bool any = false;
  for (const auto& [name, text] : texts) {
    if (all.find(name)) continue;
    all.as<Node::Table>()->push_back({name, {}, {text, {}}});
    files.tables.try_emplace(name, text);
    any = true;
  }
  return any;
}

/// `why_no_plugins`: as in Reading.
Scene read_scene(Node document, const std::string& file, SceneFiles& files, const Overrides& overrides,
                 Opinion opinion, const std::string& why_no_plugins,
                 const std::vector<SceneFunction>* functions = nullptr) {
  const mechanics::DefaultArithmetic arithmetic;
  Diagnostics diagnostics(file, overrides);
  const Definitions definitions = resolve(document, files, overrides, opinion, diagnostics);

  Reading reading{document, diagnostics, definitions};
  reading.folder = files.folder;
  reading.why_no_plugins = why_no_plugins;
  reading.given_functions = functions;
  const TableReader top(&document, scene_rule(), "the scene", 0, diagnostics, definitions);
  reading.scene.name = plain_text(std::filesystem::path(file).stem().string());
  reading.scene.title = plain_text(top.text("title"));
  read_names(reading);
  read_run(reading);
  if (document.find("chart"))
    read_coordinates(reading);
  else
    read_mechanism(reading);
  if (!diagnostics.empty()) judge_sound_bodies(reading, file, overrides, diagnostics);
  diagnostics.throw_if_any();

  reading.scene.files = definitions.files();
  const bool from_folder = embed(reading.scene.files, document, files);
  if (from_folder && reading.scene.folder.empty()) reading.scene.folder = files.folder;
  reading.scene.resolved = to_toml(document);
  reading.scene.places = places(reading, file, overrides);
  return std::move(reading.scene);
}

}  // namespace

Scene parse_scene(std::string_view text, const std::string& file, const Overrides& overrides) {
  SceneFiles files(folder_of(file));
  return read_scene(parse(text, file), file, files, overrides, Opinion::both, why_plugins_not_allowed());
}

Scene load_scene(const std::string& path, const Overrides& overrides) {
  return parse_scene(read_text(path), path, overrides);
}

std::string title_of(const std::string& path) {
  const Node document = parse(read_text(path), path);
  const Node* title = document.find("title");
  const auto* text = title ? title->as<std::string>() : nullptr;
  return text ? plain_text(*text) : std::string();
}

SceneSource::SceneSource(std::string text, std::string file, const std::string& folder,
                         std::map<std::string, std::string> tables)
    : text_(std::move(text)),
      file_(std::move(file)),
      document_(std::make_shared<const Node>(parse(text_, file_))),
      files_(std::make_shared<SceneFiles>(folder.empty() ? folder_of(file_) : std::filesystem::path(folder),
                                          std::move(tables))) {}

SceneSource::SceneSource(const std::string& path) : SceneSource(read_text(path), path) {}

const std::string& SceneSource::folder() const { return files_->folder; }

std::map<std::string, std::string> SceneSource::tables() const { return files_->texts(); }

Scene SceneSource::scene(const Overrides& overrides) const {
  return read_scene(*document_, file_, *files_, overrides, Opinion::ours, why_no_plugins(), &functions_);
}

Scene SceneSource::checked_scene(const Overrides& overrides) const {
  return read_scene(*document_, file_, *files_, overrides, Opinion::both, why_no_plugins(), &functions_);
}

std::string SceneSource::why_no_plugins() const {
  return why_no_plugins_.empty() ? why_plugins_not_allowed() : why_no_plugins_;
}

void SceneSource::check(const Overrides& overrides) const {
  Node document = *document_;
  Diagnostics diagnostics(file_, overrides);
  resolve(document, *files_, overrides, Opinion::ours, diagnostics);
  diagnostics.throw_if_any();
}

}  // namespace torsor::scene
