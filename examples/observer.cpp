// An observer is called at every output during a run, here a run of a free symmetric top. The observer
// compares the angular velocity with Euler's solution. The run is cancelled after two turns of the angular
// velocity about the axis of the top.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/start.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/tree_system.hpp"

using namespace torsor;

int main() {
  const Vec3 inertia(2, 2, 3), spin(0.3, 0, 1.2);  // kg m^2, rad/s in body axes
  const Model model({{Body{.name = "top", .mass = 5, .inertia = inertia.asDiagonal()}}, {}, {}});
  Start start{std::vector<BodyStart>(1), {}};
  start.bodies[0].Omega = spin;
  const TreeSystem system(model, 1);

  // Omega turns about the axis of the top at this rate, because of Euler's equations
  // J1 (Omega1', Omega2') = (J1 - J3) Omega3 (Omega2, -Omega1).
  const double rate = (inertia[2] - inertia[0]) / inertia[0] * spin.z();
  const double two_turns = 4 * std::numbers::pi / rate;
  double error = 0, last = 0;
  const auto observe = [&](double t, const State& x) {
    const auto Omega = x.v.tail<3>();
    const Vec3 exact(spin.x() * std::cos(rate * t), spin.x() * std::sin(rate * t), spin.z());
    error = std::max(error, (Omega - exact).norm());
    last = t;
    std::printf("t = %5.2f s   Omega = (%7.4f, %7.4f, %7.4f) rad/s\n", t, Omega[0], Omega[1], Omega[2]);
  };

  SimulationOptions options;
  options.t_end = 1000;
  options.output_step = 2;
  options.tolerance = 1e-10;
  options.cancelled = [&] { return last > two_turns; };
  const RunSummary summary = simulate(system, make_start(model, start), options, observe);

  std::printf("%s at t = %.2f s, greatest error of Omega %.1e rad/s\n", to_string(summary.status).data(),
              summary.t, error);
  return summary.status == StepStatus::cancelled && summary.t < two_turns + 20 && error < 1e-7 ? 0 : 1;
}
