#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "schema.hpp"

namespace torsor::scene {
namespace {

nlohmann::json image(const Node& node) {
  using Json = nlohmann::json;
  if (const auto* table = node.as<Node::Table>()) {
    Json json = Json::object();
    for (const Entry& entry : *table) json[entry.key] = image(entry.value);
    return json;
  }
  if (const auto* array = node.as<Node::Array>()) {
    Json json = Json::array();
    for (const Node& element : *array) json.push_back(image(element));
    return json;
  }
  if (const auto* boolean = node.as<bool>()) return *boolean;
  if (const auto* integer = node.as<std::int64_t>()) return *integer;
  if (const auto* number = node.as<double>()) return *number;
  if (const auto* text = node.as<std::string>()) return *text;
  return nullptr;  // a date: the schema has no such type
}

const valijson::Schema& compiled(std::string_view schema) {
  static std::mutex one_at_a_time;
  static std::map<std::string_view, valijson::Schema> known;
  const std::lock_guard guard(one_at_a_time);
  const auto [place, is_new] = known.try_emplace(schema);
  if (is_new) {
    const auto json = nlohmann::json::parse(schema);
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(json), place->second);
  }
  return place->second;
}

/// The position in the file of the value that a path such as <root>[body][3][mass] leads to. If the document
/// has no such value: the position of the last value on the path that exists.
Position place(const Node& document, const std::vector<std::string>& path) {
  const Node* node = &document;
  for (const std::string& part : path) {
    if (!part.starts_with('[')) continue;  // <root>
    const std::string key = part.substr(1, part.size() - 2);
    const Node* next = nullptr;
    if (const auto* array = node->as<Node::Array>()) {
      const std::size_t index = std::strtoul(key.c_str(), nullptr, 10);
      if (index < array->size()) next = &(*array)[index];
    } else {
      next = node->find(key);
    }
    if (!next) break;
    node = next;
  }
  return node->at;
}

}  // namespace

void check_with_validator(const Node& document, const Language& language, Diagnostics& diagnostics) {
  const nlohmann::json json = image(document);
  valijson::ValidationResults results;
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  if (validator.validate(compiled(language.schema), valijson::adapters::NlohmannJsonAdapter(json), &results))
    return;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    // The validator also reports each table and array around a wrong value.
    const bool around = error.description.starts_with("Failed to validate against schema associated with") ||
                        error.description.starts_with("Failed to validate item #");
    if (!around)
      diagnostics.error(place(document, error.context),
                        fmt::format("not valid by the {} schema: {}", language.noun, error.description));
  }
}

}  // namespace torsor::scene
