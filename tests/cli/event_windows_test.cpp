#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference_run.hpp"
#include "support/contains.hpp"

// Events of formulas with kinks are found in parts of a step, however flat the formulas are between kinks.

namespace torsor::test {
namespace {

/// The run of a body that moves at 1 m/s and turns, with an event.
RunSummary run_with_event(const std::string& expression, const char* keys = "",
                          const char* tolerance = "1e-8") {
  const std::string text =
      "[run]\nend = 10\noutput = 10\n[integrator]\ntolerance = " + std::string(tolerance) +
      "\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\nvelocity_world = [1, 0, 0]\n"
      "angular_velocity_body = [0, 0, 0.5]\n[[event]]\nname = \"e\"\nquantity = \"expression\"\nexpression = "
      "\"" +
      expression + "\"\n" + keys;
  CAPTURE(text);
  const scene::Scene scene = scene::parse_scene(text, "scene.toml");
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run, scene.points, scene.events).summary;
}

void check_times(const RunSummary& summary, const std::vector<double>& times) {
  CHECK(summary.status == StepStatus::reached_end);
  REQUIRE(summary.events.size() == times.size());
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(std::abs(summary.events[i].t - times[i]) < 1e-7);
}

TEST_CASE("windows of the time and of the motion that lie within one step are found") {
  for (const auto& [from, to] : {std::pair{5., 6.5}, {1.25, 1.375}, {7., 7.0625}}) {
    const auto window = [from = from, to = to](const std::string& x) {
      return "if(" + x + " > " + std::to_string(from) + " and " + x + " < " + std::to_string(to) +
             ", 1, 0) - 0.5";
    };
    for (const char* tolerance : {"1e-8", "1e-3"}) {
      check_times(run_with_event(window("t"), "", tolerance), {from, to});
      check_times(run_with_event(window("body.b.position.x"), "", tolerance), {from, to});
      check_times(run_with_event(window("t"), "crossing = \"falling\"\n", tolerance), {to});
    }
    const RunSummary stopped = run_with_event(window("body.b.position.x"), "action = \"stop\"\n");
    CHECK(stopped.status == StepStatus::event);
    CHECK(std::abs(stopped.t - from) < 1e-7);
  }
}

TEST_CASE("windows of an own state are found, also beside forces whose work is integrated") {
  for (const char* force :
       {"",
        "[[force]]\nname = \"f\"\nkind = \"joint-force\"\njoint = \"j\"\nforce = \"sin(t) - "
        "0.2*joint.j.rate\"\n"}) {
    const std::string text =
        std::string(
            "[run]\nend = 10\noutput = 10\n[integrator]\ntolerance = 1e-8\n[[body]]\nname = \"b\"\nmass "
            "= 1\ninertia = [1, 1, 1]\n[[joint]]\nname = \"j\"\nkind = \"revolute\"\nchild = \"b\"\naxis = "
            "[0, 0, 1]\n[[state]]\nname = \"z\"\nrate = 1\n[[event]]\nname = \"e\"\nquantity = "
            "\"expression\"\nexpression = \"if(state.z > 5 and state.z < 5.001, 1, 0) - 0.5\"\n") +
        force;
    CAPTURE(text);
    const scene::Scene scene = scene::parse_scene(text, "scene.toml");
    const scene::ReadyModel ready = make_model(scene);
    check_times(run(ready.model, ready.start, scene.run, scene.points, scene.events).summary, {5, 5.001});
  }
}

TEST_CASE("crossings of a formula that is flat between them are all found") {
  std::vector<double> times;
  const double first = std::asin(0.5) / 9, period = 2 * std::acos(-1.) / 9;
  for (int k = 0; k * period < 10; ++k)
    for (const double t : {k * period + first, k * period + period / 2 - first})
      if (t < 10) times.push_back(t);
  check_times(run_with_event("max(sin(9*t), 0.2) - 0.5"), times);
  check_times(run_with_event("max(sin(9*body.b.position.x), 0.2) - 0.5"), times);
}

TEST_CASE("a guard keeps formulas from places where they have no value") {
  check_times(run_with_event("if(t < 5, min(sqrt(5 - t) - 1, 100), -2)"), {4});
  check_times(run_with_event("if(t < 5, abs(log(5 - t)) - 1, 2)"), {5 - std::exp(1.), 5 - std::exp(-1.)});
  check_times(run_with_event("if(t < 9, if(sqrt(9 - t) > 0.5, 1, -1), -1)"), {8.75});
}

TEST_CASE("all crossings of a periodic function with a kink are found") {
  std::vector<double> times;
  for (int k = 0; k < 20; ++k) times.push_back(0.25 + k / 2.);
  for (const char* x : {"t", "body.b.position.x"})
    check_times(run_with_event("cos(2*pi*" + std::string(x) + ")*if(" + x + " > 2.125, 2, 1)"), times);
}

TEST_CASE("a switching function that is zero up to rounding costs little") {
  const char* const text = R"(
gravity = [0, 0, -9.81]
[run]
end = 10
output = 10
[integrator]
formulation = "absolute"
tolerance = 1e-8
[[body]]
repeat = 2
name = "b{i}"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joint]]
repeat = 2
name = "j{i}"
kind = "revolute"
child = "b{i}"
axis = [0, 1, 0]
child_frame.position = [0, 0, 1]
coordinates = 1
[[event]]
name = "e"
quantity = "expression"
)";
  const auto run_with = [&](const std::string& formula) {
    const scene::Scene scene =
        scene::parse_scene(text + ("expression = \"" + formula + "\"\n"), "scene.toml");
    const scene::ReadyModel ready = make_model(scene);
    return run(ready.model, ready.start, scene.run, scene.points, scene.events).summary;
  };
  const RunSummary smooth = run_with("joint.j0.angle - 0.3"),
                   kinked = run_with("max(joint.j0.angle, joint.j1.angle) - 0.3");
  REQUIRE(smooth.status == StepStatus::reached_end);
  REQUIRE_MESSAGE(kinked.status == StepStatus::reached_end, kinked.message);
  CHECK(kinked.events.size() == smooth.events.size());
  CHECK(kinked.evaluations < 20 * smooth.evaluations);
}

TEST_CASE("a run that ends at an event in its first step keeps its energy") {
  for (const char* tolerance : {"1e-3", "1e-4", "1e-5", "1e-9"}) {
    const scene::Scene scene = scene::parse_scene(
        "gravity = [0, 0, -9.81]\n[run]\nend = 5\n[[particle]]\nname = \"p\"\nmass = 1\nvelocity_world = [1, "
        "0, 5]\n"
        "[[joint]]\nname = \"j\"\nkind = \"translation\"\nchild = \"p\"\n[[force]]\nname = \"s\"\nkind = "
        "\"spring\"\n"
        "from = {body = \"ground\", position = [0, 0, -1]}\nto = {body = \"p\"}\nstiffness = 20\nrest_length "
        "= 1\n"
        "[[event]]\nname = \"stop\"\nquantity = \"joint-coordinate\"\njoint = \"j\"\ncoordinate = 2\nvalue = "
        "0.05\n"
        "action = \"stop\"\n",
        "scene.toml", {{"integrator.tolerance", tolerance}});
    const scene::ReadyModel ready = make_model(scene);
    const RunSummary summary = run(ready.model, ready.start, scene.run, scene.points, scene.events).summary;
    CHECK_MESSAGE(summary.status == StepStatus::event, summary.message);
    if (std::string(tolerance) != "1e-9") CHECK(summary.accepted == 1);
  }
}

}  // namespace
}  // namespace torsor::test
