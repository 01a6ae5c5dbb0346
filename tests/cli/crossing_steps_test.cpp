#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference_run.hpp"
#include "support/contains.hpp"
#include "support/greatest.hpp"

// A parallelogram of three bars passes the singular configurations in which all bars lie in one line. There
// it could also turn into an antiparallelogram.

namespace torsor::test {
namespace {

const char* const parallelogram = R"(
gravity = [0, -9.81, 0]
[run]
end = 3
output = 0.05
[[body]]
repeat = 2
name = "link{i}"
mass = 1
inertia = [0.001, "1/12", "1/12"]
[[body]]
name = "coupler"
mass = 1
inertia = [0.001, "1/12", "1/12"]
[[joint]]
repeat = 2
name = "A{i}"
kind = "revolute"
child = "link{i}"
parent_frame.position = ["{i}", 0, 0]
child_frame.position = [-0.5, 0, 0]
coordinates = ANGLE
rates = RATE
[[joint]]
name = "left"
kind = "revolute"
parent = "link0"
child = "coupler"
parent_frame.position = [0.5, 0, 0]
child_frame.position = [-0.5, 0, 0]
coordinates = -(ANGLE)
rates = -(RATE)
[[joint]]
name = "right"
kind = "revolute"
parent = "coupler"
child = "link1"
parent_frame.position = [0.5, 0, 0]
child_frame.position = [0.5, 0, 0]
)";

/// The first angle of the links, rad, and its rate, rad/s.
struct Start {
  double angle, rate;
};

std::string with_start(std::string text, const Start& start) {
  for (const auto& [name, value] : {std::pair{"-(ANGLE)", -start.angle},
                                    {"-(RATE)", -start.rate},
                                    {"ANGLE", start.angle},
                                    {"RATE", start.rate}})
    for (std::size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, std::string_view(name).size(), std::to_string(value));
  return text;
}

/// `more`: further bodies and joints.
Trajectory motion(const Start& start, scene::Overrides settings, const std::string& more = {}) {
  const scene::Scene scene =
      scene::parse_scene(with_start(parallelogram, start) + more, "parallelogram.toml", settings);
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run, scene.points);
}

/// A step size with all its digits: rounded, a step would no longer end next to a singular configuration.
std::string digits_of(double step) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", step);
  return digits;
}

Trajectory fixed_steps(const Start& start, const char* method, const char* formulation, double step) {
  return motion(start, {{"integrator.method", method},
                        {"integrator.formulation", formulation},
                        {"integrator.step", digits_of(step)}});
}

/// The greatest error of the positions of the mass centres over all samples, m.
double error_of(const Trajectory& found, const Trajectory& exact) {
  REQUIRE(found.samples.size() == exact.samples.size());
  double worst = 0;
  for (std::size_t i = 0; i < exact.samples.size(); ++i)
    for (std::size_t body = 0; body < 3; ++body)
      worst = greatest(worst, greatest(found.samples[i].bodies[body].x - exact.samples[i].bodies[body].x));
  return worst;
}

Trajectory exact_motion(const Start& start) {
  return motion(start, {{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-11"}});
}

TEST_CASE(
    "symmetric methods pass singular configurations with their order, at fixed steps and under a tolerance") {
  for (const Start& start : {Start{1, -3}, Start{2, 5}}) {
    const Trajectory exact = exact_motion(start);
    for (const char* formulation : {"tree", "absolute"}) {
      CAPTURE(std::string(formulation));
      for (const double step : {1e-3, 2e-3, 5e-3, 1e-2}) {
        CAPTURE(step);
        const auto error = [&](const char* method) {
          CAPTURE(std::string(method));
          const Trajectory found = fixed_steps(start, method, formulation, step);
          REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
          return error_of(found, exact);
        };
        CHECK(error("lie-midpoint") < 120 * step * step);
        CHECK(error("lie-midpoint4") < 200 * std::pow(step, 4) + 1e-8);
        CHECK(error("lie-midpoint6") < 1e-7);
      }
      for (const char* method : {"lie-midpoint4", "lie-midpoint6"})
        for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
          CAPTURE(std::string(method));
          const Trajectory found = motion(start, {{"integrator.method", method},
                                                  {"integrator.formulation", formulation},
                                                  {"integrator.tolerance", tolerance}});
          REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
          CHECK(error_of(found, exact) < 10 * std::stod(tolerance));
        }
    }
  }
}

TEST_CASE(
    "a step that would end on another branch, or has a stage next to a singular configuration, is made in "
    "another way") {
  const auto error = [](const Start& start, const char* method, const char* formulation, double step) {
    CAPTURE(std::string(method));
    const Trajectory found = fixed_steps(start, method, formulation, step);
    REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    CHECK_FALSE(found.summary.note.empty());
    return error_of(found, exact_motion(start));
  };
  // Beside a bound: the error, m, of the step that is not made in another way, or how this step fails.
  CHECK(error({1, -3}, "rattlie", "absolute", 0.007641278633678052) < 3e-3);  // 1.9 on the other branch
  CHECK(error({1, -3}, "lie-midpoint", "absolute", 0.007641278633678052) < 3e-3);
  CHECK(error({0.3, 2}, "lie-midpoint4", "absolute", 0.009575768564670758) < 1e-6);
  CHECK(error({1, -3}, "cg3", "tree", 0.002208636317342515) < 1e-5);
  CHECK(error({-1, 12}, "rkmk4", "absolute", 0.012) < 1e-4);  // 6e-3 by rounding in one step
  CHECK(error({2.5, 1}, "rkmk-dop853", "tree", 0.0027677815758720215) < 1e-8);             // 4e-4
  CHECK(error({1.5, -6}, "hemk5", "absolute", 0.003098386676965935) < 1e-5);               // 1e-3
  CHECK(error({1.5, -6}, "generalized-alpha", "absolute", 0.0034684817919475525) < 1e-2);  // Newton fails
}

TEST_CASE(
    "a fixed step that comes near a singular configuration only at a stage keeps the accuracy of the method, "
    "also at outputs inside the step") {
  const Start start{1.2, -8};
  const auto until = [&](scene::Overrides settings, const char* interval) {
    settings.insert(settings.end(), {{"run.end", "0.3"}, {"run.output", interval}});
    return motion(start, settings);
  };
  for (const char* interval : {"0.3", "0.005"}) {
    CAPTURE(std::string(interval));
    const Trajectory exact =
        until({{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-11"}}, interval);
    for (const auto& [method, bound] :
         {std::pair{"rkmk-dop853", 1e-8}, {"rkmk4", 2e-3}, {"cf4", 2e-3}, {"hemk4", 2e-3}})
      for (const char* step : {"0.0255", "0.0303", "0.0324", "0.033", "0.0376", "0.04", "0.0416", "0.056"}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(step));
        const Trajectory found = until({{"integrator.method", method},
                                        {"integrator.formulation", "absolute"},
                                        {"integrator.step", step}},
                                       interval);
        REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
        CHECK(error_of(found, exact) < bound);
      }
  }
}

TEST_CASE(
    "a half-explicit step that fails next to a singular configuration is made in another way from the start "
    "on") {
  const Start start{0.3, -6};
  const scene::Overrides short_run{{"run.end", "0.3"}, {"run.output", "0.015"}};
  const auto run_with = [&](scene::Overrides settings) {
    settings.insert(settings.end(), short_run.begin(), short_run.end());
    return motion(start, settings);
  };
  const Trajectory exact =
      run_with({{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-11"}});
  for (const char* step : {"0.0249", "0.0263", "0.0303", "0.0353"}) {
    CAPTURE(std::string(step));
    const Trajectory found = run_with(
        {{"integrator.method", "hemk4"}, {"integrator.formulation", "absolute"}, {"integrator.step", step}});
    REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    CHECK(contains(found.summary.note, "rkmk-dop853 took steps that hemk4 cannot take: "));
    CHECK(error_of(found, exact) < 1e-3);
  }
}

TEST_CASE("a fast body beside a loop, or on it, does not hide that a stage may be on another branch") {
  const auto positions = [](scene::Overrides settings, const std::string& more) {
    settings.insert(settings.end(), {{"run.end", "0.3"}, {"run.output", "0.3"}});
    return motion({1.2, -8}, settings, more);
  };
  const Trajectory exact =
      positions({{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-11"}}, "");
  const std::string slider =
      "[[body]]\nname = \"fast\"\nmass = 1e-8\ninertia = [1e-9, 1e-9, 1e-9]\n[[joint]]\nname = \"slide\"\n"
      "kind = \"prismatic\"\nchild = \"fast\"\ncoordinates = 0\nrates = 300\n";
  for (const char* where : {"parent_frame.position = [0, 5, 0]\n", "parent = \"coupler\"\n"}) {
    CAPTURE(std::string(where));
    const Trajectory found = positions({{"integrator.method", "rkmk4"},
                                        {"integrator.formulation", "absolute"},
                                        {"integrator.step", "0.0558"}},
                                       slider + where);
    REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    CHECK(error_of(found, exact) < 2e-3);  // 0.024 on the other branch
  }
}

/// The parallelogram a second time, 5 m away along z, with 2 behind each name, and with the joint "A20"
/// driven.
std::string driven_parallelogram(const Start& start, const std::string& driver) {
  std::string text = with_start(parallelogram, start);
  text.erase(0, text.find("[[body]]"));
  const auto replace = [&](std::string_view old, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size())
      text.replace(at, old.size(), by);
  };
  for (const std::string name : {"link", "A", "coupler", "left", "right"}) {
    replace('"' + name + '"', '"' + name + "2\"");
    replace('"' + name + "{i}\"", '"' + name + "2{i}\"");
  }
  replace("\"link0\"", "\"link20\""), replace("\"link1\"", "\"link21\"");
  replace("position = [\"{i}\", 0, 0]", "position = [\"{i}\", 0, 5]");
  return text + "[[constraint]]\nname = \"driver\"\nkind = \"driver\"\njoint = \"A20\"\nvalue = \"" + driver +
         "\"\n";
}

TEST_CASE("a loop that dwells near a singular configuration has no jump of the velocity") {
  // The parallelogram of this file moves beside it, and stays far from singular configurations.
  const std::string dwelling = driven_parallelogram({1.2, 0}, "0.1 + 1.1*exp(-(t/0.2)^2)");
  for (const char* method : {"rkmk4", "rkmk-dop853"})
    for (const auto& [key, value] :
         {std::pair{"integrator.step", "0.01"}, {"integrator.tolerance", "1e-6"}}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(key));
      const Trajectory found =
          motion({-1.2, 1}, {{"run.end", "2"}, {"integrator.method", method}, {key, value}}, dwelling);
      CHECK_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
      CHECK(found.summary.accepted < 1000);
    }
}

TEST_CASE("a loop that comes to rest near a singular configuration, or is pushed there, has no jump") {
  const std::string spring =
      "[[force]]\nname = \"spring\"\nkind = \"joint-force\"\njoint = \"A0\"\nstiffness = 40\ndamping = 80\n"
      "rest = 0.03\n[[force]]\nname = \"push\"\nkind = \"joint-force\"\njoint = \"A0\"\n"
      "force = \"-20*exp(-((t-7)/0.02)^2)\"\n";
  const scene::Overrides calm{{"gravity", "[0, 0, 0]"}, {"run.end", "8"}, {"run.output", "1"}};
  scene::Overrides settings = calm;
  settings.insert(settings.end(), {{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-9"}});
  const Trajectory exact = motion({1.2, 0}, settings, spring);
  for (const char* method : {"rkmk4", "hemk4", "rkmk-dop853"})
    for (const char* step : {"0.005", "0.0137", "0.02"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(step));
      settings = calm;
      settings.insert(settings.end(), {{"integrator.method", method}, {"integrator.step", step}});
      const Trajectory found = motion({1.2, 0}, settings, spring);
      REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
      CHECK(error_of(found, exact) < 1e-3);
    }
}

TEST_CASE("a jump is seen beside a loop with a worse condition") {
  // The other loop comes near its singular configuration five steps earlier, and then drifts slowly.
  const double step = 0.0558;
  const auto until = [](const Start& start, double end, scene::Overrides settings, const std::string& more) {
    settings.insert(settings.end(), {{"run.end", std::to_string(end)}, {"run.output", std::to_string(end)}});
    return motion(start, settings, more);
  };
  const scene::Overrides accurate{{"integrator.method", "rkmk-dop853"}, {"integrator.tolerance", "1e-11"}};
  const JointMotion before = until({1.2, 8}, 5 * step, accurate, {}).samples.back().joints[0];
  const Start start{before.q[0], -before.v[0]};
  const std::string beside = driven_parallelogram({1.2, 0.0009}, "0.003 + 0.0009*t + 1.197*exp(-(t/0.1)^2)");
  const Trajectory exact = until(start, 0.3 + 5 * step, accurate, {});
  for (int k = -6; k <= 6; ++k) {
    CAPTURE(k);
    const Trajectory found = until(start, 0.3 + 5 * step,
                                   {{"integrator.method", "rkmk4"},
                                    {"integrator.formulation", "absolute"},
                                    {"integrator.step", std::to_string(step + 5e-5 * k)}},
                                   beside);
    REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    CHECK(error_of(found, exact) < 8e-3);  // 0.024 on the other branch
  }
}

TEST_CASE("the velocity of an oscillation about a singular configuration is not taken for a jump") {
  // Under a weight along the bars the links oscillate about the flat pose, and in some step the velocity does
  // not change.
  for (const char* method : {"lie-midpoint", "lie-midpoint4", "generalized-alpha"})
    for (const double step : {0.0906, 0.0921, 0.0703, 0.0718}) {
      CAPTURE(std::string(method));
      CAPTURE(step);
      const Trajectory found = motion({0.3, 0}, {{"gravity", "[20, 0, 0]"},
                                                 {"run.end", "1.2"},
                                                 {"integrator.method", method},
                                                 {"integrator.step", std::to_string(step)}});
      CHECK_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    }
}

TEST_CASE(
    "an output inside a step near a singular configuration does not end the run if Newton's method fails "
    "there") {
  for (const auto& [method, step] :
       {std::pair{"generalized-alpha", 0.02547669749097471}, {"bliedf2", 0.038186882034592744}}) {
    const Start start = std::string_view(method) == "bliedf2" ? Start{0.3, 2} : Start{2.5, 1};
    const Trajectory found = fixed_steps(start, method, "absolute", step);
    REQUIRE_MESSAGE(found.summary.status == StepStatus::reached_end, found.summary.message);
    CHECK(error_of(found, exact_motion(start)) < 0.2);
  }
}

TEST_CASE("no run at a fixed step is wrong without a word near singular configurations") {
  for (const Start& start : {Start{0.3, 2}, Start{2.5, 1}}) {
    const Trajectory exact = exact_motion(start);
    for (const char* method : {"rkmk4", "rkmk-dop853", "hemk4", "cg3", "rattlie", "lie-midpoint"}) {
      CAPTURE(std::string(method));
      for (int k = 1; k < 20; ++k) {
        const double step = 1e-3 * std::pow(1.13, k);
        CAPTURE(step);
        const Trajectory found = fixed_steps(start, method, "absolute", step);
        if (found.summary.status == StepStatus::singular) continue;
        REQUIRE(found.summary.status == StepStatus::reached_end);
        const double error = error_of(found, exact);
        const bool told = contains(found.summary.note, "where rounding may cause an error of up to about ");
        CHECK(error < (told ? 1e-3 : 400 * step * step));
      }
    }
  }
}

TEST_CASE(
    "a step that ends next to a singular configuration has a note on its rounding error, beside that on "
    "steps by another method") {
  const Trajectory noisy = fixed_steps({2.5, 1}, "rkmk4", "tree", 0.0010025304950893083);
  CHECK(noisy.summary.status == StepStatus::reached_end);
  CHECK(noisy.summary.note.starts_with("rkmk-dop853 took steps that rkmk4 takes with greater errors: "));
  CHECK(contains(noisy.summary.note,
                 "; the constraints nearly lose rank in \"right\" at t = 0.856: condition "));
  CHECK(contains(noisy.summary.note, ", where rounding may cause an error of up to about "));
}

TEST_CASE("a stiff motion near a singular configuration is not given to an explicit method") {
  std::string text = parallelogram;
  text +=
      "[[body]]\nname = \"s\"\nmass = 0.1\ninertia = [1e-3, 1e-3, 1e-3]\n[[joint]]\nname = \"slide\"\n"
      "kind = \"prismatic\"\nparent = \"coupler\"\nchild = \"s\"\naxis = [1, 0, 0]\ncoordinates = 0.1\n"
      "[[force]]\nname = \"spring\"\nkind = \"joint-force\"\njoint = \"slide\"\nstiffness = 200\n"
      "damping = 100\n";
  for (const auto& [name, value] :
       {std::pair{"-(ANGLE)", "-2"}, {"-(RATE)", "-5"}, {"ANGLE", "2"}, {"RATE", "5"}})
    for (std::size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, std::string_view(name).size(), value);
  for (const char* method : {"bliedf2", "generalized-alpha"})
    for (const double step : {0.0076011570331716155, 0.005, 0.0031}) {
      CAPTURE(std::string(method));
      CAPTURE(step);
      const scene::Scene scene = scene::parse_scene(
          text, "stiff.toml",
          {{"integrator.method", method}, {"integrator.step", digits_of(step)}, {"run.end", "1"}});
      const scene::ReadyModel ready = make_model(scene);
      const RunSummary summary = run(ready.model, ready.start, scene.run, scene.points).summary;
      CHECK_MESSAGE(summary.status == StepStatus::reached_end, summary.message);
      CHECK_FALSE(contains(summary.note, "drifted"));
    }
}

}  // namespace
}  // namespace torsor::test
