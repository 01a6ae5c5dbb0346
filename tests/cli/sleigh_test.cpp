#include <doctest/doctest.h>

#include <cmath>

#include "coordinate_scenes.hpp"
#include "torsor/coordinates/run.hpp"

// Scenes of the sleigh in a curved metric against theory_checks.json: ideal rows, friction, reduced
// motions.
namespace torsor::test {

TEST_CASE(
    "the sleigh has the multiplier and acceleration of the reference and the same motion in each treatment") {
  const json& table = reference("sleigh");
  const Motion ideal = run_coordinates("curved_sleigh", {{"run.end", "2"}});
  CHECK(difference(ideal.first().a, vector<3>(table.at("qddot_nonholonomic"))) < 1e-12);
  CHECK(ideal.first().multipliers[0] ==
        doctest::Approx(table.at("multiplier").at(0).get<double>()).epsilon(1e-12));
  CHECK(ideal.trajectory.energy_max_drift < 1e-9);
  for (const char* treatment : {"index-2", "stabilised-index-2", "index-3"}) {
    CAPTURE(treatment);
    const Motion other = run_coordinates("curved_sleigh", {{"run.end", "2"},
                                                           {"integrator.method", "generalized-alpha"},
                                                           {"integrator.step", "1e-3"},
                                                           {"integrator.constraints", treatment}});
    CHECK(difference(ideal.last().x.q, other.last().x.q) < 1e-5);
    CHECK(difference(ideal.last().multipliers, other.last().multipliers) < 1e-4);
  }
  for (const char* treatment : {"minimal", "dynamic"}) {
    CAPTURE(treatment);
    const Motion other =
        run_coordinates("curved_sleigh", {{"run.end", "2"}, {"integrator.constraints", treatment}});
    CHECK(difference(ideal.last().x.q, other.last().x.q) < 1e-8);
  }
  const CoordinateReport report = report_of("curved_sleigh");
  CHECK(report.rows.front().level == RowLevel::nonholonomic);
  CHECK(component(report.brackets, "ahead, turn -> aside") == doctest::Approx(-1));
  CHECK(report.time.removable);
}

TEST_CASE("the sleigh with viscous friction: the terms of the slow manifold agree with the reference") {
  const json& table = reference("sleigh");
  const CoordinateReport report = report_of("curved_sleigh_viscous");
  REQUIRE(report.friction);
  CHECK(difference(report.friction->sigma_1, vector<1>(table.at("sigma1"))) < 1e-12);
  CHECK(difference(report.friction->sigma_2, vector<1>(table.at("sigma2"))) < 1e-12);
  CHECK(difference(report.friction->h_1, vector<3>(table.at("h1"))) < 1e-12);
  CHECK(difference(report.friction->h_2, vector<3>(table.at("h2"))) < 1e-12);
  CHECK(report.rows.front().gives_way);
}

TEST_CASE(
    "the sleigh with viscous friction: no slow manifold is reported if a force or friction depends on t") {
  for (const auto& [key, formula] : {std::pair{"chart.potential", "k*x^2/2 + x*cos(40*t)"},
                                     {"chart.force", "['cos(40*t)', '0', '0']"},
                                     {"chart.constraint.blade.friction", "2 + sin(30*t)"}}) {
    CAPTURE(key);
    const CoordinateReport report = report_of("curved_sleigh_viscous", {{key, formula}});
    REQUIRE(report.friction);
    CHECK(report.friction->slip.size() == 1);
    for (const Vec& term :
         {report.friction->sigma_1, report.friction->sigma_2, report.friction->h_1, report.friction->h_2})
      CHECK(term.size() == 0);
  }
}

// The stiff motion starts on the slow manifold of order 3.
TEST_CASE("the sleigh with viscous friction: the reduced motion of order k has an error of order eps^(k+1)") {
  const auto far = [](const char* eps, int order) {
    const scene::Overrides common = {
        {"run.end", "2"}, {"integrator.tolerance", "1e-12"}, {"friction.eps", eps}};
    scene::Overrides third = common, reduced = common;
    third.emplace_back("reduced.order", "3");
    reduced.emplace_back("reduced.order", std::to_string(order));
    const scene::Scene on_manifold = scene::load_scene(scene_path("curved_sleigh_reduced"), third);
    State start = on_manifold.in_coordinates->start;
    make_system(on_manifold)->velocity_map()->velocity(0, start.q, start.v, start.v);
    const scene::Scene stiff = scene::load_scene(scene_path("curved_sleigh_viscous"), common);
    const Vec exact = run(*make_system(stiff), start, stiff.run).samples.back().x.q;
    const scene::Scene slow = scene::load_scene(scene_path("curved_sleigh_reduced"), reduced);
    return difference(run(*make_system(slow), start, slow.run).samples.back().x.q, exact);
  };
  for (const int order : {0, 1, 2}) {
    CAPTURE(order);
    const double slope = std::log10(far("1e-2", order) / far("1e-3", order));
    CHECK(std::abs(slope - (order + 1)) < 0.1);
  }
  CHECK(far("1e-2", 3) < 0.1 * far("1e-2", 2));
}

TEST_CASE("a run ends where the friction of a constraint is no longer positive, and names the constraint") {
  const scene::Scene scene = scene::parse_scene(R"toml([run]
end = 2
[integrator]
method = "rkmk4"
step = 0.25
constraints = "viscous"
[friction]
eps = 1
[chart]
coordinates = ["x", "y"]
start = [0, 0]
rates = [0, 1]
metric = [[1, 0], [0, 1]]
[[chart.constraint]]
name = "groove"
velocity = "x'"
friction = "0.9 - y"
)toml",
                                                "scene.toml");
  const RunSummary end = run(scene, prepare(scene), scene.run).summary;
  CHECK(end.status == StepStatus::singular);
  CHECK(end.t == doctest::Approx(0.75));
  const bool named = end.message.find("constraint \"groove\": its friction must be greater than 0, got ") !=
                     std::string::npos;
  CHECK_MESSAGE(named, end.message);
}

}  // namespace torsor::test
