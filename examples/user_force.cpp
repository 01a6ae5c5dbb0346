// Forces of your own. A charged particle circles in a magnetic field; a function of all bodies gives the
// force of the field. A cart is driven by a motor that lags behind its voltage; the motor is a force element
// with a state of its own.
#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "torsor/model/start.hpp"
#include "torsor/run/trajectory.hpp"

using namespace torsor;

namespace {

const Body particle{.name = "particle", .mass = 2, .particle = true};

Trajectory motion(const Mechanism& mechanism, const Vec3& velocity, double end) {
  const Model model(mechanism);
  Start start{std::vector<BodyStart>(1), {}};
  start.bodies[0].v_W = velocity;
  SimulationOptions options;
  options.t_end = end;
  options.output_step = end / 4;
  options.tolerance = 1e-10;
  Trajectory motion = run(model, make_start(model, start), options);
  if (motion.summary.status != StepStatus::reached_end) throw std::runtime_error(motion.summary.message);
  return motion;
}

/// The greatest distance, m, from the exact motion: at 2 rad/s on the circle of radius m v / (q B) = 1.5 m
/// through the origin.
double circle_error() {
  const Vec3 qB(0, 0, 4);  // charge times magnetic field, N s/m
  const UserForce lorentz{
      "lorentz", [qB](double, const std::vector<BodyKinematics>& bodies, std::vector<Wrench>& wrenches) {
        for (std::size_t i = 0; i < bodies.size(); ++i) wrenches[i].force += bodies[i].v_W.cross(qB);
      }};
  double error = 0;
  for (const Sample& sample : motion({{particle}, {}, {{"lorentz", lorentz}}}, Vec3(3, 0, 0), 5).samples) {
    const Vec3& x = sample.bodies[0].x;
    const double angle = 2 * sample.t;
    std::printf("t = %.2f s   particle at (%7.4f, %7.4f) m\n", sample.t, x.x(), x.y());
    error = std::max(error, (x - 1.5 * Vec3(std::sin(angle), std::cos(angle) - 1, 0)).norm());
  }
  return error;
}

/// The greatest error of the velocity k u / m (t - T (1 - exp(-t / T))) of a cart, m/s, and of the work of
/// its motor, J. The motor pulls with k z, and z' = (u - z) / T.
double cart_error() {
  constexpr double k = 6, u = 12, T = 0.5;  // N/V, V, s
  ForceElement motor;
  motor.bodies = {0};
  motor.states = {0};
  motor.function = [](const ForceElement::Input& in, std::vector<Wrench>& wrenches) {
    wrenches[0].force.x() += k * in.states[0];
  };
  StateFunction lag;
  lag.inputs = {{Measured::Quantity::own_state, 0, 0, {}}};  // y = (t, z)
  lag.function = [](const double* y, const signed char*, double*) { return (u - y[1]) / T; };

  Mechanism mechanism{{particle}, {}, {{"motor", motor}}};
  mechanism.states = {{"voltage", "V", 0, TimeFunction(lag, "(u - z) / T")}};
  double error = 0;
  for (const Sample& sample : motion(mechanism, Vec3::Zero(), 2).samples) {
    const double v = sample.bodies[0].v.x(), t = sample.t;
    std::printf("t = %.2f s   voltage %7.4f V   velocity %8.4f m/s   work %9.4f J\n", t, sample.states[0], v,
                sample.invariants.work);
    error = std::max(error, std::abs(v - k * u / particle.mass * (t - T * (1 - std::exp(-t / T)))));
    error = std::max(error, std::abs(sample.invariants.work - particle.mass * v * v / 2));
  }
  return error;
}

}  // namespace

int main() {
  const double circle = circle_error(), cart = cart_error();
  std::printf("greatest errors: circle %.1e m, cart %.1e (velocity in m/s, work in J)\n", circle, cart);
  return circle < 1e-7 && cart < 1e-6 ? 0 : 1;
}
