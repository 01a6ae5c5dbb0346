// Runs in two parts: the second part continues from the end of the first. The mechanism is a particle on a
// spring, first alone, then with a motor whose current is a state of its own.
#include <cmath>
#include <cstdio>

#include "torsor/model/start.hpp"
#include "torsor/run/trajectory.hpp"

using namespace torsor;

namespace {

Mechanism on_spring() {
  LinearField spring;
  spring.K = 8 * Mat3::Identity();  // N/m
  return {{Body{.name = "bob", .mass = 0.5, .particle = true}}, {}, {{"spring", spring}}};
}

Mechanism with_motor() {
  Mechanism mechanism = on_spring();
  ForceElement motor;
  motor.bodies = {0};
  motor.states = {0};
  motor.function = [](const ForceElement::Input& in, std::vector<Wrench>& wrenches) {
    wrenches[0].force.x() += 4 * in.states[0];  // 4 N/A
  };
  mechanism.forces.push_back({"motor", motor});
  StateFunction lag;  // z' = (1 A - z) / 0.5 s
  lag.inputs = {{Measured::Quantity::own_state, 0, 0, {}}};
  lag.function = [](const double* y, const signed char*, double*) { return (1 - y[1]) / 0.5; };
  mechanism.states = {{"current", "A", 0, TimeFunction(lag, "(1 - z) / T")}};
  return mechanism;
}

Trajectory part(const Model& model, const State& from, double t_begin, double t_end) {
  SimulationOptions options;
  options.method = "generalized-alpha";
  options.t_begin = t_begin, options.t_end = t_end, options.step = 0.01;
  return run(model, from, options);
}

}  // namespace

int main() {
  Start start{std::vector<BodyStart>(1), {}};
  start.bodies[0].x = Vec3(0.1, 0, 0);  // m

  // The method keeps its algorithmic acceleration in `memory`.
  const Model spring(on_spring());
  const State x = make_start(spring, start), middle = part(spring, x, 0, 1).summary.x;
  const double whole = part(spring, x, 0, 2).summary.x.q[0];
  const double continued = part(spring, middle, 1, 2).summary.x.q[0];
  const double anew = part(spring, {middle.q, middle.v, {}}, 1, 2).summary.x.q[0];
  std::printf(
      "spring: x = %.6f m at 2 s; two runs differ by less than 1e-13 m: %s, without memory by %.1e m\n",
      whole, std::abs(continued - whole) < 1e-13 ? "yes" : "no", std::abs(anew - whole));

  // Own states stand behind the velocities. The work counts from the beginning of each run.
  const Model driven(with_motor());
  const Trajectory all = part(driven, make_start(driven, start), 0, 2);
  const Trajectory first = part(driven, make_start(driven, start), 0, 1);
  const Trajectory second = part(driven, first.summary.x, first.summary.t, 2);
  const Vec& v = first.summary.x.v;
  const auto work = [](const Trajectory& motion) { return motion.samples.back().invariants.work; };
  std::printf("motor: %td velocities and a current of %.4f A at 1 s\n", v.size() - 1, v[v.size() - 1]);
  std::printf("work: %.4f J in one run, %.4f J and %.4f J in two\n", work(all), work(first), work(second));

  const bool good = std::abs(continued - whole) < 1e-13 && std::abs(anew - whole) < 1e-5 &&
                    std::abs(work(all) - work(first) - work(second)) < 1e-3;
  return good ? 0 : 1;
}
