#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reference_run.hpp"
#include "torsor/report/geometry_report.hpp"

// Forces that depend on the state: feedback control. The references solve the motion by other equations, with
// steps that end where a torque reaches its limit and where a value is sampled.
namespace torsor::test {
namespace {

scene::Overrides loosely(const char* method, const char* formulation, const char* group = "direct") {
  return {{"integrator.method", method},
          {"integrator.tolerance", "1e-10"},
          {"integrator.formulation", formulation},
          {"integrator.group", group}};
}

TEST_CASE("scenes with feedback reach their references in both formulations") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    for (const FeedbackScene& scene : feedback_scenes)
      check_against_reference(scene.name, loosely("rkmk-dop853", formulation),
                              [&](double) { return scene.owed; });
  }
}

TEST_CASE("scenes with feedback reach their references by another method and on the other group") {
  for (const FeedbackScene& scene : feedback_scenes)
    check_against_reference(scene.name, loosely("rkmk-dopri5", "absolute", "semidirect"),
                            [&](double) { return scene.owed; });
}

TEST_CASE("no sample is lost, wherever the run begins") {
  for (const char* begin : {"-20", "-13.1", "-10", "-7.3", "0", "5"}) {
    CAPTURE(std::string(begin));
    const double first = std::stod(begin);
    const std::string end = std::to_string(first + 20.95);
    const scene::Scene scene =
        scene::parse_scene(std::string("[run]\nbegin = ") + begin + "\nend = " + end + "\noutput = " + end +
                               "\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n"
                               "[[sampled]]\nname = \"fast\"\nperiod = 0.1\nvalue = \"sampled.fast + 1\"\n"
                               "[[sampled]]\nname = \"slow\"\nperiod = 0.3\nvalue = \"sampled.fast\"\n",
                           "count.toml");
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory trajectory = run(ready.model, ready.start, scene.run);
    CAPTURE(trajectory.summary.message);
    REQUIRE(trajectory.summary.status == StepStatus::reached_end);
    CHECK(trajectory.samples.back().states.at(0) == 210);  // 0, 0.1, ..., 20.9 s after the beginning
    CHECK(trajectory.samples.back().states.at(1) == 207);  // the count before 20.7 s
  }
}

TEST_CASE("fixed steps of the period of a sampled value take each sample once, whatever kinks come between") {
  for (const std::string rate : {"abs(sin(3*t))", "floor(10*t)"})
    for (const std::string begin : {"-20", "0", "5"}) {
      CAPTURE(rate + " from " + begin);
      const scene::Scene scene = scene::parse_scene(
          "run = {output = 100, begin = " + begin + ", end = " + std::to_string(std::stod(begin) + 50.05) +
              "}\nintegrator = {method = \"rkmk4\", step = 0.3}\n[[particle]]\nname = \"a\"\nmass = 1\n" +
              "[[state]]\nname = \"rough\"\nrate = \"" + rate + "\"\n[[sampled]]\nname = \"count\"\n" +
              "period = 0.3\nvalue = \"sampled.count + 1\"\n",
          "count.toml");
      const scene::ReadyModel ready = make_model(scene);
      CHECK(run(ready.model, ready.start, scene.run).samples.back().states.at(1) == 167);  // 0, ..., 49.8 s
    }
}

TEST_CASE("an event sees the jump of a sampled value at its time, and crossings after it") {
  const scene::Scene scene = scene::parse_scene(
      "[run]\nend = 2.75\noutput = 3\n[[particle]]\nname = \"a\"\nmass = 1\n"
      "[[sampled]]\nname = \"held\"\nperiod = 1\nvalue = \"t\"\n"
      "[[event]]\nname = \"half\"\nquantity = \"expression\"\nexpression = \"t - sampled.held - 0.5\"\n",
      "half.toml");
  const Trajectory motion = motion_of(scene);
  REQUIRE(motion.summary.events.size() == 5);
  for (int k = 0; k < 5; ++k) CHECK(std::abs(motion.summary.events[k].t - 0.5 * (k + 1)) < 1e-14);
}

TEST_CASE("a run that ends at the jump of a sample gives each output once") {
  const scene::Scene scene = scene::parse_scene(
      "[run]\nend = 2.75\n[[particle]]\nname = \"a\"\nmass = 1\n"
      "[[sampled]]\nname = \"held\"\nperiod = 1\nvalue = \"t\"\n"
      "[[event]]\nname = \"half\"\nquantity = \"expression\"\nexpression = \"t - sampled.held - 0.5\"\n"
      "crossing = \"falling\"\naction = \"stop\"\n",
      "half.toml");
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory motion = run(ready.model, ready.start, scene.run, scene.points, scene.events);
  CHECK(motion.summary.status == StepStatus::event);
  CHECK(motion.summary.t == 1);
  for (std::size_t k = 1; k < motion.samples.size(); ++k)
    CHECK(motion.samples[k - 1].t < motion.samples[k].t);
  CHECK(motion.samples.back().t == 1);
}

/// A slider with the mass 1 kg and the speed 1 m/s under a force, N. `more`: further tables of the scene.
scene::Scene slider(const std::string& force, const std::string& end, const std::string& integrator = {},
                    const std::string& more = {}) {
  return scene::parse_scene(
      "[run]\nend = " + end + "\noutput = " + end + "\n[integrator]\n" + integrator +
          "\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nname = "
          "\"s\"\nkind = \"prismatic\"\nchild = \"a\"\naxis = [1, 0, 0]\nrates = "
          "1\n[[force]]\nname = \"f\"\nkind = \"joint-force\"\njoint = \"s\"\nforce = \"" +
          force + "\"\n" + more,
      "slider.toml");
}

/// The position and the speed at the end.
void check_end(const scene::Scene& scene, double x, double v, double bound) {
  const Trajectory motion = motion_of(scene);
  const JointMotion& joint = motion.samples.back().joints.at(0);
  CHECK(greatest(joint.q[0] - x) < bound);
  CHECK(greatest(joint.v[0] - v) < bound);
}

TEST_CASE("a sample that brings a condition to exactly 0 takes the branch of 0") {
  const auto sampled = [](const std::string& value, const char* period) {
    return "[[sampled]]\nname = \"z\"\nperiod = " + std::string(period) + "\nvalue = \"" + value + "\"\n";
  };
  for (const char* integrator : {"", "method = \"rkmk4\"\nstep = 0.05"}) {
    CAPTURE(std::string(integrator));
    const auto at_2 = [&](const char* force, const char* value, double x, double v) {
      CAPTURE(std::string(force));
      check_end(slider(force, "2", integrator, sampled(value, "0.5")), x, v, 1e-12);
    };
    at_2("if(sampled.z > 0, 5, 0)", "if(t < 0.9, 1, 0)", 9.5, 6);  // the force acts for 1 s
    at_2("if(sampled.z <= 0, 0, 5)", "if(t < 0.9, 1, 0)", 9.5, 6);
    at_2("if(sampled.z >= 2, 5, 0)", "sampled.z + 1", 7.625, 8.5);
    at_2("floor(sampled.z)", "sampled.z + 1", 5.75, 6);
  }
}

TEST_CASE("a function whose argument rests at exactly 0 has its value at 0") {
  const std::string sampled = "[[sampled]]\nname = \"z\"\nperiod = 0.5\nvalue = \"if(t < 0.9, 1, 0)\"\n";
  const std::string still = "[[state]]\nname = \"z\"\nrate = \"max(0, t - 1)\"\n";
  for (const char* integrator : {"", "method = \"rkmk4\"\nstep = 0.05"}) {
    CAPTURE(std::string(integrator));
    const auto at_2 = [&](const char* force, double x, double v, const std::string& more = {}) {
      CAPTURE(std::string(force));
      check_end(slider(force, "2", integrator, more), x, v, 1e-12);
    };
    at_2("sign(sampled.z)", 3.5, 2, sampled);  // the force acts for 1 s
    at_2("sign(sampled.z - 1)", 1.5, 0, sampled);
    at_2("-abs(sampled.z)", 0.5, 0, sampled);
    at_2("sign(state.z)", 2.5, 2, still);  // the state leaves 0 after 1 s
    at_2("sign(0*joint.s.rate)", 2, 1);
    at_2("-3*sign(joint.s.rate - 1)", 2, 1);  // friction at rest
    at_2("sign(max(0, 1 - t))", 3.5, 2);
    at_2("sign(if(t < 1, -1, 0))", 0.5, 0);
    at_2("sign(joint.s.displacement)", 4, 3);
    at_2("if(joint.s.displacement <= 0, 7, 1)", 4, 3);
  }
}

TEST_CASE("a function of the state may leave its side and return within one step") {
  // x = sin t up to 0.95 m, then x'' = -x - 5 for 0.1 s
  const std::string law = "-joint.s.displacement - if(joint.s.displacement > 0.95, 5, 0)";
  const auto end = [&](const std::string& integrator) {
    return motion_of(slider(law, "6", integrator)).samples.back().joints.at(0);
  };
  const JointMotion exact = end("tolerance = 1e-13\nmax_step = 0.02");
  for (const char* integrator : {"tolerance = 1e-9", "method = \"rkmk-dop853\"\nstep = 0.3",
                                 "method = \"rkmk-dop853\"\nstep = 0.2", "method = \"rkmk4\"\nstep = 0.1"}) {
    CAPTURE(std::string(integrator));
    CHECK(greatest(end(integrator).q[0] - exact.q[0]) < 1e-5);
    CHECK(greatest(end(integrator).v[0] - exact.v[0]) < 1e-5);
  }
}

TEST_CASE("the states that measure a motion do not change it") {
  const std::string pendulum =
      "gravity = [0, 0, -9.81]\n[run]\nend = 2\noutput = 2\n[integrator]\nmethod = \"rkmk4\"\nstep = 0.01\n"
      "[[body]]\nname = \"a\"\nmass = 1.2\ninertia = [0.1, 0.2, 0.15]\n"
      "[[body]]\nname = \"b\"\nmass = 0.7\ninertia = [0.02, 0.05, 0.04]\n"
      "[[joint]]\nname = \"h\"\nkind = \"revolute\"\nchild = \"a\"\naxis = [0, 1, 0]\n"
      "child_frame.position = [0, 0, 0.5]\ncoordinates = 0.4\n"
      "[[joint]]\nname = \"u\"\nkind = \"universal\"\nparent = \"a\"\nchild = \"b\"\n"
      "parent_frame.position = [0, 0, -0.5]\nchild_frame.position = [0.1, 0, 0.3]\ncoordinates = [0.3, "
      "0.2]\n";
  const std::string observer = "[[state]]\nname = \"observer\"\nrate = \"body.b.position.x\"\n";
  for (const char* formulation : {"tree", "absolute"}) {
    const auto end = [&](const std::string& text) {
      const scene::Overrides overrides{{"integrator.formulation", formulation}};
      return motion_of(scene::parse_scene(text, "pendulum.toml", overrides)).samples.back();
    };
    const Sample alone = end(pendulum), observed = end(pendulum + observer);
    CHECK(greatest(alone.bodies[1].x - observed.bodies[1].x) < 1e-13);
    CHECK(greatest(alone.bodies[1].x.x() + 0.5370566) < 1e-5);
  }
}

TEST_CASE("a method with memory starts anew after a kink at the end of a step") {
  for (const char* method : {"rkmk-dopri5", "cf4", "generalized-alpha", "bliedf2", "bliedf3", "rkmk4"}) {
    CAPTURE(std::string(method));
    const std::string integrator = "step = 0.1\nmethod = \"" + std::string(method) + "\"";
    check_end(slider("if(t < 0.5, 0, 1)", "1", integrator), 1.125, 1.5, 1e-9);
  }
}

TEST_CASE("the kinks of a function of the time are found wherever the steps end") {
  for (const char* integrator : {"method = \"rkmk4\"\nstep = 0.01", "method = \"rkmk4\"\nstep = 0.02",
                                 "method = \"rkmk4\"\nstep = 0.03", "", "max_step = 0.01"}) {
    CAPTURE(std::string(integrator));
    // In the interval k of 10 ms the force is k N; k = 0, ..., n - 1.
    const double n = 100, h = 0.01;
    check_end(slider("floor(100*t)", "1", integrator), 1 + h * h * n * (n - 1) * (2 * n - 1) / 12,
              1 + h * n * (n - 1) / 2, 1e-7);
    // Square waves: the speed is 1 m/s after whole periods, and each period adds its displacement.
    check_end(slider("sign(sin(2*pi*t))", "10", integrator), 10 + 10 * 0.25, 1, 1e-8);
  }
}

TEST_CASE("every step of a long run may end at a kink") {
  // 1200 steps: each period of 0.1 s adds 0.05^2 m to the displacement.
  for (const char* integrator : {"", "tolerance = 1e-3", "method = \"rkmk4\"\nstep = 0.05"})
    check_end(slider("sign(sin(20*pi*t))", "60", integrator), 60 + 600 * 0.0025, 1, 1e-6);
}

TEST_CASE("kinks inside of kinks take the branches that their values give") {
  using std::numbers::pi;
  const std::pair<const char*, double> integrals[] = {
      {"clamp(sign(cos(5*x)), -0.5, 0.5)", (pi - 3) / 2},
      {"clamp(if(cos(5*x) > 0, 1, -1), -0.5, 0.5)", (pi - 3) / 2},
      {"if(sign(cos(5*x)) > -1, 1, 0)", pi / 2},                    // jumps to equality
      {"if(floor(2*x) - 2*floor(x) > 0, 1, 0)", 1.5},               // a square wave
      {"if(sign(x) < sign(x + 1), 1, 0)", 0},                       // begins at 0
      {"sign(floor(x))", 2},                                        // both begin at 0
      {"if(max(x, 1) < x, 5, 1)", 3},                               // comes to equality
      {"if(smoothstep(-1, 1, x) < 1, 1, 0)", 1},                    // comes to equality without a slope
      {"if(clamp(2*cos(5*x), -1, 1) < 2*cos(5*x), 1, 0)", pi / 3},  // leaves equality again and again
      {"if(not clamp(2*cos(5*x), -1, 1) >= 2*cos(5*x), 1, 0)", pi / 3}};
  for (const auto& [formula, integral] : integrals)
    for (const char* x : {"t", "state.clock"})
      for (const char* max_step : {"0.05", "3"}) {
        CAPTURE(std::string(formula));
        const std::string tables =
            "[definitions]\nx = \"" + std::string(x) +
            "\"\n[run]\nend = 3\noutput = 3\n[integrator]\nmax_step = " + max_step +
            "\n[[particle]]\nname = \"a\"\nmass = 1\n[[state]]\nname = \"clock\"\nrate = 1\n"
            "[[state]]\nname = \"integral\"\nrate = \"" +
            formula + "\"\n";
        const Trajectory motion = motion_of(scene::parse_scene(tables, "kinks.toml"));
        CHECK(std::abs(motion.samples.back().states.at(1) - integral) < 1e-9);
      }
}

TEST_CASE("BDF methods start by implicit formulas where explicit steps are not stable") {
  // The speed takes the value 0.1 (1 - exp(-10 t)) m/s within a time constant of 50 us.
  const std::string damper = "-2e4*joint.s.rate - 2e5*(joint.s.displacement - 0.1*t)";
  for (const char* method : {"bliedf1", "bliedf2", "bliedf3"}) {
    CAPTURE(std::string(method));
    scene::Scene scene = slider(damper, "2", "step = 0.05\nmethod = \"" + std::string(method) + "\"");
    scene.run.output_step = 0.13;  // between the steps
    for (const Sample& sample : motion_of(scene).samples) {
      CAPTURE(sample.t);
      const double v = sample.joints[0].v[0], exact = 0.1 * (1 - std::exp(-10 * sample.t));
      if (sample.t > 0.1) CHECK(greatest(v - exact) < 0.03);
      if (sample.t > 1) CHECK(greatest(v - exact) < 1e-4);
    }
  }
}

TEST_CASE("a law may have a root at its kink, such as the contact of Hertz") {
  for (const char* law : {"-1000*max(0, joint.s.displacement - 0.5)^1.5",
                          "-if(joint.s.displacement < 0.5, 0, 1000*(joint.s.displacement - 0.5)^1.5)"}) {
    CAPTURE(std::string(law));
    const Trajectory motion = motion_of(slider(law, "2"));
    CHECK(greatest(motion.samples.back().joints[0].v[0] + 1) < 1e-7);  // an elastic impact
  }
}

TEST_CASE("a run ends where the argument of a limit, a sign or a condition has no value any more") {
  for (const char* law :
       {"clamp(log(0.5 - t), -1, 1)", "sign(log(0.5 - t))", "if(log(0.5 - t) > 1, 1, 2)",
        "smoothstep(0, 1, log(0.5 - t))", "clamp(sqrt(0.5 - joint.s.displacement), 0, 0.1)"})
    for (const char* integrator : {"", "method = \"rkmk4\"\nstep = 0.01"}) {
      CAPTURE(std::string(law));
      const scene::Scene scene = slider(law, "3", integrator);
      const scene::ReadyModel ready = make_model(scene);
      const Trajectory motion = run(ready.model, ready.start, scene.run);
      CHECK(motion.summary.status == StepStatus::non_finite);
      CHECK(motion.summary.t < 1);
    }
}

TEST_CASE("a constraint that prescribes a constant velocity does work") {
  for (const char* constraints : {"index-1", "minimal", "dynamic"}) {
    CAPTURE(std::string(constraints));
    const Trajectory motion = motion_of(scene::parse_scene(
        std::string("[run]\nend = 2\noutput = 0.5\n[integrator]\nconstraints = \"") + constraints +
            "\"\n[[body]]\nname = \"a\"\nmass = 1.2\ninertia = [0.1, 0.2, 0.15]\n"
            "angular_velocity_body = [1, 0.5, 2]\n[[constraint]]\nname = \"k\"\nkind = \"spin\"\nbody = "
            "\"a\"\ndirection = [0, 0, 1]\nvalue = 2\n",
        "spin.toml"));
    const auto kinetic = [](const Sample& sample) { return sample.invariants.kinetic; };
    CHECK(greatest(motion.samples.back().invariants.work) > 1e-3);
    CHECK(greatest(kinetic(motion.samples.back()) - kinetic(motion.samples.front()) -
                   motion.samples.back().invariants.work) < 1e-7);
  }
}

TEST_CASE("a regulator holds the pole, and without it the pole falls") {
  const Trajectory held = motion_of("cart_pole_lqr", {{"run.output", "0.05"}});
  for (const Sample& sample : held.samples) {
    const double lean = std::abs(sample.joints[1].q[0]);
    CHECK(lean <= 0.35);
    if (sample.t > 2.9 && sample.t < 3.6) CHECK(lean < std::numbers::pi / 180);
  }
  CHECK(greatest(held.samples.back().joints[0].q) < 0.01);
  CHECK(held.energy_max_drift < 1e-10);
  const Trajectory free = motion_of("cart_pole_lqr", {{"force.motor.force", "0"}, {"run.end", "2"}});
  double most = 0;
  for (const Sample& sample : free.samples) most = greatest(most, sample.joints[1].q);
  CHECK(most > 3);
}

// V = e J e / 2 + k_R (3 - tr E) / 2, where E is the attitude relative to the desired attitude and
// e = Omega - E^T Omega_d. The rate of V is -k_Omega e^2 if the feed-forward and the gyroscopic terms are
// right.
TEST_CASE("the attitude control of the quadcopter has a Lyapunov function with the rate -k_Omega e^2") {
  const Trajectory motion = motion_of("quadcopter_attitude", {{"run.output", "0.005"}, {"run.end", "3"}});
  const auto at = [](const Sample& sample) {
    const Vec3 J(0.014, 0.016, 0.027), turning(0, 0, 0.6);
    const SO3<> E = SO3<>::exp(-sample.t * turning) * sample.bodies[0].R;
    const Vec3 e = sample.bodies[0].Omega - E.inverse() * turning;
    const double V = e.dot(J.cwiseProduct(e)) / 2 + 0.9 * (3 - E.matrix().trace()) / 2;
    return std::pair(V, -0.14 * e.squaredNorm());
  };
  for (std::size_t k = 1; k + 1 < motion.samples.size(); ++k) {
    const double slope = (at(motion.samples[k + 1]).first - at(motion.samples[k - 1]).first) / 0.01;
    CHECK(greatest(slope - at(motion.samples[k]).second) < 5e-3);
  }
  CHECK(at(motion.samples.front()).first > 1.7);
  CHECK(at(motion.samples.back()).first < 1e-6);
}

TEST_CASE("three reaction wheels stop a satellite within their torque limits and conserve angular momentum") {
  const Trajectory motion = motion_of("satellite_wheel_control");
  const Sample &start = motion.samples.front(), &end = motion.samples.back();
  double most = 0;
  for (const Sample& sample : motion.samples) {
    CHECK(greatest(sample.invariants.angular_momentum - start.invariants.angular_momentum) < 1e-8);
    CHECK(greatest(sample.invariants.linear_momentum - start.invariants.linear_momentum) < 1e-9);
    for (const double torque : sample.forces) most = greatest(most, torque);
  }
  CHECK(most == doctest::Approx(0.12).epsilon(1e-12));
  CHECK(end.bodies[0].R.log().norm() < 1e-3);
  CHECK(greatest(end.bodies[0].Omega) < 1e-3);
  CHECK(motion.energy_max_drift < 1e-9);
}

TEST_CASE("without its anti-windup, the position drive overshoots more than seven times as much") {
  const auto overshoot = [](const char* reset) {
    const Trajectory motion = motion_of(
        "position_drive_pid", {{"definitions.reset", reset}, {"run.end", "2.5"}, {"run.output", "0.005"}});
    double most = 0;
    for (const Sample& sample : motion.samples) most = greatest(most, sample.joints[0].q);
    return most - 2.1;
  };
  const double with = overshoot("0.3"), without = overshoot("1e9");
  CHECK(with == doctest::Approx(0.0252).epsilon(0.02).scale(0));
  CHECK(without > 7 * with);
}

TEST_CASE(
    "after 3.2 s the cart is within two centimetres of its curve, with both wheels and the skid on the "
    "floor") {
  const Trajectory motion = motion_of("cart_follows_path", {{"run.output", "0.02"}});
  for (const Sample& sample : motion.samples) {
    const Vec3 axle = sample.points[0].x;
    const double slope = 0.8 * 1.5 * std::cos(1.5 * axle.x());
    const double distance = (axle.y() - 0.8 * std::sin(1.5 * axle.x())) / std::hypot(1, slope);
    if (sample.t > 3.2) CHECK(greatest(distance) < 0.02);
    for (const ConstraintMotion& row : sample.constraints) CHECK(row.multipliers[0] > 15);
  }
  CHECK(motion.energy_max_drift < 1e-10);
}

TEST_CASE(
    "the reactions in a report of the geometry are those of the run, also with states of a controller") {
  for (const char* name : {"position_drive_pid", "satellite_wheel_control", "cart_follows_path", "bennett"}) {
    CAPTURE(std::string(name));
    const scene::Scene scene = scene::load_scene(scene_path(name), {{"run.end", "0.7"}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory motion = run(ready.model, ready.start, scene.run, scene.points, scene.events);
    const GeometryReport report = geometry_report(ready.model, motion.summary.t, motion.summary.x, scene.run);
    const auto& joints = motion.samples.back().joints;
    REQUIRE(report.reactions.size() >= joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const ReactionReport& reaction = report.reactions[j];
      CHECK(greatest(reaction.bending_force + reaction.load_force - joints[j].force) < 1e-9);
      CHECK(greatest(reaction.bending_torque + reaction.load_torque - joints[j].torque) < 1e-9);
    }
  }
}

}  // namespace
}  // namespace torsor::test
