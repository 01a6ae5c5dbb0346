#include <doctest/doctest.h>

#include "support.hpp"

namespace torsor {
namespace {

using test::complaints;
using test::parsed;
using test::with_top;

const std::string chain =
    "[run]\nend = 1\n[integrator]\nstep = 0.1\n[[body]]\nrepeat = 3\nname = \"rod{i}\"\nmass = \"1 + "
    "{i}\"\ninertia = [1, 1, 1]\n"
    "[[joint]]\nname = \"top\"\nkind = \"spherical\"\nchild = \"rod0\"\n"
    "[[joint]]\nrepeat = 2\nname = \"joint{i+1}\"\nkind = \"revolute\"\nparent = \"rod{i}\"\nchild = "
    "\"rod{i+1}\"\n"
    "coordinates = \"{i-1}^2 + 10*{2*i+1} deg\"\nchild_frame.position = [0, 0, \"{i}\"]\n";

}  // namespace

TEST_CASE("repeat writes copies, with i counted from 0") {
  const scene::Scene scene = parsed(chain);
  const auto& bodies = scene.mechanism.bodies;
  REQUIRE(bodies.size() == 3);
  CHECK(bodies[2].name == "rod2");
  CHECK(bodies[2].mass == 3);
  const auto& joints = scene.mechanism.joints;
  REQUIRE(joints.size() == 3);
  CHECK(joints[2].name == "joint2");
  CHECK(joints[2].parent == 1);
  CHECK(joints[2].child == 2);
  CHECK(joints[2].X_CM.p.z() == 1);
  // i = 0 gives ((-1)^2 + 10*1) deg: a negative number stays one operand.
  CHECK((*scene.start.joints[1].q)[0] == doctest::Approx(11 * std::numbers::pi / 180));
}

TEST_CASE("overrides find tables by name, array elements by index, and the copies of repeated tables") {
  CHECK(parsed(chain, {{"run.end", "2 min"}}).run.t_end == 120);
  CHECK(parsed(chain, {{"title", "Three rods"}}).title == "Three rods");
  CHECK(parsed(with_top(), {{"body.top.mass", "7"}}).mechanism.bodies[0].mass == 7);
  CHECK(parsed(with_top(), {{"body.top.position", "[1, 2, 3]"}}).start.bodies[0].x == Vec3(1, 2, 3));
  CHECK(parsed(with_top("position = [1, 2, 3]"), {{"body.top.position.1", "5"}}).start.bodies[0].x ==
        Vec3(1, 5, 3));
  CHECK(parsed(chain, {{"body.rod{i}.repeat", "5"}}).mechanism.bodies.size() == 5);
  CHECK(parsed(chain, {{"body.rod2.mass", "0.5"}}).mechanism.bodies[2].mass == 0.5);
  CHECK(parsed(chain, {{"joint.top.parent_frame.position", "[0, 0, 1]"}}).mechanism.joints[0].X_PF.p.z() ==
        1);
}

TEST_CASE("overrides find the constraints of a system in coordinates by name and by index") {
  const std::string chart = R"(
[run]
end = 1
[chart]
coordinates = ["x", "y"]
start = [1, 0]
metric = [[1, 0], [0, 1]]
[[chart.constraint]]
name = "rod"
position = "x^2 + y^2 - 1"
[[chart.constraint]]
name = "skate"
velocity = "y'"
)";
  for (const char* key : {"chart.constraint.skate.velocity", "chart.constraint.1.velocity"})
    CHECK(parsed(chart, {{key, "y' - y"}}).resolved.find("y' - y") != std::string::npos);
  CHECK(complaints(chart, {{"chart.constraint.skat.velocity", "y'"}}) ==
        "--set chart.constraint.skat.velocity=y': error: nothing is called \"skat\" here; did you mean "
        "\"skate\"?");
  CHECK(complaints(chart, {{"chart.constraint.rod", "1"}}) ==
        "--set chart.constraint.rod=1: error: a key must follow the name \"rod\"");
  const std::string free = chart.substr(0, chart.find("[[chart.constraint]]"));
  for (const char* name : {"c", "0"}) {
    const std::string key = std::string("chart.constraint.") + name + ".position";
    CHECK(complaints(free, {{key, "x"}}) == "--set " + key + "=x: error: there is no element \"" + name +
                                                "\" here: the array is empty or missing");
  }
}

TEST_CASE("a step size replaces a tolerance and vice versa; the last one counts") {
  const scene::Scene scene = parsed(chain, {{"integrator.tolerance", "1e-6"}});
  CHECK(scene.run.tolerance == 1e-6);
  CHECK(!scene.run.step);
  const scene::Scene again =
      parsed(chain, {{"integrator.tolerance", "1e-6"}, {"integrator.step", "\"1 ms\""}});
  CHECK(again.run.step == 1e-3);
  CHECK(!again.run.tolerance);
}

TEST_CASE("an override without a target is refused with its path") {
  CHECK(complaints(with_top(), {{"body.tap.mass", "1"}}) ==
        "--set body.tap.mass=1: error: no body \"tap\"; did you mean \"top\"?");
  CHECK(complaints(with_top(), {{"body.top.mas", "1"}}) ==
        "--set body.top.mas=1: error: unknown key \"mas\"; did you mean \"mass\"?");
  CHECK(complaints(with_top(), {{"body.top.____", "1"}})
            .starts_with("--set body.top.____=1: error: unknown key \"____\"; the keys are name, repeat, "));
  CHECK(complaints(with_top(), {{"bdy.top.mass", "1"}}) ==
        "--set bdy.top.mass=1: error: unknown key \"bdy\"; did you mean \"body\"?");
  CHECK(complaints(with_top(), {{"run.method", "rkmk4"}}) ==
        "--set run.method=rkmk4: error: unknown key \"method\"; it is a key of [integrator]");
  CHECK(complaints(with_top(), {{"run.end.x", "1"}}) ==
        "--set run.end.x=1: error: there is no table here that could have the key \"x\"");
  CHECK(complaints(with_top(), {{"body.top", "1"}}) ==
        "--set body.top=1: error: a key must follow the name \"top\"");
  CHECK(complaints(with_top("position = [1, 2, 3]"), {{"body.top.position.3", "1"}}) ==
        "--set body.top.position.3=1: error: \"3\" is not an index of an array of 3; indices count from 0");
  CHECK(complaints(with_top(), {{"body.top.position.0", "1"}}) ==
        "--set body.top.position.0=1: error: there is no element \"0\" here: the array is empty or missing");
  CHECK(complaints(chain, {{"body.rod7.mass", "1"}}) ==
        "--set body.rod7.mass=1: error: no body \"rod7\"; did you mean \"rod0\"?");
  CHECK(complaints(chain, {{"body.top.coordinates", "1"}}) ==
        "--set body.top.coordinates=1: error: no body \"top\"; did you mean \"joint.top\"?");
  CHECK(complaints(chain, {{"body.top.mass", "1"}}) == "--set body.top.mass=1: error: no body \"top\"");
  CHECK(complaints("gravity = [0, 0, -9.81]\n" + with_top(), {{"body..mass", "1"}})
            .starts_with("--set body..mass=1: error: no body \"\""));
  CHECK(complaints(with_top(), {{"", "1"}})
            .starts_with("--set =1: error: unknown key \"\"; the keys are schema, "));
}

TEST_CASE("an override that enters an array where the scene language has none is refused with its path") {
  const auto refused = [](const std::string& text, const scene::Overrides& overrides,
                          const std::string& last) {
    const std::string all = complaints(text, overrides);
    CAPTURE(all);
    CHECK(all.starts_with("scene:1:"));  // the file is wrong too
    CHECK(all.ends_with(last));
  };
  refused("run = [{end = 1}]\n", {{"run.0.end", "2"}},
          "--set run.0.end=2: error: an array is not allowed here, so there is no element \"0\"");
  refused("run = [1]\n", {{"run.0", "2"}},
          "--set run.0=2: error: an array is not allowed here, so there is no element \"0\"");
  refused("run = [{name = \"a\"}]\n", {{"run.a.end", "2"}},
          "--set run.a.end=2: error: an array is not allowed here, so there is no element \"a\"");
  refused("gravity = [[{x = 1}], 0, 0]\n" + with_top(), {{"gravity.0.0.x", "2"}},
          "--set gravity.0.0.x=2: error: an array is not allowed here, so there is no element \"0\"");
}

TEST_CASE("the value of an override is checked like a value of the file") {
  CHECK(complaints(with_top(), {{"run.end", "-1"}}) ==
        "--set run.end=-1: error: \"end\" of [run]: -1 s is not after \"begin\", 0 s");
  CHECK(complaints(with_top(), {{"body.top.mass", "nan"}}) ==
        "--set body.top.mass=nan: error: \"mass\" of body \"top\" must be finite, got nan");
  CHECK(complaints(chain, {{"body.rod1.mass", "true"}}) ==
        "--set body.rod1.mass=true: error: \"mass\" of body \"rod1\" must be a number or a quantity in a "
        "string, got a boolean");
  // A comment must not hide a part of a value.
  CHECK(complaints(with_top(), {{"body.top.mass", "5 # 50"}}) ==
        "--set body.top.mass=5 # 50: error: \"mass\" of body \"top\": cannot read \"5 # 50\": unexpected \"# "
        "50\"");
  CHECK(
      complaints(with_top(), {{"body.top.mass", "5} # 50"}}) ==
      "--set body.top.mass=5} # 50: error: \"mass\" of body \"top\": cannot read \"5} # 50\": unexpected \"} "
      "# 50\"");
  CHECK(complaints(with_top(), {{"body.top.mass", "5, x = 1"}}) != "");
  CHECK(parsed(with_top(), {{"title", "\"a # b\""}}).title == "a # b");
  // A line break must not let a value add other keys.
  CHECK(complaints(with_top(), {{"run.end", "1\nbegin = 0.5"}}) != "");
}

TEST_CASE("an override that is not UTF-8 is refused") {
  CHECK(complaints(with_top(), {{"body.top.mass", "1e-\xb6"}}) ==
        "--set body.top.mass=1e-\\xB6: error: the text is not UTF-8");
  CHECK(complaints(with_top(), {{"title\xff", "a"}}) == "--set title\\xFF=a: error: the text is not UTF-8");
}

TEST_CASE("a function of time without derivatives at the start is refused with its position") {
  try {
    scene::make_model(
        scene::load_scene(TORSOR_SCENES "/tetrahedron_particles.toml", {{"constraint.rod03.length", "t^t"}}));
    FAIL("accepted");
  } catch (const scene::SceneError& error) {
    CHECK(error.diagnostics.front().line > 1);
    CHECK(error.diagnostics.front().column == 1);
    CHECK(error.diagnostics.front().message ==
          "constraint \"rod03\" is not finite at t = 0; give a start at which it can be evaluated");
  }
}

TEST_CASE("a path with too many parts exceeds a limit") {
  std::string path = "run";
  for (int i = 0; i < 100000; ++i) path += ".a";
  try {
    parsed(with_top(), {{path, "1"}});
    FAIL("accepted");
  } catch (const scene::SceneError& error) {
    CHECK(error.limit_exceeded);
  }
}

TEST_CASE("the resolved text gives the same scene, without overrides and repetitions") {
  // Numbers that a conversion could change: one beyond the signed integers of 64 bits, and a negative zero.
  std::vector<std::string> texts{chain, with_top("position = [12345678901234567000.0, -0.0, 0.1]\n")};
  for (const auto& path : test::files(TORSOR_SCENES, ".toml")) texts.push_back(test::contents(path));
  for (const std::string& text : texts) {
    const scene::Scene scene = parsed(text, {{"run.end", "pi"}, {"title", "a \"quoted\"\ttitle \\ \x7f"}});
    CAPTURE(scene.resolved);
    const scene::Scene again = parsed(scene.resolved);
    CHECK(again.resolved == scene.resolved);
    CHECK(again.title == scene.title);
    CHECK(again.resolved.find("repeat") == std::string::npos);
    CHECK(again.run.t_end == std::numbers::pi);
    if (scene.in_coordinates) {
      CHECK(scene.in_coordinates->start.q == again.in_coordinates->start.q);
      CHECK(scene.in_coordinates->start.v == again.in_coordinates->start.v);
      continue;
    }
    const scene::ReadyModel one = make_model(scene), other = make_model(again);
    CHECK(one.start.q == other.start.q);
    CHECK(one.start.v == other.start.v);
    for (std::size_t i = 0; i < scene.mechanism.bodies.size(); ++i) {
      CHECK(scene.mechanism.bodies[i].name == again.mechanism.bodies[i].name);
      CHECK(scene.mechanism.bodies[i].inertia == again.mechanism.bodies[i].inertia);
    }
  }
}

}  // namespace torsor
