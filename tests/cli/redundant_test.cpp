#include <doctest/doctest.h>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

/// The end of the first quarter of a second of a scene.
json end_of(const char* name, Overrides overrides) {
  overrides.emplace_back("run.end", "0.25");
  overrides.emplace_back("run.output", "0.05");
  const Scene scene = load_scene(scene_path(name), overrides);
  return states_at(scene, {scene.run.t_end}).front();
}

/// Motion to `bound`, reactions to ten times that, position residual to `held`.
void check_same(const json& end, const json& expected, double bound, double held) {
  for (const auto& [name, body] : expected.at("bodies").items())
    for (const char* key : {"x", "v", "Omega"}) {
      CAPTURE(name);
      CHECK(body_difference(key, end.at("bodies").at(name), body.at(key)) <= bound);
    }
  for (const auto& [name, joint] : expected.at("joints").items())
    for (const char* key : {"force", "torque"}) {
      CAPTURE(name);
      CHECK(difference(end.at("joints").at(name).at(key), joint.at(key)) <= 10 * bound);
    }
  CHECK(end.at("residuals").at("position").get<double>() <= held);
}

TEST_CASE(
    "redundant rows, also those that are so on the constraints alone, in every treatment by every kind "
    "of method") {
  for (const char* name : {"bricard", "parallelogram", "fourbar_driven"}) {
    CAPTURE(std::string(name));
    const json expected = end_of(name, {{"integrator.tolerance", "1e-11"}});
    struct Case {
      const char *method, *treatments, *key, *value;
    };
    for (const Case& one :
         {Case{"rkmk4", "index-1 minimal dynamic", "tolerance", "1e-8"},
          Case{"generalized-alpha", "index-2 index-3 stabilised-index-2 minimal dynamic", "step", "1e-3"},
          Case{"hemk4", "index-2 minimal dynamic", "tolerance", "1e-8"},
          Case{"hemk5", "index-2 minimal dynamic", "tolerance", "1e-8"},
          Case{"bliedf2", "index-2 index-3 minimal dynamic", "step", "1e-3"},
          Case{"bliedf3", "index-2 index-3 minimal dynamic", "step", "1e-3"},
          Case{"lie-midpoint", "stabilised-index-2 minimal dynamic", "step", "1e-3"},
          Case{"rattlie", "stabilised-index-2 minimal", "step", "1e-3"}}) {
      CAPTURE(std::string(one.method));
      std::istringstream treatments(one.treatments);
      for (std::string treatment; treatments >> treatment;)
        for (const char* formulation : {"tree", "absolute"}) {
          if (std::string(one.method) == "rattlie" && std::string(formulation) == "tree") continue;
          CAPTURE(treatment);
          CAPTURE(std::string(formulation));
          const json end = end_of(name, {{"integrator.method", one.method},
                                         {"integrator.constraints", treatment},
                                         {"integrator.formulation", formulation},
                                         {std::string("integrator.") + one.key, one.value}});
          check_same(end, expected, 2e-5, treatment == "dynamic" || treatment == "minimal" ? 1e-7 : 1e-12);
        }
    }
  }
}

TEST_CASE("rows that agree at the start and part later end the run by name") {
  struct Case {
    const char *method, *treatment;
  };
  for (const Case& one : {Case{"rkmk4", "index-1"}, Case{"rkmk4", "dynamic"}, Case{"hemk4", "index-2"},
                          Case{"generalized-alpha", "index-3"}, Case{"bliedf2", "index-2"},
                          Case{"lie-midpoint", "stabilised-index-2"}}) {
    CAPTURE(std::string(one.method));
    const Scene scene = load_scene(std::string(TORSOR_TESTS) + "/invalid_scenes/constraints_contradict.toml",
                                   {{"constraint.slow.value", "sin(t)"},
                                    {"constraint.fast.value", "t"},
                                    {"integrator.method", one.method},
                                    {"integrator.constraints", one.treatment},
                                    {"integrator.step", "1e-3"}});
    const ReadyScene ready = make_model(scene);
    const RunSummary summary = run(ready.model, ready.start, scene.run).summary;
    CHECK(summary.status == StepStatus::singular);
    CHECK(summary.t < 0.1);
    CHECK(summary.message.find("constraints contradict the others at t = ") != std::string::npos);
    CHECK(summary.message.ends_with(": \"fast\" (row 1)"));
  }
}

TEST_CASE("an over-constrained linkage goes round under generalized-alpha") {
  const auto end = [](const Overrides& overrides) {
    const Scene scene = load_scene(scene_path("bricard"), overrides);
    return states_at(scene, {scene.run.t_end}).front();
  };
  const json expected = end({});
  for (const char* formulation : {"tree", "absolute"}) {
    const json alpha = end({{"integrator.method", "generalized-alpha"},
                            {"integrator.formulation", formulation},
                            {"integrator.step", "1e-3"}});
    check_same(alpha, expected, 1e-3, 1e-12);
  }
}

}  // namespace
}  // namespace torsor::test
