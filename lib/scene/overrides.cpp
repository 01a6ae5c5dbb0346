#include "overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "run/plain_text.hpp"
#include "scene/schema/schema.hpp"
#include "source.hpp"
#include "toml.hpp"

namespace torsor::scene {
namespace {

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

std::string_view name_of(const Node& table) {
  if (!table.as<Node::Table>()) return {};
  const Node* name = table.find("name");
  const auto* text = name ? name->as<std::string>() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

/// Whether parts of a kind may have the key.
bool may_have(const Rule* kind, std::string_view key) {
  if (!kind) return false;
  return kind->property(key) || std::any_of(kind->variants.begin(), kind->variants.end(),
                                            [&](const Rule* one) { return one->property(key); });
}

/// "; did you mean "particle.bob"?" for the name of a part of another kind that may have the key, or nothing.
std::string did_you_mean_part(const Node& document, std::string_view name, std::string_view key) {
  if (name.empty()) return {};
  for (const Entry& entry : *document.as<Node::Table>()) {
    const auto* tables = entry.value.as<Node::Array>();
    const Rule* const rule = scene_rule().property(entry.key);
    if (!tables || !rule || !may_have(rule->items, key)) continue;
    if (std::any_of(tables->begin(), tables->end(),
                    [&](const Node& table) { return name_of(table) == name; }))
      return fmt::format("; did you mean \"{}.{}\"?", entry.key, name);
  }
  return {};
}

/// Follows the path of one override through the document and its rules, and sets the value there.
class Walk {
 public:
  enum class End { done, unknown_name, wrong };

  Walk(const std::pair<std::string, std::string>& given, int index, Diagnostics& diagnostics)
      : override_(given), at_(0, 0, index), diagnostics_(diagnostics) {}

  End run(Node& document) {
    const auto parts = split(override_.first);
    if (parts.size() > Limits::key_parts || override_.first.size() > 1024)
      diagnostics_.throw_limit(
          at_, fmt::format("a key of more than {} parts or 1024 characters", Limits::key_parts));
    if (!is_utf8(override_.first) || !is_utf8(override_.second)) return wrong("the text is not UTF-8");
    Node* node = &document;
    const Rule* rule = &scene_rule();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const bool by_name = i == 1 && rule->items && (rule->items->types & Rule::object);
      const End end = by_name ? enter_named(node, rule, parts[i], last) : enter(node, rule, parts[i], last);
      if (end != End::done) return end;
    }
    return End::done;
  }

  /// The unit of the value at the end of the path.
  const std::string& unit() const { return unit_; }

 private:
  End wrong(std::string message) {
    diagnostics_.error(at_, std::move(message));
    return End::wrong;
  }

  End enter_named(Node*& node, const Rule*& rule, std::string_view name, bool last) {
    auto* tables = node->as<Node::Array>();
    if (last) return wrong(fmt::format("a key must follow the name \"{}\"", name));
    if (!tables) return End::unknown_name;
    const auto found = std::find_if(tables->begin(), tables->end(),
                                    [&](const Node& table) { return name_of(table) == name; });
    if (found == tables->end()) return End::unknown_name;
    node = &*found;
    rule = rule->items;
    return End::done;
  }

  End enter(Node*& node, const Rule*& rule, std::string_view key, bool last) {
    if (auto* array = node->as<Node::Array>()) return enter_element(*array, node, rule, key, last);
    auto* table = node->as<Node::Table>();
    if (!table) return wrong(fmt::format("there is no table here that could have the key \"{}\"", key));
    if (!rule->variants.empty()) rule = rule->variant(*node);
    const Rule* property = rule ? rule->property(key) : nullptr;
    const bool named_by_user = property && property == rule->others;
    if (!property || (named_by_user && !node->find(key))) {
      std::vector<std::string_view> known;
      if (named_by_user) {
        known = rule->keys();
        for (const Entry& entry : *table) known.push_back(entry.key);
      }
      const std::string advice = named_by_user ? did_you_mean(key, known)
                                 : rule        ? advice_on_key(key, *rule, scene_rule())
                                               : "";
      return wrong(fmt::format("unknown key \"{}\"{}", key, advice));
    }
    rule = property;
    unit_ = rule->unit;
    Node* next = node->find(key);
    if (!next) {
      // An array is created empty, because its elements are unknown.
      Node fresh{Node::Table(), at_};
      if (property->items) fresh.value = Node::Array();
      table->push_back({std::string(key), at_, std::move(fresh)});
      next = &table->back().value;
    }
    if (last) {
      *next = value();
      for (Entry& entry : *table)
        if (entry.key == key) entry.key_at = at_;
      if (const std::string_view rival = rival_setting(override_.first); !rival.empty())
        std::erase_if(*table, [&](const Entry& entry) { return entry.key == rival; });
      return End::done;
    }
    node = next;
    return End::done;
  }

  /// Enters an element of an array by its index, or a table of the array by its name.
  End enter_element(Node::Array& array, Node*& node, const Rule*& rule, std::string_view index, bool last) {
    if (!rule->items)
      return wrong(fmt::format("an array is not allowed here, so there is no element \"{}\"", index));
    if (array.empty())
      return wrong(fmt::format("there is no element \"{}\" here: the array is empty or missing", index));
    std::vector<std::string_view> names;
    for (Node& element : array)
      if (const std::string_view name = name_of(element); !name.empty()) {
        if (name == index && last) return wrong(fmt::format("a key must follow the name \"{}\"", index));
        if (name == index) {
          node = &element;
          rule = rule->items;
          return End::done;
        }
        names.push_back(name);
      }
    std::size_t i = 0;
    const auto [end, problem] = std::from_chars(index.data(), index.data() + index.size(), i);
    if (problem != std::errc() || end != index.data() + index.size() || i >= array.size())
      return wrong(names.empty()
                       ? fmt::format("\"{}\" is not an index of an array of {}; indices count from 0", index,
                                     array.size())
                       : fmt::format("nothing is called \"{}\" here{}", index, did_you_mean(index, names)));
    node = &array[i];
    rule = rule->items;  // the unit of the array is that of its elements
    if (last) *node = value();
    return End::done;
  }

  Node value() const {
    const Position at(0, 1, at_.override_index);
    if (auto parsed = parse_toml_value(override_.second, at)) return std::move(*parsed);
    return Node{override_.second, at};
  }

  const std::pair<std::string, std::string>& override_;
  Position at_;
  Diagnostics& diagnostics_;
  std::string unit_;
};

}  // namespace

std::vector<int> apply_overrides(Node& document, const Overrides& overrides, const std::vector<int>& which,
                                 Diagnostics& diagnostics) {
  std::vector<int> unknown;
  for (int i : which)
    if (Walk(overrides[i], i, diagnostics).run(document) == Walk::End::unknown_name) unknown.push_back(i);
  return unknown;
}

std::string_view rival_setting(std::string_view path) {
  return path == "integrator.step" ? "tolerance" : path == "integrator.tolerance" ? "step" : "";
}

std::string unit_of(const Scene& scene, const std::string& key) {
  const Overrides none;
  Diagnostics ignored("", none);
  Node document = parse_toml(scene.resolved, ignored);
  const std::pair<std::string, std::string> zero(key, "0");
  Walk walk(zero, 0, ignored);
  if (walk.run(document) != Walk::End::done) return {};
  std::string unit = walk.unit();
  if (unit.starts_with("of ")) return {};  // a value of an event has the unit of its quantity
  std::replace(unit.begin(), unit.end(), '*', ' ');
  return unit;
}

void report_unknown(const Node& document, const Overrides& overrides, const std::vector<int>& which,
                    Diagnostics& diagnostics) {
  for (int i : which) {
    const auto parts = split(overrides[i].first);
    std::vector<std::string_view> names;
    if (const Node* tables = document.find(parts[0]); tables && tables->as<Node::Array>())
      for (const Node& table : *tables->as<Node::Array>()) names.push_back(name_of(table));
    const std::string advice = did_you_mean_part(document, parts[1], parts[2]);
    diagnostics.error({0, 0, i}, fmt::format("no {} \"{}\"{}", parts[0], parts[1],
                                             advice.empty() ? did_you_mean(parts[1], names) : advice));
  }
}

}  // namespace torsor::scene
