#include "scene/schema/schema.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support.hpp"
#include "toml.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::scene {
namespace {

using Json = nlohmann::ordered_json;

const Overrides none;

/// A document, or nothing if the text is not valid TOML.
std::optional<Node> document(const std::string& text) {
  try {
    return parse_toml(text, Diagnostics("scene", none));
  } catch (const SceneError&) {
    return std::nullopt;
  }
}

void for_each_key(const Json& schema, const auto& tell) {
  if (const auto properties = schema.find("properties"); properties != schema.end())
    for (const auto& [key, property] : properties->items()) tell(key, property);
  if (const auto definitions = schema.find("definitions"); definitions != schema.end())
    for (const auto& [name, definition] : definitions->items()) for_each_key(definition, tell);
}

}  // namespace

// NaN does not exist in JSON, so a scene with NaN satisfies the schema; another check refuses it earlier.
TEST_CASE("the built-in check and a JSON Schema validator agree") {
  int good = 0, bad = 0;
  auto paths = test::files(TORSOR_TESTS "/invalid_scenes", ".toml");
  const auto shipped = test::files(TORSOR_SCENES, ".toml");
  paths.insert(paths.end(), shipped.begin(), shipped.end());
  for (const auto& path : paths) {
    if (path.stem().string().starts_with("not_finite") || path.stem().string().starts_with("limit_"))
      continue;
    CAPTURE(path.filename().string());
    auto scene = document(test::contents(path));
    if (!scene) continue;
    Diagnostics ours("scene", none), theirs("scene", none);
    check_with_validator(*scene, scene_language(), theirs);
    check_schema(*scene, scene_language(), ours);
    CHECK(ours.empty() == theirs.empty());
    (theirs.empty() ? good : bad) += 1;
  }
  CHECK(good > 50);
  CHECK(bad > 30);
}

TEST_CASE("the schema lists the methods and connections of the library") {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  CHECK(scene_rule().property("integrator")->property("method")->allowed == names);
  const auto& connections = scene_rule().property("integrator")->property("connection")->allowed;
  for (const MethodInfo& method : methods())
    CHECK(std::find(connections.begin(), connections.end(), method.connection) != connections.end());
}

TEST_CASE("every key has a description that contains its unit") {
  for_each_key(Json::parse(scene_schema()), [](const std::string& key, const Json& property) {
    CAPTURE(key);
    if (property.contains("$ref")) return;
    REQUIRE(property.contains("description"));
    if (property.contains("unit"))
      CHECK(property.at("description").get<std::string>().find(property.at("unit").get<std::string>()) !=
            std::string::npos);
  });
}

}  // namespace torsor::scene
