#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reference_run.hpp"

// Angles of joints that close loops count full turns, whether or not outputs, events or forces evaluate the
// motion between the accepted steps.
namespace torsor::test {
namespace {

Trajectory run_turns(const std::string& text, const scene::Overrides& overrides = {}) {
  const scene::Scene scene = scene::parse_scene(text, "turns.toml", overrides);
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run, scene.points, scene.events);
}

double end_angle(const Trajectory& trajectory, std::size_t joint) {
  return trajectory.samples.back().joints[joint].q[0];
}

/// A shaft that turns at `rate` in one bearing, or in two bearings, the second of which closes a loop.
std::string shaft(const std::string& rate, int bearings) {
  std::string text = R"(
[run]
end = 2
[[body]]
name = "shaft"
mass = 1
inertia = [0.1, 0.1, 0.1]
)";
  for (int i = 0; i < bearings; ++i) {
    const std::string z = i == 0 ? "0.5" : "-0.5";
    text += "[[joint]]\nname = \"J" + std::to_string(i) +
            "\"\nkind = \"revolute\"\nchild = \"shaft\"\nchild_frame.position = [0, 0, " + z +
            "]\nparent_frame.position = [0, 0, " + z + "]\n" + (i == 0 ? "rates = " + rate + "\n" : "");
  }
  return text;
}

}  // namespace

TEST_CASE("a bearing that closes a loop counts the turns of the shaft, with any outputs, events and forces") {
  const std::string event =
      "[[event]]\nname = \"fifty\"\nquantity = \"expression\"\nexpression = \"joint.J1.angle - 50\"\n";
  const std::string force =
      "[[force]]\nname = \"f\"\nkind = \"joint-force\"\njoint = \"J1\"\nforce = \"0*joint.J1.angle\"\n";
  for (const char* output : {"2", "0.5", "0.01"})
    for (const bool with_event : {false, true})
      for (const bool with_force : {false, true}) {
        CAPTURE(std::string(output));
        CAPTURE(with_event);
        CAPTURE(with_force);
        const Trajectory trajectory =
            run_turns(shaft("100", 2) + (with_event ? event : "") + (with_force ? force : ""),
                      {{"run.output", output}, {"integrator.tolerance", "1e-9"}});
        REQUIRE(trajectory.summary.status == StepStatus::reached_end);
        CHECK(std::abs(end_angle(trajectory, 0) - 200) < 1e-6);
        CHECK(std::abs(end_angle(trajectory, 1) - 200) < 1e-6);
        if (!with_event) continue;
        REQUIRE(trajectory.summary.events.size() == 1);
        CHECK(std::abs(trajectory.summary.events[0].t - 0.5) < 1e-8);
      }
}

TEST_CASE("a force that depends on a counted angle gives the same motion in both formulations") {
  const std::string spring =
      "[[force]]\nname = \"f\"\nkind = \"joint-force\"\njoint = \"J0\"\nforce = \"-10*joint.J0.angle\"\n";
  for (const char* rate : {"20", "60", "200"})
    for (const char* method : {"rkmk-dopri5", "lie-midpoint6", "hemk5", "generalized-alpha"}) {
      CAPTURE(std::string(rate));
      CAPTURE(std::string(method));
      const auto end_of = [&](const char* formulation) {
        const Trajectory trajectory =
            run_turns(shaft(rate, 1) + spring, {{"integrator.method", method},
                                                {"integrator.tolerance", "1e-6"},
                                                {"integrator.formulation", formulation}});
        CAPTURE(trajectory.summary.message);
        REQUIRE(trajectory.summary.status == StepStatus::reached_end);
        return end_angle(trajectory, 0);
      };
      const double exact = std::stod(rate) / 10 * std::sin(20.);  // stiffness 10 N m, inertia 0.1 kg m^2
      CHECK(std::abs(end_of("tree") - exact) < 1e-3 * std::stod(rate));
      CHECK(std::abs(end_of("absolute") - exact) < 1e-3 * std::stod(rate));
    }
}

TEST_CASE("a given start keeps its full turns in joints that close loops and in absolute form") {
  const std::string spring =
      "[[force]]\nname = \"s\"\nkind = \"joint-force\"\njoint = \"J0\"\nstiffness = 10\nrest = 6.5\n";
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const Trajectory one =
        run_turns(shaft("0", 1) + "coordinates = 7\n" + spring, {{"integrator.formulation", formulation}});
    CHECK(std::abs(one.samples.front().joints[0].q[0] - 7) < 1e-12);
    CHECK(std::abs(one.samples.front().joints[0].a[0] + 50) < 1e-9);
    const Trajectory two =
        run_turns(shaft("0", 2) + "coordinates = -20\n", {{"integrator.formulation", formulation}});
    CHECK(std::abs(two.samples.back().joints[1].q[0] + 20) < 1e-9);
  }
}

TEST_CASE("an angle that the start solves for keeps its full turns, also in absolute form") {
  const std::string gear = R"(
[run]
end = 2
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "A"
kind = "revolute"
child = "a"
coordinates = 9
rates = 1
[[joint]]
name = "B"
kind = "revolute"
child = "b"
parent_frame.position = [1, 0, 0]
[[constraint]]
name = "g"
kind = "gear"
leader = "A"
follower = "B"
ratio = 3
)";
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const Trajectory trajectory = run_turns(gear, {{"integrator.formulation", formulation}});
    CHECK(trajectory.summary.status == StepStatus::reached_end);
    CHECK(std::abs(trajectory.samples.front().joints[1].q[0] - 27) < 1e-12);
    CHECK(std::abs(end_angle(trajectory, 1) - 33) < 1e-9);
  }
}

TEST_CASE("a driver gives the full turns of its joint at the start, also of a joint that closes a loop") {
  const auto drive = [](const std::string& joint, const std::string& begin) {
    return "[[constraint]]\nname = \"drive\"\nkind = \"driver\"\njoint = \"" + joint + "\"\nvalue = \"" +
           begin + " + t\"\n";
  };
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    for (const std::string joint : {"J0", "J1"}) {
      CAPTURE(joint);
      const Trajectory trajectory =
          run_turns(shaft("1", 2) + drive(joint, "-100"), {{"integrator.formulation", formulation}});
      const std::size_t driven = joint == "J0" ? 0 : 1;
      CHECK(std::abs(trajectory.samples.front().joints[driven].q[0] + 100) < 1e-9);
      CHECK(std::abs(end_angle(trajectory, driven) + 98) < 1e-9);
    }
    std::string turned = shaft("1", 1);
    turned.insert(turned.find("[[joint]]"), "roll_pitch_yaw = [0, 0, 0.5]\n");
    const Trajectory trajectory =
        run_turns(turned + drive("J0", "0.5 + 6*pi"), {{"integrator.formulation", formulation}});
    CHECK(std::abs(end_angle(trajectory, 0) - 2.5 - 6 * std::numbers::pi) < 1e-9);
  }
}

TEST_CASE("a chain of gears gives the full turns at the start of joints that close loops") {
  const auto bearing = [](const std::string& name, const std::string& body, double x, double z) {
    return "[[joint]]\nname = \"" + name + "\"\nkind = \"revolute\"\nchild = \"" + body +
           "\"\nparent_frame.position = [" + std::to_string(x) + ", 0, " + std::to_string(z) +
           "]\nchild_frame.position = [0, 0, " + std::to_string(z) + "]\n";
  };
  const auto gear = [](const std::string& name, const std::string& leader, const std::string& follower,
                       double ratio) {
    return "[[constraint]]\nname = \"" + name + "\"\nkind = \"gear\"\nleader = \"" + leader +
           "\"\nfollower = \"" + follower + "\"\nratio = " + std::to_string(ratio) + "\n";
  };
  std::string text = "[run]\nend = 2\n";
  for (const char* body : {"a", "b", "c"})
    text += "[[body]]\nname = \"" + std::string(body) + "\"\nmass = 1\ninertia = [1, 1, 1]\n";
  text += bearing("A", "a", 0, 0) + "coordinates = 9\nrates = 1\n" + bearing("B", "b", 1, 0) +
          bearing("end-B", "b", 1, 1) + bearing("C", "c", 2, 0) + bearing("end-C", "c", 2, 1) +
          gear("second", "end-B", "end-C", -2) + gear("first", "A", "end-B", 3);
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const Trajectory trajectory = run_turns(text, {{"integrator.formulation", formulation}});
    CHECK(trajectory.summary.status == StepStatus::reached_end);
    CHECK(std::abs(trajectory.samples.front().joints[2].q[0] - 27) < 1e-12);
    CHECK(std::abs(end_angle(trajectory, 2) - 33) < 1e-9);
    CHECK(std::abs(end_angle(trajectory, 4) + 66) < 1e-9);
  }
}

TEST_CASE("a helical joint of pitch 0 counts turns as a revolute joint") {
  std::string screw = shaft("100", 2) + "coordinates = -20\n";
  for (std::size_t at = 0; (at = screw.find("\"revolute\"", at)) != std::string::npos;)
    screw.replace(at, 10, "\"helical\"\npitch = 0");
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const Trajectory trajectory =
        run_turns(screw, {{"integrator.formulation", formulation}, {"integrator.tolerance", "1e-9"}});
    REQUIRE(trajectory.summary.status == StepStatus::reached_end);
    CHECK(std::abs(trajectory.samples.front().joints[1].q[0] + 20) < 1e-9);
    CHECK(std::abs(end_angle(trajectory, 1) - 180) < 1e-6);
  }
}

TEST_CASE("a fixed step in which a counted angle may turn by half a turn or more ends the run") {
  for (const char* method : {"lie-midpoint4", "lie-midpoint6", "rattlie4", "rattlie6"}) {
    CAPTURE(std::string(method));
    const auto with_step = [&](const char* step) {
      return run_turns(
          shaft("50", 1),
          {{"integrator.method", method}, {"integrator.step", step}, {"integrator.formulation", "absolute"}});
    };
    const RunSummary end = with_step("0.08").summary;
    CHECK(end.status == StepStatus::rejected);
    CHECK(end.message.ends_with(
        "a joint whose turns are counted from step to step may turn by half a turn or more in one step"));
    CHECK(std::abs(end_angle(with_step("0.05"), 0) - 100) < 1e-9);
  }
}

}  // namespace torsor::test
