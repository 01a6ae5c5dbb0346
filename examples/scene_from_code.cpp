// A program that contains a scene as text. First it shows the message of the scene reader about a misspelt
// key. Then it changes the mass, as `torsor run --set` does, and runs the scene until an event: the landing
// of the ball.
#include <cstdio>

#include "torsor/scene.hpp"

using namespace torsor;

namespace {

constexpr const char* ball = R"(
gravity = [0, 0, -9.81]

[run]
end = "10 s"
output = "250 ms"

[[body]]
name = "ball"
position = [0, 0, 0.11]
velocity_world = [12, 0, 9]
angular_velocity_world = [0, "600 rpm", 0]

[[body.solid]]
kind = "sphere"
radius = "11 cm"
mass = "430 g"

[[force]]
name = "drag"
kind = "linear-field"
body = "ball"
damping = "0.05 N*s/m"

[[point]]
name = "centre"
body = "ball"

[[event]]
name = "landing"
quantity = "point-position"
point = "centre"
value = "11 cm"
crossing = "falling"
action = "stop"
)";

void show_a_mistake() {
  try {
    scene::parse_scene(ball, "ball.toml", {{"force.drag.dampping", "0.1"}});
  } catch (const scene::SceneError& error) {
    std::printf("%s\n\n", error.what());
  }
}

}  // namespace

int main() {
  show_a_mistake();

  const scene::Scene scene = scene::parse_scene(ball, "ball.toml", {{"body.ball.solid.0.mass", "450 g"}});
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory flight = run(ready.model, ready.start, scene.run, scene.points, scene.events);

  for (const Sample& sample : flight.samples)
    std::printf("t = %6.3f s   ball at x = %7.3f m, z = %6.3f m\n", sample.t, sample.bodies[0].x.x(),
                sample.bodies[0].x.z());
  std::printf("%s after %ld steps of %s, tolerance %g\n", to_string(flight.summary.status).data(),
              flight.summary.accepted, scene.run.method.c_str(), *scene.run.tolerance);
  return flight.summary.status == StepStatus::event ? 0 : 1;
}
