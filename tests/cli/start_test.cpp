#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "command.hpp"
#include "reference.hpp"
#include "support/contains.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::test {
namespace {

TEST_CASE(
    "check prints 0 for rounding errors of a start, and small numbers where they are not rounding errors") {
  const WorkFolder folder;
  for (const char* scene : {"two_wheeled_cart", "governor", "slider_crank_spatial", "bennett"}) {
    const std::string told = torsor(folder.path, {"check", scene}).out;
    const std::size_t start = told.find('\n', told.find("from t = "));  // after the line with the tolerance
    std::istringstream words(told.substr(start, told.find("residuals") - start));
    for (std::string word; words >> word;) {
      CAPTURE(word);
      CHECK_FALSE(contains(word, "e-1"));
      CHECK_FALSE(contains(word, "e-4"));
      CHECK(word != "-0");
    }
  }
  folder.write("small.toml",
               "[run]\nend = 1\n[[body]]\nname = \"a\"\nmass = 1e-26\ninertia = [1, 1, 1]\n"
               "position = [1e-20, 2e-20, 0]\nvelocity_world = [0, 3e-19, 0]\n");
  const std::string small = torsor(folder.path, {"check", "small.toml"}).out;
  for (const char* words : {"1e-20 2e-20 0", "0 3e-19 0", "linear 0 3e-45 0"}) {
    CAPTURE(small);
    CHECK(contains(small, words));
  }
}

TEST_CASE("check refuses a start whose loads or energy are not finite and gives the line") {
  const WorkFolder folder;
  const std::string head = "[run]\nend = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n";
  const auto refused = [&](const std::string& text, const char* place, const char* words) {
    CAPTURE(text);
    folder.write("bad.toml", text);
    const Outcome check = torsor(folder.path, {"check", "bad.toml"});
    CHECK(check.code == 3);
    CHECK(check.out == "");
    CAPTURE(check.err);
    CHECK(contains(check.err, place));
    CHECK(contains(check.err, words));
  };
  refused(head +
              "position = [1, 0, 0]\n[[force]]\nname = \"pull\"\nkind = \"body-force\"\nbody = \"a\"\n"
              "force = [\"1/t\", 0, 0]\n",
          "bad.toml:12:", "error: \"force\" of force \"pull\": \"1/t\" is not finite at t = 0");
  refused(head +
              "[[force]]\nname = \"pull\"\nkind = \"body-force\"\nbody = \"a\"\n"
              "force = [\"smoothstep(body.a.position.x, 0, t)\", 0, 0]\n",
          "bad.toml:7:", "error: force \"pull\" is not finite at t = 0");
  refused(head + "velocity_world = [1e200, 0, 0]\n",
          "bad.toml:7:", "error: body \"a\": its velocity has a kinetic energy that is not finite");
  refused(head +
              "position = [1e150, 0, 0]\n[[force]]\nname = \"pull\"\nkind = \"spring\"\n"
              "from = {body = \"ground\"}\nto = {body = \"a\"}\nstiffness = 1e10\n",
          "bad.toml:8:", "error: the potential energy of force \"pull\" is not finite at t = 0");
  refused(
      "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [0]\nmetric = [[1]]\npotential = "
      "\"log(x^2)\"\n",
      "bad.toml:7:", "error: \"potential\" of [chart]: \"log(x^2)\" is not finite at the start");
}

TEST_CASE("time dependence of a scleronomic system in coordinates is not reported as a cause of rheonomy") {
  const WorkFolder folder;
  folder.write("uniform.toml",
               "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [1]\n"
               "[[chart.particle]]\nmass = 1\nposition = [\"x + 2*t\"]\n");
  const std::string text = torsor(folder.path, {"geometry", "uniform.toml"}).out;
  CHECK(contains(text, "scleronomic: time can be removed"));
  CHECK_FALSE(contains(text, "caused by"));
  CHECK(contains(text, "\n  contain t or a0"));
}

TEST_CASE("a start is solved for the values that are not given, and may slip under strong friction") {
  const WorkFolder folder;
  const auto x_at_start = [&](const std::string& text) {
    folder.write("start.toml", text);
    const Outcome run = torsor(folder.path, {"run", "start.toml", "--set", "run.end=1e-9", "--json"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    return json::parse(run.out);
  };
  const json cart = x_at_start(R"(run.end = 1
[[body]]
name = "slider"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
position = [2, 0, 0]
quaternion_wxyz = [1, 0, 0, 0]
[[joint]]
name = "s"
kind = "prismatic"
child = "slider"
axis = [1, 0, 0]
[[joint]]
name = "h"
kind = "revolute"
parent = "slider"
child = "a"
child_frame.position = [-0.5, 0, 0]
)");
  CHECK(cart["bodies"]["slider"]["x"][0].get<double>() == doctest::Approx(1.5));
  CHECK(cart["bodies"]["a"]["x"][0].get<double>() == doctest::Approx(2));
  const json disk = x_at_start(R"(gravity = [0, 0, -9.81]
run.end = 5
[integrator]
constraints = "viscous"
[friction]
mu = 1
eps = 2e-2
[[body]]
name = "disk"
mass = 3
inertia = [0.12, 0.24, 0.12]
position = [0, 0, 0.4]
velocity_world = [1.2, 0.5, 0]
angular_velocity_body = [0, 2, 0.6]
[[constraint]]
name = "contact"
kind = "rolling-disk"
body = "disk"
axis = [0, 1, 0]
radius = "0.4 m"
upright = true
)");
  CHECK(disk["bodies"]["disk"]["v"][0].get<double>() == doctest::Approx(1.2));
  CHECK(disk["bodies"]["disk"]["v"][1].get<double>() == doctest::Approx(0.5));
}

TEST_CASE(
    "a given coordinate of a loop joint is compared as given if it is a length, and up to whole turns if it "
    "is an angle") {
  const WorkFolder folder;
  const auto started = [&](const char* kind, const char* first, const char* second) {
    folder.write("loop.toml",
                 std::string("run.end = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n") +
                     "[[joint]]\nname = \"first\"\nkind = \"" + kind +
                     "\"\nchild = \"a\"\naxis = [1, 0, 0]\n" + first +
                     "[[joint]]\nname = \"second\"\nkind = \"" + kind +
                     "\"\nchild = \"a\"\naxis = [1, 0, 0]\n" + second);
    return torsor(folder.path, {"run", "loop.toml", "--set", "run.end=1e-9", "--json"});
  };
  const Outcome slide = started("prismatic", "rates = 0\n", "coordinates = 5\n");
  REQUIRE(slide.code == 0);
  CHECK(json::parse(slide.out)["bodies"]["a"]["x"][0].get<double>() == doctest::Approx(5));
  const Outcome apart = started("prismatic", "coordinates = 0\n", "coordinates = \"2*pi\"\n");
  CHECK(apart.code == 3);
  CHECK(contains(apart.err, "is given as 6.283"));
  CHECK(started("revolute", "coordinates = 0\n", "coordinates = \"2*pi\"\n").code == 0);
}

TEST_CASE("the command says how far projection of a start moved given coordinates and rates of joints") {
  const WorkFolder folder;
  folder.write("driven.toml",
               "[integrator]\nconsistent = \"project\"\n[run]\nend = 1\n[[body]]\nname = \"a\"\nmass = "
               "1\ninertia = [1, 1, 1]\n"
               "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nchild = \"a\"\ncoordinates = 0.1\nrates = 2\n"
               "[[constraint]]\nname = \"d\"\nkind = \"driver\"\njoint = \"j\"\nvalue = \"0.3 + t\"\n");
  const Outcome run = torsor(folder.path, {"run", "driven.toml"});
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(contains(run.err + run.out,
                 "the start was moved onto the constraints: joint coordinates by up to 0.2 (m or rad), joint "
                 "rates by up to 1 (m/s or rad/s)"));
}

}  // namespace
}  // namespace torsor::test
