#include <doctest/doctest.h>

#include <cmath>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

/// The state after the first quarter of a second of a scene.
json quarter_second_end(const char* name, scene::Overrides overrides) {
  overrides.emplace_back("run.end", "0.25");
  overrides.emplace_back("run.output", "0.05");
  const scene::Scene scene = scene::load_scene(scene_path(name), overrides);
  return states_at(scene, {scene.run.t_end}).front();
}

/// Checks the motion to `bound`, reactions to 10 `bound`, and the position residual to `held`.
void check_same(const json& end, const json& expected, double bound, double held) {
  for (const auto& [name, body] : expected.at("bodies").items())
    for (const char* key : {"x", "v", "Omega"}) {
      CAPTURE(name);
      CHECK(body_difference(key, end.at("bodies").at(name), body.at(key)) <= bound);
    }
  for (const auto& [name, joint] : expected.at("joints").items())
    for (const char* key : {"force", "torque"}) {
      CAPTURE(name);
      CHECK(difference(end.at("joints").at(name).at(key), joint.at(key)) <= 10 * bound);
    }
  CHECK(end.at("residuals").at("position").get<double>() <= held);
}

TEST_CASE(
    "redundant rows give the same motion in every treatment by every kind of method, even rows that are "
    "redundant only where the constraints are satisfied") {
  for (const char* name : {"bricard", "parallelogram", "fourbar_driven"}) {
    CAPTURE(std::string(name));
    const json expected = quarter_second_end(name, {{"integrator.tolerance", "1e-11"}});
    struct Case {
      const char *method, *treatments, *key, *value;
    };
    for (const Case& one :
         {Case{"rkmk4", "index-1 minimal dynamic", "tolerance", "1e-8"},
          Case{"generalized-alpha", "index-2 index-3 stabilised-index-2 minimal dynamic", "step", "1e-3"},
          Case{"hemk4", "index-2 minimal dynamic", "tolerance", "1e-8"},
          Case{"hemk5", "index-2 minimal dynamic", "tolerance", "1e-8"},
          Case{"bliedf2", "index-2 index-3 minimal dynamic", "step", "1e-3"},
          Case{"bliedf3", "index-2 index-3 minimal dynamic", "step", "1e-3"},
          Case{"lie-midpoint", "stabilised-index-2 minimal dynamic", "step", "1e-3"},
          Case{"rattlie", "stabilised-index-2 minimal", "step", "1e-3"}}) {
      CAPTURE(std::string(one.method));
      std::istringstream treatments(one.treatments);
      for (std::string treatment; treatments >> treatment;)
        for (const char* formulation : {"tree", "absolute"}) {
          if (std::string(one.method) == "rattlie" && std::string(formulation) == "tree") continue;
          CAPTURE(treatment);
          CAPTURE(std::string(formulation));
          const json end = quarter_second_end(name, {{"integrator.method", one.method},
                                                     {"integrator.constraints", treatment},
                                                     {"integrator.formulation", formulation},
                                                     {std::string("integrator.") + one.key, one.value}});
          check_same(end, expected, 2e-5, treatment == "dynamic" || treatment == "minimal" ? 1e-7 : 1e-12);
        }
    }
  }
}

/// A scene with rows that are redundant only where the constraints are satisfied, and the body that is
/// compared.
struct OverConstrained {
  const char *name, *body;
};
constexpr OverConstrained over_constrained[] = {{"bennett", "l1"}, {"bricard", "rod3"}, {"sarrus", "plate"}};

/// The greatest difference of the body's position and velocity from `expected` after one second.
double error_of(const OverConstrained& scene, const json& expected, const scene::Overrides& overrides) {
  const json end = states_at(scene::load_scene(scene_path(scene.name), overrides), {1}).front();
  const auto away = [&](const char* key) {
    return body_difference(key, end.at("bodies").at(scene.body),
                           expected.at("bodies").at(scene.body).at(key));
  };
  return std::max(away("x"), away("v"));
}

TEST_CASE(
    "explicit methods keep their order on over-constrained linkages at fixed step sizes, in both "
    "formulations") {
  struct Case {
    const char* method;
    double order;
    const char *step, *quarter;
  };
  for (const OverConstrained& scene : over_constrained) {
    CAPTURE(std::string(scene.name));
    const json expected =
        states_at(scene::load_scene(scene_path(scene.name), {{"integrator.method", "rkmk-dop853"},
                                                             {"integrator.tolerance", "1e-13"}}),
                  {1})
            .front();
    for (const Case& one : {Case{"cg3", 3, "20 ms", "5 ms"}, Case{"rkmk4", 4, "20 ms", "5 ms"},
                            Case{"rkmk-dopri5", 5, "40 ms", "10 ms"}})
      for (const char* formulation : {"tree", "absolute"}) {
        CAPTURE(std::string(one.method));
        CAPTURE(std::string(formulation));
        const auto error = [&](const char* step) {
          return error_of(scene, expected,
                          {{"integrator.method", one.method},
                           {"integrator.formulation", formulation},
                           {"integrator.step", step}});
        };
        const double coarse = error(one.step), fine = error(one.quarter);
        CHECK(coarse <= 1e-2);
        CHECK(std::log2(coarse / fine) / 2 >= one.order - 0.3);
      }
  }
}

TEST_CASE("compositions have their order on over-constrained linkages") {
  struct Case {
    const char *method, *formulation;
    double order;
    const char *step, *half;
  };
  for (const OverConstrained& scene : over_constrained) {
    CAPTURE(std::string(scene.name));
    const json expected =
        states_at(scene::load_scene(scene_path(scene.name), {{"integrator.method", "rkmk-dop853"},
                                                             {"integrator.tolerance", "1e-13"}}),
                  {1})
            .front();
    for (const Case& one : {Case{"rattlie4", "absolute", 4, "40 ms", "20 ms"},
                            Case{"lie-midpoint4", "tree", 4, "40 ms", "20 ms"},
                            Case{"rattlie6", "absolute", 6, "50 ms", "25 ms"},
                            Case{"lie-midpoint6", "tree", 6, "50 ms", "25 ms"}}) {
      CAPTURE(std::string(one.method));
      const auto error = [&](const char* step) {
        return error_of(scene, expected,
                        {{"integrator.method", one.method},
                         {"integrator.formulation", one.formulation},
                         {"integrator.step", step}});
      };
      const double coarse = error(one.step), fine = error(one.half);
      CHECK(coarse <= 1e-4);
      CHECK(std::abs(std::log2(coarse / fine) - one.order) < 0.2);
    }
  }
}

TEST_CASE("the number of steps on over-constrained linkages follows the tolerance") {
  for (const OverConstrained& scene : over_constrained)
    for (const char* formulation : {"tree", "absolute"}) {
      CAPTURE(std::string(scene.name));
      CAPTURE(std::string(formulation));
      const auto steps = [&](const char* tolerance) {
        const scene::Scene loaded =
            scene::load_scene(scene_path(scene.name), {{"integrator.method", "rkmk4"},
                                                       {"integrator.formulation", formulation},
                                                       {"integrator.tolerance", tolerance},
                                                       {"run.end", "1"},
                                                       {"run.output", "1"}});
        const scene::ReadyModel ready = make_model(loaded);
        const RunSummary summary = run(ready.model, ready.start, loaded.run).summary;
        CHECK(summary.status == StepStatus::reached_end);
        CHECK(summary.rejected <= 2 + summary.accepted / 20);
        return static_cast<double>(summary.accepted);
      };
      // The error of a step is of fifth order, so a tolerance 1e5 times smaller takes ten times as many
      // steps.
      CHECK(std::log10(steps("1e-11") / steps("1e-6")) == doctest::Approx(1).epsilon(0.2));
    }
}

TEST_CASE("a motion may start where more rows are redundant than nearby") {
  const scene::Overrides flat = {
      {"gravity", "[0, 0, -9.81]"},     {"joint.foot0.coordinates", "0"}, {"joint.foot0.rates", "1"},
      {"joint.foot1.coordinates", "0"}, {"joint.foot1.rates", "1"},       {"joint.foot2.coordinates", "0"},
      {"joint.foot2.rates", "1"},       {"joint.head0.coordinates", "0"}, {"joint.head0.rates", "-1"}};
  struct Case {
    const char *method, *key, *value;
  };
  for (const Case& one :
       {Case{"rkmk4", "step", "5e-3"}, Case{"rkmk-dopri5", "tolerance", "1e-9"},
        Case{"rkmk-dop853", "tolerance", "1e-9"}, Case{"generalized-alpha", "step", "2e-3"}})
    for (const char* formulation : {"tree", "absolute"}) {
      CAPTURE(std::string(one.method));
      CAPTURE(std::string(formulation));
      scene::Overrides overrides = flat;
      overrides.insert(overrides.end(), {{"integrator.method", one.method},
                                         {"integrator.formulation", formulation},
                                         {std::string("integrator.") + one.key, one.value}});
      const json end = states_at(scene::load_scene(scene_path("parallelogram"), overrides), {2}).front();
      const auto x = end.at("bodies").at("coupler").at("x");
      CHECK(std::abs(x[0].get<double>() - (1 + std::cos(2.) / 2)) <= 1e-5);
      CHECK(std::abs(x[1].get<double>() - std::sin(2.) / 2) <= 1e-5);
    }
}

TEST_CASE("outputs do not change a motion that starts near a singular configuration") {
  for (const char* method : {"rkmk-fehlberg78", "rkmk-dopri5", "hemk5"})
    for (const char* angle : {"1e-3", "1e-5"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(angle));
      const auto end = [&](const char* output) {
        scene::Overrides overrides{{"run.end", "0.5"},
                                   {"run.output", output},
                                   {"integrator.method", method},
                                   {"integrator.tolerance", "1e-8"}};
        for (const char* foot : {"joint.foot0.", "joint.foot1.", "joint.foot2."})
          overrides.insert(overrides.end(),
                           {{foot + std::string("coordinates"), angle}, {foot + std::string("rates"), "1"}});
        const Trajectory motion = motion_of("parallelogram", overrides);
        return std::pair(motion.summary.accepted, motion.summary.x.q);
      };
      const auto without = end("0.5"), with = end("0.01");
      CHECK(without.first == with.first);
      CHECK(without.first < 100);
      CHECK(without.second == with.second);
    }
}

/// x of the coupler 5 s after a start from rest at the angle. Cranks and coupler swing as one pendulum,
/// angle'' = -17.1675 / 0.75 cos(angle), integrated by 50 000 steps of the classical Runge-Kutta method.
double coupler_after(double angle) {
  const double h = 1e-4, pull = -17.1675 / 0.75;
  const auto field = [&](double at) { return pull * std::cos(at); };
  double rate = 0;
  for (int i = 0; i < 50'000; ++i) {
    const double r1 = rate, a1 = field(angle), r2 = rate + h / 2 * a1, a2 = field(angle + h / 2 * r1);
    const double r3 = rate + h / 2 * a2, a3 = field(angle + h / 2 * r2);
    const double r4 = rate + h * a3, a4 = field(angle + h * r3);
    angle += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return 1 + std::cos(angle) / 2;
}

/// Five seconds of the parallelogram from rest at this angle, in radians, with output at the end alone.
Trajectory swing(const char* angle, const char* method, const char* tolerance, const char* formulation) {
  scene::Overrides overrides{{"integrator.tolerance", tolerance},
                             {"integrator.method", method},
                             {"integrator.formulation", formulation},
                             {"joint.head0.coordinates", std::string("-") + angle},
                             {"joint.head0.rates", "0"},
                             {"run.output", "5"},
                             {"run.max_steps", "20000"}};
  for (const char* foot : {"joint.foot0.", "joint.foot1.", "joint.foot2."})
    overrides.emplace_back(foot + std::string("coordinates"), angle);
  const scene::Scene scene = scene::load_scene(scene_path("parallelogram"), overrides);
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run);
}

TEST_CASE("a motion from rest near a singular configuration meets its tolerance, by explicit methods") {
  for (const char* angle : {"1e-6", "5e-6"}) {
    const double expected = coupler_after(std::stod(angle));
    for (const char* method : {"rkmk-dopri5", "rkmk-ck54", "rkmk-dop853", "rkmk4", "cf4", "hemk4", "hemk5"})
      for (const char* tolerance : {"1e-4", "1e-6", "1e-8"})
        for (const char* formulation : {"tree", "absolute"}) {
          CAPTURE(std::string(angle));
          CAPTURE(std::string(method));
          CAPTURE(std::string(tolerance));
          CAPTURE(std::string(formulation));
          const Trajectory motion = swing(angle, method, tolerance, formulation);
          CAPTURE(motion.summary.message);
          REQUIRE(motion.summary.status == StepStatus::reached_end);
          const double error = motion.samples.back().bodies[3].x[0] - expected;
          CHECK(std::abs(error) <= 30 * std::stod(tolerance));
        }
  }
}

TEST_CASE(
    "a motion from rest near a singular configuration is correct at a tolerance near rounding, or stops with "
    "the name of the joint") {
  int passed = 0;
  for (const char* method : {"rkmk-dop853", "rkmk4", "cf4"})
    for (const char* tolerance : {"1e-10", "1e-11"})
      for (const char* angle : {"1e-6", "1e-7"}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(tolerance));
        CAPTURE(std::string(angle));
        const Trajectory motion = swing(angle, method, tolerance, "tree");
        const RunSummary& summary = motion.summary;
        CAPTURE(summary.message);
        if (summary.status == StepStatus::reached_end) {
          ++passed;
          CHECK(std::abs(motion.samples.back().bodies[3].x[0] - coupler_after(std::stod(angle))) <= 1e-8);
        } else {
          CHECK(summary.status == StepStatus::singular);
          for (const char* piece : {"lose rank", "in \"head", "condition "})
            CHECK(summary.message.find(piece) != std::string::npos);
        }
      }
  CHECK(passed >= 6);
}

TEST_CASE("if rows contradict each other only after the start, the run ends and its message names the row") {
  struct Case {
    const char *method, *treatment;
  };
  for (const Case& one : {Case{"rkmk4", "index-1"}, Case{"rkmk4", "dynamic"}, Case{"hemk4", "index-2"},
                          Case{"generalized-alpha", "index-3"}, Case{"bliedf2", "index-2"},
                          Case{"lie-midpoint", "stabilised-index-2"}}) {
    CAPTURE(std::string(one.method));
    const scene::Scene scene =
        scene::load_scene(std::string(TORSOR_TESTS) + "/invalid_scenes/constraints_contradict.toml",
                          {{"constraint.slow.value", "sin(t)"},
                           {"constraint.fast.value", "t"},
                           {"integrator.method", one.method},
                           {"integrator.constraints", one.treatment},
                           {"integrator.step", "1e-3"}});
    const scene::ReadyModel ready = make_model(scene);
    const RunSummary summary = run(ready.model, ready.start, scene.run).summary;
    CHECK(summary.status == StepStatus::singular);
    CHECK(summary.t < 0.1);
    CHECK(summary.message.find("constraints contradict the others at t = ") != std::string::npos);
    CHECK(summary.message.ends_with(": \"fast\" (row 1)"));
  }
}

TEST_CASE("friction may replace all rows of a mechanism") {
  const scene::Scene scene = scene::parse_scene(R"([run]
end = 1
[integrator]
constraints = "viscous"
[friction]
mu = 1
eps = 0.1
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
angular_velocity_body = [1, 2, 3]
[[constraint]]
name = "x"
kind = "spin"
body = "b"
direction = [1, 0, 0]
[[constraint]]
name = "y"
kind = "spin"
body = "b"
direction = [0, 1, 0]
)",
                                                "spins.toml");
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory trajectory = run(ready.model, ready.start, scene.run);
  CAPTURE(trajectory.summary.message);
  CHECK(trajectory.summary.status == StepStatus::reached_end);
}

TEST_CASE(
    "a system in coordinates tells why the treatment `dynamic` cannot take rows that depend on others") {
  // The second row of the last two pairs is a third of the first one, up to rounding and up to 1e-12.
  for (const auto& [once, twice] : {std::pair{"x'", "2*x'"},
                                    {"0.3*x' + 0.7*y'", "0.1*x' + 0.7/3*y'"},
                                    {"0.3*x' + 0.7*y'", "0.1*x' + (0.7/3 + 1e-12)*y'"}}) {
    CAPTURE(std::string(twice));
    const scene::Scene scene =
        scene::parse_scene(R"([run]
end = 1
[integrator]
constraints = "dynamic"
[chart]
coordinates = ["x", "y"]
start = [0, 0]
metric = [[1, 0], [0, 1]]
constraint = [{name = "once", velocity = ")" +
                               std::string(once) + R"("}, {name = "twice", velocity = ")" + twice + "\"}]\n",
                           "rows.toml");
    const Trajectory trajectory = run(scene, prepare(scene), scene.run);
    CHECK(trajectory.summary.status == StepStatus::singular);
    CHECK(trajectory.summary.message.find("needs independent constraint rows") != std::string::npos);
  }
}

TEST_CASE("generalized-alpha follows the motion of an over-constrained linkage") {
  const auto end = [](const scene::Overrides& overrides) {
    const scene::Scene scene = scene::load_scene(scene_path("bricard"), overrides);
    return states_at(scene, {scene.run.t_end}).front();
  };
  const json expected = end({});
  for (const char* formulation : {"tree", "absolute"}) {
    const json alpha = end({{"integrator.method", "generalized-alpha"},
                            {"integrator.formulation", formulation},
                            {"integrator.step", "1e-3"}});
    check_same(alpha, expected, 1e-3, 1e-12);
  }
}

}  // namespace
}  // namespace torsor::test
