// A mechanism written in code: a pendulum on a turntable that a motor drives. Runs it for two seconds and
// prints the position of the bob, the force in the hinge, and how well the energy and the work of motor and
// friction balance.
#include <cmath>
#include <cstdio>

#include "torsor/model/start.hpp"
#include "torsor/run/trajectory.hpp"

using namespace torsor;

int main() {
  Body table{.name = "table", .mass = 4, .inertia = Vec3(0.1, 0.1, 0.2).asDiagonal()};
  Body bob{.name = "bob", .mass = 0.5, .inertia = 2e-4 * Mat3::Identity()};

  Joint axle{.name = "axle", .kind = JointKind::revolute, .parent = world, .child = 0};
  Joint hinge{.name = "hinge", .kind = JointKind::revolute, .parent = 0, .child = 1};
  const Mat3 along_x =
      (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();  // the hinge turns about x of the table
  hinge.X_PF = {SO3<>::from_matrix(along_x), Vec3(0, 0.3, 0)};
  hinge.X_CM = {SO3<>::from_matrix(along_x), Vec3(0, 0, 0.4)};  // 0.4 m above the bob

  JointForce motor, friction;
  motor.joint = 0;
  motor.force = {[](double t) {
                   return TimeFunction::Value{0.2 * std::sin(t), 0.2 * std::cos(t), -0.2 * std::sin(t)};
                 },
                 "0.2 sin(t)"};
  friction.joint = 1;
  friction.damping = 0.01;

  const Model model({{table, bob},
                     {axle, hinge},
                     {{"gravity", UniformGravity{}}, {"motor", motor}, {"friction", friction}}});

  Start start{std::vector<BodyStart>(2), std::vector<JointStart>(2)};
  start.joints[1].q = Vec::Constant(1, 0.5);  // rad; values that are not given are zero

  SimulationOptions options;
  options.method = "rkmk-dopri5";
  options.tolerance = 1e-9;
  options.t_end = 2;
  options.output_step = 0.5;
  const Trajectory motion = run(model, make_start(model, start), options);

  for (const Sample& sample : motion.samples) {
    const Vec3& x = sample.bodies[1].x;
    std::printf("t = %.1f s   bob at (%7.4f, %7.4f, %7.4f) m   force in the hinge %.3f N\n", sample.t, x.x(),
                x.y(), x.z(), sample.joints[1].force.norm());
  }
  std::printf("work of motor and friction %.6f J, energy minus work is off by %.1e J, %ld steps\n",
              motion.samples.back().invariants.work, motion.energy_max_drift, motion.summary.accepted);
  const bool good = motion.summary.status == StepStatus::reached_end && motion.energy_max_drift < 1e-7;
  return good ? 0 : 1;
}
