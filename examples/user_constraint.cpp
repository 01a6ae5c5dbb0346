// A constraint of your own: a bead slides on a helical wire under gravity. Two holonomic rows hold the bead
// on the wire. The acceleration of the bead along the wire is constant.
#include <cmath>
#include <cstdio>

#include "torsor/run/trajectory.hpp"
#include "torsor/system/consistent_start.hpp"

using namespace torsor;

namespace {

constexpr double radius = 0.5, rise = 0.2;  // m, m per radian

/// The constraints phi = 0 with phi = (x - R cos(z / p), y - R sin(z / p)), and their time derivatives in the
/// form A V + offset = 0. Here R is `radius`, p is `rise`, and the offset is zero.
void put_wire(double, const std::vector<BodyKinematics>& bodies, UserRows& values) {
  const Vec3 &x = bodies[0].X_WB.p, &v = bodies[0].v_W;
  const double angle = x.z() / rise, rate = v.z() / rise;
  const double c = radius * std::cos(angle), s = radius * std::sin(angle);
  values.phi = {x.x() - c, x.y() - s};
  values.rows[0].head<3>() = Vec3(1, 0, s / rise);
  values.rows[1].head<3>() = Vec3(0, 1, -c / rise);
  values.rate = {c * rate * rate, s * rate * rate};  // time derivative of A V without accelerations
}

}  // namespace

int main() {
  UserConstraint wire;
  wire.bodies = {0};
  wire.rows = 2;
  wire.holonomic = true;
  wire.function = put_wire;
  const Body bead{.name = "bead", .mass = 0.1, .particle = true};
  const Model model({{bead}, {}, {{"gravity", UniformGravity{}}}, {{"wire", wire}}});

  Start start{std::vector<BodyStart>(1), {}};
  start.bodies[0].x = Vec3(radius, 0, 0);
  SimulationOptions options;
  options.t_end = 1.5;
  options.output_step = 0.25;
  options.tolerance = 1e-10;
  const Trajectory motion = run(model, consistent_start(model, start, 0), options);

  double error = 0;
  for (const Sample& sample : motion.samples) {
    const Vec3& x = sample.bodies[0].x;
    const double angle = -9.81 * rise / (radius * radius + rise * rise) * sample.t * sample.t / 2;
    const Vec3 exact(radius * std::cos(angle), radius * std::sin(angle), rise * angle);
    std::printf("t = %.2f s   bead at (%7.4f, %7.4f, %7.4f) m   off the wire by %.0e m\n", sample.t, x.x(),
                x.y(), x.z(), sample.invariants.position_residual);
    error = std::max(error, (x - exact).norm());
  }
  std::printf("%s, greatest error %.1e m, energy drifts by %.1e J\n", to_string(motion.summary.status).data(),
              error, motion.energy_max_drift);
  return motion.summary.status == StepStatus::reached_end && error < 1e-7 && motion.energy_max_drift < 1e-8
             ? 0
             : 1;
}
