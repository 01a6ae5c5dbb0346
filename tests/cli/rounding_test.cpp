#include "reference_run.hpp"

// Rounding errors in a run: the note that states them, and residuals that do not grow beyond them.

namespace torsor::test {
namespace {

Trajectory run_of(const char* text, const scene::Overrides& overrides) {
  const scene::Scene scene = scene::parse_scene(text, "scene.toml", overrides);
  const scene::ReadyModel ready = make_model(scene);
  return run(ready.model, ready.start, scene.run, scene.points);
}

TEST_CASE("a note states the rounding error where constraint forces nearly cancel on a light body") {
  const char* chain = R"toml(
schema = "torsor/scene/1"
gravity = [0, 0, -9.81]
[run]
end = 0.5
output = 0.5
[integrator]
method = "rkmk-dop853"
tolerance = 1e-8
[[body]]
repeat = 3
name = "rod{i}"
mass = "10^(4*cos({i}*pi))"
inertia = ["0.02/12*10^(4*cos({i}*pi))", "1.01/12*10^(4*cos({i}*pi))", "1.01/12*10^(4*cos({i}*pi))"]
angular_velocity_world = [0.3, 0, 1]
[[joint]]
name = "joint_0"
kind = "spherical"
child = "rod0"
child_frame.position = [-0.5, 0, 0]
[[joint]]
repeat = 2
name = "joint_{i+1}"
kind = "spherical"
parent = "rod{i}"
child = "rod{i+1}"
parent_frame.position = [0.5, 0, 0]
child_frame.position = [-0.5, 0, 0]
)toml";
  const std::string says =
      "the tolerance was not reached: the constraint forces on \"rod1\" nearly cancel, and "
      "rounding alone causes an error of about ";
  for (const char* tolerance : {"1e-8", "1e-10", "1e-12"}) {
    CAPTURE(std::string(tolerance));
    const scene::Overrides at_tolerance = {{"integrator.tolerance", tolerance}};
    const Trajectory tree = run_of(chain, at_tolerance),
                     absolute = run_of(chain, {at_tolerance[0], {"integrator.formulation", "absolute"}});
    CHECK(tree.summary.note.empty());
    const std::string& note = absolute.summary.note;
    REQUIRE(note.starts_with(says));
    const double told = std::stod(note.substr(says.size()));
    const Vec3 off = tree.samples.back().bodies[1].Omega - absolute.samples.back().bodies[1].Omega;
    CHECK(off.norm() > 1e-8);
    CHECK(off.norm() < 10 * told);
    CHECK(told < 100 * off.norm());
    // Steps that followed the rounding error of each acceleration would be 550 to 17 000 times as many.
    CHECK(absolute.summary.accepted < 2 * tree.summary.accepted);
  }
  CHECK(run_of(chain, {{"integrator.formulation", "absolute"}, {"integrator.tolerance", "1e-5"}})
            .summary.note.empty());
}

TEST_CASE("the implicit midpoint rule solves for the positions to rounding in every step") {
  const char* hinge_and_ball = R"toml(
schema = "torsor/scene/1"
gravity = [0, 0, -9.81]
[run]
end = 60
output = 0.02
[integrator]
method = "lie-midpoint"
step = 0.02
formulation = "absolute"
[[body]]
repeat = 2
name = "bar{i}"
mass = 2
inertia = ["0.04/3", "2.02/3", "2.02/3"]
[[joint]]
name = "hinge"
kind = "revolute"
child = "bar0"
axis = [0, 1, 0]
parent_frame.position = [0, 0, 5]
child_frame.position = [-1, 0, 0]
coordinates = 0
[[joint]]
name = "ball"
kind = "spherical"
parent = "bar0"
child = "bar1"
parent_frame.position = ["1 - cos(1.57)", "1 - sin(1.57)", 0]
child_frame.position = [-1, 0, 0]
rotation_vector = [0, 0, 1.57]
)toml";
  const Trajectory whole = run_of(hinge_and_ball, {});
  REQUIRE(whole.samples.size() == 3001);
  for (const Sample& sample : whole.samples) {
    CAPTURE(sample.t);
    CHECK(sample.invariants.position_residual <= 1e-10);
  }
}

}  // namespace
}  // namespace torsor::test
