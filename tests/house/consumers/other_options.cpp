// A program with compile options of its own. It multiplies matrices that Eigen packs into aligned memory, passes
// vectors of all sizes to the library, and frees and enlarges vectors that the library returns.
#include <iostream>
#include <torsor/model/start.hpp>
#include <torsor/run/trajectory.hpp>

using namespace torsor;

namespace {

/// A chain of rods of 1 m on ball joints, from a horizontal start, with one state besides the motion.
Mechanism chain(int rods) {
  Mechanism mechanism;
  for (int i = 0; i < rods; ++i) {
    mechanism.bodies.push_back(
        {.name = "rod" + std::to_string(i), .mass = 1, .inertia = 0.1 * Mat3::Identity()});
    Joint ball{.name = "ball" + std::to_string(i), .kind = JointKind::spherical, .parent = i - 1, .child = i};
    ball.X_PF.p = i == 0 ? Vec3::Zero() : Vec3(0.5, 0, 0), ball.X_CM.p = Vec3(-0.5, 0, 0);
    mechanism.joints.push_back(ball);
  }
  mechanism.forces = {{"gravity", UniformGravity{}}};
  mechanism.states = {{"clock", "s", 0.25, 1.}};
  return mechanism;
}

}  // namespace

int main() {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(500, 500);
  const Eigen::MatrixXd square = a * a;
  if (!(std::abs(square(3, 5) - a.row(3).dot(a.col(5))) < 1e-10)) return 1;

  for (int rods = 1; rods < 8; ++rods) {
    const Model model(chain(rods));
    SimulationOptions options;
    options.t_end = options.output_step = 0.1;
    State x = make_start(model, Start{});
    x.v = Vec(x.v.head(model.nv()));  // without the state, which `run` appends
    Trajectory motion = run(model, x, options);
    if (motion.summary.status != StepStatus::reached_end) return 2;
    Vec& v = motion.summary.x.v;
    const double clock = v[model.nv()];
    v.conservativeResize(2 * v.size());
    if (!(std::abs(clock - 0.35) < 1e-9) || v[model.nv()] != clock) return 3;
  }
  std::cout << "right\n";
}
