#include "scene/schema/schema.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/constraints/constraint_kind.hpp"
#include "model/forces/force_kind.hpp"
#include "scene/language/units.hpp"
#include "support.hpp"
#include "toml.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::scene {
namespace {

using Json = nlohmann::ordered_json;

const scene::Overrides none;

/// A document, or nothing if the text is not valid TOML.
std::optional<Node> document(const std::string& text) {
  try {
    return parse_toml(text, Diagnostics("scene", none));
  } catch (const scene::SceneError&) {
    return std::nullopt;
  }
}

void for_each_key(const Json& schema, const auto& tell) {
  if (const auto properties = schema.find("properties"); properties != schema.end())
    for (const auto& [key, property] : properties->items()) tell(key, property);
  if (const auto definitions = schema.find("definitions"); definitions != schema.end())
    for (const auto& [name, definition] : definitions->items()) for_each_key(definition, tell);
}

/// How many of the laws read this kind.
template <class... Laws>
int laws_that_read(std::string_view kind, const std::variant<Laws...>&) {
  return (Laws::kind().reads(kind) + ... + 0);
}

}  // namespace

TEST_CASE("exactly one law reads each kind of force and of constraint") {
  const auto check = [](const char* family, const auto& law) {
    for (const Rule* variant : scene_rule().property(family)->items->variants) {
      const std::vector<std::string>& kinds = variant->property("kind")->allowed;
      REQUIRE(kinds.size() == 1);
      CAPTURE(kinds.front());
      CHECK(laws_that_read(kinds.front(), law) == 1);
    }
  };
  check("force", Force().law);
  check("constraint", Constraint().law);
}

// JSON has neither NaN nor infinity, so the schema does not exclude these numbers, and only the built-in
// check refuses them. The test omits scenes with such numbers, and scenes that exceed a limit of the parser.
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

TEST_CASE("the validator reports each wrong value at its position, and not the tables around it") {
  const auto lines = [](const std::string& text) {
    Diagnostics theirs("scene", none);
    check_with_validator(*document(text), scene_language(), theirs);
    std::vector<std::string> all;
    try {
      theirs.throw_if_any();
    } catch (const SceneError& error) {
      for (const Diagnostic& one : error.diagnostics)
        all.push_back(std::to_string(one.line) + ":" + std::to_string(one.column));
    }
    return all;
  };
  const std::string body = "[run]\nend = 1\n[[body]]\nmass = true\ninertia = [1, 1, 1]\n";
  CHECK(lines(body + "name = \"a\"\n") == std::vector<std::string>{"4:8"});
  // Without a name: the wrong mass, and the body, which begins in line 3.
  const auto both = lines(body);
  REQUIRE(both.size() == 2);
  CHECK(std::count(both.begin(), both.end(), "4:8") == 1);
  CHECK(std::count(both.begin(), both.end(), "3:1") == 1);
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

TEST_CASE("every unit in the schema is one that a number may have") {
  for_each_key(Json::parse(scene_schema()), [](const std::string& key, const Json& property) {
    if (!property.contains("unit") || property.at("unit") == "of the quantity") return;
    CAPTURE(key);
    std::string units = property.at("unit").get<std::string>();
    for (std::size_t next = 0; next != std::string::npos; units.erase(0, next + 4)) {
      next = units.find(" or ");
      const std::string unit = units.substr(0, next);
      CAPTURE(unit);
      CHECK(si_unit(unit).value_or(SiUnit{0}).factor == 1);
      CHECK(std::get<double>(unit_factor(unit, unit)) == 1);
      if (next == std::string::npos) break;
    }
  });
}

TEST_CASE("a unit that the list does not have is a unit of the quantities that take it") {
  CHECK(std::get<double>(unit_factor("Pa*s", "Pa*s")) == 1);
  CHECK(std::get<std::string>(unit_factor("m", "Pa*s")) == " takes Pa*s, not \"m\"");
}

}  // namespace torsor::scene
