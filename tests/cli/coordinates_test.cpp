#include <doctest/doctest.h>

#include <cmath>

#include "coordinate_scenes.hpp"

// Scenes in coordinates are compared with theory_checks.json, with each other, and with scenes of bodies.
namespace torsor::test {

TEST_CASE(
    "a particle on a surface has the right second fundamental form and reaction in non-orthogonal "
    "coordinates") {
  const json& table = reference("constrained.surface_chart");
  const Motion motion = run_coordinates("particle_on_surface");
  CHECK(motion.first().multipliers[0] ==
        doctest::Approx(table.at("reaction_component_d3").get<double>()).epsilon(1e-12));
  const CoordinateReport report = report_of("particle_on_surface");
  CHECK(difference(report.bending, vector<3>(table.at("second_fundamental_form_chart"))) < 1e-12);
  CHECK(report.bending_multipliers[0] + report.load_multipliers[0] ==
        doctest::Approx(motion.first().multipliers[0]).epsilon(1e-13));
  CHECK(report.rows.front().level == RowLevel::position);
  CHECK(motion.trajectory.energy_max_drift < 1e-9);
  CHECK(std::abs(motion.last().x.q[2]) < 1e-14);
}

TEST_CASE(
    "the pendulum on a moving support moves alike in angles, standard coordinates and as a particle on a "
    "rod") {
  const Motion in_angles = run_coordinates("moving_pendulum_chart"),
               standard = run_coordinates("moving_pendulum_standard");
  const double s = standard.last().x.q[0] + 0.2 * std::cos(30.), theta = 2 * std::atan(std::exp(s));
  CHECK(std::abs(in_angles.last().x.q[0] - theta) < 1e-9);
  CHECK(std::abs(in_angles.last().x.q[1] - standard.last().x.q[1]) < 1e-9);
  CHECK(in_angles.trajectory.energy_max_drift < 1e-9);
  CHECK(standard.trajectory.energy_max_drift < 1e-9);
  CHECK(std::abs(in_angles.last().invariants.work - standard.last().invariants.work) < 1e-9);

  const scene::Scene rod = scene::load_scene(scene_path("spherical_pendulum_moving_support"));
  const scene::ReadyModel ready = make_model(rod);
  const Trajectory particle = run(ready.model, ready.start, rod.run);
  const Sample& end = particle.samples.back();
  const double phi = in_angles.last().x.q[1];
  const Vec3 x(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
               std::cos(theta) + 0.2 * std::cos(30.));
  CHECK(difference(end.bodies[0].x, x) < 2e-9);
  CHECK(std::abs(end.invariants.work - in_angles.last().invariants.work) < 1e-8);
}

TEST_CASE("a drift of the energy that a fixed step does not explain is noted in coordinates too") {
  const auto note_of = [](const char* method, const char* step) {
    return run_coordinates("particle_on_torus",
                           {{"integrator.method", method}, {"integrator.step", step}, {"run.end", "2"}})
        .trajectory.summary.note;
  };
  // The energy grows from -1 J to 25 J; the work is -1.5 J.
  CHECK(note_of("lie-euler", "0.133").find("energy minus work has drifted by ") == 0);
  CHECK(note_of("rkmk4", "20 ms").empty());
}

TEST_CASE("the pendulum on a moving support is rheonomic, and its residuals transform as tensors") {
  const json& table = reference("event.moving_pendulum");
  const auto text = [&](const char* key) { return table.at(key).dump(); };
  const scene::Overrides values = {{"chart.definitions.m", text("mass")},
                                   {"chart.definitions.L", text("length")},
                                   {"chart.definitions.amplitude", text("amplitude")},
                                   {"chart.definitions.omega", text("omega")},
                                   {"chart.time_metric", text("G00")},
                                   {"run.begin", text("t")}};
  scene::Overrides at = values;
  at.emplace_back("chart.start", table.at("theta").dump());
  at.emplace_back("chart.rates", table.at("thetadot").dump());
  const CoordinateReport report = report_of("moving_pendulum_chart", at);
  const Eigen::MatrixXd S1 = matrix<2>(table.at("lie_V_gM"));
  const double V = table.at("standard_time_vector").at(0).get<double>();
  CHECK(greatest(report.time.S1 - S1) < 1e-12);
  CHECK(difference(report.time.S2, vector<2>(table.at("d_g00_standard"))) < 1e-12);
  CHECK(report.time.V[0] == doctest::Approx(V).epsilon(1e-12));
  CHECK(report.time.g_VV == doctest::Approx(table.at("g00_standard").get<double>()).epsilon(1e-12));
  CHECK_FALSE(report.time.removable);
  CHECK(report.time.causes == std::vector<std::string>{"metric"});
  const Motion motion = run_coordinates("moving_pendulum_chart", at);
  CHECK(difference(motion.first().a, vector<2>(table.at("thetaddot"))) < 1e-12);

  const double theta = table.at("theta").at(0), t = table.at("t"), omega = table.at("omega"),
               ratio = table.at("amplitude").get<double>() / table.at("length").get<double>();
  at = values;
  at.emplace_back(
      "chart.start",
      json{std::log(std::tan(theta / 2)) - ratio * std::cos(omega * t), table.at("theta").at(1)}.dump());
  const CoordinateReport other = report_of("moving_pendulum_standard", at);
  const double slope = std::sin(theta);  // d theta / d s
  CHECK(std::abs(other.time.V[0]) < 1e-13);
  CHECK(other.time.S1(0, 0) == doctest::Approx(S1(0, 0) * slope * slope).epsilon(1e-12));
  CHECK(other.time.S1(1, 1) == doctest::Approx(S1(1, 1)).epsilon(1e-12));
  CHECK(other.time.S2[0] == doctest::Approx(report.time.S2[0] * slope).epsilon(1e-12));
  CHECK_FALSE(other.time.removable);
}

TEST_CASE("Hamel's equations and Lagrange's equations give a mechanism the same motion") {
  const Motion hamel = run_coordinates("hamel_mechanism");
  CHECK(hamel.trajectory.energy_max_drift < 1e-9);
  const Motion lagrange = run_coordinates("hamel_mechanism", {{"chart.equations", "coordinates"}});
  CHECK(difference(hamel.last().x.q, lagrange.last().x.q) < 1e-9);
  CHECK(difference(hamel.last().quasi_velocities, lagrange.last().quasi_velocities) < 1e-9);
  CHECK(difference(hamel.first().a, lagrange.first().a) < 1e-12);
  CHECK(component(report_of("hamel_mechanism").brackets, "ahead, turn -> aside") == doctest::Approx(-1));
}

TEST_CASE("quasi-velocities and the vectors of a frame may have any units: the Earth on its orbit") {
  const std::string orbit = R"toml(
[run]
end = "24 h"
output = "24 h"
[chart]
coordinates = ["r", "phi"]
start = [1.5e11, 0]
metric = [[1, 0], [0, "r^2"]]
potential = "-1.327e20/r"
)toml";
  const std::string momentum = R"toml(
velocities = [0, 4.5e15]
[chart.quasi_velocities]
v = "r'"
h = "r^2*phi'"
)toml";
  const std::string frame = R"toml(
rates = [0, 2e-7]
[chart.connection]
base = "christoffel"
[chart.connection.frame]
outwards = [1, 0]
along = [0, "1/r^2"]
)toml";
  for (const std::string& text :
       {orbit + momentum, orbit + "equations = \"hamel\"" + momentum, orbit + frame}) {
    CAPTURE(text);
    const scene::Scene scene = scene::parse_scene(text, "earth.toml");
    CHECK(std::abs(scene.in_coordinates->start.v[1] / 2e-7 - 1) < 1e-14);
    const Trajectory motion = run(scene, prepare(scene), scene.run);
    REQUIRE(motion.summary.status == StepStatus::reached_end);
    const State& end = motion.samples.back().x;
    CHECK(std::abs(end.q[0] * end.q[0] * end.v[1] / 4.5e15 - 1) < 1e-9);
    const double way = (4.5e15 * 4.5e15 / 1.5e11 - 1.327e20) / (1.5e11 * 1.5e11) * 86400 * 86400 / 2;  // m
    CHECK(std::abs(end.q[0] - 1.5e11 - way) < 1000);
  }
}

TEST_CASE("events of a system in coordinates are located") {
  const Motion motion = run_coordinates("moving_pendulum_chart", {{"run.end", "3"}});
  const scene::Scene scene =
      scene::parse_scene(motion.scene.resolved +
                             "\n[[event]]\nname = \"turn\"\nquantity = \"rate\"\nof = \"theta\"\n"
                             "[[event]]\nname = \"stop\"\nquantity = \"coordinate\"\nof = \"theta\"\nvalue = "
                             "\"2.4\"\ncrossing = \"falling\"\naction = \"stop\"\n",
                         "scene");
  const Trajectory watched = run(scene, prepare(scene), scene.run);
  REQUIRE(watched.summary.status == StepStatus::event);
  CHECK(watched.summary.x.q[0] == doctest::Approx(2.4).epsilon(1e-10));
  const std::vector<EventRecord>& events = watched.summary.events;
  REQUIRE(events.size() == 2);  // theta rises, turns and falls
  CHECK(events[0].event == 0);
  CHECK(std::abs(events[0].x.v[0]) < 1e-9);
  CHECK(events[1].event == 1);
}

}  // namespace torsor::test
