#include "schema.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

namespace torsor::scene {
namespace {

using Json = nlohmann::ordered_json;

/// Builds rules from the text of a schema. Shared definitions become shared rules.
class RuleBook {
 public:
  explicit RuleBook(std::string_view schema) : schema_(Json::parse(schema)), top_(rule(schema_)) {}
  const Rule& top() const { return *top_; }

 private:
  const Rule* rule(const Json& schema) {
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      return rule(schema_.at(Json::json_pointer(reference->get<std::string>().substr(1))));
    const auto [place, is_new] = made_.try_emplace(&schema);
    if (is_new) {
      place->second = std::make_unique<Rule>();
      fill(schema, *place->second);
    }
    return place->second.get();
  }

  void fill(const Json& schema, Rule& rule_) {
    for (const auto& [key, value] : schema.items()) {
      if (key == "type")
        rule_.types = types(value);
      else if (key == "description")
        rule_.description = value;
      else if (key == "unit")
        rule_.unit = value;
      else if (key == "expression")
        rule_.expression = value;
      else if (key == "derivatives")
        rule_.derivatives = value;
      else if (key == "minimum")
        rule_.minimum = value;
      else if (key == "maximum")
        rule_.maximum = value;
      else if (key == "exclusiveMinimum")
        rule_.above = value;
      else if (key == "enum")
        rule_.allowed = value;
      else if (key == "minItems")
        rule_.min_items = value;
      else if (key == "maxItems")
        rule_.max_items = value;
      else if (key == "required")
        rule_.required = value;
      else if (key == "items")
        rule_.items = rule(value);
      else if (key == "additionalProperties" && value.is_object())
        rule_.others = rule(value);
      else if (key == "default")
        rule_.fallback = &value;
      else if (key == "properties")
        for (const auto& [name, property] : value.items()) rule_.properties.push_back({name, rule(property)});
      else if (key == "oneOf")
        for (const Json& variant : value) rule_.variants.push_back(rule(variant));
      else if (key == "anyOf")
        for (const Json& form : value) add_form(*rule(form), rule_);
    }
    if (!rule_.variants.empty()) rule_.types = Rule::object;
  }

  /// Adds one form to the rule of a value that may have several forms. No two of the forms have the same
  /// type.
  static void add_form(const Rule& form, Rule& rule_) {
    rule_.types |= form.types;
    if (form.types & Rule::string) rule_.allowed = form.allowed;
    if (form.types & Rule::object)
      rule_.properties = form.properties, rule_.others = form.others, rule_.required = form.required;
  }

  static unsigned types(const Json& type) {
    static const std::map<std::string, unsigned> bits{{"boolean", Rule::boolean}, {"integer", Rule::integer},
                                                      {"number", Rule::number},   {"string", Rule::string},
                                                      {"array", Rule::array},     {"object", Rule::object}};
    if (type.is_string()) return bits.at(type.get<std::string>());
    unsigned all = 0;
    for (const Json& one : type) all |= bits.at(one.get<std::string>());
    return all;
  }

  Json schema_;
  std::map<const Json*, std::unique_ptr<Rule>> made_;
  const Rule* top_;
};

}  // namespace

const Rule& make_rule(std::string_view schema) {
  static std::mutex one_at_a_time;
  static std::deque<RuleBook> books;
  const std::lock_guard guard(one_at_a_time);
  return books.emplace_back(schema).top();
}

const Language& scene_language() {
  static const Language language{"scene", scene_schema(), make_rule(scene_schema())};
  return language;
}

const Rule* Rule::property(std::string_view key) const {
  for (const Property& property : properties)
    if (property.key == key) return property.rule;
  return others;
}

const Rule* Rule::variant(const Node& table) const {
  const Node* kind = table.find("kind");
  const auto* name = kind ? kind->as<std::string>() : nullptr;
  if (name)
    for (const Rule* candidate : variants)
      if (candidate->property("kind")->allowed.front() == *name) return candidate;
  return nullptr;
}

std::string advice_on_key(std::string_view key, const Rule& table, const Rule& document) {
  const std::vector<std::string_view> known = table.keys();
  if (const std::string hint = did_you_mean(key, known); !hint.empty()) return hint;
  bool is_outer = &table == &document;
  std::vector<std::string> others;
  for (const auto& [name, rule] : document.properties) {
    is_outer = is_outer || rule == &table;
    for (const auto& property : rule->properties)
      if (property.key == key) others.push_back(fmt::format("[{}]", name));
  }
  if (is_outer && !others.empty() && !document.property(key))
    return fmt::format("; it is a key of {}", fmt::join(others, " and of "));
  if (known.empty()) return "";
  return fmt::format("; the keys are {}", fmt::join(known, ", "));
}

std::vector<std::string_view> Rule::keys() const {
  std::vector<std::string_view> all;
  for (const Property& each : properties) all.push_back(each.key);
  return all;
}

std::optional<std::string> out_of_range(const Rule& rule, double x) {
  if (rule.above && !(x > *rule.above)) return fmt::format("must be greater than {}", *rule.above);
  if (rule.minimum && !(x >= *rule.minimum)) return fmt::format("must be at least {}", *rule.minimum);
  if (rule.maximum && !(x <= *rule.maximum)) return fmt::format("must be at most {}", *rule.maximum);
  return std::nullopt;
}

}  // namespace torsor::scene
