// Writes the reference page of scene files from their schema, or checks that the page is the one it would
// write.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "torsor/scene/schema.hpp"

namespace {

using Json = nlohmann::ordered_json;

std::string types(const Json& property) {
  if (property.contains("$ref") || property.value("type", Json()) == "object") return "table";
  std::string all;
  for (const Json& type :
       property.at("type").is_array() ? property.at("type") : Json::array({property.at("type")})) {
    const std::string name = type.get<std::string>();
    if (name == "string" && property.at("type").is_array()) continue;  // a quantity: the introduction says so
    all += (all.empty() ? "" : " or ") + name;
  }
  if (property.contains("minItems") && property.value("minItems", 0) == property.value("maxItems", -1))
    all += fmt::format(" of {}", property.at("minItems").get<int>());
  return all;
}

std::string range(const Json& property) {
  std::string text;
  if (property.contains("exclusiveMinimum"))
    text += fmt::format("> {} ", property.at("exclusiveMinimum").dump());
  if (property.contains("minimum")) text += fmt::format(">= {} ", property.at("minimum").dump());
  if (property.contains("maximum")) text += fmt::format("<= {} ", property.at("maximum").dump());
  if (property.contains("enum"))
    for (const Json& word : property.at("enum")) text += fmt::format("`{}` ", word.get<std::string>());
  if (property.contains("items")) return text + range(property.at("items"));
  return text;
}

std::string row(const std::string& key, const Json& property, bool required, const Json& schema) {
  const Json& target = property.contains("$ref")
                           ? schema.at(Json::json_pointer(property.at("$ref").get<std::string>().substr(1)))
                           : property;
  return fmt::format(
      "| `{}` | {}{} | {} | {} | {} | {}{} |\n", key, types(property),
      property.value("expression", false) ? ", of t" : "", property.value("unit", ""), range(property),
      required                       ? "needed"
      : property.contains("default") ? fmt::format("`{}`", property.at("default").dump())
                                     : "",
      target.value("description", ""),
      property.contains("$ref") ? fmt::format(" See `{}`.", property.at("$ref").get<std::string>().substr(14))
                                : "");
}

std::string table(const std::string& heading, const Json& object, const Json& schema) {
  std::string text = fmt::format(
      "\n## {}\n\n{}\n\n| key | value | unit | range | default | meaning |\n|---|---|---|---|---|---|\n",
      heading, object.at("description").get<std::string>());
  for (const auto& [key, property] : object.at("properties").items()) {
    const Json& required = object.value("required", Json::array());
    text += row(key, property, std::find(required.begin(), required.end(), key) != required.end(), schema);
  }
  return text;
}

std::string page() {
  const Json schema = Json::parse(torsor::scene_schema());
  std::string text =
      "# Scene files\n\nMade from `lib/scene/scene.schema.json` by `cmake --build build --target "
      "scene_page`; do not edit.\n\n";
  text += schema.at("description").get<std::string>() + "\n";
  Json top = schema;
  top["description"] = "The keys of the file itself.";
  text += table("The scene", top, schema);
  for (const auto& [name, definition] : schema.at("definitions").items())
    text += table(fmt::format("`{}`", name), definition, schema);
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const bool check = count == 3 && std::string(arguments[1]) == "--check";
  if (count != 2 && !check) {
    std::fputs("usage: torsor_scene_page [--check] FILE\n", stderr);
    return 2;
  }
  const std::string path = arguments[count - 1], text = page();
  if (!check) {
    std::ofstream file(path, std::ios::binary);
    return (file << text << std::flush) ? 0 : 4;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string present{std::istreambuf_iterator<char>(file), {}};
  if (present == text) return 0;
  fmt::print(stderr, "{} is not what the schema says; build the target scene_page\n", path);
  return 1;
}
