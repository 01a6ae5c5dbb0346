#include "scene/language/definitions.hpp"

#include <doctest/doctest.h>

#include "scene/toml.hpp"
#include "support.hpp"

namespace torsor {
namespace {

using test::complaints;
using test::parsed;
using test::with_top;

/// A rod under a force. The other definitions follow from length, density and beat.
const std::string rod =
    "[definitions]\narea = \"pi*radius^2\"\nlength = \"2 m\"\nradius = \"length/20\"\ndensity = \"1 "
    "g/cm^3\"\n"
    "swing = \"0.1*sin(beat*t)\"\nbeat = \"90 deg/s\"\n"
    "[run]\nend = \"10*length\"\n"
    "[[body]]\nname = \"rod\"\nmass = \"density*area*length\"\ninertia = [1, 1, 1]\n"
    "position = [\"-length\", \"length/2\", 0]\n"
    "[[force]]\nname = \"push\"\nkind = \"body-force\"\nbody = \"rod\"\nforce = [\"length*swing\", \"2*swing "
    "kN\", 0]\n";

}  // namespace

TEST_CASE("definitions are numbers, quantities and expressions of each other, in any order") {
  const scene::Scene scene = parsed(rod);
  const Body& body = scene.mechanism.bodies[0];
  CHECK(body.mass == doctest::Approx(1000 * std::numbers::pi * 0.01 * 2).epsilon(1e-15));
  CHECK(*scene.start.bodies[0].x == Vec3(-2, 1, 0));
  CHECK(scene.run.t_end == 20);
  const auto& push = std::get<BodyForce>(scene.mechanism.forces[0].law);
  const double w = std::numbers::pi / 2;
  for (const double t : {0., 0.3, 7.}) {
    const auto force = push.force[0].with_derivatives(t);
    CHECK(force.value == doctest::Approx(0.2 * std::sin(w * t)).epsilon(1e-14));
    CHECK(force.rate == doctest::Approx(0.2 * w * std::cos(w * t)).epsilon(1e-14));
    CHECK(force.acceleration == doctest::Approx(-0.2 * w * w * std::sin(w * t)).epsilon(1e-14));
    CHECK(push.force[1](t) == doctest::Approx(200 * std::sin(w * t)).epsilon(1e-14));
  }
}

TEST_CASE("definitions of a system in coordinates may be in any order") {
  const auto chart = [](const std::string& definitions) {
    return parsed(
        "[run]\nend = 1\n[integrator]\nmethod = \"rkmk4\"\nstep = 0.1\n[chart]\ncoordinates = [\"x\"]\n"
        "metric = [[\"m\"]]\npotential = \"V\"\nstart = [1]\nrates = [0]\n[chart.definitions]\n" +
        definitions);
  };
  const auto motion = [](const scene::Scene& scene) { return run(scene, prepare(scene), scene.run); };
  const auto rising = motion(chart("k = 2\nm = \"k + 1\"\nV = \"k*x^2/m\"\n")),
             falling = motion(chart("V = \"k*x^2/m\"\nm = \"k + 1\"\nk = 2\n"));
  CHECK(rising.samples.back().x.q[0] == falling.samples.back().x.q[0]);
  CHECK(rising.samples.back().x.q[0] < 1);
}

TEST_CASE("an override of a definition changes everything that follows from it") {
  const scene::Scene scene =
      parsed(rod, {{"definitions.length", "\"100 cm\""}, {"definitions.density", "2000"}});
  CHECK(scene.mechanism.bodies[0].mass == doctest::Approx(2000 * std::numbers::pi * 0.0025).epsilon(1e-15));
  CHECK(parsed(rod, {{"definitions.radius", "length/2"}}).mechanism.bodies[0].mass ==
        doctest::Approx(2000 * std::numbers::pi).epsilon(1e-15));
  CHECK(complaints(rod, {{"definitions.lenght", "1"}}) ==
        "--set definitions.lenght=1: error: unknown key \"lenght\"; did you mean \"length\"?");
  CHECK(complaints(with_top(), {{"definitions.length", "1"}}) ==
        "--set definitions.length=1: error: unknown key \"length\"");
  CHECK(complaints(rod, {{"definitions.length", "radius"}}) ==
        "--set definitions.length=radius: error: \"length\" of [definitions] depends on itself: length, "
        "radius, "
        "length");
}

TEST_CASE("a unit remains a unit where a definition has the same name") {
  const scene::Scene scene =
      parsed(with_top("position = [\"2 m\", \"m\", \"m*m\"]\n[definitions]\nm = \"3 m\"\n"));
  CHECK(*scene.start.bodies[0].x == Vec3(2, 3, 9));
}

TEST_CASE("the SI unit of a quantity may follow its number, also if no other quantity has this unit") {
  CHECK_NOTHROW(
      parsed("[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [1]\nmetric = [[1]]\ntime_metric = \"3 "
             "J\"\n"));
}

TEST_CASE("braces of repeated tables may contain definitions") {
  const scene::Scene scene = parsed(
      "[definitions]\nn = 3\ngap = \"0.5 m\"\n[run]\nend = 1\n"
      "[[body]]\nrepeat = 2\nname = \"rod{i}\"\nmass = \"{n*i + 1}\"\ninertia = [1, 1, 1]\nposition = "
      "[\"gap*{i}\", 0, 0]\n");
  CHECK(scene.mechanism.bodies[1].mass == 4);
  CHECK(*scene.start.bodies[1].x == Vec3(0.5, 0, 0));
}

TEST_CASE("braces of repeated tables may use all functions, but no quantities of the motion") {
  const std::string text =
      "[run]\nend = 1\n[[particle]]\nrepeat = 4\nname = \"p{floor(i/2)}-{if(i < 2, i, i - 2)}\"\nmass = 1\n";
  const scene::Scene scene = parsed(text);
  CHECK(scene.mechanism.bodies[1].name == "p0-1");
  CHECK(scene.mechanism.bodies[2].name == "p1-0");
  CHECK(
      complaints(text + "position = [\"{point.a.position.x}\", 0, 0]\n")
          .find("cannot compute {point.a.position.x}: \"point.a.position.x\" is a quantity of the motion") !=
      std::string::npos);
}

TEST_CASE("a system in coordinates has the definitions of the scene and its own") {
  const std::string chart =
      "[run]\nend = 1\n[chart]\ncoordinates = [\"theta\"]\nstart = [\"60*pi/180\"]\nrates = [1]\n"
      "metric = [[\"m*L^2\"]]\npotential = \"-m*g*L*cos(theta)\"\nforce = [\"push\"]\n";
  const scene::Scene with = parsed(
                         chart +
                         "definitions = {L = \"length/2\"}\n"
                         "[definitions]\nm = \"1200 g\"\nlength = 1.6\ng = 9.81\npush = \"0.3*cos(2*t)\"\n"),
                     without = parsed(
                         chart + "definitions = {L = 0.8, m = 1.2, g = 9.81, push = \"0.3*cos(2*t)\"}\n");
  const auto end = [](const scene::Scene& scene) {
    return run(scene, prepare(scene), scene.run).samples.back().x;
  };
  CHECK(end(with).q[0] == doctest::Approx(end(without).q[0]).epsilon(1e-13));
  CHECK(end(with).v[0] == doctest::Approx(end(without).v[0]).epsilon(1e-13));
}

TEST_CASE("the resolved scene contains definitions with their overrides") {
  const scene::Scene scene = parsed(rod, {{"definitions.length", "3"}}), again = parsed(scene.resolved);
  CHECK(again.resolved == scene.resolved);
  CHECK(again.mechanism.bodies[0].mass == scene.mechanism.bodies[0].mass);
}

TEST_CASE("definitions may use quantities of the motion; formulas of t alone refuse such definitions") {
  const std::string own =
      "[definitions]\ngain = 20\nlever = \"2 m\"\n"
      "servo = \"gain*turn - clamp(joint.'left-hub'.rate, -lever, t)\"\nturn = \"joint.pivot.angle\"\n";
  const scene::Overrides none;
  scene::Diagnostics diagnostics("scene", none);
  const scene::Node document = scene::parse_toml(own, diagnostics);
  const scene::Definitions definitions(document, diagnostics), copy = definitions;
  CHECK(definitions.measured() == std::vector<std::string>{"joint.pivot.angle", "joint.left-hub.rate"});
  const auto servo = scene::parse_expression("servo + state.sum", copy.of_time());
  REQUIRE(servo.error.empty());
  CHECK(copy.measured().back() == "state.sum");
  CHECK(*copy.measured_in(servo.expression) == "joint.pivot.angle");
  const double at[] = {3, 0.5, 7, 100};  // t, angle, rate, sum
  CHECK(servo.expression.at(at) == 20 * 0.5 - 3 + 100);
  CHECK_FALSE(servo.expression.is_constant());
  CHECK(scene::parse_expression("turn", definitions.of_copies()).error.starts_with("unknown name \"turn\""));
  CHECK(scene::no_definitions().measured().empty());

  const std::string refused =
      "\"joint.pivot.angle\" is a quantity of the motion, and only formulas of forces, states, samples, "
      "events and velocity constraints may use these";
  CHECK(complaints(own +
                   "[run]\nend = 1\n[[body]]\nname = \"top\"\nmass = \"1 + turn\"\ninertia = [1, 1, 1]\n") ==
        "scene:10:8: error: \"mass\" of body \"top\": cannot read \"1 + turn\": " + refused);
  CHECK(complaints(own + "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nmetric = [[1]]\nstart = "
                         "[0]\npotential = \"turn\"\n") ==
        "scene:12:13: error: \"potential\" of [chart]: cannot read \"turn\": \"turn\" depends on quantities "
        "of the motion, and formulas of a [chart] cannot use these");
  CHECK(complaints(own + "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nmetric = [[1]]\nstart = "
                         "[0]\npotential = \"turn'\"\n") ==
        "scene:12:13: error: \"potential\" of [chart]: cannot read \"turn'\": \"turn\" depends on quantities "
        "of the motion, and formulas of a [chart] cannot use these");
  CHECK(complaints("[definitions]\na = \"b + joint.p.x\"\nb = \"joint.p.x*a\"\n[run]\nend = 1\n") ==
        "scene:2:5: error: \"a\" of [definitions] depends on itself: a, b, a");
}

TEST_CASE("the number of definitions of a scene is limited") {
  const auto with = [](int count) {
    std::string text = "[run]\nend = 1\n[definitions]\n";
    for (int i = 0; i < count; ++i)
      text +=
          "a" + std::to_string(i) + " = " + (i == 0 ? "1" : "\"a" + std::to_string(i - 1) + " + 1\"") + "\n";
    return text + "[[body]]\nname = \"top\"\nmass = \"a" + std::to_string(count - 1) +
           "\"\ninertia = [1, 1, 1]\n";
  };
  CHECK(parsed(with(1000)).mechanism.bodies[0].mass == 1000);
  try {
    parsed(with(1001));
    FAIL("accepted");
  } catch (const scene::SceneError& error) {
    CHECK(error.limit_exceeded);
    CHECK(std::string(error.what()) ==
          "scene:1004:1: error: more than 1000 definitions, the limit of a scene");
  }
  // A definition that depends on t is expanded wherever its name stands. Here each definition is twice as
  // long as the one before it, so that one of them exceeds the limit on the length of a formula.
  std::string doubling = "[run]\nend = 1\n[definitions]\nb0 = \"t\"\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "b" + std::to_string(i - 1);
    doubling += "b" + std::to_string(i) + " = \"" + last + " + " + last + "\"\n";
  }
  CHECK(complaints(doubling).find("too complicated") != std::string::npos);
}

TEST_CASE("a negative number of a repetition is one operand, also after a minus and before a power") {
  const scene::Scene scene = scene::parse_scene(
      "run.end = 1\n[[body]]\nrepeat = 2\nname = \"b{i}\"\nmass = \"2-{i-1}^2\"\ninertia = [1, 1, 1]\n",
      "repeat.toml");
  CHECK(scene.mechanism.bodies[0].mass == 1);
  CHECK(scene.mechanism.bodies[1].mass == 2);
  CHECK(scene.mechanism.bodies[1].name == "b1");
}

}  // namespace torsor
