#include <doctest/doctest.h>

#include <optional>

#include "reference_run.hpp"
#include "run/run_system.hpp"
#include "run/sampler.hpp"
#include "system/mechanism_parts.hpp"

namespace torsor::test {
namespace {

/// A system that keeps redundant rows in its steps. Off the constraints these rows count as independent and
/// give meaningless accelerations. Its condition is not known, so no other method takes its steps.
class KeepsRedundantRows final : public MechanismSystem, StepChoices {
 public:
  using MechanismSystem::MechanismSystem;
  StepChoices& choices() const override { return const_cast<KeepsRedundantRows&>(*this); }
  const Conditioning& conditioning() const override { return unknown_; }

 private:
  void choose(double t, VecIn q) override {
    all_.reset();
    MechanismSystem::choices().choose(t, q);
    all_.emplace(parts().rows);
  }

  std::optional<mechanics::AllRows> all_;
  Conditioning unknown_;
};

template <class System>
RunSummary summary_of(const scene::Scene& scene) {
  const scene::ReadyModel ready = make_model(scene);
  const System system(ready.model, LinkLengths(ready.model, ready.start.q));
  const std::vector<TrackedPoint> points;
  const SampleSink sink;
  Trajectory trajectory;
  mechanics::Sampler sampler(system, points, scene.run, sink, trajectory);
  trajectory.summary = mechanics::run_system(system, ready.start, scene.run, sampler);
  sampler.close();
  return trajectory.summary;
}

RunSummary ended(const std::string& text, const scene::Overrides& overrides) {
  const scene::Scene scene = scene::parse_scene(text, "scene.toml", overrides);
  return run(scene, scene::prepare(scene), scene.run).summary;
}

constexpr const char* too_large_for_work =
    ": the steps are too large for the work, which the tolerance does not include: give a max_step below the "
    "periods of the forces";

TEST_CASE("a run whose energy balance fails ends with the status energy-lost") {
  struct Case {
    const char *name, *formulation, *step;
  };
  for (const Case& one : {Case{"bennett", "tree", "20 ms"}, Case{"bennett", "tree", "10 ms"},
                          Case{"bricard", "absolute", "20 ms"}, Case{"bricard", "absolute", "15 ms"}}) {
    CAPTURE(std::string(one.name));
    CAPTURE(std::string(one.step));
    const scene::Scene scene =
        scene::load_scene(scene_path(one.name), {{"integrator.method", "rkmk4"},
                                                 {"integrator.formulation", one.formulation},
                                                 {"integrator.step", one.step},
                                                 {"run.end", "1"},
                                                 {"run.output", "10 ms"}});
    CHECK(summary_of<MechanismSystem>(scene).status == StepStatus::reached_end);
    const RunSummary wrong = summary_of<KeepsRedundantRows>(scene);
    CHECK(wrong.status == StepStatus::energy_lost);
    CHECK(to_string(wrong.status) == "energy-lost");
    CHECK(wrong.t == 1);
    CHECK(wrong.message.find("rkmk4: energy minus work has drifted by ") == 0);
  }
}

/// A mechanism with a damping of 1e-4 1/s that the energy balance does not include.
class Damped final : public MechanismSystem {
 public:
  using MechanismSystem::MechanismSystem;
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override {
    MechanismSystem::acceleration(t, q, v, a);
    a -= 1e-4 * v;
  }
};

TEST_CASE("a loss of energy far below the kinetic energy is found at every tolerance, also the default") {
  for (const std::optional<double> tolerance : {std::optional<double>(), std::optional(1e-8)}) {
    scene::Scene scene = scene::load_scene(
        scene_path("simple_pendulum"),
        {{"integrator.method", "rkmk-dop853"}, {"integrator.formulation", "absolute"}, {"run.end", "1"}});
    scene.run.step.reset();
    scene.run.tolerance = tolerance;
    CHECK(summary_of<MechanismSystem>(scene).status == StepStatus::reached_end);
    const RunSummary wrong = summary_of<Damped>(scene);
    CHECK(wrong.status == StepStatus::energy_lost);
    CHECK(wrong.message.ends_with(" J: the tolerance was not reached"));
  }
}

TEST_CASE("a failure of the energy balance says if the steps are too large for the work alone") {
  const std::string shaken = R"--(gravity = [0, 0, "-9.81 + 5*sin(30*t)"]
[run]
end = 5
output = 0.1
[[body]]
name = "mast"
mass = 10
inertia = [1, 1, 1]
[[joint]]
name = "foot"
kind = "fixed"
child = "mast"
child_frame.position = [0, 0, -1]
)--";
  for (const char* method : {"rkmk-dopri5", "rkmk-dop853", "cf4"}) {
    CAPTURE(std::string(method));
    const RunSummary wrong = ended(shaken, {{"integrator.method", method}});
    CHECK(wrong.status == StepStatus::energy_lost);
    CHECK(wrong.message.ends_with(too_large_for_work));
    CHECK(ended(shaken, {{"integrator.method", method}, {"integrator.max_step", "0.05"}}).status ==
          StepStatus::reached_end);
  }
}

TEST_CASE("a motion that runs away without potential energy ends with the status energy-lost") {
  const std::string damped = R"--(gravity = [0, 0, 0]
[run]
end = 3
output = 0.5
[integrator]
method = "rkmk4"
step = 0.03
[[particle]]
name = "p"
mass = 1
position = [0, 0, 0]
velocity_world = [0.3, 0, 0]
[[force]]
name = "f"
kind = "linear-field"
body = "p"
damping = 100
)--";
  const RunSummary wrong =
      ended(damped, {{"integrator.step", "0.03"}});  // beyond the limit of stability, 2.785/100 s
  CHECK(wrong.status == StepStatus::energy_lost);
  CHECK(
      wrong.message.find(", more than twice the energy that was available in the run, 0.09 J: the steps are "
                         "too large") != std::string::npos);
  // Below the limit the motion is right at the end, and the work is inaccurate.
  const RunSummary stable = ended(damped, {{"integrator.step", "0.025"}});
  CHECK(stable.status == StepStatus::reached_end);
  CHECK(stable.note.starts_with("energy minus work has drifted by "));
}

TEST_CASE("an inaccurate work has a note also if the drift is below a hundredth") {
  const std::string attracted = R"--(gravity = [0, 0, 0]
[run]
end = 10
output = 1
[[particle]]
name = "p"
mass = 1e3
position = [0, 0, 0]
[[force]]
name = "f"
kind = "linear-field"
body = "p"
stiffness = 2
centre = ["sin(50*t)", 0, 0]
)--";
  for (const char* method : {"rkmk-dopri5", "rkmk-dop853", "cf4"}) {
    CAPTURE(std::string(method));
    const RunSummary wrong = ended(attracted, {{"integrator.method", method}});
    CHECK(wrong.status == StepStatus::reached_end);
    CHECK(wrong.note.starts_with("energy minus work has drifted by "));
    CHECK(wrong.note.ends_with(too_large_for_work));
    CHECK(ended(attracted, {{"integrator.method", method}, {"integrator.max_step", "2 ms"}}).note.empty());
  }
}

/// Periodic motions with one output in each period: at turning points the kinetic energy is 0, and at the far
/// end of a long orbit energies change little.
TEST_CASE("a correct motion whose outputs lie at turning points keeps its energy") {
  const std::string period = "[run]\nend = 125.66370614359172\noutput = 6.283185307179586\n";
  const std::string particle = period + R"(
[[particle]]
name = "p"
mass = 1
position = [1.99, 0, 0]
)";
  const std::string spring = particle + R"(
[[force]]
name = "spring"
kind = "spring"
from = {body = "p"}
to = {body = "ground"}
stiffness = 1
)";
  const std::string orbit = particle + R"(velocity_world = [0, 0.07088812050083358, 0]  # eccentricity 0.99
[[force]]
name = "attraction"
kind = "central-gravity"
mu = 1
)";
  const std::string pendulum = R"(
gravity = [0, 0, -9.81]
[run]
end = 43.05749333761032
output = 2.152874666880516
[[particle]]
name = "bob"
mass = 1
position = [0.8660254037844386, 0, -0.5]
[[constraint]]
name = "rod"
kind = "distance"
from.position = [0, 0, 0]
to.body = "bob"
length = 1
)";
  const std::string chart = period + R"(
[chart]
coordinates = ["x"]
start = [1]
rates = [0]
metric = [[1]]
potential = "x^2/2"
)";
  const auto keeps = [](const std::string& text, const char* method, const char* key, const char* value) {
    CAPTURE(text);
    CAPTURE(std::string(method));
    CHECK(ended(text, {{"integrator.method", method}, {key, value}}).status == StepStatus::reached_end);
  };
  for (const char* method : {"rkmk4", "lie-midpoint"}) keeps(spring, method, "integrator.step", "0.1");
  keeps(pendulum, "rkmk4", "integrator.step", "20 ms");
  for (const char* method : {"rkmk4", "rkmk-dop853", "cf4"})
    for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
      keeps(spring, method, "integrator.tolerance", tolerance);
      keeps(orbit, method, "integrator.tolerance", tolerance);
      keeps(chart, method, "integrator.tolerance", tolerance);
    }
}

/// A particle on a rod from the origin. After half a second the projection negates x, so that the position
/// still satisfies the constraint, but on the opposite side.
class Jumps final : public MechanismSystem {
 public:
  using MechanismSystem::MechanismSystem;
  bool project_position(double t, VecOut q) const override {
    const bool moved = MechanismSystem::project_position(t, q);
    if (t > 0.5) q[0] = -q[0];
    return moved;
  }
};

TEST_CASE("a step that ends on another branch of the constraints is rejected") {
  const char* pendulum = R"(
schema = "torsor/scene/1"
gravity = [0, 0, -9.81]
[run]
end = 1
[integrator]
method = "rkmk4"
[[particle]]
name = "bob"
mass = 1
position = [0.8, 0, -0.6]
velocity_world = [0.3, 1, 0.4]
[[constraint]]
name = "rod"
kind = "distance"
from.position = [0, 0, 0]
to.body = "bob"
length = 1
)";
  const auto ends = [&](const char* key, const char* value) {
    const scene::Scene scene = scene::parse_scene(pendulum, "pendulum.toml", {{key, value}});
    CHECK(summary_of<MechanismSystem>(scene).status == StepStatus::reached_end);
    return summary_of<Jumps>(scene);
  };
  for (const RunSummary& jump : {ends("integrator.step", "10 ms"), ends("integrator.step", "1 ms")}) {
    CHECK(jump.status == StepStatus::constraint_lost);
    CHECK(jump.t == doctest::Approx(0.5).epsilon(0.02));
    CHECK(jump.message.find("the step leaves the branch of the constraints") != std::string::npos);
  }
  const RunSummary adaptive = [&] {
    const scene::Scene scene = scene::parse_scene(
        pendulum, "pendulum.toml", {{"integrator.method", "rkmk-dopri5"}, {"integrator.tolerance", "1e-8"}});
    return summary_of<Jumps>(scene);
  }();
  CHECK(adaptive.status != StepStatus::reached_end);
  CHECK(adaptive.t <= 0.51);
}

TEST_CASE("a drift of the energy that a fixed step does not explain is noted") {
  const auto note_of = [](const char* method, const char* step, const char* rate) {
    const scene::Scene scene = scene::load_scene(scene_path("spherical_pendulum_moving_support"),
                                                 {{"integrator.method", method},
                                                  {"integrator.constraints", "dynamic"},
                                                  {"integrator.step", step},
                                                  {"dynamic.rate", rate},
                                                  {"run.output", "20 ms"}});
    const scene::ReadyModel ready = make_model(scene);
    const RunSummary summary = run(ready.model, ready.start, scene.run).summary;
    CHECK(summary.status == StepStatus::reached_end);
    return summary.note;
  };
  // The step is too large for the rate: the position at the end of the run has an error of 0.1 m.
  CHECK(note_of("rkmk4", "20 ms", "128").find("energy minus work has drifted by ") == 0);
  CHECK(note_of("rkmk4", "5 ms", "128").empty());
  CHECK(note_of("rkmk4", "20 ms", "20").empty());
}

TEST_CASE("a loss of energy by a method that damps fast motions is noted, with both possible causes") {
  const auto note_of = [](const char* method, const char* step) {
    return motion_of("simple_pendulum",
                     {{"integrator.method", method}, {"integrator.step", step}, {"run.end", "2"}})
        .summary.note;
  };
  const std::string note = note_of("bliedf1", "50 ms");  // loses the energy of the pendulum
  CHECK(note.find("energy minus work has drifted by ") == 0);
  CHECK(note.ends_with(": the steps may be too large, or bliedf1 has damped fast motions"));
  CHECK(note_of("bliedf2", "10 ms").empty());
}

}  // namespace
}  // namespace torsor::test
