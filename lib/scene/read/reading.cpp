#include "reading.hpp"

#include <fmt/format.h>

#include "torsor/model/rigid_particles.hpp"

namespace torsor::scene {

bool Names::add(const std::string& name) {
  names_.push_back(name);
  return places_.try_emplace(names_.back(), size() - 1).second;
}

int Names::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? -1 : found->second;
}

std::string Names::hint(const std::string& name) const {
  return did_you_mean(name, std::vector<std::string_view>(names_.begin(), names_.end()));
}

TableReader section(const Node& document, const Rule& rule, const std::string& key, double begin,
                    Diagnostics& diagnostics, const Definitions& definitions) {
  const Node* table = document.find(key);
  if (table && !table->as<Node::Table>()) table = nullptr;
  return {table, *rule.property(key), fmt::format("[{}]", key), begin, diagnostics, definitions};
}

std::vector<TableReader> tables(const Node& document, const Rule& rule, const std::string& key, double begin,
                                Diagnostics& diagnostics, const Definitions& definitions) {
  std::vector<TableReader> all;
  const Node* array = document.find(key);
  if (!array || !array->as<Node::Array>()) return all;
  const Rule& items = *rule.property(key)->items;
  for (const Node& table : *array->as<Node::Array>()) {
    const Rule* own = items.variants.empty() ? &items : items.variant(table);
    if (!own || !table.as<Node::Table>()) continue;
    const Node* name = table.find("name");
    const auto* text = name ? name->as<std::string>() : nullptr;
    all.emplace_back(&table, *own, text ? fmt::format("{} \"{}\"", key, *text) : fmt::format("[[{}]]", key),
                     begin, diagnostics, definitions);
  }
  return all;
}

int Reading::body(const TableReader& table, std::string_view key) const {
  const std::string name = table.text(key);
  const int place = name.empty() || name == "ground" ? -1 : known(table, key, bodies, "body");
  if (place < 0) return world;
  const auto [body, node] = body_places[place];
  if (node >= 0)
    table.error(
        key, fmt::format("\"{}\" of {}: \"{}\" is a node of \"{}\"; only forces and points can act on a node",
                         key, table.where(), name, scene.mechanism.bodies[body].name));
  else if (is_line(scene.mechanism.bodies[body]))
    table.error(
        key,
        fmt::format(
            "\"{}\" of {}: the nodes of \"{}\" lie on one line, so it has no attitude; name one of its nodes",
            key, table.where(), name));
  return body;
}

BodyPoint Reading::point(const TableReader& table) const {
  const Vec3 position = table.vec3("position").value_or(Vec3::Zero());
  const int place = bodies.find(table.text("body"));
  if (place < 0 || body_places[place].node < 0) return {body(table, "body"), position};
  const auto [body, node] = body_places[place];
  return {body, scene.mechanism.bodies[body].nodes[node].p + position, node};
}

int Reading::known(const TableReader& table, std::string_view key, const Names& names,
                   std::string_view what) const {
  const std::string name = table.text(key);
  const int place = names.find(name);
  if (place < 0 && table.find(key))
    table.error(key, [&] {
      return fmt::format("\"{}\" of {}: unknown {} \"{}\"{}", key, table.where(), what, name,
                         names.hint(name));
    });
  return place;
}

namespace {

bool allowed(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view others = "0123456789-";
  if (name.empty() || name.size() > 64 || letters.find(name.front()) == letters.npos) return false;
  for (char c : name)
    if (letters.find(c) == letters.npos && others.find(c) == others.npos) return false;
  return true;
}

void add_names(const Reading& reading, const std::string& key, Names& names) {
  for (const TableReader& table : reading.tables(key)) {
    const std::string name = table.text("name");
    const bool given = table.readable("name") && !table.find("repeat");  // a remaining repeat was refused
    if (given && !allowed(name))
      table.error("name", fmt::format("\"{:.80}\" is not a valid name: use letters, digits, _ and -, begin "
                                      "with a letter, and use at most 64 characters{}",
                                      name, name.find('{') == name.npos ? "" : "; {i} needs a \"repeat\""));
    else if (given && name == "ground")
      table.error("name", "\"ground\" is the name of the fixed world; choose another name");
    if (!names.add(name) && given)
      table.error("name", fmt::format("the name of {} is already used", table.where()));
  }
}

}  // namespace

void read_names(Reading& reading) {
  add_names(reading, "body", reading.bodies);
  add_names(reading, "particle", reading.bodies);
  add_names(reading, "rigid_particles", reading.bodies);
  add_names(reading, "joint", reading.joints);
  add_names(reading, "force", reading.forces);
  add_names(reading, "constraint", reading.constraints);
  add_names(reading, "point", reading.points);
  add_names(reading, "event", reading.events);
  add_names(reading, "state", reading.states);
  add_names(reading, "sampled", reading.sampled);
}

}  // namespace torsor::scene
