#include <doctest/doctest.h>

#include <cmath>

#include "coordinate_scenes.hpp"
#include "torsor/coordinates/run.hpp"

// Scenes of the sleigh in coordinates of its runner against theory_checks.json: ideal rows, friction, reduced
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
    "the sleigh with viscous friction: no slow manifold is reported if a force or friction depends on t, "
    "or if a row has a term without a rate, even where this term is zero") {
  for (const auto& [key, formula] : {std::pair{"chart.potential", "k*x^2/2 + x*cos(40*t)"},
                                     {"chart.force", "['cos(40*t)', '0', '0']"},
                                     {"chart.constraint.blade.friction", "2 + sin(30*t)"},
                                     {"chart.constraint.blade.velocity", "aside + 0.3*(x - 0.2)"}}) {
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
TEST_CASE(
    "the sleigh with viscous friction: the reduced motion of order k has errors of order eps^(k+1) in "
    "coordinates, accelerations and friction") {
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
    const Sample exact = run(*make_system(stiff), start, stiff.run).samples.back();
    const scene::Scene slow = scene::load_scene(scene_path("curved_sleigh_reduced"), reduced);
    const Sample found = run(*make_system(slow), start, slow.run).samples.back();
    return Vec3(difference(found.x.q, exact.x.q), difference(found.a, exact.a),
                difference(found.multipliers, exact.multipliers));
  };
  for (const int order : {0, 1, 2}) {
    const Vec3 coarse = far("1e-2", order), fine = far("1e-3", order);
    for (int i = 0; i < 3; ++i) {
      CAPTURE(order);
      CAPTURE(i);
      CHECK(std::abs(std::log10(coarse[i] / fine[i]) - (order + 1)) < 0.1);
    }
  }
  const Vec3 second = far("1e-2", 2), third = far("1e-2", 3);
  for (int i = 0; i < 3; ++i) CHECK(third[i] < 0.1 * second[i]);
}

// After each step the velocity moves onto the slow manifold, so the last slope of a step is not the first of
// the next.
TEST_CASE("methods whose last slope begins the next step have their order on the slow manifold") {
  const auto end = [](const char* method, const char* key, const char* value) -> Vec {
    return run_coordinates("curved_sleigh_reduced",
                           {{"run.end", "0.5"}, {"integrator.method", method}, {key, value}})
        .last()
        .x.q;
  };
  const Vec exact = end("rkmk-dop853", "integrator.tolerance", "1e-13");
  for (const auto& [method, order] : {std::pair("cf4", 4), {"rkmk-dopri5", 5}}) {
    CAPTURE(std::string(method));
    const double coarse = difference(end(method, "integrator.step", "50 ms"), exact),
                 fine = difference(end(method, "integrator.step", "25 ms"), exact);
    CHECK(std::log2(coarse / fine) > order - 0.5);
  }
}

TEST_CASE("the reduced sleigh of order 0 has the accelerations and the multiplier of the ideal constraint") {
  const Motion ideal = run_coordinates("curved_sleigh", {{"run.end", "2"}});
  const Motion reduced = run_coordinates("curved_sleigh_reduced", {{"run.end", "2"}, {"reduced.order", "0"}});
  for (const auto sample : {&Motion::first, &Motion::last}) {
    CHECK(difference((reduced.*sample)().a, (ideal.*sample)().a) < 1e-9);
    CHECK(difference((reduced.*sample)().multipliers, (ideal.*sample)().multipliers) < 1e-9);
  }
}

TEST_CASE(
    "the energy of a reduced system in coordinates is not judged, also if the options of the run name no "
    "order") {
  scene::Scene scene = scene::load_scene(scene_path("curved_sleigh_reduced"),
                                         {{"friction.eps", "0.6"}, {"reduced.order", "1"}});
  const scene::ReadyScene ready = prepare(scene);
  const Trajectory named = run(scene, ready, scene.run);
  CHECK(named.energy_max_drift > 0.02);
  scene.run.treatment.reduced_order.reset();
  const Trajectory plain = run(scene, ready, scene.run);
  CHECK(plain.energy_max_drift == named.energy_max_drift);
  CHECK(plain.summary.status == StepStatus::reached_end);
  CHECK(plain.summary.note == named.summary.note);
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
