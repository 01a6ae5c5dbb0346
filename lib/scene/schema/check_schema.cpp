#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "schema.hpp"

namespace torsor::scene {
namespace {

/// The allowed types, for messages. The keys of a table are listed unless they are many.
std::string expected(const Rule& rule) {
  static constexpr std::array<std::pair<unsigned, std::string_view>, 6> names{
      {{Rule::boolean, "true or false"},
       {Rule::integer, "an integer"},
       {Rule::number, "a number"},
       {Rule::string, "a string"},
       {Rule::array, "an array"},
       {Rule::object, "a table"}}};
  std::string text;
  for (const auto& [bit, name] : names) {
    if (!(rule.types & bit)) continue;
    if (!text.empty()) text += " or ";
    text += bit == Rule::string && (rule.types & Rule::number) ? "a quantity in a string" : name;
  }
  constexpr std::size_t many = 8;
  if (const auto known = rule.keys(); (rule.types & Rule::object) && !known.empty() && known.size() < many)
    text += fmt::format(" with the key{} {}", known.size() == 1 ? "" : "s", fmt::join(known, ", "));
  return text;
}

/// Compares the document with its rules, table by table. `where` names the table for messages.
class Checker {
 public:
  Checker(const Language& language, Diagnostics& diagnostics)
      : rule_(language.rule), whole_(fmt::format("the {}", language.noun)), diagnostics_(diagnostics) {}

  void document(Node& top) {
    for (Entry& entry : *top.as<Node::Table>()) {
      const Rule* property = rule_.property(entry.key);
      auto* elements = entry.value.as<Node::Array>();
      const bool list = property && property->items && (property->items->types & Rule::object);
      if (list && elements)
        for (Node& element : *elements)
          value(element, *property->items, entry.key, element_name(entry.key, element));
      else if (list && entry.value.as<Node::Table>())
        refuse(entry.value, fmt::format("write [[{}]]: a file may have several of these tables", entry.key));
      else if (property)
        value(entry.value, *property, entry.key,
              entry.value.as<Node::Table>() ? "[" + entry.key + "]" : whole_);
      else
        unknown(entry, top, rule_, whole_);
    }
    missing(top, rule_, whole_);
  }

 private:
  static std::string element_name(const std::string& kind, const Node& element) {
    const Node* name = element.find("name");
    const auto* text = name ? name->as<std::string>() : nullptr;
    return text ? fmt::format("{} \"{}\"", kind, *text) : fmt::format("[[{}]]", kind);
  }

  void value(Node& node, const Rule& rule, const std::string& key, const std::string& where) {
    if (!fits(node, rule)) {
      refuse(node,
             fmt::format("\"{}\" of {} must be {}, got {}", key, where, expected(rule), kind_name(node)));
    } else if (auto* table = node.as<Node::Table>()) {
      members(node, *table, rule, where);
    } else if (auto* array = node.as<Node::Array>()) {
      elements(node, *array, rule, key, where);
    } else if (const auto* text = node.as<std::string>()) {
      choice(node, *text, rule, key, where);
    } else if (!node.as<bool>()) {
      number(node, rule, key, where);
    }
  }

  void refuse(Node& node, std::string message) {
    node.bad = true;
    diagnostics_.error(node.at, std::move(message));
  }

  static bool fits(const Node& node, const Rule& rule) {
    static constexpr std::array<unsigned, 7> bits{
        Rule::boolean, Rule::integer | Rule::number, Rule::number, Rule::string, 0, Rule::array,
        Rule::object};
    return (bits[node.value.index()] & rule.types) != 0;
  }

  void members(Node& node, Node::Table& table, const Rule& choice_, const std::string& where) {
    const Rule* rule = &choice_;
    if (!rule->variants.empty()) {
      rule = rule->variant(node);
      if (!rule) return no_variant(node, choice_, where);
    }
    for (Entry& entry : table) {
      const Rule* property = rule->property(entry.key);
      if (!property)
        unknown(entry, node, *rule, where);
      else if (const bool inner = property->types & Rule::object; inner && entry.value.as<Node::Table>())
        value(entry.value, *property, entry.key, fmt::format("\"{}\" of {}", entry.key, where));
      else
        value(entry.value, *property, entry.key, where);
    }
    missing(node, *rule, where);
  }

  void elements(Node& node, Node::Array& array, const Rule& rule, const std::string& key,
                const std::string& where) {
    const bool is_matrix = rule.min_items == 3 && rule.max_items == 3 && rule.items &&
                           (rule.items->types & Rule::array) && (rule.items->types & Rule::number);
    if (is_matrix && array.size() != 3)
      return refuse(
          node, fmt::format("\"{}\" of {} must be three numbers (principal values) or three rows of three "
                            "numbers, got {} elements",
                            key, where, array.size()));
    if (const bool few = array.size() < rule.min_items; few || array.size() > rule.max_items) {
      const std::size_t limit = few ? rule.min_items : rule.max_items;
      const char* bound = rule.min_items == rule.max_items ? "" : few ? "at least " : "at most ";
      return refuse(node, fmt::format("\"{}\" of {} must have {}{} element{}, got {}", key, where, bound,
                                      limit, limit == 1 ? "" : "s", array.size()));
    }
    if (!rule.items) return;  // any elements are allowed
    for (Node& element : array) {
      const bool table = element.as<Node::Table>() && (rule.items->types & Rule::object);
      value(element, *rule.items, key, table ? fmt::format("a \"{}\" of {}", key, where) : where);
      node.bad = node.bad || element.bad;
    }
  }

  void choice(Node& node, const std::string& text, const Rule& rule, const std::string& key,
              const std::string& where) {
    const std::vector<std::string_view> allowed(rule.allowed.begin(), rule.allowed.end());
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return;
    const std::string hint = did_you_mean(text, allowed);
    refuse(node,
           fmt::format("\"{}\" of {} cannot be \"{}\"{}", key, where, text,
                       hint.empty() ? fmt::format("; it is one of {}", fmt::join(allowed, ", ")) : hint));
  }

  void number(Node& node, const Rule& rule, const std::string& key, const std::string& where) {
    const auto* integer = node.as<std::int64_t>();
    const double x = integer ? static_cast<double>(*integer) : *node.as<double>();
    if (!std::isfinite(x))
      refuse(node, fmt::format("\"{}\" of {} must be finite, got {}", key, where, x));
    else if (const auto why = out_of_range(rule, x))
      refuse(node, fmt::format("\"{}\" of {} {}, got {}", key, where, *why, x));
  }

  /// Reports an unknown key, and renames it to the known key that is probably meant, with a value that must
  /// not be read. So the known key is not also reported as missing.
  void unknown(Entry& entry, const Node& table, const Rule& rule, const std::string& where) {
    diagnostics_.error(entry.key_at, fmt::format("unknown key \"{}\" in {}{}", entry.key, where,
                                                 advice_on_key(entry.key, rule, rule_)));
    const std::string_view meant = nearest_name(entry.key, rule.keys());
    if (meant.empty() || table.find(meant)) return;
    entry.key = meant;
    if (entry.value.as<Node::Table>())
      entry.value.value = Node::Table();
    else
      entry.value.value = false;
    entry.value.at = entry.key_at;
    entry.value.bad = true;
  }

  void missing(const Node& node, const Rule& rule, const std::string& where) {
    for (const std::string& key : rule.required)
      if (!node.find(key)) return diagnostics_.error(node.at, fmt::format("{} needs \"{}\"", where, key));
  }

  void no_variant(Node& node, const Rule& rule, const std::string& where) {
    std::vector<std::string_view> kinds;
    for (const Rule* variant : rule.variants) kinds.push_back(variant->property("kind")->allowed.front());
    const Node* kind = node.find("kind");
    const auto* text = kind ? kind->as<std::string>() : nullptr;
    const std::string all = fmt::format("one of {}", fmt::join(kinds, ", "));
    node.bad = true;
    if (!kind) return diagnostics_.error(node.at, fmt::format("{} needs \"kind\", {}", where, all));
    if (!text)
      return diagnostics_.error(
          kind->at, fmt::format("\"kind\" of {} must be a string, got {}", where, kind_name(*kind)));
    const std::string hint = did_you_mean(*text, kinds);
    diagnostics_.error(kind->at, fmt::format("\"kind\" of {} cannot be \"{}\"{}", where, *text,
                                             hint.empty() ? "; it is " + all : hint));
  }

  const Rule& rule_;
  std::string whole_;  ///< "the scene"
  Diagnostics& diagnostics_;
};

}  // namespace

void check_schema(Node& document, const Language& language, Diagnostics& diagnostics) {
  Checker(language, diagnostics).document(document);
}

}  // namespace torsor::scene
