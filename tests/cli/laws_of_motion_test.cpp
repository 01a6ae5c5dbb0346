#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "reference_run.hpp"

// Laws of motion of particular scenes. Most of these scenes are also compared with reference solutions.
namespace torsor::test {
namespace {

double vertical_spin(const BodyMotion& body) { return (body.R * body.Omega).z(); }

TEST_CASE(
    "the rattleback reverses a spin of -5 rad/s, keeps one of 5 rad/s for 4 s, and conserves energy in "
    "both") {
  const Trajectory reversed = motion_of("rattleback", {{"run.output", "0.05"}});
  CHECK(vertical_spin(reversed.samples.front().bodies[0]) == doctest::Approx(-5).epsilon(1e-3));
  CHECK(vertical_spin(reversed.samples.back().bodies[0]) == doctest::Approx(2.8045316).epsilon(1e-6));
  const Trajectory kept =
      motion_of("rattleback", {{"run.output", "0.05"}, {"body.stone.angular_velocity_body", "[0, 0, 5]"}});
  for (const Sample& sample : kept.samples) CHECK(vertical_spin(sample.bodies[0]) > 4.6);
  for (const Trajectory* motion : {&reversed, &kept}) {
    CHECK(motion->energy_max_drift < 1e-10);
    for (const Sample& sample : motion->samples)
      CHECK(sample.constraints[0].multipliers[0] > 1);  // the stone stays on the floor
  }
  check_against_reference("rattleback", {{"integrator.tolerance", "1e-12"}}, [](double) { return 1e-9; });
}

std::string exact_text(double number) {
  std::ostringstream out;
  out << std::setprecision(17) << number;
  return out.str();
}

/// Positions of the centres of the rods of a chain at the time `periods` T. The unit T of time, s, is a power
/// of 2, so that all numbers of the scene scale without rounding.
std::vector<Vec3> scaled_chain(double T, double periods, const scene::Overrides& method) {
  const auto text = exact_text;
  scene::Overrides overrides = {
      {"gravity", "[0, 0, " + text(-9.75 / (T * T)) + "]"},
      {"run.end", text(periods * T)},
      {"run.output", text(periods * T)},
      {"body.rod{i}.angular_velocity_world", "[" + text(2 / T) + ", 0, " + text(1 / T) + "]"},
  };
  overrides.insert(overrides.end(), method.begin(), method.end());
  std::vector<Vec3> positions;
  const Trajectory motion = motion_of("chain3_spherical", overrides);
  for (const BodyMotion& body : motion.samples.back().bodies) positions.push_back(body.x);
  return positions;
}

TEST_CASE("a tolerance gives the same accuracy for a motion that is 2^20 times slower") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const auto end = [&](double T, const char* tolerance) {
      return scaled_chain(T, 6,
                          {{"integrator.method", "rkmk-dop853"},
                           {"integrator.formulation", formulation},
                           {"integrator.tolerance", tolerance}});
    };
    const std::vector<Vec3> exact = end(1, "1e-13"), slow = end(0x1p20, "1e-9");
    for (std::size_t i = 0; i < exact.size(); ++i) CHECK(greatest(slow[i] - exact[i]) < 1e-9);
  }
}

TEST_CASE("a motion that is 2^30 times slower takes the same path, in fixed steps of all kinds of methods") {
  const double slow = std::ldexp(1, 10), slower = std::ldexp(1, 40);
  for (const auto& [method, formulation, constraints] :
       std::vector<std::array<std::string, 3>>{{"rkmk4", "tree", ""},
                                               {"rkmk4", "absolute", ""},
                                               {"rkmk4", "absolute", "minimal"},
                                               {"hemk4", "absolute", ""},
                                               {"lie-midpoint", "tree", ""},
                                               {"lie-midpoint", "absolute", ""},
                                               {"rattlie", "absolute", ""},
                                               {"generalized-alpha", "tree", ""},
                                               {"generalized-alpha", "absolute", "index-2"},
                                               {"generalized-alpha", "absolute", "index-3"},
                                               {"generalized-alpha", "absolute", "stabilised-index-2"},
                                               {"bliedf2", "tree", ""},
                                               {"bliedf2", "absolute", "index-2"},
                                               {"bliedf3", "absolute", "index-3"}}) {
    CAPTURE(method);
    CAPTURE(formulation);
    CAPTURE(constraints);
    const auto end = [&](double T) {
      scene::Overrides overrides = {{"integrator.method", method},
                                    {"integrator.formulation", formulation},
                                    {"integrator.step", exact_text(T / 128)}};
      if (!constraints.empty()) overrides.emplace_back("integrator.constraints", constraints);
      return scaled_chain(T, 1.5, overrides);
    };
    const std::vector<Vec3> one = end(slow), other = end(slower);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(greatest(one[i] - other[i]) < 1e-12);
  }
}

TEST_CASE("in a gimbal, the vertical angular momentum and the rotor's rate about its own axis are constant") {
  const Trajectory motion = motion_of("gyrostat_in_gimbal", {{"run.output", "0.1"}});
  const Sample& start = motion.samples.front();
  double turned = 0;
  for (const Sample& sample : motion.samples) {
    const Vec3 change = sample.invariants.angular_momentum - start.invariants.angular_momentum;
    CHECK(greatest(change.z()) < 1e-10);
    CHECK(greatest(sample.bodies[3].Omega.z() - start.bodies[3].Omega.z()) < 1e-8);
    turned = greatest(turned, change.head(2));
  }
  CHECK(turned > 0.3);
  CHECK(motion.energy_max_drift < 1e-9);
}

TEST_CASE("inertial navigation: gyroscope and accelerometer readings give the known motion, in both groups") {
  constexpr double tilt = 0.1, cone = 2 * std::numbers::pi, radius = 20, turning = 0.5;
  const auto attitude = [&](double t) {
    return SO3<>::exp({tilt * std::cos(cone * t), tilt * std::sin(cone * t), 0});
  };
  for (const char* group : {"semidirect", "direct"}) {
    CAPTURE(std::string(group));
    const Trajectory motion =
        motion_of("inertial_navigation", {{"body.vehicle.group", group}, {"integrator.tolerance", "1e-12"}});
    for (const Sample& sample : motion.samples) {
      const double angle = turning * sample.t;
      const BodyMotion& vehicle = sample.bodies[0];
      CHECK(greatest(vehicle.x - radius * Vec3(std::cos(angle), std::sin(angle), 0)) < 1e-9);
      CHECK(greatest(vehicle.v - turning * radius * Vec3(-std::sin(angle), std::cos(angle), 0)) < 1e-10);
      CHECK(greatest(difference(attitude(sample.t), vehicle.R)) < 1e-11);
      // The multipliers of the rows are the torque that the rotation needs, J Omega' + Omega x J Omega.
      const Vec3 J(0.1, 0.2, 0.25);
      const Vec3 torque =
          J.cwiseProduct(vehicle.Omegadot) + vehicle.Omega.cross(J.cwiseProduct(vehicle.Omega));
      for (int k = 0; k < 3; ++k) CHECK(greatest(sample.constraints[k].multipliers[0] - torque[k]) < 1e-10);
    }
    CHECK(motion.energy_max_drift < 1e-9);
  }
  // The body axis z sweeps a cone ten times. If the reading of its gyroscope is set to zero, the vehicle
  // turns about this axis, each time by the solid angle of the cone, 2 pi (1 - cos tilt).
  const Trajectory blind = motion_of(
      "inertial_navigation", {{"constraint.gyroscope_z.value", "0"}, {"integrator.consistent", "project"}});
  const Vec3 turned = difference(attitude(10), blind.samples.back().bodies[0].R);
  CHECK(turned.norm() == doctest::Approx(20 * std::numbers::pi * (1 - std::cos(tilt))).epsilon(0.02));
}

TEST_CASE("a reaction wheel does not change the angular momentum, whatever the law of its angle") {
  for (const char* law : {"6*t + 1.5*t^2 - 2*sin(t)", "20*sin(3*t)", "5*exp(-t)*t^2"}) {
    CAPTURE(std::string(law));
    const Trajectory motion =
        motion_of("satellite_reaction_wheel",
                  {{"constraint.drive.value", law}, {"run.end", "3"}, {"run.output", "0.1"}});
    const Sample &start = motion.samples.front(), &end = motion.samples.back();
    for (const Sample& sample : motion.samples) {
      CHECK(greatest(sample.invariants.angular_momentum - start.invariants.angular_momentum) < 1e-10);
      CHECK(greatest(sample.invariants.linear_momentum - start.invariants.linear_momentum) < 1e-10);
    }
    CHECK(greatest(end.bodies[0].Omega - start.bodies[0].Omega) > 0.02);
    CHECK(motion.energy_max_drift < 1e-9);  // the work of the drive is subtracted
  }
}

// The mass centre of the frame (mass m) is a distance a ahead of the axle. The speed v of the middle of the
// axle and the yaw rate w satisfy mass v' = m a w^2 and inertia w' = -m a v w, so v = V tanh(m a V t /
// inertia + atanh(v_0 / V)), where mass V^2 = mass v^2 + inertia w^2 is constant. The spin of the wheels adds
// 2 I/r^2 to the mass and 2 I b^2/r^2 to the inertia.
TEST_CASE("a cart without its motor moves as the sleigh of Chaplygin") {
  const Trajectory motion =
      motion_of("two_wheeled_cart", {{"force.motor.force", "0"}, {"run.output", "0.1"}});
  const double mass = 6 + 2 * 0.8 + 2 * 0.004 / 0.01, m_a = 6 * 0.12, v_0 = 0.4, w_0 = 0.5;
  const double inertia =
      6 * 0.12 * 0.12 + 0.15 + 2 * (0.8 * 0.2 * 0.2 + 0.0022) + 2 * 0.004 * 0.2 * 0.2 / 0.01;
  const double V = std::sqrt(v_0 * v_0 + inertia / mass * w_0 * w_0);
  for (const Sample& sample : motion.samples) {
    const double v = V * std::tanh(m_a * V / inertia * sample.t + std::atanh(v_0 / V));
    const double w = std::sqrt(mass / inertia * (V * V - v * v));
    const Vec3 ahead = sample.bodies[0].R * Vec3(1, 0, 0);
    CHECK(greatest(ahead.dot(sample.bodies[1].v + sample.bodies[2].v) / 2 - v) < 1e-10);
    CHECK(greatest(sample.bodies[0].Omega - Vec3(0, 0, w)) < 1e-10);
  }
  CHECK(motion.energy_max_drift < 1e-10);
}

// Without lateral slip a wheel does not lean, so that a holonomic row of its hub is redundant beside velocity
// rows. A step that left this row out would let the wheel lean by the error of integration.
TEST_CASE("wheels that roll on a cart stay upright at a rough tolerance") {
  for (const char* name : {"two_wheeled_cart", "cart_follows_path"}) {
    const Trajectory motion = motion_of(name, {{"integrator.method", "rkmk4"},
                                               {"integrator.tolerance", "1e-4"},
                                               {"integrator.formulation", "absolute"}});
    for (const Sample& sample : motion.samples) CHECK(sample.invariants.position_residual < 1e-12);
  }
}

TEST_CASE("the motion within a satellite does not depend on the distance from the world origin") {
  const auto scene = [](const char* x, const char* formulation) {
    return scene::parse_scene(R"(schema = "torsor/scene/1"
gravity = [0, 0, 0]
run = {end = 10, output = 1}
[integrator]
tolerance = 1e-8
formulation = ")" + std::string(formulation) +
                                  R"("
[[body]]
name = "satellite"
mass = 10
inertia = [5, 5, 5]
position = [)" + x + R"(, 0, 0]
[[body]]
name = "slider"
mass = 1
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "guide"
kind = "prismatic"
parent = "satellite"
child = "slider"
coordinates = 0.1
[[force]]
name = "spring"
kind = "joint-force"
joint = "guide"
stiffness = 100
[[particle]]
name = "tethered"
mass = 2
position = [)" + x + R"(, 2, 0]
[[force]]
name = "tether"
kind = "spring"
from = {body = "satellite", position = [0, 1, 0]}
to = {body = "tethered"}
stiffness = 50
rest_length = 0.5
)",
                              "satellite.toml");
  };
  const auto apart = [](const Sample& sample, int i) {
    return Vec3(sample.bodies[i].x - sample.bodies[0].x);
  };
  const Trajectory near = motion_of(scene("0", "tree"));
  CHECK(apart(near.samples.back(), 2).norm() > 1);
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(std::string(formulation));
    const Trajectory far = motion_of(scene("7e6", formulation));
    REQUIRE(far.samples.size() == near.samples.size());
    for (std::size_t k = 0; k < far.samples.size(); ++k)
      for (const int i : {1, 2}) CHECK(greatest(apart(far.samples[k], i) - apart(near.samples[k], i)) < 1e-6);
  }
}

// Some outputs lie microseconds after the beginning of a step. There the rounding of positions changes the
// accelerations of index-3 equations by more than the tolerance of Newton's iteration, but the velocities of
// the outputs satisfy the constraints.
TEST_CASE("index-3 equations have outputs at any time within a step") {
  for (const char* formulation : {"tree", "absolute"}) {
    const Trajectory motion = motion_of("cart_follows_path", {{"integrator.method", "generalized-alpha"},
                                                              {"integrator.constraints", "index-3"},
                                                              {"integrator.tolerance", "1e-4"},
                                                              {"integrator.formulation", formulation}});
    for (const Sample& sample : motion.samples) CHECK(sample.invariants.velocity_residual < 1e-12);
  }
}

// A step that ends at an output, at an event or at the end of the run may be very short. With index 3 the
// rounding of positions, divided by the square of the step size, would then exceed the accelerations.
TEST_CASE("index-3 equations take steps of any size") {
  for (const char* method : {"generalized-alpha", "bliedf1", "bliedf2", "bliedf3"})
    for (const char* formulation : {"tree", "absolute"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(formulation));
      const auto motion = [&](double beyond) {
        return motion_of("fourbar_driven", {{"integrator.method", method},
                                            {"integrator.constraints", "index-3"},
                                            {"integrator.step", "0.005"},
                                            {"integrator.formulation", formulation},
                                            {"run.output", "1"},
                                            {"run.output_times", "[" + exact_text(0.05 + beyond) + "]"},
                                            {"run.end", exact_text(0.1 + beyond)}});
      };
      const Trajectory whole = motion(0);
      for (const double beyond : {1e-14, 1e-12, 1e-10, 1e-8}) {
        CAPTURE(beyond);
        const Trajectory other = motion(beyond);
        REQUIRE(other.samples.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
          const Sample &one = whole.samples[i], &next = other.samples[i];
          CHECK(greatest(next.bodies[1].v - one.bodies[1].v) < 1e-11 + 1000 * beyond);
          CHECK(greatest(next.invariants.work - one.invariants.work) < 1e-11 + 1000 * beyond);
        }
      }
    }
}

TEST_CASE("the rotation of a falling cat depends only on the loop of its shapes, not on the speed") {
  const SO3<> loop = SO3<>::from_matrix(
      quaternion(reference("falling_cat").at("parameters").at("holonomy")).normalized().toRotationMatrix());
  CHECK(loop.log().norm() > 3);
  struct Case {
    const char *end, *phi;
    SO3<> turn;
  };
  for (const Case& one :
       {Case{"0.5", "4*pi*t - sin(4*pi*t)", loop}, Case{"1", "2*pi*t - sin(2*pi*t)", loop},
        Case{"3", "2*pi*t/3 - sin(2*pi*t/3)", loop}, Case{"1", "2*pi*t^2*(3 - 2*t)", loop},
        Case{"1", "sin(2*pi*t) - 2*pi*t", loop.inverse()}, Case{"2", "2*pi*t - sin(2*pi*t)", loop * loop}}) {
    CAPTURE(std::string(one.phi));
    const Trajectory motion = motion_of("falling_cat", {{"definitions.phi", one.phi},
                                                        {"run.end", one.end},
                                                        {"run.output", "0.1"},
                                                        {"integrator.tolerance", "1e-11"}});
    const Sample &start = motion.samples.front(), &end = motion.samples.back();
    CHECK((end.bodies[0].R.inverse() * start.bodies[0].R * one.turn).log().norm() < 1e-9);
    double moved = 0;
    for (const Sample& sample : motion.samples) {
      CHECK(greatest(sample.invariants.angular_momentum) < 1e-10);
      moved = greatest(moved, sample.bodies[0].Omega);
    }
    CHECK(moved > 1);
    CHECK(greatest(end.bodies[0].Omega) < 1e-9);
  }
}

}  // namespace
}  // namespace torsor::test
