#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "batch/layout.hpp"
#include "batch/ledger/ledger_schema.hpp"
#include "read_parameters.hpp"
#include "run/plain_text.hpp"
#include "scene/read/reading.hpp"
#include "scene/source.hpp"
#include "scene/toml.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {
namespace {

using scene::Diagnostics;
using scene::Node;
using scene::Position;
using scene::TableReader;

const scene::Language& study_language() {
  static const scene::Language language{"study", study_schema(), scene::make_rule(study_schema())};
  return language;
}

Node parse(const std::string& text, Diagnostics& diagnostics) {
  scene::scan(text, diagnostics);
  Node document = scene::parse_toml(text, diagnostics);
  if (const Node* span = document.find("run"); span && !document.find("scene")) {
    diagnostics.error(span->at, "this is a scene, not a study; `torsor run` runs it");
    diagnostics.throw_if_any();
  }
  scene::check_schema(document, study_language(), diagnostics);
  if (diagnostics.empty()) scene::check_with_validator(document, study_language(), diagnostics);
  diagnostics.throw_if_any();
  return document;
}

/// Finds the scene: a file in the folder of the study or below it, else a shipped scene, which a folder of
/// its name does not hide. Sets `shipped` to true if it takes a shipped scene.
std::string find(const TableReader& top, const std::string& study, const SceneFinder& finder, bool& shipped) {
  namespace fs = std::filesystem;
  const std::string name = top.text("scene");
  const fs::path path(name);
  const auto refuse_outside = [&] {
    top.error("scene", fmt::format("\"{}\" is outside the folder of the study; give a file in this folder or "
                                   "below it, or the name of a shipped scene",
                                   name));
    return std::string();
  };
  const bool leaves = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (leaves) return refuse_outside();
  const fs::path beside = fs::path(study).parent_path() / path;
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(fs::path(study).parent_path() / ".", failure),
                 target = fs::weakly_canonical(beside, failure);
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
  const bool may_be_shipped = finder && name.find('/') == std::string::npos && !name.ends_with(".toml");
  const bool exists = fs::exists(beside, failure), inside = end == folder.end();
  if (exists && inside && !(may_be_shipped && fs::is_directory(beside, failure))) return beside.string();
  if (may_be_shipped) try {
      shipped = true;
      return finder(name);
    } catch (const scene::SceneError& error) {
      top.error("scene", fmt::format("\"{}\": {}", name, error.diagnostics.front().message));
      return {};
    }
  if (exists && !inside) return refuse_outside();  // a link that leads out of the folder
  top.error("scene", fmt::format("\"{}\": no such file", name));
  return {};
}

void read_keep(const TableReader& table, Keep& keep) {
  keep.final = table.flag("final");
  keep.invariants = table.flag("invariants");
  keep.events = table.flag("events");
  keep.trajectories = table.flag("trajectories");
  keep.statistics = table.flag("statistics");
  keep.columns = table.texts("columns");
  for (const std::string& setting : table.texts("reference")) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      table.error("reference",
                  fmt::format("\"reference\" of [keep]: \"{}\" is not of the form KEY=VALUE", setting));
    else
      keep.reference.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  keep.times = table.numbers("times").value_or(std::vector<double>());
  if (!std::is_sorted(keep.times.begin(), keep.times.end(), std::less_equal<>()))
    table.error("times", "\"times\" of [keep] must be strictly increasing");
  if (!keep.times.empty() && keep.columns.empty())
    table.error("times", "\"times\" of [keep] needs \"columns\", the columns to keep at these times");
}

/// Reports too many cases before their number overflows, and `draws` without a random parameter.
void check_count(const Study& study, const TableReader& top, const Diagnostics& diagnostics) {
  double cases = static_cast<double>(study.draws);
  for (const long count : study.axes) cases *= static_cast<double>(count);
  if (cases > static_cast<double>(most_cases))
    diagnostics.throw_limit(top.at("draws"),
                            fmt::format("{} cases; studies are limited to {}", cases, most_cases));
  const bool random = std::any_of(study.parameters.begin(), study.parameters.end(),
                                  [](const Parameter& one) { return one.axis < 0; });
  if (study.draws > 1 && !random)
    top.error("draws", "\"draws\" of the study: no parameter is random, so every draw would be the same");
}

/// Checks values of parameters against the scene, one at a time: each listed value, the ends of each range
/// and of each uniform distribution, and the first value of any other random parameter. The key must exist
/// and accept the value. Errors of the scene that do not depend on the value are reported when the
/// first case is read.
class AgainstScene {
 public:
  AgainstScene(const Study& study, const std::vector<TableReader>& tables, Diagnostics& diagnostics)
      : study_(study), tables_(tables), diagnostics_(diagnostics) {}

  void check() {
    for (std::size_t i = 0; i < study_.parameters.size(); ++i) check(study_.parameters[i], tables_[i]);
  }

  /// Reports the errors of the first case, at its parameters or in the scene.
  void tell(const scene::SceneError& error) {
    std::vector<scene::Diagnostic> of_scene;
    for (const scene::Diagnostic& one : error.diagnostics) {
      if (one.override_index >= 0)
        diagnostics_.error(tables_[static_cast<std::size_t>(one.override_index)].at("key"), one.message);
      else
        of_scene.push_back(one);
    }
    diagnostics_.throw_if_any();
    throw scene::SceneError(std::move(of_scene), error.limit_exceeded);
  }

 private:
  void check(const Parameter& parameter, const TableReader& table) {
    if (const auto* list = std::get_if<ValueList>(&parameter.law)) {
      const auto& nodes = *table.find("values")->as<Node::Array>();
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!try_value(parameter.key, list->values[i].toml, table, nodes[i].at)) return;
    } else if (const auto* range = std::get_if<Range>(&parameter.law)) {
      try_number(parameter, range->first, table, "from");
      try_number(parameter, range->last, table, "to");
    } else if (const auto* uniform = std::get_if<Uniform>(&parameter.law)) {
      try_number(parameter, uniform->from, table, "from");
      try_number(parameter, uniform->to, table, "to");
    } else {
      try_value(parameter.key, study_.values(0)[place(parameter)].toml, table, table.at("kind"));
    }
  }

  std::size_t place(const Parameter& parameter) const {
    return static_cast<std::size_t>(&parameter - study_.parameters.data());
  }

  void try_number(const Parameter& parameter, double x, const TableReader& table, const char* key) {
    const std::string toml =
        parameter.unit.empty() ? fmt::format("{}", x) : fmt::format("\"{} {}\"", x, parameter.unit);
    try_value(parameter.key, toml, table, table.at(key));
  }

  /// Reports the first error of a value. Returns false if the key does not exist: a list then stops, so that
  /// the wrong key is reported once.
  bool try_value(const std::string& key, const std::string& toml, const TableReader& table, Position at) {
    try {
      study_.scene.check({{key, toml}});
      return true;
    } catch (const scene::SceneError& error) {
      for (const scene::Diagnostic& one : error.diagnostics) {
        if (one.override_index < 0) continue;
        const bool of_key = one.column == 0;
        diagnostics_.error(of_key ? table.at("key") : at, one.message);
        return !of_key;
      }
      return true;
    }
  }

  const Study& study_;
  const std::vector<TableReader>& tables_;
  Diagnostics& diagnostics_;
};

/// Checks columns and times against the columns and the run of the first case.
void check_keep(const TableReader& keep, const Study& study, const FirstCase& first) {
  std::vector<std::string_view> known;
  for (const io::Column& column : first.columns) known.push_back(column.name);
  const std::unordered_set<std::string_view> all(known.begin(), known.end());
  if (const Node* columns = keep.find("columns"))
    for (const Node& node : *columns->as<Node::Array>()) {
      const auto& name = *node.as<std::string>();
      if (!all.contains(name))
        keep.diagnostics().error(
            node.at, [&] { return fmt::format("no column \"{}\"{}", name, did_you_mean(name, known)); });
    }
  try {
    study.scene.scene(study.keep.reference);
  } catch (const scene::SceneError& error) {
    for (const scene::Diagnostic& one : error.diagnostics)
      if (one.override_index >= 0)
        keep.error("reference", fmt::format("\"reference\" of [keep]: {}", one.message));
  }
  try {
    check_columns(layout(study, first));
  } catch (const std::invalid_argument& error) {
    keep.error("columns", error.what());
  }
  const SimulationOptions& run = first.scene.run;
  for (const double t : study.keep.times)
    if (t < run.t_begin || t > run.t_end)
      return keep.error("times", fmt::format("\"times\" of [keep]: {} s is outside the run, {} to {} s", t,
                                             run.t_begin, run.t_end));
}

}  // namespace

Study load_study(const std::string& path, const SceneFinder& finder) {
  const scene::Overrides none;
  Diagnostics diagnostics(path, none);
  std::string text = scene::read_text(path, "study");
  const Node document = parse(text, diagnostics);
  const TableReader top(&document, study_language().rule, "the study", 0, diagnostics);

  bool shipped = false;
  const std::string scene_file = find(top, path, finder, shipped);
  diagnostics.throw_if_any();
  Study study{.name = plain_text(std::filesystem::path(path).stem().string()),
              .title = plain_text(top.text("title")),
              .text = std::move(text),
              .scene = scene::SceneSource(scene_file),
              .seed = static_cast<std::uint64_t>(top.integer("seed")),
              .draws = top.integer("draws"),
              .axes = {},
              .parameters = {},
              .keep = {}};
  if (shipped)
    study.scene.refuse_plugins("a study may use plugins only of a scene in its own folder or below it");
  const std::vector<TableReader> parameters =
      scene::tables(document, study_language().rule, "parameter", 0, diagnostics);
  read_parameters(parameters, study);
  const TableReader keep = scene::section(document, study_language().rule, "keep", 0, diagnostics);
  read_keep(keep, study.keep);
  check_count(study, top, diagnostics);
  diagnostics.throw_if_any();

  AgainstScene scene(study, parameters, diagnostics);
  scene.check();
  diagnostics.throw_if_any();
  try {
    check_keep(keep, study, first_case(study));
  } catch (const scene::SceneError& error) {
    scene.tell(error);
  }
  diagnostics.throw_if_any();
  return study;
}

}  // namespace torsor::batch
