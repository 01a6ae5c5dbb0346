#include <doctest/doctest.h>

#include <cmath>

#include "lagrangian_scenes.hpp"

// Scenes with a Lagrangian, compared with closed forms, numbers of other programs, and scenes with a metric.
namespace torsor::test {

TEST_CASE("a Lagrangian that is kinetic minus potential energy gives the motion of the scene with a metric") {
  const Motion pendulum_with_metric = run_coordinates("moving_pendulum_chart");
  std::string text = text_of("moving_pendulum_chart");
  text.erase(text.find("[[chart.particle]]"));
  text = with(without(text, "potential"), "lagrangian = \"m*(x'^2 + y'^2 + z'^2)/2 - m*g*z\"");
  text += "x = \"L*sin(theta)*cos(phi)\"\ny = \"L*sin(theta)*sin(phi)\"\nz = \"L*cos(theta) + h\"\n";
  const Motion moving = run_text(text);
  CHECK(difference(moving.last().x.q, pendulum_with_metric.last().x.q) < 1e-9);
  CHECK(difference(moving.last().x.v, pendulum_with_metric.last().x.v) < 1e-9);
  CHECK(moving.trajectory.energy_max_drift < 1e-9);
  CHECK(std::abs(moving.last().invariants.work) > 0.1);
}

TEST_CASE(
    "in quasi-velocities, Hamel's and Lagrange's equations give the motion of the scene with a metric") {
  const Motion metric = run_coordinates("hamel_mechanism");
  std::string text = text_of("hamel_mechanism");
  text.erase(text.find("[[chart.particle]]"));
  text =
      with(without(without(text, "metric"), "potential"),
           "lagrangian = \"M*(ahead^2 + aside^2)/2 + J*turn^2/2 + 0.4*(px'^2 + py'^2) - stiffness*arm^2/2\"");
  text.insert(text.find("[chart.quasi_velocities]"),
              "px = \"x + 0.3*cos(heading) + 0.5*cos(heading + arm)\"\n"
              "py = \"y + 0.3*sin(heading) + 0.5*sin(heading + arm)\"\n");
  for (const char* equations : {"hamel", "coordinates"}) {
    CAPTURE(equations);
    const Motion motion = run_text(text, {{"chart.equations", equations}});
    CHECK(difference(motion.first().a, metric.first().a) < 1e-12);
    CHECK(difference(motion.last().x.q, metric.last().x.q) < 1e-9);
    CHECK(difference(motion.last().quasi_velocities, metric.last().quasi_velocities) < 1e-9);
    CHECK(motion.trajectory.energy_max_drift < 1e-9);
  }
}

TEST_CASE("a Lagrangian of the angular velocity in body axes gives spherical motion by Hamel's equations") {
  const Motion metric = run_coordinates("spherical_motion_313");
  const std::string text = with(without(without(text_of("spherical_motion_313"), "metric"), "connection"),
                                "lagrangian = \"I*(w1^2 + w2^2)/2 + J*w3^2/2\"\nequations = \"hamel\"");
  const Motion motion = run_text(text);
  CHECK(difference(motion.last().x.q, metric.last().x.q) < 1e-10);
  CHECK(difference(motion.last().quasi_velocities, metric.last().quasi_velocities) < 1e-10);
  CHECK(motion.last().invariants.kinetic == doctest::Approx(metric.last().invariants.kinetic).epsilon(1e-12));
}

TEST_CASE("a charged particle in uniform fields gyrates and drifts with E x B") {
  // m r'' = q (E e_y + r' x B e_z): the drift is E / B along x.
  const double m = 1.3, q = -0.7, B = 2.1, E = 0.4, u = 0.5, v = -0.3, w = 0.2, T = 7;
  const std::string text = scene_of("7", R"toml(coordinates = ["x", "y", "z"]
start = [0.1, 0.2, 0.3]
rates = [0.5, -0.3, 0.2]
lagrangian = "m*(x'^2 + y'^2 + z'^2)/2 + q*B*(x*y' - y*x')/2 + q*E*y"
definitions = {m = 1.3, q = -0.7, B = 2.1, E = 0.4}
)toml");
  const Motion motion = run_text(text);
  const double omega = -q * B / m, drift = E / B;  // u' = -omega v, v' = omega (u - drift)
  const double c = std::cos(omega * T), s = std::sin(omega * T);
  const Vec3 x(0.1 + drift * T + ((u - drift) * s - v * (1 - c)) / omega,
               0.2 + ((u - drift) * (1 - c) + v * s) / omega, 0.3 + w * T);
  CHECK(difference(motion.last().x.q, x) < 1e-10);
  CHECK(motion.first().invariants.kinetic == doctest::Approx(m * (u * u + v * v + w * w) / 2).epsilon(1e-14));
  CHECK(motion.first().invariants.potential == doctest::Approx(-q * E * 0.2).epsilon(1e-14));
  CHECK(motion.trajectory.energy_max_drift < 1e-10);
  CHECK(motion.last().invariants.work == 0);
}

TEST_CASE("a relativistic particle in an electric field has hyperbolic motion") {
  const Motion motion = run_coordinates("relativistic_particle");
  const double m = 1.5, force = 0.9, u = -0.6, v = 0.5, gamma = 1 / std::sqrt(1 - u * u - v * v);
  const double px = gamma * m * u, py = gamma * m * v, across = std::sqrt(m * m + py * py);
  for (const Sample& sample : motion.trajectory.samples) {
    const double p = px + force * sample.t, energy = std::hypot(across, p);
    const double x = (energy - gamma * m) / force,
                 y = py / force * (std::asinh(p / across) - std::asinh(px / across));
    CHECK(difference(sample.x.q, Vector<double, 2>(x, y)) < 1e-10);
    CHECK(difference(sample.x.v, Vector<double, 2>(p / energy, py / energy)) < 1e-10);
    CHECK(sample.invariants.energy() == doctest::Approx(gamma * m).epsilon(1e-10));
    CHECK(sample.invariants.kinetic == doctest::Approx(energy - m).epsilon(1e-10));
  }
}

TEST_CASE(
    "the closed form of hyperbolic motion holds at 0.999999999 of the speed of light, oblique to the force") {
  const double v = 0.999999999, gamma = 1 / std::sqrt((1 - v) * (1 + v));
  const Motion motion =
      run_coordinates("relativistic_particle", {{"chart.rates", json{0.6 * v, 0.8 * v}.dump()}});
  const double m = 1.5, force = 0.9, px = gamma * m * 0.6 * v, py = gamma * m * 0.8 * v,
               across = std::hypot(m, py), p = px + force * 10;
  CHECK(std::abs(motion.last().x.q[0] - (std::hypot(across, p) - std::hypot(across, px)) / force) < 1e-8);
  CHECK(std::abs(motion.last().x.q[1] - py / force * (std::asinh(p / across) - std::asinh(px / across))) <
        1e-8);
}

TEST_CASE("a charged particle in a magnetic bottle agrees with the equations of Newton and Lorentz") {
  const json table = json::parse(std::ifstream(TORSOR_TESTS "/reference/magnetic_bottle.json"));
  for (const json& output : table.at("outputs")) {
    const Motion motion = run_coordinates("magnetic_bottle", {{"run.end", output.at("t").dump()}});
    CAPTURE(motion.last().t);
    const Vec q = motion.last().x.q, u = motion.last().x.v;
    const Vec3 x(q[0] * std::cos(q[1]), q[0] * std::sin(q[1]), q[2]);
    CHECK(difference(x, vector<3>(output.at("position"))) < 1e-10);
    CHECK(difference(u, vector<3>(output.at("rates"))) < 1e-10);
    const auto momentum = [](const Vec& place, const Vec& rate) {
      return place[0] * place[0] * (1.2 * rate[1] + 0.8 * 6 * (1 + place[2] * place[2] / 0.81) / 2);
    };
    CHECK(std::abs(momentum(q, u) - momentum(motion.first().x.q, motion.first().x.v)) < 1e-10);
    CHECK(motion.trajectory.energy_max_drift < 1e-10);
    CHECK(motion.first().invariants.energy() == doctest::Approx(0.6 * (0.36 + 0.25)).epsilon(1e-14));
  }
}

TEST_CASE("a Lagrangian with an indefinite mass matrix is regular") {
  // Bateman's pair: x'' + c x' + k x = 0 and y'' - c y' + k y = 0.
  const Motion motion = run_text(scene_of("4", R"toml(coordinates = ["x", "y"]
start = [1, 0]
rates = [0, 0.5]
lagrangian = "x'*y' + c/2*(x*y' - y*x') - k*x*y"
definitions = {c = 0.4, k = 2.5}
)toml"));
  const double w = std::sqrt(2.5 - 0.04), t = 4;
  CHECK(std::abs(motion.last().x.q[0] - std::exp(-0.2 * t) * (std::cos(w * t) + 0.2 / w * std::sin(w * t))) <
        1e-10);
  CHECK(std::abs(motion.last().x.q[1] - std::exp(0.2 * t) * 0.5 / w * std::sin(w * t)) < 1e-10);
  CHECK(motion.trajectory.energy_max_drift < 1e-10);
}

TEST_CASE(
    "the energy changes by the work, for a Lagrangian with time and fourth powers of rates, under forces") {
  const Motion motion = run_text(scene_of("5", R"toml(coordinates = ["x", "y"]
start = [0.4, -0.2]
rates = [0.3, 0.7]
lagrangian = "(2 + sin(t))*(x'^2 + y'^2)/2 + x'^4/4 + x'*y'*y/3 + cos(2*t)*x*y' - x^2*(1 + y^2)/2 - y^2*cosh(sin(t))"
force = ["sin(3*t)", "-0.1*y'"]
dissipation = "0.05*(x' - y')^4"
)toml"));
  CHECK(std::abs(motion.last().invariants.work) > 0.05);
  CHECK(motion.trajectory.energy_max_drift < 1e-9);
}

TEST_CASE("methods have their order on a Lagrangian whose mass matrix depends on the rates") {
  struct Expected {
    const char* method;
    double order;
  };
  const Vec exact =
      run_coordinates("relativistic_particle",
                      {{"run.end", "2"}, {"run.output", "2"}, {"integrator.tolerance", "1e-13"}})
          .last()
          .x.q;
  for (const Expected& one : {Expected{"rkmk4", 4},
                              {"cf4", 4},
                              {"lie-midpoint", 2},
                              {"generalized-alpha", 2},
                              {"bliedf2", 2},
                              {"bliedf3", 3}}) {
    CAPTURE(one.method);
    const auto error = [&](const char* step) {
      return difference(run_coordinates("relativistic_particle", {{"run.end", "2"},
                                                                  {"run.output", "2"},
                                                                  {"integrator.method", one.method},
                                                                  {"integrator.step", step}})
                            .last()
                            .x.q,
                        exact);
    };
    CHECK(std::log2(error("0.04") / error("0.02")) == doctest::Approx(one.order).epsilon(0.06));
  }
}

TEST_CASE("a dissipation function gives the damped oscillator, and the damping counts as work") {
  for (const char* energy :
       {"lagrangian = \"m*x'^2/2 - k*x^2/2\"", "metric = [[\"m\"]]\npotential = \"k*x^2/2\""}) {
    CAPTURE(energy);
    const Motion motion = run_text(scene_of("6", std::string(energy) + R"toml(
coordinates = ["x"]
start = [1]
rates = [0]
dissipation = "c*x'^2/2"
definitions = {m = 1.5, c = 0.6, k = 4}
)toml"));
    const double d = 0.2, w = std::sqrt(4 / 1.5 - d * d), t = 6;
    CHECK(std::abs(motion.last().x.q[0] - std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t))) <
          1e-11);
    CHECK(motion.last().invariants.work < -1);
    CHECK(motion.trajectory.energy_max_drift < 1e-10);
  }
}

TEST_CASE("dry friction, by abs or sign, slows a sliding mass uniformly and leaves a resting mass at rest") {
  for (const char* friction : {"dissipation = \"mu*abs(x')\"", "force = [\"-mu*sign(x')\"]"}) {
    CAPTURE(friction);
    const std::string text = scene_of("2", std::string(friction) + R"toml(
coordinates = ["x"]
start = [0]
rates = [-1.2]
lagrangian = "m*x'^2/2"
definitions = {m = 1.5, mu = 0.6}
)toml");
    CHECK(std::abs(run_text(text).last().x.q[0] - (-1.2 * 2 + 0.6 / 1.5 * 2 * 2 / 2)) < 1e-12);
    CHECK(run_text(text, {{"chart.rates", "[0]"}}).last().x.q[0] == 0);
  }
}

TEST_CASE("Hamel's equations hold in quasi-velocities that depend on time") {
  const std::string text = scene_of("3", R"toml(coordinates = ["x", "y"]
start = [0.4, -0.2]
rates = [0.3, 0.7]
lagrangian = "(1 + a^2)*(a^2 + b^2)/2 + b^4/12 + x*b*sin(t) - x^2 - y^2/2"
quasi_force = ["-0.1*a", "cos(t)"]
quasi_velocities = {a = "cos(t)*x' + sin(t)*(1 + y^2)*y'", b = "(2 + x)*y' - sin(t)*x'"}
)toml");
  const Motion lagrange = run_text(text), hamel = run_text(text, {{"chart.equations", "hamel"}});
  CHECK(difference(lagrange.first().a, hamel.first().a) < 1e-13);
  CHECK(difference(lagrange.last().x.q, hamel.last().x.q) < 1e-10);
  CHECK(hamel.trajectory.energy_max_drift < 1e-10);
}

TEST_CASE("a Lagrangian that is undefined at rest has no potential energy: all its energy is kinetic") {
  // L = x' log(x') - x has M = 1/x' and the Jacobi integral x' + x: x' = e^-t.
  const Motion motion = run_text(scene_of("2", R"toml(coordinates = ["x"]
start = [0]
rates = [1]
lagrangian = "x'*log(x') - x"
)toml"));
  CHECK(std::abs(motion.last().x.q[0] - (1 - std::exp(-2.))) < 1e-11);
  CHECK(motion.first().invariants.kinetic == doctest::Approx(1).epsilon(1e-15));
  CHECK(motion.first().invariants.potential == 0);
}

}  // namespace torsor::test
