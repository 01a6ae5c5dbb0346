#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reference_run.hpp"

// Formulas with an angle by atan2, which jumps between pi and -pi.
namespace torsor::test {
namespace {

constexpr const char* wheel_with_heading =
    "[definitions]\nheading = \"atan2(body.a.rotation.yx, body.a.rotation.xx)\"\n"
    "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n"
    "[[joint]]\nname = \"h\"\nkind = \"revolute\"\nchild = \"a\"\n";

TEST_CASE("a step ends at the jump of an angle by atan2") {
  // The heading is 4 sin(t) until it jumps from pi to -pi at the time a, then 4 sin(t - 2 a) until 3 a, and
  // so on.
  const double a = std::asin(std::numbers::pi / 4), s = 3 - 4 * a;
  const std::pair<const char*, double> integrators[] = {{"tolerance = 1e-10", 1e-8},
                                                        {"method = \"rkmk-dopri5\"", 1e-6},
                                                        {"method = \"lie-midpoint\"\ntolerance = 1e-7", 1e-4},
                                                        {"method = \"rkmk4\"\nstep = 0.02", 1e-6}};
  for (const auto& [integrator, bound] : integrators) {
    CAPTURE(std::string(integrator));
    const Trajectory motion = motion_of(scene::parse_scene(
        "[run]\nend = 3\noutput = 3\n[integrator]\n" + std::string(integrator) + "\n" + wheel_with_heading +
            "rates = 4\n[[force]]\nname = \"f\"\nkind = \"joint-force\"\njoint = \"h\"\nforce = "
            "\"-heading\"\n",
        "wheel.toml"));
    const JointMotion& joint = motion.samples.back().joints.at(0);
    CHECK(greatest(joint.q[0] - (4 * std::numbers::pi + 4 * std::sin(s))) < bound);
    CHECK(greatest(joint.v[0] - 4 * std::cos(s)) < bound);
    CHECK(motion.summary.rejected < 5);
  }
}

TEST_CASE("the value of a velocity constraint may have kinks, and the run ends where it jumps") {
  using std::numbers::pi;
  const auto turning = [](const std::string& method, const std::string& rate) {
    const scene::Scene scene = scene::parse_scene(
        "[run]\nend = 4\noutput = 4\n[integrator]\nconsistent = \"project\"\nmethod = \"" + method + "\"\n" +
            wheel_with_heading +
            "coordinates = 2\n[[constraint]]\nname = \"c\"\nkind = \"spin\"\nbody = \"a\"\n" +
            "direction = [0, 0, 1]\nvalue = \"" + rate + "\"\n",
        "turning.toml");
    const scene::ReadyModel ready = make_model(scene);
    return run(ready.model, ready.start, scene.run);
  };
  const double half = 5 * std::log(1 + pi / 5),
               begun = 5 * std::log(1.4);  // durations from 0 to pi and from 0 to 2
  for (const char* method : {"rkmk-dop853", "hemk5"}) {
    CAPTURE(std::string(method));
    const Trajectory round = turning(method, "1 + abs(heading)/5");
    REQUIRE(round.summary.status == StepStatus::reached_end);
    const double end = 2 * pi + 5 * std::expm1((4 - 2 * half + begun) / 5);
    CHECK(greatest(round.samples.back().joints.at(0).q[0] - end) < 1e-7);
    const RunSummary jumped = turning(method, "1 + heading/5").summary;
    CHECK(jumped.status == StepStatus::callback_failed);
    CHECK_MESSAGE(jumped.message.find("the value of constraint \"c\" jumps at t = ") != std::string::npos,
                  jumped.message);
  }
}

TEST_CASE(
    "a run ends where the position of a constraint jumps, with index 1, minimal, dynamic and index 3, and "
    "names the constraint") {
  const std::string bodies =
      "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[body]]\nname = \"fast\"\nmass = 1\ninertia = "
      "[1, 1, 1]\n"
      "velocity_world = [30, 0, 0]\n[[joint]]\nname = \"h\"\nkind = \"prismatic\"\nchild = "
      "\"a\"\n[[constraint]]\n"
      "name = \"c\"\nkind = \"driver\"\njoint = \"h\"\nvalue = \"";
  const std::string chart =
      "[chart]\ncoordinates = [\"x\", \"y\"]\nstart = [0, 0]\nrates = [0, 30]\nmetric = [[1, 0], [0, 1]]\n"
      "[[chart.constraint]]\nname = \"c\"\nposition = \"x - ";
  for (const std::string& system : {bodies, chart})
    for (const char* integrator :
         {"method = \"rkmk-dop853\"", "method = \"rkmk-dop853\"\nconstraints = \"minimal\"",
          "method = \"rkmk-dop853\"\nconstraints = \"dynamic\"", "method = \"rkmk4\"\nstep = 0.01",
          "method = \"rkmk4\"\nstep = 0.01\nconstraints = \"minimal\"",
          "method = \"generalized-alpha\"\nconstraints = \"index-3\"\nstep = 0.01"}) {
      CAPTURE(system);
      CAPTURE(std::string(integrator));
      const auto end_of = [&](const std::string& position) {
        const scene::Scene scene =
            scene::parse_scene("[run]\nend = 4\noutput = 4\n[integrator]\nconsistent = \"project\"\n" +
                                   std::string(integrator) + "\n" + system + position + "\"\n",
                               "driven.toml");
        return run(scene, prepare(scene), scene.run).summary;
      };
      const RunSummary jumped = end_of("atan2(sin(t), cos(t))/1000");
      CHECK(jumped.status == StepStatus::constraint_lost);
      CHECK(std::abs(jumped.t - std::numbers::pi) < 0.01);
      CHECK_MESSAGE(jumped.message.find("the position of constraint \"c\" jumps by 0.00628 at t = 3.14159") !=
                        std::string::npos,
                    jumped.message);
      CHECK(jumped.part.kind == (system == bodies ? Part::Kind::constraint : Part::Kind::none));
      if (system == bodies) CHECK(jumped.part.index == 0);
      const RunSummary later = end_of("atan2(0, 1.4937 - t)/1000");  // constant before it jumps
      CHECK(later.status == StepStatus::constraint_lost);
      CHECK(std::abs(later.t - 1.4937) < 0.02);
      // A step of 0.01 s ends at the jump, where the function has no value.
      CHECK(end_of("atan2(0, 1.5 - t)/1000").status != StepStatus::reached_end);
      CHECK(end_of("sin(3*atan2(sin(t), cos(t)))").status == StepStatus::reached_end);
    }
}

}  // namespace
}  // namespace torsor::test
