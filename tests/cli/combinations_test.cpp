#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

/// The state of a scene after half a second, or at its end if it is shorter. The steps follow the canonical
/// connection.
json early_state(const std::filesystem::path& path, scene::Overrides overrides) {
  const std::string end = std::to_string(std::min(0.5, scene::load_scene(path).run.t_end));
  overrides.insert(overrides.end(), {{"integrator.method", "rkmk-dop853"},
                                     {"integrator.connection", "canonical"},
                                     {"integrator.tolerance", "1e-11"},
                                     {"run.end", end},
                                     {"run.output", end},
                                     {"run.output_times", "[]"}});
  const scene::Scene scene = scene::load_scene(path, overrides);
  return states_at(scene, {scene.run.t_end}).front();
}

void check_same(const json& one, const json& other) {
  for (const auto& [name, body] : one.at("bodies").items()) {
    CAPTURE(name);
    for (const char* key : {"x", "v", "q", "Omega"})
      if (body.contains(key)) {
        double squares = 1;  // relative to the length of the vector where it exceeds 1
        for (const json& number : body.at(key)) squares += number.get<double>() * number.get<double>();
        CHECK(body_difference(key, other.at("bodies").at(name), body.at(key)) <= 1e-9 * std::sqrt(squares));
      }
  }
  for (const char* kind : {"joints", "constraints"})
    for (const auto& [name, motion] : one.at(kind).items())
      for (const char* key : {"force", "torque"}) {
        CAPTURE(name);
        CHECK(difference(other.at(kind).at(name).at(key), motion.at(key)) <= 1e-8);
      }
}

/// Gives the bodies the two groups alternately.
scene::Overrides mixed_groups(const scene::Scene& scene) {
  scene::Overrides overrides;
  for (std::size_t i = 0; i < scene.mechanism.bodies.size(); ++i)
    if (const Body& body = scene.mechanism.bodies[i]; !body.particle && body.nodes.empty())
      overrides.emplace_back("body." + body.name + ".group", i % 2 == 0 ? "semidirect" : "direct");
  return overrides;
}

TEST_CASE(
    "every scene with bodies has the same motion in both formulations, on both groups and on mixed groups") {
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_SCENES)) {
    if (entry.path().extension() != ".toml") continue;
    const scene::Scene scene = scene::load_scene(entry.path());
    if (scene.in_coordinates) continue;
    CAPTURE(scene.name);
    const json expected =
        early_state(entry.path(), {{"integrator.formulation", "tree"}, {"integrator.group", "direct"}});
    const auto check_variant = [&](const char* formulation, const char* groups, scene::Overrides overrides) {
      CAPTURE(std::string(formulation));
      CAPTURE(std::string(groups));
      overrides.emplace_back("integrator.formulation", formulation);
      check_same(expected, early_state(entry.path(), overrides));
    };
    check_variant("absolute", "direct", {{"integrator.group", "direct"}});
    for (const char* formulation : {"tree", "absolute"}) {
      check_variant(formulation, "semidirect", {{"integrator.group", "semidirect"}});
      check_variant(formulation, "mixed", mixed_groups(scene));
    }
  }
}

}  // namespace
}  // namespace torsor::test
