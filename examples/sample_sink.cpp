// A sink receives every sample of a run, so that the trajectory of a long run keeps only the first and the
// last. Here the sink computes the mean energies of an oscillator over a thousand periods. By the virial
// theorem the means of kinetic and potential energy are equal.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/start.hpp"
#include "torsor/run/trajectory.hpp"

using namespace torsor;

int main() {
  constexpr double mass = 0.5, stiffness = 8;  // kg, N/m
  constexpr int periods = 1000, samples = 16;  // samples of one period
  LinearField spring;
  spring.K = stiffness * Mat3::Identity();
  const Model model({{Body{.name = "bob", .mass = mass, .particle = true}}, {}, {{"spring", spring}}});
  Start start{std::vector<BodyStart>(1), {}};
  start.bodies[0].x = Vec3(0.1, 0, 0);
  start.bodies[0].v_W = Vec3(0, 0.3, 0);

  const double period = 2 * std::numbers::pi * std::sqrt(mass / stiffness);
  SimulationOptions options;
  options.method = "rkmk-dop853";
  options.t_end = periods * period;
  options.output_step = period / samples;
  options.tolerance = 1e-11;

  double kinetic = 0, potential = 0, first = 0;
  long count = 0;
  const SampleSink sink = [&](const Sample& sample) {
    if (count == 0) first = sample.invariants.energy();
    if (count == periods * samples) return;  // the end is the first instant of another period
    kinetic += sample.invariants.kinetic, potential += sample.invariants.potential;
    ++count;
  };
  const Trajectory motion = run(model, make_start(model, start), options, {}, {}, sink);

  kinetic /= static_cast<double>(count), potential /= static_cast<double>(count);
  std::printf("%ld samples averaged, %zu kept\n", count, motion.samples.size());
  std::printf("mean kinetic energy %.9f J, mean potential energy %.9f J, half of the energy %.9f J\n",
              kinetic, potential, first / 2);
  const bool good = motion.summary.status == StepStatus::reached_end && count == periods * samples &&
                    motion.samples.size() == 2 && std::abs(kinetic - first / 2) < 1e-7 &&
                    std::abs(potential - first / 2) < 1e-7;
  return good ? 0 : 1;
}
