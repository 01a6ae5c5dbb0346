#include <array>
#include <cmath>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

/// The state at 30 ms in the Test Set for IVP Solvers (problem "andrews", computed with PSIDE at a
/// tolerance of 1e-14): angle and rate of each joint.
struct Published {
  const char* joint;
  double angle, rate;
};
constexpr std::array<Published, 7> at_30_ms = {{{"crank", 0.1581077119629904e2, 0.1139920302151208e4},
                                                {"Theta", -0.1575637105984298e2, -0.1424379294994111e4},
                                                {"B", 0.4082224013073101e-1, 0.1103291221937134e2},
                                                {"Phi", -0.5347301163226948, 0.1929337464421385e2},
                                                {"A5", 0.5244099658805304, 0.5735699284790808},
                                                {"Omega", 0.5347301163226948, -0.1929337464421385e2},
                                                {"A7", 0.1048080741042263e1, 0.3231791658026955}}};

// The published values have an error too: four methods of this library agree to 1e-12 and differ
// from the published angle of the crank by 1.1e-9 rad, which corresponds to 1e-12 s of time.
TEST_CASE("the squeezing mechanism of Andrews ends at the published state of the test set") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(formulation);
    const scene::Scene scene =
        scene::load_scene(scene_path("andrews_mechanism"), {{"integrator.formulation", formulation},
                                                            {"integrator.tolerance", "1e-11"},
                                                            {"run.output", "30 ms"}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory whole = run(ready.model, ready.start, scene.run);
    REQUIRE(whole.summary.status == StepStatus::reached_end);
    for (const Published& one : at_30_ms) {
      CAPTURE(one.joint);
      const auto joint = std::find_if(scene.mechanism.joints.begin(), scene.mechanism.joints.end(),
                                      [&](const Joint& known) { return known.name == one.joint; });
      REQUIRE(joint != scene.mechanism.joints.end());
      const auto& end =
          whole.samples.back().joints[static_cast<std::size_t>(joint - scene.mechanism.joints.begin())];
      CHECK(std::abs(end.q[0] - one.angle) <= 3e-9);
      CHECK(std::abs(end.v[0] - one.rate) <= 1e-7 * std::max(1., std::abs(one.rate)));
    }
  }
}

TEST_CASE("a new value of a definition changes every quantity that uses the definition") {
  const scene::Scene heavy = scene::load_scene(scene_path("andrews_mechanism"),
                                               {{"definitions.m3", "0.1"}, {"definitions.ss", "0.036"}});
  CHECK(heavy.mechanism.bodies[2].mass == 0.1);
  int moved = 0;
  for (const Joint& joint : heavy.mechanism.joints) moved += joint.X_CM.p.y() == 0.01874 - 0.036;
  CHECK(moved == 1);
}

}  // namespace
}  // namespace torsor::test
