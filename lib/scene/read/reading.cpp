#include "reading.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  const bool named = table.readable(key) && name != "ground";
  const int place = named ? known(table, key, bodies, "body") : -1;
  if (place < 0) return world;
  if (const std::string why = why_not_whole(place, name); !why.empty())
    table.error(key, fmt::format("\"{}\" of {}: {}", key, table.where(), why));
  return body_places[place].body;
}

/// Why laws cannot act on a place in `bodies` as a whole: it is a node of a rigid system, or a rigid system
/// whose nodes lie on one line. Empty if they can.
std::string Reading::why_not_whole(int place, const std::string& name) const {
  const auto [body, node] = body_places[place];
  if (node >= 0)
    return fmt::format("\"{}\" is a node of \"{}\"; only forces and points can act on a node", name,
                       scene.mechanism.bodies[body].name);
  if (is_line(scene.mechanism.bodies[body]))
    return fmt::format(
        "the nodes of \"{}\" lie on one line, so it has no attitude; only forces and points can act on its "
        "nodes",
        name);
  return {};
}

std::vector<int> Reading::several_bodies(const TableReader& table, std::string_view key) const {
  std::vector<int> all;
  if (!table.readable(key)) return all;
  for (const Node& element : *table.find(key)->as<Node::Array>()) {
    const auto* name = element.as<std::string>();
    const int place = name ? bodies.find(*name) : -1;
    std::string why;
    if (name && *name == "ground")
      why = "it acts on bodies, and \"ground\" is not a body";
    else if (name && place < 0)
      why = fmt::format("unknown body \"{}\"{}", *name, bodies.hint(*name));
    else if (name)
      why = why_not_whole(place, *name);
    if (why.empty() && name && std::count(all.begin(), all.end(), body_places[place].body) > 0)
      why = fmt::format("\"{}\" is named twice", *name);
    if (!why.empty())
      diagnostics.error(element.at, fmt::format("\"{}\" of {}: {}", key, table.where(), why));
    else if (name)
      all.push_back(body_places[place].body);
  }
  return all;
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
      const std::string hint = names.hint(name);
      return fmt::format("\"{}\" of {}: unknown {} \"{}\"{}", key, table.where(), what, name,
                         hint.empty() && &names == &bodies ? "; the fixed world is \"ground\"" : hint);
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
                                      "with a letter or _, and use at most 64 characters{}",
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
