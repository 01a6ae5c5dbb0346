#include <doctest/doctest.h>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

scene::Overrides along_geodesics(const std::string& step, const char* group = "direct") {
  return {{"integrator.connection", "christoffel"},
          {"integrator.method", "geodesic-verlet"},
          {"integrator.step", step},
          {"integrator.group", group}};
}

/// The greatest error of attitude and angular velocity at t, an output time of the scene's reference.
double error_at(const std::string& name, const scene::Overrides& overrides, double t) {
  const json outputs = reference(name).at("outputs");
  for (const json& output : outputs) {
    if (output.at("t") != t) continue;
    const json state = states_at(scene::load_scene(scene_path(name), overrides), {t}).front();
    double worst = 0;
    for (const char* key : {"q", "Omega"})
      worst = greatest(worst, body_difference(key, state.at("bodies").front(), output.at(key)));
    return worst;
  }
  FAIL("no such output");
  return 0;
}

}  // namespace

TEST_CASE("geodesic steps of a free body give the reference motion at any step size") {
  for (const char* group : {"direct", "semidirect"}) {
    CAPTURE(group);
    check_against_reference("so3_geodesic", along_geodesics("3", group), [](double) { return 1e-12; });
    check_against_reference("free_rigid_body", along_geodesics("0.5", group), [](double) { return 1e-11; });
  }
}

TEST_CASE("so3_geodesic: exponential steps converge to the same motion with order 2") {
  const auto error = [](const char* step) {
    return error_at("so3_geodesic", {{"integrator.method", "lie-verlet"}, {"integrator.step", step}}, 3);
  };
  const double coarse = error("0.1"), fine = error("0.05");
  CHECK(coarse > 1e-4);
  CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("under forces, geodesic and exponential steps both converge with order 2") {
  for (const char* method : {"lie-verlet", "geodesic-verlet"}) {
    CAPTURE(method);
    const auto error = [&](const char* step) {
      return error_at("heavy_top_slow", {{"integrator.method", method}, {"integrator.step", step}}, 1);
    };
    const double coarse = error("2e-3"), fine = error("1e-3");
    CAPTURE(coarse);
    CHECK(coarse < 1e-2);
    CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.1));
  }
}

TEST_CASE("heavy_top_geodesics: geodesic steps reach the states and reactions of the slow top's reference") {
  const scene::Scene scene = scene::load_scene(scene_path("heavy_top_geodesics"));
  CHECK(scene.run.method == "geodesic-verlet");
  const json outputs = reference("heavy_top_slow").at("outputs");
  std::vector<double> times;
  for (const json& output : outputs) times.push_back(output.at("t"));
  const auto states = states_at(scene, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CAPTURE(times[i]);
    for (const auto& [key, error] : differences(states[i], outputs[i])) {
      CAPTURE(key);
      CHECK(error <= 1e-4);
    }
  }
}

TEST_CASE("connection = christoffel selects geodesic-verlet where no method is given") {
  const scene::Scene scene = scene::parse_scene(
      "[run]\nend = 1\n[integrator]\nconnection = \"christoffel\"\nstep = 0.1\n"
      "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 2, 2.5]\n",
      "scene");
  CHECK(scene.run.method == "geodesic-verlet");
}

TEST_CASE("geodesic steps refuse scenes with constraints or without an invariant metric, with the reason") {
  const auto refusal = [](const char* name, const char* formulation) -> std::string {
    scene::Overrides overrides = along_geodesics("1e-3");
    overrides.push_back({"integrator.formulation", formulation});
    const scene::Scene scene = scene::load_scene(scene_path(name), overrides);
    const scene::ReadyModel ready = make_model(scene);
    try {
      run(ready.model, ready.start, scene.run);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no complaint";
  };
  CHECK(refusal("double_pendulum_planar", "tree") ==
        "geodesic-verlet: the method needs a constant mass matrix in body axes and forces that depend on "
        "position and time alone: body \"rod1\" is attached to body \"rod0\", which moves");
  CHECK(refusal("heavy_top_slow", "absolute") ==
        "geodesic-verlet: the method cannot integrate a system with constraints; rattlie can");
  // In tree form the coupler is attached to the moving crank, so rattlie cannot integrate the loop either.
  CHECK(refusal("fourbar_driven", "tree") ==
        "geodesic-verlet: the method cannot integrate a system with constraints; rkmk-dop853 can");
}

}  // namespace torsor::test
