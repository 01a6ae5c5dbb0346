#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "model/words.hpp"
#include "reading.hpp"
#include "scene/plugins/plugin_instance.hpp"
#include "torsor/lie/status.hpp"

// Forces and constraints of kind "plugin".

namespace torsor::scene {
namespace {

namespace fs = std::filesystem;

using Instance = std::shared_ptr<PluginInstance>;

/// Reads one table of kind "plugin".
class PluginReader {
 public:
  PluginReader(Reading& reading, const TableReader& table)
      : reading_(reading), table_(table.of_state(reading)), name_(table.text("library")) {}

  /// The instance; null if there is an error, which is reported.
  Instance read(int kind);
  const std::vector<int>& bodies() const { return bodies_; }

 private:
  void refuse(std::string_view key, const std::string& why) const {
    table_.error(key, fmt::format("\"{}\" of {}: {}", key, table_.where(), why));
  }
  std::optional<fs::path> file() const;
  std::shared_ptr<const PluginLibrary> library(int kind) const;
  bool read_bodies(const torsor_plugin& plugin);
  std::optional<std::vector<TimeFunction>> parameters(const torsor_plugin& plugin) const;
  std::optional<TimeFunction> parameter(const torsor_parameter& parameter, const TableReader& values) const;

  Reading& reading_;
  TableReader table_;
  std::string name_;  ///< of the library, as it is written in the scene
  std::vector<int> bodies_;
};

/// The regular file of the library, in the folder of the scene or below it.
std::optional<fs::path> PluginReader::file() const {
  const auto outside = [&] {
    refuse("library", fmt::format("\"{}\" is outside the folder of the scene; give a file in this folder or "
                                  "below it",
                                  name_));
  };
  const fs::path path(name_);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    return outside(), std::nullopt;
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(reading_.folder / ".", failure);
  const fs::path target = fs::weakly_canonical(reading_.folder / path, failure);
  if (name_.find('\0') != name_.npos || !fs::exists(target, failure))
    return refuse("library", fmt::format("\"{}\": no such file", name_)), std::nullopt;
  if (std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first != folder.end())
    return outside(), std::nullopt;
  if (!fs::is_regular_file(target, failure))
    return refuse("library", fmt::format("\"{}\" is not a regular file", name_)), std::nullopt;
  return target;
}

std::shared_ptr<const PluginLibrary> PluginReader::library(int kind) const {
  const std::optional<fs::path> path = file();
  if (!path) return nullptr;
  auto loaded = PluginLibrary::load(path->string());
  if (const auto* why = std::get_if<std::string>(&loaded))
    return refuse("library", fmt::format("\"{}\" {}", name_, *why)), nullptr;
  auto library = std::get<std::shared_ptr<const PluginLibrary>>(std::move(loaded));
  reading_.scene.plugins.push_back(path->string());
  reading_.scene.folder = fs::weakly_canonical(reading_.folder / ".").string();
  if (library->descriptor().kind == kind) return library;
  refuse("library", kind == TORSOR_FORCE
                        ? fmt::format("\"{}\" defines a constraint; write [[constraint]]", name_)
                        : fmt::format("\"{}\" defines a force; write [[force]]", name_));
  return nullptr;
}

bool PluginReader::read_bodies(const torsor_plugin& plugin) {
  bodies_ = reading_.several_bodies(table_, "bodies");
  if (!table_.readable("bodies")) return false;
  const std::size_t given = table_.find("bodies")->as<Node::Array>()->size();
  const auto wanted = static_cast<std::size_t>(plugin.body_count);
  if (wanted > 0 && given != wanted)
    return refuse("bodies", fmt::format("\"{}\" acts on {} bod{}, got {}", name_, wanted,
                                        wanted == 1 ? "y" : "ies", given)),
           false;
  return bodies_.size() == given;
}

/// The value of one parameter.
std::optional<TimeFunction> PluginReader::parameter(const torsor_parameter& parameter,
                                                    const TableReader& values) const {
  if (!values.find(parameter.name)) {
    if (!parameter.required) return parameter.fallback;
    table_.error(table_.find("parameters") ? "parameters" : "",
                 fmt::format("\"parameters\" of {} needs \"{}\"", table_.where(), parameter.name));
    return std::nullopt;
  }
  const TimeFunction value = values.time_function(parameter.name, parameter.unit);
  if (!value.of_state()) return value;
  if (value.of_state()->inputs.empty()) return values.of_time().time_function(parameter.name, parameter.unit);
  values.error(parameter.name,
               fmt::format("\"{}\" of {}: a parameter of a plugin is a constant or a smooth function of t",
                           parameter.name, values.where()));
  return std::nullopt;
}

std::optional<std::vector<TimeFunction>> PluginReader::parameters(const torsor_plugin& plugin) const {
  std::vector<std::string_view> known;
  for (int i = 0; i < plugin.parameter_count; ++i) known.push_back(plugin.parameters[i].name);
  bool good = true;
  const Node* given = table_.readable("parameters") ? table_.find("parameters") : nullptr;
  if (given)
    for (const Entry& entry : *given->as<Node::Table>())
      if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
        const std::string hint = did_you_mean(entry.key, known);
        good = false;
        table_.diagnostics().error(
            entry.key_at, fmt::format("\"parameters\" of {}: \"{}\" has no parameter \"{}\"{}",
                                      table_.where(), name_, entry.key,
                                      !hint.empty()   ? hint
                                      : known.empty() ? "; it has none"
                                                      : fmt::format("; it has {}", fmt::join(known, ", "))));
      }
  std::vector<TimeFunction> values;
  const TableReader table = table_.inner("parameters");
  for (int i = 0; i < plugin.parameter_count; ++i) {
    const auto value = parameter(plugin.parameters[i], table);
    good = good && value;
    values.push_back(value.value_or(0.));
  }
  return good ? std::optional(values) : std::nullopt;
}

Instance PluginReader::read(int kind) {
  if (!table_.readable("library")) return nullptr;
  if (!reading_.why_no_plugins.empty()) {
    table_.error("library",
                 fmt::format("{} runs code of its own; {}", table_.where(), reading_.why_no_plugins));
    return nullptr;
  }
  const auto library = this->library(kind);
  if (!library) return nullptr;
  const bool has_bodies = read_bodies(library->descriptor());
  auto values = parameters(library->descriptor());
  if (!has_bodies || !values || !reading_.diagnostics.empty()) return nullptr;
  try {
    return std::make_shared<PluginInstance>(library, static_cast<int>(bodies_.size()), std::move(*values),
                                            reading_.begin);
  } catch (const std::exception& error) {
    table_.error(table_.find("parameters") ? "parameters" : "library",
                 fmt::format("{}: \"{}\" refuses this table: {}", table_.where(), name_, error.what()));
  }
  return nullptr;
}

/// Calls f. Adds the time t to the message of an error.
template <class F>
auto with_time(double t, const F& f) try {
  return f();
} catch (const std::exception& error) {
  throw std::runtime_error(at_time(error.what(), t));
}

/// The rates of the plugin's states as state functions: each depends on the motion of the bodies of the force
/// and on all states of the plugin.
void add_states(Reading& reading, const Instance& instance, const std::string& force, ForceElement& law) {
  const torsor_plugin& plugin = instance->descriptor();
  const auto first = static_cast<int>(reading.states.size() + reading.sampled.size() +
                                      static_cast<int>(reading.plugin_states.size()));
  std::vector<Measured> inputs;
  for (const int body : law.bodies)
    for (const Measured& motion : motions_of(body)) inputs.push_back(motion);
  for (int i = 0; i < plugin.state_count; ++i) {
    law.states.push_back(first + i);
    inputs.push_back({Measured::Quantity::own_state, first + i, 0, {}});
  }
  const Part part = force_part(static_cast<int>(reading.scene.mechanism.forces.size()) - 1);
  for (int i = 0; i < plugin.state_count; ++i) {
    const auto rate = [instance, i, force, part](const double* y, const signed char*, double*) {
      try {
        return instance->state_rate(i, y);
      } catch (const std::exception& error) {
        throw EvaluationError(StepStatus::callback_failed,
                              at_time(fmt::format("force \"{}\": {}", force, error.what()), y[0]), part);
      }
    };
    const torsor_state& state = plugin.states[i];
    reading.plugin_states.push_back({force + "." + state.name, state.unit, state.start,
                                     TimeFunction(StateFunction{inputs, 0, rate}, "plugin"), 0});
  }
}

}  // namespace

ForceElement read_force_plugin(Reading& reading, const TableReader& table) {
  PluginReader reader(reading, table);
  const Instance instance = reader.read(TORSOR_FORCE);
  if (!instance) return {};
  ForceElement law;
  law.bodies = reader.bodies();
  add_states(reading, instance, table.text("name"), law);
  law.function = [instance](const ForceElement::Input& input, std::vector<Wrench>& wrenches) {
    with_time(input.t, [&] { instance->add_wrenches(input, wrenches); });
  };
  if (instance->descriptor().energy)
    law.energy = [instance](const ForceElement::Input& input) {
      return with_time(input.t, [&] { return instance->energy(input); });
    };
  return law;
}

UserConstraint read_constraint_plugin(Reading& reading, const TableReader& table) {
  PluginReader reader(reading, table);
  const Instance instance = reader.read(TORSOR_CONSTRAINT);
  if (!instance) return {};
  return {reader.bodies(), instance->descriptor().row_count, instance->descriptor().holonomic != 0,
          [instance](double t, const std::vector<BodyKinematics>& bodies, UserRows& values) {
            instance->put_rows(t, bodies, values);
          }};
}

void add_plugin_states(Reading& reading) {
  auto& states = reading.scene.mechanism.states;
  for (OwnState& state : reading.plugin_states) states.push_back(std::move(state));
}

}  // namespace torsor::scene
