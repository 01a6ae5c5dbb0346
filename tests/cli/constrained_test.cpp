#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

constexpr double owed_constrained = 1e-8;

Overrides at_tolerance(const char* method, const char* formulation, const char* group = "direct") {
  return {{"integrator.method", method},
          {"integrator.tolerance", "1e-11"},
          {"integrator.formulation", formulation},
          {"integrator.group", group}};
}

TEST_CASE("constrained scenes meet every reference, states and reactions, in both formulations") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    for (const ConstrainedScene& scene : constrained_scenes)
      check_against_reference(
          scene.name, at_tolerance("rkmk-fehlberg78", formulation), [](double) { return owed_constrained; },
          scene.last);
  }
}

TEST_CASE("constrained scenes meet every reference by another method and on the other group") {
  for (const ConstrainedScene& scene : constrained_scenes)
    check_against_reference(
        scene.name, at_tolerance("rkmk-dopri5", "absolute", "semidirect"),
        [](double) { return owed_constrained; }, scene.last);
}

TEST_CASE("tree scenes meet their reference in absolute coordinates, reactions included") {
  for (const char* group : {"direct", "semidirect"}) {
    CAPTURE(std::string(group));
    for (const ReferenceScene& scene : reference_scenes)
      check_against_reference(scene.name, at_tolerance("rkmk-fehlberg78", "absolute", group),
                              [&](double t) { return std::max(owed_constrained, owed(scene.name, t)); });
  }
}

TEST_CASE("rows of four-bars pass their flat positions on the branch of parallel links, at a fixed step") {
  const auto pass = [](const char* name, const char* step, const char* formulation, double last,
                       double bound) {
    CAPTURE(std::string(formulation));
    check_against_reference(
        name,
        {{"integrator.method", "rkmk4"}, {"integrator.step", step}, {"integrator.formulation", formulation}},
        [bound](double) { return bound; }, last);
  };
  pass("n_fourbar_2", "2e-3", "tree", 20, 1e-7);
  pass("n_fourbar_2", "2e-3", "absolute", 5, 2e-6);
  pass("n_fourbar_40", "5e-3", "tree", 1, 1e-6);
}

TEST_CASE(
    "error control carries rows of four-bars through their flat positions to the end of the reference") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const auto bound = [](double) { return owed_constrained; };
    for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dop853"}) {
      CAPTURE(std::string(method));
      check_against_reference("n_fourbar_2", at_tolerance(method, formulation), bound);
    }
    check_against_reference("n_fourbar_40", at_tolerance("rkmk-dop853", formulation), bound, 5);
  }
}

TEST_CASE("rows of four-bars pass their flat positions at every tolerance, by every pair, on both groups") {
  for (const char* method : {"rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dop853"})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* group : {"direct", "semidirect"})
        for (const char* tolerance : {"1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12"}) {
          CAPTURE(std::string(method));
          CAPTURE(std::string(tolerance));
          Overrides overrides = at_tolerance(method, formulation, group);
          overrides.emplace_back("integrator.tolerance", tolerance);
          const double owed = 200 * std::max(std::stod(tolerance), 1e-11);
          check_against_reference(
              "n_fourbar_2", overrides, [&](double) { return owed; }, 5);
        }
}

TEST_CASE("flat positions that rounding refuses are passed, and the result says so") {
  const auto note_of = [](int four_bars, const char* formulation, const char* method, const char* tolerance) {
    CAPTURE(four_bars);
    std::ifstream file(scene_path("n_fourbar_40"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const int links : {41, 40}) {
      const std::string as_shipped = "repeat = " + std::to_string(links);
      for (std::size_t at; (at = text.find(as_shipped)) != std::string::npos;)
        text.replace(at, as_shipped.size(), "repeat = " + std::to_string(links - 40 + four_bars));
    }
    const Scene scene = parse_scene(text, "row.toml",
                                    {{"integrator.method", method},
                                     {"integrator.tolerance", tolerance},
                                     {"integrator.formulation", formulation},
                                     {"run.output", "10"}});
    const ReadyScene ready = make_model(scene);
    const RunSummary summary = run(ready.model, ready.start, scene.run, scene.points).summary;
    CHECK(summary.status == StepStatus::reached_end);
    return summary.note;
  };
  for (const std::string& note :
       {note_of(4, "tree", "rkmk-fehlberg78", "3e-13"), note_of(7, "tree", "rkmk-dopri8", "3e-12"),
        note_of(4, "absolute", "rkmk-dopri8", "1e-13")}) {
    CHECK(note.starts_with("the tolerance was not reached: the constraints nearly lose rank in \""));
    CHECK(note.find("where rounding alone makes an error of about ") != std::string::npos);
  }
  CHECK(note_of(4, "tree", "rkmk-fehlberg78", "1e-7").empty());
}

TEST_CASE("half-explicit steps go over flat positions too, and outputs may lie next to them") {
  const auto samples = [](const char* method) {
    const Scene scene = load_scene(scene_path("n_fourbar_2"), {{"integrator.method", method},
                                                               {"integrator.tolerance", "1e-8"},
                                                               {"run.end", "10"},
                                                               {"run.output", "0.005"}});
    const ReadyScene ready = make_model(scene);
    return run(ready.model, ready.start, scene.run, scene.points).samples;
  };
  const auto half_explicit = samples("hemk5"), expected = samples("rkmk-dop853");
  REQUIRE(half_explicit.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].t);
    CHECK((half_explicit[i].points[0].x - expected[i].points[0].x).norm() <= 1e-5);
    CHECK(half_explicit[i].invariants.position_residual <= 1e-12);
  }
}

TEST_CASE("half-explicit steps of fixed size pass flat positions, by another method where they cannot") {
  for (const char* method : {"hemk4", "hemk5"})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* step : {"5e-3", "2e-3"}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(formulation));
        CAPTURE(std::string(step));
        const Overrides overrides = {{"integrator.method", method},
                                     {"integrator.step", step},
                                     {"integrator.formulation", formulation}};
        check_against_reference(
            "n_fourbar_2", overrides, [](double) { return 1e-5; }, 5);
        const Scene scene = load_scene(scene_path("n_fourbar_2"), overrides);
        const ReadyScene ready = make_model(scene);
        const std::string note = run(ready.model, ready.start, scene.run, scene.points).summary.note;
        CHECK(note.starts_with("rkmk-dop853 took steps that " + std::string(method) +
                               " cannot take: the constraints nearly lose rank in \""));
      }
}

TEST_CASE("generalized-alpha meets the positions of every reference at the stated step") {
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
    const Overrides overrides = {{"integrator.method", "generalized-alpha"},
                                 {"integrator.step", one.step},
                                 {"integrator.formulation", "absolute"}};
    check_against_reference(one.name, overrides, [](const std::string& key, double) {
      const bool position = key == "x" || key.ends_with(".x");
      return position ? 1e-5 : std::numeric_limits<double>::infinity();
    });
  }
}

/// The end of a run of a shipped scene.
json end_of(const std::string& name, const Overrides& overrides) {
  const Scene scene = load_scene(scene_path(name), overrides);
  return states_at(scene, {scene.run.t_end}).front();
}

TEST_CASE("mechanisms without a reference move alike in both formulations and keep their energy") {
  struct Case {
    const char *name, *end, *body;
  };
  for (const Case& one :
       {Case{"parallelogram", "2", "coupler"}, Case{"slider_crank_spatial", "2", "slider"},
        Case{"governor", "1", "slider"}, Case{"bricard", "2", "rod3"}, Case{"ten_loops", "60", "link10"}}) {
    CAPTURE(one.name);
    const Overrides overrides = {{"integrator.tolerance", "1e-9"}, {"run.end", one.end}};
    Overrides absolute = overrides;
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

TEST_CASE("what moves a constraint tells the power that it supplies") {
  const json end = end_of("fourbar_driven", {{"run.end", "0.3"}, {"integrator.tolerance", "1e-9"}});
  const json& drive = end.at("constraints").at("drive");
  const double rate = end.at("bodies").at("crank").at("Omega")[2];
  CHECK(drive.at("power").get<double>() ==
        doctest::Approx(drive.at("multiplier")[0].get<double>() * rate).epsilon(1e-9));
  const json rolling = end_of("rolling_disk_exact", {{"run.end", "0.3"}, {"integrator.tolerance", "1e-9"}});
  CHECK(rolling.at("constraints").at("contact").at("power") == 0);
}

TEST_CASE("reactions that redundant hinges share are marked") {
  const json end = end_of("parallelogram", {{"run.end", "0.1"}, {"integrator.tolerance", "1e-9"}});
  CHECK(end.at("joints").at("head2").at("unique") == false);
  const json top = end_of("heavy_top_bruls", {{"run.end", "0.1"}, {"integrator.formulation", "absolute"}});
  CHECK_FALSE(top.at("joints").at("pivot").contains("unique"));
}

}  // namespace
}  // namespace torsor::test
