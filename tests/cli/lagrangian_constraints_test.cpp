#include <doctest/doctest.h>

#include <cmath>

#include "lagrangian_scenes.hpp"

// Constraints on scenes with a Lagrangian, compared with scenes with a metric, with other coordinates and
// with closed forms.
namespace torsor::test {
namespace {

/// The scene curved_sleigh with a Lagrangian in place of its metric and potential.
std::string sleigh(const std::string& name = "curved_sleigh") {
  return with(without(without(text_of(name), "metric"), "potential"),
              "lagrangian = \"m*(x'^2 + y'^2)/2 + (J + m*a^2)*heading'^2/2 + "
              "m*a*heading'*(cos(heading)*y' - sin(heading)*x') - k*x^2/2\"");
}

/// A relativistic pendulum in coordinates of the plane: its rod is a constraint, its mass matrix depends on
/// the velocity.
const std::string rod = scene_of("3", R"toml(coordinates = ["x", "z"]
start = ["sin(1)", "-cos(1)"]
rates = ["0.3*cos(1)", "0.3*sin(1)"]
lagrangian = "-m*c^2*sqrt(1 - (x'^2 + z'^2)/c^2) - m*g*z"
definitions = {m = 0.7, c = 2, g = 1.1}
[[chart.constraint]]
name = "rod"
position = "(x^2 + z^2 - 1)/2"
)toml");
/// The same pendulum with its angle as coordinate.
const std::string pendulum = scene_of("3", R"toml(coordinates = ["angle"]
start = [1]
rates = [0.3]
lagrangian = "-m*c^2*sqrt(1 - angle'^2/c^2) + m*g*cos(angle)"
definitions = {m = 0.7, c = 2, g = 1.1}
)toml");

}  // namespace

TEST_CASE("under a knife edge, a Lagrangian and a metric give the same motion, in each treatment") {
  const scene::Overrides short_run = {{"run.end", "2"}};
  const auto run_by = [&](const std::string& text, const char* method, const char* treatment, bool step) {
    scene::Overrides overrides = short_run;
    overrides.emplace_back("integrator.method", method);
    overrides.emplace_back("integrator.constraints", treatment);
    if (step) overrides.emplace_back("integrator.step", "5e-3");
    return run_text(text, overrides);
  };
  struct Case {
    const char *method, *treatment;
    bool step;
  };
  for (const Case& one : {Case{"rkmk-fehlberg78", "index-1", false},
                          {"rkmk-fehlberg78", "minimal", false},
                          {"hemk4", "index-2", true},
                          {"lie-midpoint", "stabilised-index-2", true},
                          {"generalized-alpha", "index-3", true},
                          {"bliedf2", "index-2", true}}) {
    CAPTURE(one.method);
    CAPTURE(one.treatment);
    const Motion metric = run_by(text_of("curved_sleigh"), one.method, one.treatment, one.step),
                 lagrange = run_by(sleigh(), one.method, one.treatment, one.step);
    CHECK(difference(lagrange.last().x.q, metric.last().x.q) < 1e-9);
    CHECK(difference(lagrange.last().multipliers, metric.last().multipliers) < 1e-8);
    if (!one.step) CHECK(lagrange.trajectory.energy_max_drift < 1e-9);
  }
  const Motion slips = run_text(text_of("curved_sleigh_viscous"), short_run),
               lagrange = run_text(sleigh("curved_sleigh_viscous"), short_run);
  CHECK(difference(lagrange.last().x.q, slips.last().x.q) < 1e-8);
  CHECK(std::abs(lagrange.last().invariants.work - slips.last().invariants.work) < 1e-8);
}

TEST_CASE("a rod constrains a relativistic particle, whose mass matrix depends on the velocity") {
  const Vec angle = run_text(pendulum).last().x.q;
  const auto far = [&](const Motion& motion) {
    return difference(motion.last().x.q, Vector<double, 2>(std::sin(angle[0]), -std::cos(angle[0])));
  };
  for (const char* treatment : {"index-1", "minimal"}) {
    CAPTURE(treatment);
    const Motion motion = run_text(rod, {{"integrator.constraints", treatment}});
    CHECK(far(motion) < 1e-9);
    CHECK(motion.trajectory.energy_max_drift < 1e-9);
    CHECK(motion.last().invariants.position_residual < 1e-14);
    CHECK(motion.last().invariants.acceleration_residual < 1e-12);
  }
  struct Case {
    const char *method, *treatment, *coarse, *fine;
    double order;
  };
  for (const Case& one : {Case{"generalized-alpha", "index-2", "0.01", "0.005", 2},
                          {"generalized-alpha", "index-3", "0.01", "0.005", 2},
                          {"generalized-alpha", "stabilised-index-2", "0.01", "0.005", 2},
                          {"bliedf2", "index-3", "0.01", "0.005", 2},
                          {"lie-midpoint", "stabilised-index-2", "0.02", "0.01", 2},
                          {"hemk4", "index-2", "0.05", "0.025", 4},
                          {"hemk5", "index-2", "0.1", "0.05", 5},
                          {"rkmk4", "index-1", "0.05", "0.025", 4}}) {
    CAPTURE(one.method);
    CAPTURE(one.treatment);
    const auto error = [&](const char* step) {
      return far(run_text(rod, {{"integrator.method", one.method},
                                {"integrator.constraints", one.treatment},
                                {"integrator.step", step}}));
    };
    CHECK(std::log2(error(one.coarse) / error(one.fine)) == doctest::Approx(one.order).epsilon(0.08));
  }
}

TEST_CASE("a knife edge bends the path of a relativistic particle into a circle") {
  // The reaction is normal to the velocity and has the size gamma m v w; speed and turning rate are constant.
  const std::string text = scene_of("4", R"toml(coordinates = ["x", "y", "heading"]
start = [0, 0, 0]
rates = [0.8, 0, 0.9]
lagrangian = "-m*sqrt(1 - x'^2 - y'^2) + J*heading'^2/2"
definitions = {m = 1.3, J = 0.4}
[[chart.constraint]]
name = "blade"
velocity = "cos(heading)*y' - sin(heading)*x'"
)toml");
  const double v = 0.8, w = 0.9, t = 4;
  for (const char* treatment : {"index-1", "minimal"}) {
    CAPTURE(treatment);
    const Motion motion = run_text(text, {{"integrator.constraints", treatment}});
    CHECK(difference(motion.last().x.q, Vec3(v / w * std::sin(w * t), v / w * (1 - std::cos(w * t)), w * t)) <
          1e-10);
    CHECK(motion.last().multipliers[0] == doctest::Approx(1.3 * v * w / std::sqrt(1 - v * v)).epsilon(1e-10));
  }
  // Viscous friction in place of the row is the force -(mu/eps) A^T (A u).
  const Motion slips = run_text(text, {{"integrator.constraints", "viscous"},
                                       {"friction.mu", "2"},
                                       {"friction.eps", "0.5"},
                                       {"chart.rates", "[0.6, 0.3, 0.9]"}});
  std::string by_force = with(text.substr(0, text.find("[[chart.constraint]]")),
                              "dissipation = \"4*(cos(heading)*y' - sin(heading)*x')^2/2\"");
  const Motion dissipates = run_text(by_force, {{"chart.rates", "[0.6, 0.3, 0.9]"}});
  CHECK(difference(slips.last().x.q, dissipates.last().x.q) < 1e-10);
  CHECK(std::abs(slips.last().invariants.work - dissipates.last().invariants.work) < 1e-10);
  CHECK(slips.trajectory.energy_max_drift < 1e-10);
}

TEST_CASE("a moving constraint does work on a relativistic particle, and redundant rows share the reaction") {
  const Motion motion = run_text(scene_of("3", R"toml(coordinates = ["x", "y"]
start = [0, 0]
rates = [0.6, 0.3]
lagrangian = "-m*sqrt(1 - x'^2 - y'^2) - y^2/2"
definitions = {m = 1.3}
[[chart.constraint]]
name = "driver"
position = "x - 0.3*sin(2*t)"
[[chart.constraint]]
name = "again"
velocity = "2*x' - 1.2*cos(2*t)"
)toml"));
  CHECK(std::abs(motion.last().invariants.work) > 0.01);
  CHECK(motion.trajectory.energy_max_drift < 1e-9);
  CHECK(motion.last().invariants.acceleration_residual < 1e-12);
  CHECK(motion.last().multipliers[0] == doctest::Approx(motion.last().multipliers[1] * 2).epsilon(1e-9));
}

TEST_CASE("the geometry report of a Lagrangian has frame and rows, but neither metric nor affinities") {
  const scene::Scene scene = scene::parse_scene(sleigh(), "scene.toml");
  const CoordinateReport report = coordinate_report(scene, 0, scene.in_coordinates->start);
  CHECK_FALSE(report.has_metric);
  CHECK(component(report.brackets, "ahead, turn -> aside") == doctest::Approx(-1));
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows.front().level == RowLevel::nonholonomic);
  CHECK_FALSE(report.rows.front().rheonomic);
  CHECK(report.affinities.empty());
}

TEST_CASE("outputs in a step across a singular configuration are as accurate as the step") {
  // A bead on a lemniscate passes its double point.
  const std::string bead = scene_of("3", R"toml(coordinates = ["x", "y"]
start = [0.540518238412472, 0.34821140945987367]
rates = [-1.6634029338318952, -0.24477128750846586]
lagrangian = "(x'^2 + y'^2)/2 - 9.81*y"
constraint = [{name = "curve", position = "(x^2 + y^2)^2 - x^2 + y^2"}]
)toml");
  for (const char* method : {"hemk4", "hemk5"}) {
    CAPTURE(std::string(method));
    const Motion motion = run_text(
        bead, {{"integrator.method", method}, {"integrator.tolerance", "1e-9"}, {"run.output", "0.02"}});
    CHECK(motion.trajectory.samples.size() == 151);
    const double energy = motion.first().invariants.energy();
    for (const Sample& sample : motion.trajectory.samples)
      CHECK(std::abs(sample.invariants.energy() - energy) < 1e-8 * energy);
  }
}

}  // namespace torsor::test
