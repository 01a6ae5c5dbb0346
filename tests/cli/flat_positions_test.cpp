#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <sstream>

#include "reference_run.hpp"

// Rows of four-bars pass the singular configurations in which all bars lie in one line and the constraints
// lose rank.

namespace torsor::test {
namespace {

struct Row {
  int four_bars;
  const char *method, *tolerance, *formulation = "tree";
};

/// Ten seconds of motion of the row, with output at the end alone.
scene::Scene scene_of(const Row& row) {
  std::ifstream file(scene_path("n_fourbar_40"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const int links : {41, 40}) {
    const std::string as_shipped = "repeat = " + std::to_string(links);
    for (std::size_t at; (at = text.find(as_shipped)) != std::string::npos;)
      text.replace(at, as_shipped.size(), "repeat = " + std::to_string(links - 40 + row.four_bars));
  }
  return scene::parse_scene(text, "row.toml",
                            {{"integrator.method", row.method},
                             {"integrator.tolerance", row.tolerance},
                             {"integrator.formulation", row.formulation},
                             {"run.output", "10"}});
}

Trajectory run_of(const scene::Scene& scene) {
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run, scene.points);
}

TEST_CASE(
    "rows of four-bars stay on the branch of parallel links at singular configurations, at a fixed step "
    "size") {
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
    "a note says if a stage of a fixed step came so near to a singular configuration that the distance of "
    "the state from the constraints may have changed the motion") {
  const auto motion = [](const char* method, const char* step, const char* treatment) {
    const scene::Scene scene =
        scene::load_scene(scene_path("n_fourbar_2"), {{"integrator.method", method},
                                                      {"integrator.step", step},
                                                      {"integrator.constraints", treatment},
                                                      {"run.end", "2"},
                                                      {"run.output", "2"}});
    return run_of(scene);
  };
  const Vec exact = motion("rkmk4", "1 ms", "index-1").samples.back().x.q;
  const auto check = [&](const char* method, const char* step, const char* treatment, bool changed) {
    CAPTURE(std::string(method));
    CAPTURE(std::string(step));
    const Trajectory found = motion(method, step, treatment);
    REQUIRE(found.summary.status == StepStatus::reached_end);
    const double distance = (found.samples.back().x.q - exact).norm();
    CHECK((changed ? distance > 0.01 : distance <= 0.01));
    CHECK((found.summary.note.find("which may have changed the motion") != std::string::npos) == changed);
  };
  check("rkmk-dop853", "1.6 ms", "minimal", true);
  check("rkmk4", "2 ms", "minimal", false);
  check("rkmk4", "2 ms", "dynamic", false);
}

TEST_CASE(
    "error control carries two four-bars through their singular configurations to the end of the reference, "
    "and forty for 5 s") {
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

TEST_CASE(
    "rows of four-bars pass singular configurations at every tolerance, by every embedded pair of "
    "Munthe-Kaas methods, on both groups") {
  for (const char* method : {"rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dopri8", "rkmk-dop853"})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* group : {"direct", "semidirect"})
        for (const char* tolerance : {"1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12"}) {
          CAPTURE(std::string(method));
          CAPTURE(std::string(tolerance));
          scene::Overrides overrides = at_tolerance(method, formulation, group);
          overrides.emplace_back("integrator.tolerance", tolerance);
          const double owed = 200 * std::max(std::stod(tolerance), 1e-11);
          check_against_reference(
              "n_fourbar_2", overrides, [&](double) { return owed; }, 5);
        }
}

TEST_CASE(
    "steps that fail near a singular configuration because of rounding are accepted with a note in the "
    "result") {
  const auto note_of = [](const Row& row) {
    CAPTURE(row.four_bars);
    const RunSummary summary = run_of(scene_of(row)).summary;
    CHECK(summary.status == StepStatus::reached_end);
    return summary.note;
  };
  for (const std::string& note :
       {note_of({4, "rkmk-fehlberg78", "3e-13"}), note_of({7, "rkmk-dopri8", "1e-12"}),
        note_of({4, "rkmk-dopri8", "1e-13", "absolute"})}) {
    CHECK(note.starts_with("the tolerance was not reached: the constraints nearly lose rank in \""));
    CHECK(note.find("where rounding alone may cause an error of about ") != std::string::npos);
  }
  CHECK(note_of({4, "rkmk-fehlberg78", "1e-7"}).empty());
}

/// Rows whose steps shrink near a singular configuration, because a step meant to pass it ends close to it.
constexpr std::array shrinking{Row{4, "rkmk-dopri8", "1e-13"}, Row{5, "rkmk-dopri8", "3e-12"},
                               Row{5, "rkmk-dop853", "2e-13"}, Row{6, "rkmk-dopri8", "2e-12"},
                               Row{7, "rkmk-dop853", "3e-12"}, Row{7, "rkmk-fehlberg78", "1e-12"},
                               Row{8, "rkmk-dop853", "3e-13"}};

TEST_CASE(
    "steps that shrink near a singular configuration are undone, and a step from farther away passes it") {
  for (const Row& row : shrinking) {
    CAPTURE(row.four_bars);
    CAPTURE(std::string(row.method));
    scene::Scene scene = scene_of(row), other = scene_of({row.four_bars, "rkmk-dop853", "1e-12", "absolute"});
    std::vector<double> progress;
    scene.run.progress = [&](double t) { progress.push_back(t); };
    const Trajectory alone = run_of(scene), expected = run_of(other);
    REQUIRE(alone.summary.status == StepStatus::reached_end);
    CHECK((alone.samples.back().points[0].x - expected.samples.back().points[0].x).norm() <= 2e-9);
    CHECK(std::is_sorted(progress.begin(), progress.end()));
    CHECK(std::adjacent_find(progress.begin(), progress.end()) == progress.end());

    scene.run.output_step = 0.02;
    const Trajectory looked_at = run_of(scene);
    CHECK(looked_at.summary.status == StepStatus::reached_end);
    CHECK(looked_at.samples.size() == 501);
    CHECK(looked_at.summary.accepted == alone.summary.accepted);
    CHECK(looked_at.samples.back().x.q == alone.samples.back().x.q);
    CHECK(looked_at.energy_max_drift <= 1e-8);
  }
}

/// A parallelogram that starts flat at rest and is flat again after 1.08 s; a torque acts on its first crank.
std::string flat_parallelogram(const std::string& torque) {
  return R"(
gravity = [0, -9.81, 0]
[run]
end = "1.9 s"
output = "1.9 s"
[[body]]
repeat = 2
name = "crank{i}"
mass = 1
inertia = [0.001, "1/12", "1/12"]
[[body]]
name = "coupler"
mass = 1
inertia = [0.001, "1/12", "1/12"]
[[joint]]
repeat = 2
name = "foot{i}"
kind = "revolute"
child = "crank{i}"
parent_frame.position = ["{i}", 0, 0]
child_frame.position = [-0.5, 0, 0]
coordinates = 1e-6
rates = 0
[[joint]]
repeat = 2
name = "head{i}"
kind = "revolute"
parent = "crank{i}"
child = "coupler"
parent_frame.position = [0.5, 0, 0]
child_frame.position = ["{i} - 0.5", 0, 0]
[[force]]
name = "torque"
kind = "joint-force"
joint = "foot0"
force = ")" +
         torque + "\"\n";
}

TEST_CASE("a step from farther away repeats the samples between its start and the singular configuration") {
  for (const char* method : {"rkmk-dopri5", "rkmk-dop853"})
    for (const char* period : {"1.06", "1.07"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(period));
      const auto end_of = [&](const std::string& text) {
        const Trajectory trajectory = run_of(scene::parse_scene(
            text, "flat.toml", {{"integrator.method", method}, {"integrator.tolerance", "1e-9"}}));
        CAPTURE(trajectory.summary.message);
        REQUIRE(trajectory.summary.status == StepStatus::reached_end);
        return trajectory.samples.back().bodies[0].x;
      };
      const Vec3 sampled =
          end_of(flat_parallelogram("0.05*sampled.clock") + "[[sampled]]\nname = \"clock\"\nperiod = \"" +
                 period + " s\"\nvalue = \"t\"\n");
      const std::string s(period);
      const Vec3 in_time = end_of(flat_parallelogram("if(t < " + s + ", 0, 0.05*" + s + ")"));
      CHECK((sampled - in_time).norm() <= 1e-8);
    }
}

TEST_CASE("outputs and events at a singular configuration are as accurate as elsewhere") {
  for (const Row& row : {Row{4, "rkmk-dop853", "1e-11"}, Row{5, "rkmk-dopri5", "1e-9"}, shrinking[3]}) {
    CAPTURE(row.four_bars);
    scene::Scene scene = scene_of(row);
    scene.run.t_end = 1;
    const auto first_link = [](double, const State& x) { return std::sin(x.q[0]); };  // 0: all bars aligned
    scene.run.events.push_back({"flat", first_link});
    const Trajectory found = run_of(scene);
    REQUIRE(found.summary.events.size() == 1);
    const double flat = found.summary.events[0].t;

    scene.run.output_times.clear();
    for (const double off : {-1e-4, -1e-5, -1e-6, -1e-7, 0., 1e-8, 1e-7, 1e-6, 1e-5, 1e-4})
      scene.run.output_times.push_back(flat + off);
    const Trajectory near = run_of(scene);
    CHECK(near.summary.message == "");
    REQUIRE(near.samples.size() == 12);
    CHECK(near.summary.events[0].t == flat);
    CHECK(near.summary.note.find("accelerations and constraint forces are not determined in ") !=
          std::string::npos);
    const Sample& there = near.samples[5];
    CHECK(there.t == flat);
    CHECK(there.a.hasNaN());
    CHECK(std::isnan(there.invariants.acceleration_residual));
    CHECK(near.energy_max_drift <= 30 * std::stod(row.tolerance) + 1e-9);
    for (const Sample& sample : near.samples) {
      CAPTURE(sample.t - flat);
      CHECK(sample.invariants.position_residual <= 1e-11);
      CHECK(sample.invariants.velocity_residual <= 1e-10);
    }
  }
}

TEST_CASE("half-explicit steps pass singular configurations, also with outputs close to them") {
  const auto samples = [](const char* method) {
    const scene::Scene scene = scene::load_scene(scene_path("n_fourbar_2"), {{"integrator.method", method},
                                                                             {"integrator.tolerance", "1e-8"},
                                                                             {"run.end", "10"},
                                                                             {"run.output", "0.005"}});
    const scene::ReadyModel ready = make_model(scene);
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

TEST_CASE("half-explicit steps meet their tolerance beyond singular configurations") {
  const auto three_seconds = [](const Row& row) {
    scene::Scene scene = scene_of(row);
    scene.run.t_end = 3;
    return run_of(scene);
  };
  for (const int four_bars : {2, 4, 7}) {
    const Trajectory expected = three_seconds({four_bars, "rkmk-dop853", "1e-12"});
    for (const char* tolerance : {"1e-7", "1e-9", "1e-11"}) {
      CAPTURE(four_bars);
      CAPTURE(std::string(tolerance));
      const Trajectory found = three_seconds({four_bars, "hemk5", tolerance, "absolute"});
      CHECK(found.summary.status == StepStatus::reached_end);
      CHECK(found.summary.note.starts_with("rkmk-dop853 took steps that hemk5 cannot take: the constraints"));
      CHECK((found.samples.back().points[0].x - expected.samples.back().points[0].x).norm() <=
            100 * std::stod(tolerance));
    }
  }
}

/// A Delta robot without drives: three arms on the ground carry a platform by two rods each. At 0.580 s the
/// rods cannot hold the platform in one direction.
std::string delta_robot() {
  constexpr std::array angles{0.4700655609728834, 0.5707698022137792, 0.6290765161106372};  // rad
  std::ostringstream text;
  text.precision(17);
  text << "gravity = [0, 0, -9.81]\n[run]\nend = 0.6\noutput = 0.6\n"
          "[[body]]\nname = \"platform\"\nmass = 1\ninertia = [0.01, 0.01, 0.02]\n"
          "position = [0.05, 0.02, -0.8]\nquaternion_wxyz = [1, 0, 0, 0]\n";
  for (int i = 0; i < 3; ++i) {
    const double turn = 2 * std::numbers::pi / 3 * i, c = std::cos(turn), s = std::sin(turn);
    text << "[[body]]\nname = \"arm" << i << "\"\nmass = 0.6\ninertia = [0.001, 0.008, 0.008]\n"
         << "[[joint]]\nname = \"hip" << i << "\"\nkind = \"revolute\"\nparent = \"ground\"\nchild = \"arm"
         << i << "\"\nparent_frame = {position = [" << 0.3 * c << ", " << 0.3 * s << ", 0], rows = [[" << c
         << ", 0, " << -s << "], [" << s << ", 0, " << c
         << "], [0, -1, 0]]}\nchild_frame = {position = [-0.2, 0, 0]}\ncoordinates = "
         << angles[static_cast<std::size_t>(i)] << "\n";
    for (const double side : {-0.05, 0.05})
      text << "[[constraint]]\nname = \"rod" << i << (side < 0 ? "a" : "b")
           << "\"\nkind = \"distance\"\nlength = 0.8\nfrom = {body = \"arm" << i << "\", position = [0.2, 0, "
           << side << "]}\nto = {body = \"platform\", position = [" << 0.1 * c - side * s << ", "
           << 0.1 * s + side * c << ", 0]}\n";
  }
  return text.str();
}

TEST_CASE("a Delta robot passes a configuration in which its platform can move though its arms stand still") {
  const auto end = [text = delta_robot()](const char* method, const char* formulation, const char* key,
                                          const char* size) {
    CAPTURE(std::string(method));
    CAPTURE(std::string(formulation));
    const Trajectory found = run_of(scene::parse_scene(
        text, "delta.toml",
        {{"integrator.method", method}, {"integrator.formulation", formulation}, {key, size}}));
    CAPTURE(found.summary.message);
    CHECK(found.summary.status == StepStatus::reached_end);
    return found.samples.back().bodies[0].x;
  };
  const Vec3 expected = end("rkmk-dop853", "tree", "integrator.step", "2e-4");
  for (const char* method : {"rkmk-dop853", "rkmk-dopri5", "cf4", "hemk5"})
    for (const char* formulation : {"tree", "absolute"})
      CHECK((end(method, formulation, "integrator.tolerance", "1e-9") - expected).norm() <= 1e-8);
}

TEST_CASE(
    "half-explicit steps of fixed size pass singular configurations, where necessary by steps of another "
    "method") {
  for (const char* method : {"hemk4", "hemk5"})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* step : {"5e-3", "2e-3"}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(formulation));
        CAPTURE(std::string(step));
        const scene::Overrides overrides = {{"integrator.method", method},
                                            {"integrator.step", step},
                                            {"integrator.formulation", formulation}};
        check_against_reference(
            "n_fourbar_2", overrides, [](double) { return 1e-5; }, 5);
        scene::Scene scene = scene::load_scene(scene_path("n_fourbar_2"), overrides);
        scene.run.t_end = 1;
        const std::string note = run_of(scene).summary.note;
        CHECK(note.starts_with("rkmk-dop853 took steps that " + std::string(method) +
                               " cannot take: the constraints nearly lose rank in \""));
      }
}

}  // namespace
}  // namespace torsor::test
