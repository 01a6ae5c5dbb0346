#include <doctest/doctest.h>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

TEST_CASE("constrained scenes reach the states and reactions of their references in both formulations") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    for (const ConstrainedScene& scene : constrained_scenes)
      check_against_reference(
          scene.name, at_tolerance("rkmk-fehlberg78", formulation), [](double) { return owed_constrained; },
          scene.last);
  }
}

TEST_CASE("constrained scenes reach their references by another method and on the other group") {
  for (const ConstrainedScene& scene : constrained_scenes)
    check_against_reference(
        scene.name, at_tolerance("rkmk-dopri5", "absolute", "semidirect"),
        [](double) { return owed_constrained; }, scene.last);
}

TEST_CASE("tree scenes reach the states and reactions of their references in absolute coordinates") {
  for (const char* group : {"direct", "semidirect"}) {
    CAPTURE(std::string(group));
    for (const ReferenceScene& scene : reference_scenes)
      check_against_reference(scene.name, at_tolerance("rkmk-fehlberg78", "absolute", group),
                              [&](double t) { return std::max(owed_constrained, owed(scene.name, t)); });
  }
}

TEST_CASE(
    "the error of a fast ball on a turntable of varying speed stays within a multiple of the tolerance") {
  const auto end_of = [](const char* method, const char* tolerance, const char* formulation) {
    const scene::Scene scene =
        scene::load_scene(scene_path("sphere_on_turntable_constant"),
                          {{"integrator.method", method},
                           {"integrator.tolerance", tolerance},
                           {"integrator.formulation", formulation},
                           {"constraint.contact.plane.angle", "7*t + 0.8*(1 - cos(2*t))"},
                           {"run.output", "10"}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory motion = run(ready.model, ready.start, scene.run);
    REQUIRE(motion.summary.status == StepStatus::reached_end);
    return motion.samples.back().bodies[0];
  };
  const BodyMotion expected = end_of("rkmk-fehlberg78", "1e-13", "tree");
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dopri8", "rkmk-dop853"})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* tolerance : {"1e-6", "1e-8", "1e-10"}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(formulation));
        CAPTURE(std::string(tolerance));
        const BodyMotion found = end_of(method, tolerance, formulation);
        CHECK((found.R.inverse() * expected.R).log().norm() <= 60 * std::stod(tolerance));
        CHECK((found.x - expected.x).norm() <= 3 * std::stod(tolerance));
      }
}

TEST_CASE("generalized-alpha reaches the positions of the references at the listed step sizes") {
  struct Case {
    const char *name, *step;
  };
  for (const Case& one :
       {Case{"heavy_top_bruls", "5e-5"}, Case{"heavy_top_slow", "2e-4"}, Case{"lagrange_top", "2e-4"},
        Case{"simple_pendulum", "2e-4"}, Case{"spherical_pendulum_moving_support", "3e-4"},
        Case{"kapitza_inverted", "5e-5"}, Case{"sphere_on_turntable_constant", "1e-4"},
        Case{"rolling_disk_exact", "5e-4"}, Case{"rolling_disk_torque", "3e-4"},
        Case{"rolling_disk_viscous_1e-1", "5e-4"}, Case{"rolling_disk_viscous_1e-2", "3e-4"},
        Case{"rolling_disk_viscous_1e-3", "3e-4"}, Case{"fourbar_driven", "1e-3"}}) {
    const scene::Overrides overrides = {{"integrator.method", "generalized-alpha"},
                                        {"integrator.step", one.step},
                                        {"integrator.formulation", "absolute"}};
    check_against_reference(one.name, overrides, [](const std::string& key, double) {
      const bool position = key == "x" || key.ends_with(".x");
      return position ? 1e-5 : std::numeric_limits<double>::infinity();
    });
  }
}

/// The final state of a run of a shipped scene.
json end_of(const std::string& name, const scene::Overrides& overrides) {
  const scene::Scene scene = scene::load_scene(scene_path(name), overrides);
  return states_at(scene, {scene.run.t_end}).front();
}

TEST_CASE("mechanisms without a reference move alike in both formulations and conserve energy") {
  struct Case {
    const char *name, *end, *body;
  };
  for (const Case& one :
       {Case{"parallelogram", "2", "coupler"}, Case{"slider_crank_spatial", "2", "slider"},
        Case{"governor", "1", "slider"}, Case{"bricard", "2", "rod3"}, Case{"ten_loops", "60", "link10"}}) {
    CAPTURE(one.name);
    const scene::Overrides overrides = {{"integrator.tolerance", "1e-9"}, {"run.end", one.end}};
    scene::Overrides absolute = overrides;
    absolute.emplace_back("integrator.formulation", "absolute");
    const json tree = end_of(one.name, overrides), other = end_of(one.name, absolute);
    for (const char* key : {"x", "v", "Omega"})
      CHECK(body_difference(key, tree.at("bodies").at(one.body), other.at("bodies").at(one.body)[key]) <=
            1e-5);
    for (const json* end : {&tree, &other}) {
      CHECK(end->at("residuals").at("position").get<double>() <= 1e-9);
      CHECK(end->at("residuals").at("velocity").get<double>() <= 1e-9);
      CHECK(end->at("energy").at("max_drift").get<double>() <= 1e-5);
    }
  }
}

TEST_CASE("a driving constraint reports the power that it supplies") {
  const json end = end_of("fourbar_driven", {{"run.end", "0.3"}, {"integrator.tolerance", "1e-9"}});
  const json& drive = end.at("constraints").at("drive");
  const double rate = end.at("bodies").at("crank").at("Omega")[2];
  CHECK(drive.at("power").get<double>() ==
        doctest::Approx(drive.at("multiplier")[0].get<double>() * rate).epsilon(1e-9));
  const json rolling = end_of("rolling_disk_exact", {{"run.end", "0.3"}, {"integrator.tolerance", "1e-9"}});
  CHECK(rolling.at("constraints").at("contact").at("power") == 0);
}

TEST_CASE("reactions of redundant hinges are reported as not unique") {
  const json end = end_of("parallelogram", {{"run.end", "0.1"}, {"integrator.tolerance", "1e-9"}});
  CHECK(end.at("joints").at("head2").at("unique") == false);
  const json top = end_of("heavy_top_bruls", {{"run.end", "0.1"}, {"integrator.formulation", "absolute"}});
  CHECK_FALSE(top.at("joints").at("pivot").contains("unique"));
}

TEST_CASE("project sets a tilted cart upright; one of its rows is redundant only in the upright position") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const scene::Scene scene =
        scene::load_scene(scene_path("two_wheeled_cart"), {{"body.frame.rotation_vector", "[0.3, 0.2, 0.1]"},
                                                           {"integrator.consistent", "project"},
                                                           {"integrator.formulation", formulation},
                                                           {"run.end", "0.1"}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory motion = run(ready.model, ready.start, scene.run);
    CHECK(motion.summary.status == StepStatus::reached_end);
    for (const Sample& sample : motion.samples) {
      CHECK(greatest(sample.invariants.position_residual) < 1e-12);
      CHECK(greatest(sample.invariants.velocity_residual) < 1e-12);
    }
    const Mat3 R = motion.samples.front().bodies.front().R.matrix();
    CHECK(greatest(R.col(2) - Vec3::UnitZ()) < 1e-12);  // upright
  }
}

}  // namespace
}  // namespace torsor::test
