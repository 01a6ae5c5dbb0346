#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "geometry/reference.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/geometry_report.hpp"

// Scenes in coordinates, against the numbers of theory_checks.json, each other, and bodies.
namespace torsor::test {
namespace {

std::string scene_path(const std::string& name) { return std::string(TORSOR_SCENES) + "/" + name + ".toml"; }

struct Motion {
  Scene scene;
  ChartTrajectory trajectory;
  const ChartSample& first() const { return trajectory.samples.front(); }
  const ChartSample& last() const { return trajectory.samples.back(); }
};

Motion run_chart(const std::string& name, const Overrides& overrides = {}) {
  Motion motion{load_scene(scene_path(name), overrides), {}};
  const auto chart = make_chart(motion.scene);
  motion.trajectory = run(*chart, motion.scene.chart->start, motion.scene.run, motion.scene.chart->events);
  CAPTURE(motion.trajectory.summary.message);
  REQUIRE(motion.trajectory.summary.status == StepStatus::reached_end);
  return motion;
}
ChartReport report_of(const std::string& name, const Overrides& overrides = {}) {
  const Scene scene = load_scene(scene_path(name), overrides);
  return chart_report(scene, scene.run.t_begin, scene.chart->start);
}

double difference(const Vec& a, const Vec& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

/// "i, j -> k" of a list, by index from 0.
double component(const std::vector<NamedComponent>& list, const std::string& name) {
  for (const NamedComponent& one : list)
    if (one.name == name) return one.value;
  return 0;
}

const std::string angles[] = {"phi", "theta", "psi"};

void check_affinities(const ChartReport& report, const json& table) {
  const auto L = tensor3<3>(table);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        CHECK(component(report.affinities, angles[i] + ", " + angles[j] + " -> " + angles[k]) ==
              doctest::Approx(L(k, i, j)).epsilon(1e-12));
}

}  // namespace

TEST_CASE("spherical motion: both connections and SO(3) give one motion") {
  const Motion christoffel = run_chart("spherical_motion_313"),
               canonical = run_chart("spherical_motion_313_canonical");
  CHECK(difference(christoffel.last().x.q, canonical.last().x.q) < 1e-9);
  CHECK(difference(christoffel.last().x.v, canonical.last().x.v) < 1e-9);
  CHECK(christoffel.trajectory.energy_max_drift < 1e-10);

  const Scene body = load_scene(scene_path("spherical_motion_body"));
  const ReadyScene ready = make_model(body);
  const Sample end = run(ready.model, ready.start, body.run).samples.back();
  const Vec& q = christoffel.last().x.q;
  using Eigen::AngleAxisd, Eigen::Vector3d;
  const Eigen::Quaterniond R = AngleAxisd(q[0], Vector3d::UnitZ()) * AngleAxisd(q[1], Vector3d::UnitX()) *
                               AngleAxisd(q[2], Vector3d::UnitZ());
  double xyzw[4];
  end.bodies[0].R.to(xyzw);
  CHECK(std::abs(R.coeffs().dot(Eigen::Map<const Eigen::Vector4d>(xyzw))) ==
        doctest::Approx(1).epsilon(1e-14));
  CHECK(difference(christoffel.last().quasi, end.bodies[0].Omega) < 1e-9);
}

TEST_CASE("spherical motion on SO(3): by geodesics and by exponentials, same motion, different geometry") {
  const auto last = [](const char* name) {
    const Scene scene = load_scene(scene_path(name));
    const ReadyScene ready = make_model(scene);
    return run(ready.model, ready.start, scene.run).samples.back();
  };
  const Sample exponentials = last("spherical_motion_body"),
               geodesics = last("spherical_motion_body_geodesics");
  CHECK(difference(geodesics.bodies[0].Omega, exponentials.bodies[0].Omega) < 1e-9);
  CHECK((geodesics.bodies[0].R.inverse() * exponentials.bodies[0].R).log().norm() < 1e-9);

  const auto connection = [](const char* name) {
    const Scene scene = load_scene(scene_path(name));
    const ReadyScene ready = make_model(scene);
    return geometry_report(ready.model, 0, ready.start, scene.run).connections.at(0);
  };
  const ConnectionReport canonical = connection("spherical_motion_body"),
                         christoffel = connection("spherical_motion_body_geodesics");
  CHECK(std::abs(canonical.torsion.value) == 1);
  CHECK(canonical.curvature.value == 0);
  CHECK(std::abs(canonical.non_metricity.value) == doctest::Approx(1.7 - 0.9));
  CHECK(christoffel.torsion.value == 0);
  CHECK(christoffel.non_metricity.value == 0);
  const double I = 1.7, J = 0.9;  // theory of principal inertias: R(1, 2, 2, 1)
  CHECK(std::abs(christoffel.curvature.value) ==
        doctest::Approx(std::abs((I - I + J) * (-I + I + J) / (4 * J * I) - (I + I - J) / (2 * I))));
}

TEST_CASE("spatial rigid body, direct and semi-direct: same motion, different equations") {
  const Scene direct = load_scene(scene_path("spatial_body_direct")),
              semidirect = load_scene(scene_path("spatial_body_semidirect"));
  const ReadyScene on_product = make_model(direct), on_SE3 = make_model(semidirect);
  const Sample a = run(on_product.model, on_product.start, direct.run).samples.back(),
               b = run(on_SE3.model, on_SE3.start, semidirect.run).samples.back();
  CHECK(difference(a.bodies[0].x, b.bodies[0].x) < 1e-9);
  CHECK(difference(a.bodies[0].v, b.bodies[0].v) < 1e-9);
  CHECK(difference(a.bodies[0].Omega, b.bodies[0].Omega) < 1e-9);
  CHECK((a.bodies[0].R.inverse() * b.bodies[0].R).log().norm() < 1e-9);
  // Velocities of the two systems are those of their groups, and so are the accelerations.
  const auto V = [](const Vec3& v, const BodyMotion& motion) { return Vec3(motion.R.inverse() * v); };
  CHECK(difference(Vec3(a.x.v.head<3>()), a.bodies[0].v) < 1e-12);
  CHECK(difference(Vec3(b.x.v.head<3>()), V(b.bodies[0].v, b.bodies[0])) < 1e-12);
  CHECK(difference(Vec3(a.x.v.head<3>()), Vec3(b.x.v.head<3>())) > 0.1);

  const GeometryReport line = geometry_report(on_product.model, 0, on_product.start, direct.run),
                       screw = geometry_report(on_SE3.model, 0, on_SE3.start, semidirect.run);
  CHECK(line.groups[0].group == "R^3 x SO(3)");
  CHECK(screw.groups[0].group == "SE(3)");
  CHECK(line.groups[0].brackets.size() == 3);  // 6 and 18 coefficients
  CHECK(screw.groups[0].brackets.size() == 9);
  CHECK(std::abs(line.connections[0].non_metricity.value) == doctest::Approx(1.9 - 0.8));
  CHECK(std::abs(screw.connections[0].non_metricity.value) == doctest::Approx(2));  // the mass
  for (const GeometryReport* report : {&line, &screw}) CHECK(report->connections[0].weak < 1e-14);
}

TEST_CASE("spherical motion: the two geometries are those of the tables") {
  const json& table = reference("euler313.axisymmetric");
  const Motion start = run_chart("spherical_motion_313", {{"run.end", "0.1"}});
  const Vec3 bias = vector<3>(table.at("bias"));
  CHECK(difference(matrix<3>(table.at("G")) * start.first().a, -bias) < 1e-12);

  const ChartReport levi_civita = report_of("spherical_motion_313");
  check_affinities(levi_civita, table.at("christoffel"));
  CHECK(levi_civita.torsion.empty());
  CHECK(levi_civita.non_metricity.empty());
  CHECK(levi_civita.weak == 0);
  int listed = 0;
  for (const json& row : table.at("R_list")) {
    const auto index = [&](std::size_t place) { return row.at(place).get<int>() - 1; };
    const int i = index(0), j = index(1), k = index(2), l = index(3);
    if (k > l) continue;
    ++listed;
    CHECK(component(levi_civita.curvature,
                    angles[k] + ", " + angles[l] + ": " + angles[j] + " -> " + angles[i]) ==
          doctest::Approx(row.at(4).get<double>()).epsilon(1e-12));
  }
  CHECK(levi_civita.curvature.size() == static_cast<std::size_t>(listed));

  const ChartReport canonical = report_of("spherical_motion_313_canonical");
  check_affinities(canonical, table.at("canonical"));
  CHECK(canonical.curvature.empty());
  CHECK(canonical.weak < 1e-12);
  CHECK(canonical.strong > 0.1);
  const auto D = tensor3<3>(table.at("canonical_Dg"));
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        CHECK(component(canonical.non_metricity, angles[k] + ": " + angles[i] + ", " + angles[j]) ==
              doctest::Approx(D(k, i, j)).epsilon(1e-12));
  CHECK(component(canonical.brackets, "w1, w2 -> w3") == doctest::Approx(1));
  CHECK(canonical.brackets.size() == 3);
  CHECK(canonical.time.removable);
}

TEST_CASE("the sleigh: multiplier and acceleration, whatever the treatment, and a row without a position") {
  const json& table = reference("sleigh");
  const Motion ideal = run_chart("curved_sleigh", {{"run.end", "2"}});
  CHECK(difference(ideal.first().a, vector<3>(table.at("qddot_nonholonomic"))) < 1e-12);
  CHECK(ideal.first().multipliers[0] ==
        doctest::Approx(table.at("multiplier").at(0).get<double>()).epsilon(1e-12));
  CHECK(ideal.trajectory.energy_max_drift < 1e-9);
  for (const char* treatment : {"index-2", "stabilised-index-2", "index-3"}) {
    CAPTURE(treatment);
    const Motion other = run_chart("curved_sleigh", {{"run.end", "2"},
                                                     {"integrator.method", "generalized-alpha"},
                                                     {"integrator.step", "1e-3"},
                                                     {"integrator.constraints", treatment}});
    CHECK(difference(ideal.last().x.q, other.last().x.q) < 1e-5);
    CHECK(difference(ideal.last().multipliers, other.last().multipliers) < 1e-4);
  }
  for (const char* treatment : {"minimal", "dynamic"}) {
    CAPTURE(treatment);
    const Motion other =
        run_chart("curved_sleigh", {{"run.end", "2"}, {"integrator.constraints", treatment}});
    CHECK(difference(ideal.last().x.q, other.last().x.q) < 1e-8);
  }
  const ChartReport report = report_of("curved_sleigh");
  CHECK(report.rows.front().level == RowLevel::nonholonomic);
  CHECK(component(report.brackets, "ahead, turn -> aside") == doctest::Approx(-1));
  CHECK(report.time.removable);
}

TEST_CASE("the sleigh on friction: terms of the slow manifold") {
  const json& table = reference("sleigh");
  const ChartReport report = report_of("curved_sleigh_viscous");
  REQUIRE(report.friction);
  CHECK(difference(report.friction->sigma_1, vector<1>(table.at("sigma1"))) < 1e-12);
  CHECK(difference(report.friction->sigma_2, vector<1>(table.at("sigma2"))) < 1e-12);
  CHECK(difference(report.friction->h_1, vector<3>(table.at("h1"))) < 1e-12);
  CHECK(difference(report.friction->h_2, vector<3>(table.at("h2"))) < 1e-12);
  CHECK(report.rows.front().gives_way);
}

// The stiff motion starts on the slow manifold of order 3; theory 17.5.
TEST_CASE("the sleigh on friction: the reduced motion of order k errs by eps^(k+1)") {
  const auto far = [](const char* eps, int order) {
    const Overrides common = {{"run.end", "2"}, {"integrator.tolerance", "1e-12"}, {"friction.eps", eps}};
    Overrides third = common, reduced = common;
    third.emplace_back("reduced.order", "3");
    reduced.emplace_back("reduced.order", std::to_string(order));
    const Scene on_manifold = load_scene(scene_path("curved_sleigh_reduced"), third);
    State start = on_manifold.chart->start;
    make_chart(on_manifold)->velocity(0, start.q, start.v, start.v);
    const Scene stiff = load_scene(scene_path("curved_sleigh_viscous"), common);
    const Vec exact = run(*make_chart(stiff), start, stiff.run).samples.back().x.q;
    const Scene slow = load_scene(scene_path("curved_sleigh_reduced"), reduced);
    return difference(run(*make_chart(slow), start, slow.run).samples.back().x.q, exact);
  };
  for (const int order : {0, 1, 2}) {
    CAPTURE(order);
    const double slope = std::log10(far("1e-2", order) / far("1e-3", order));
    CHECK(std::abs(slope - (order + 1)) < 0.1);
  }
  CHECK(far("1e-2", 3) < 0.1 * far("1e-2", 2));
}

TEST_CASE("a particle on a surface: second fundamental form and reaction in a chart that is not orthogonal") {
  const json& table = reference("constrained.surface_chart");
  const Motion motion = run_chart("particle_on_surface");
  CHECK(motion.first().multipliers[0] ==
        doctest::Approx(table.at("reaction_component_d3").get<double>()).epsilon(1e-12));
  const ChartReport report = report_of("particle_on_surface");
  CHECK(difference(report.bending, vector<3>(table.at("second_fundamental_form_chart"))) < 1e-12);
  CHECK(report.bending_multipliers[0] + report.load_multipliers[0] ==
        doctest::Approx(motion.first().multipliers[0]).epsilon(1e-13));
  CHECK(report.rows.front().level == RowLevel::position);
  CHECK(motion.trajectory.energy_max_drift < 1e-9);
  CHECK(std::abs(motion.last().x.q[2]) < 1e-14);
}

TEST_CASE("the pendulum on a moving support: angles, standard coordinates and a particle on a rod") {
  const Motion in_angles = run_chart("moving_pendulum_chart"),
               standard = run_chart("moving_pendulum_standard");
  const double s = standard.last().x.q[0] + 0.2 * std::cos(30.), theta = 2 * std::atan(std::exp(s));
  CHECK(std::abs(in_angles.last().x.q[0] - theta) < 1e-9);
  CHECK(std::abs(in_angles.last().x.q[1] - standard.last().x.q[1]) < 1e-9);
  CHECK(in_angles.trajectory.energy_max_drift < 1e-9);
  CHECK(standard.trajectory.energy_max_drift < 1e-9);
  CHECK(std::abs(in_angles.last().work - standard.last().work) < 1e-9);

  const Scene rod = load_scene(scene_path("spherical_pendulum_moving_support"));
  const ReadyScene ready = make_model(rod);
  const Trajectory particle = run(ready.model, ready.start, rod.run);
  const Sample& end = particle.samples.back();
  const double phi = in_angles.last().x.q[1];
  const Vec3 x(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
               std::cos(theta) + 0.2 * std::cos(30.));
  CHECK(difference(end.bodies[0].x, x) < 2e-9);
  CHECK(std::abs(end.invariants.work - in_angles.last().work) < 1e-8);
}

TEST_CASE("the pendulum on a moving support is rheonomic in both descriptions, by the same residuals") {
  const json& table = reference("event.moving_pendulum");
  const auto text = [&](const char* key) { return table.at(key).dump(); };
  const Overrides values = {{"chart.definitions.m", text("mass")},
                            {"chart.definitions.L", text("length")},
                            {"chart.definitions.amplitude", text("amplitude")},
                            {"chart.definitions.omega", text("omega")},
                            {"chart.time_metric", text("G00")},
                            {"run.begin", text("t")}};
  Overrides at = values;
  at.emplace_back("chart.start", table.at("theta").dump());
  at.emplace_back("chart.rates", table.at("thetadot").dump());
  const ChartReport report = report_of("moving_pendulum_chart", at);
  const Eigen::Matrix2d S1 = matrix<2>(table.at("lie_V_gM"));
  const double V = table.at("standard_time_vector").at(0).get<double>();
  CHECK((report.time.S1 - S1).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(difference(report.time.S2, vector<2>(table.at("d_g00_standard"))) < 1e-12);
  CHECK(report.time.V[0] == doctest::Approx(V).epsilon(1e-12));
  CHECK(report.time.g_VV == doctest::Approx(table.at("g00_standard").get<double>()).epsilon(1e-12));
  CHECK_FALSE(report.time.removable);
  CHECK(report.time.causes == std::vector<std::string>{"metric"});
  const Motion motion = run_chart("moving_pendulum_chart", at);
  CHECK(difference(motion.first().a, vector<2>(table.at("thetaddot"))) < 1e-12);

  const double theta = table.at("theta").at(0), t = table.at("t"), omega = table.at("omega"),
               ratio = table.at("amplitude").get<double>() / table.at("length").get<double>();
  at = values;
  at.emplace_back(
      "chart.start",
      json{std::log(std::tan(theta / 2)) - ratio * std::cos(omega * t), table.at("theta").at(1)}.dump());
  const ChartReport other = report_of("moving_pendulum_standard", at);
  const double slope = std::sin(theta);  // d theta / d s
  CHECK(std::abs(other.time.V[0]) < 1e-13);
  CHECK(other.time.S1(0, 0) == doctest::Approx(S1(0, 0) * slope * slope).epsilon(1e-12));
  CHECK(other.time.S1(1, 1) == doctest::Approx(S1(1, 1)).epsilon(1e-12));
  CHECK(other.time.S2[0] == doctest::Approx(report.time.S2[0] * slope).epsilon(1e-12));
  CHECK_FALSE(other.time.removable);
}

TEST_CASE(
    "a mechanism in quasi-velocities: Hamel's, Lagrange's and a connection's equations give one motion") {
  const Motion hamel = run_chart("hamel_mechanism");
  CHECK(hamel.trajectory.energy_max_drift < 1e-9);
  const Motion lagrange = run_chart("hamel_mechanism", {{"chart.equations", "coordinates"}});
  CHECK(difference(hamel.last().x.q, lagrange.last().x.q) < 1e-9);
  CHECK(difference(hamel.last().quasi, lagrange.last().quasi) < 1e-9);
  CHECK(difference(hamel.first().a, lagrange.first().a) < 1e-12);
  CHECK(component(report_of("hamel_mechanism").brackets, "ahead, turn -> aside") == doctest::Approx(-1));
}

TEST_CASE("events of a chart are located") {
  const Motion motion = run_chart("moving_pendulum_chart", {{"run.end", "3"}});
  const Scene scene =
      parse_scene(motion.scene.resolved +
                      "\n[[event]]\nname = \"turn\"\nquantity = \"rate\"\nof = \"theta\"\n"
                      "[[event]]\nname = \"stop\"\nquantity = \"coordinate\"\nof = \"theta\"\nvalue = "
                      "\"2.4\"\naction = \"stop\"\n",
                  "scene");
  const ChartTrajectory watched = run(*make_chart(scene), scene.chart->start, scene.run, scene.chart->events);
  REQUIRE(watched.summary.status == StepStatus::event);
  CHECK(watched.summary.x.q[0] == doctest::Approx(2.4).epsilon(1e-10));
  for (const EventRecord& record : watched.summary.events)
    if (record.event == 0) CHECK(std::abs(record.x.v[0]) < 1e-9);
}

}  // namespace torsor::test
