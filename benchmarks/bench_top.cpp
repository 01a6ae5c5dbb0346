// Measures the cost of one second of the heavy top at a given true error. It runs explicit methods in
// template form, and methods on a run-time model as a scene makes it, over a range of tolerances or step
// sizes. It compares them with Odeint on quaternion equations written by hand, with Simbody and with MuJoCo.
// Counters: `error`, m, of the mass centre at 1 s; `evaluations` of the equations, except for Simbody and
// MuJoCo.
#include <benchmark/benchmark.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "heavy_top.hpp"
#include "peers/peers.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_order8.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/tree_system.hpp"

namespace {

namespace odeint = boost::numeric::odeint;
using namespace torsor;

using Top = MechanicalField<SO3<>, bench::TopAcceleration>;
const Top top{bench::TopAcceleration()};

Phase<SO3<>> start() { return {SO3<>::identity(), bench::top_spin()}; }
double tolerance(const benchmark::State& state) { return std::pow(10., -double(state.range(0)) / 2); }

template <template <class> class Method>
void controlled(benchmark::State& state) {
  Phase<SO3<>> y;
  IntegrateResult result;
  for (auto _ : state) {
    y = start();
    result = integrate<Method>(top, y, 0, bench::top_end, {.tolerance = tolerance(state)});
    benchmark::DoNotOptimize(y);
  }
  if (result.status != StepStatus::reached_end) state.SkipWithError("did not reach the end");
  state.counters["error"] = bench::top_error(y.q);
  state.counters["evaluations"] = static_cast<double>(result.evaluations);
}

template <template <class> class Method, int evaluations_a_step>
void equal_steps(benchmark::State& state) {
  const long n = state.range(0);
  Phase<SO3<>> y;
  for (auto _ : state) {
    y = start();
    integrate_steps<Method>(top, y, 0., bench::top_end / static_cast<double>(n), n);
    benchmark::DoNotOptimize(y);
  }
  state.counters["error"] = bench::top_error(y.q);
  state.counters["evaluations"] = static_cast<double>(n * evaluations_a_step);
}

template <class Stepper>
void hand_controlled(benchmark::State& state) {
  bench::HandState y;
  long evaluations = 0;
  const auto rate = [&](const bench::HandState& x, bench::HandState& out, double t) {
    ++evaluations;
    bench::hand_rate(x, out, t);
  };
  for (auto _ : state) {
    y = bench::hand_start();
    evaluations = 0;
    const double tol = tolerance(state);
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tol, tol), rate, y, 0., bench::top_end, 1e-3);
    benchmark::DoNotOptimize(y);
  }
  state.counters["error"] = bench::top_error(y);
  state.counters["evaluations"] = static_cast<double>(evaluations);
}

void hand_equal_steps(benchmark::State& state) {
  const long n = state.range(0);
  bench::HandState y;
  for (auto _ : state) {
    y = bench::hand_start();
    odeint::runge_kutta4<bench::HandState> stepper;
    odeint::integrate_n_steps(stepper, bench::hand_rate, y, 0., bench::top_end / static_cast<double>(n), n);
    benchmark::DoNotOptimize(y);
  }
  state.counters["error"] = bench::top_error(y);
  state.counters["evaluations"] = static_cast<double>(4 * n);
}

Mechanism top_mechanism() {
  const auto& J = bench::top_inertia;
  Body body;
  body.name = "top", body.mass = 15;
  body.inertia = Vec3(J[0] - 15, J[1], J[2] - 15).asDiagonal();
  Joint pivot;
  pivot.name = "pivot", pivot.kind = JointKind::spherical;
  pivot.X_CM.p = Vec3(0, -1, 0);
  Mechanism mechanism;
  mechanism.bodies = {body}, mechanism.joints = {pivot}, mechanism.forces = {{"gravity", UniformGravity{}}};
  return mechanism;
}

void run_model(benchmark::State& state, SimulationOptions options) {
  const Model model(top_mechanism());
  const State x{identity_configuration(model), bench::top_spin(), {}};
  options.t_end = bench::top_end;
  const TreeSystem system(model, LinkLengths(model, x.q));
  RunSummary summary;
  for (auto _ : state) {
    summary = simulate(system, x, options);
    benchmark::DoNotOptimize(summary);
  }
  if (summary.status != StepStatus::reached_end) state.SkipWithError(summary.message.c_str());
  state.counters["error"] = bench::top_error(SO3<>::from(summary.x.q.data()));
  state.counters["evaluations"] = static_cast<double>(summary.evaluations);
}
void model_controlled(benchmark::State& state, const char* method) {
  SimulationOptions options;
  options.method = method, options.tolerance = tolerance(state);
  run_model(state, options);
}
void model_equal_steps(benchmark::State& state, const char* method) {
  SimulationOptions options;
  options.method = method, options.step = bench::top_end / static_cast<double>(state.range(0));
  run_model(state, options);
}

/// Another code with accuracy (Simbody) or step size (MuJoCo) 10^(-range(0)/2).
using MakePeer = std::unique_ptr<peers::Peer> (*)(const peers::Top&, double);
void peer(benchmark::State& state, MakePeer make) {
  const auto top_of_peer = make({}, tolerance(state));
  if (!top_of_peer) return state.SkipWithError("not built in");
  for (auto _ : state) {
    top_of_peer->reset();
    top_of_peer->run(bench::top_end);
  }
  const auto c = top_of_peer->centre(0);
  state.counters["error"] = (Vec3(c[0], c[1], c[2]) - bench::top_centre()).norm();
}
const MakePeer simbody = &peers::simbody, mujoco = &peers::mujoco;

// Argument n: tolerance 10^(-n/2), or number of equal steps.
const auto tolerances = [](auto* bench) { bench->DenseRange(8, 22, 1)->Unit(benchmark::kMillisecond); };
const auto steps = [](auto* bench) {
  bench->RangeMultiplier(4)->Range(1 << 9, 1 << 15)->Unit(benchmark::kMillisecond);
};

using HandDopri5 = odeint::runge_kutta_dopri5<bench::HandState>;
using HandFehlberg78 = odeint::runge_kutta_fehlberg78<bench::HandState>;

BENCHMARK(controlled<RkmkDop853>)->Apply(tolerances)->Name("template/rkmk-dop853");
BENCHMARK(controlled<RkmkDopri8>)->Apply(tolerances)->Name("template/rkmk-dopri8");
BENCHMARK(controlled<RkmkFehlberg78>)->Apply(tolerances)->Name("template/rkmk-fehlberg78");
BENCHMARK(hand_controlled<HandFehlberg78>)->Apply(tolerances)->Name("odeint by hand/fehlberg78");
BENCHMARK(controlled<RkmkDopri5>)->Apply(tolerances)->Name("template/rkmk-dopri5");
BENCHMARK(hand_controlled<HandDopri5>)->Apply(tolerances)->Name("odeint by hand/dopri5");
BENCHMARK(controlled<RkmkCk54>)->Apply(tolerances)->Name("template/rkmk-ck54");
BENCHMARK(controlled<Cf4>)->Apply(tolerances)->Name("template/cf4");
BENCHMARK_CAPTURE(model_controlled, , "rkmk-dop853")->Apply(tolerances)->Name("model/rkmk-dop853");
BENCHMARK_CAPTURE(model_controlled, , "rkmk-dopri8")->Apply(tolerances)->Name("model/rkmk-dopri8");
BENCHMARK_CAPTURE(model_controlled, , "rkmk-fehlberg78")->Apply(tolerances)->Name("model/rkmk-fehlberg78");
BENCHMARK_CAPTURE(model_controlled, , "rkmk-dopri5")->Apply(tolerances)->Name("model/rkmk-dopri5");
BENCHMARK_CAPTURE(model_controlled, , "cf4")->Apply(tolerances)->Name("model/cf4");
BENCHMARK_CAPTURE(model_controlled, , "rkmk-ck54")->Apply(tolerances)->Name("model/rkmk-ck54");
BENCHMARK_CAPTURE(model_equal_steps, , "lie-euler")->Apply(steps)->Name("model/lie-euler");
BENCHMARK_CAPTURE(model_equal_steps, , "cg3")->Apply(steps)->Name("model/cg3");
BENCHMARK_CAPTURE(model_equal_steps, , "cg4")->Apply(steps)->Name("model/cg4");
BENCHMARK_CAPTURE(model_equal_steps, , "rkmk4")->Apply(steps)->Name("model/rkmk4");
BENCHMARK_CAPTURE(model_equal_steps, , "lie-midpoint")->Apply(steps)->Name("model/lie-midpoint");
BENCHMARK_CAPTURE(model_equal_steps, , "lie-verlet")->Apply(steps)->Name("model/lie-verlet");
BENCHMARK_CAPTURE(model_equal_steps, , "generalized-alpha")->Apply(steps)->Name("model/generalized-alpha");
BENCHMARK_CAPTURE(peer, , simbody)->DenseRange(8, 14, 2)->Unit(benchmark::kMillisecond)->Name("simbody");
BENCHMARK_CAPTURE(peer, , mujoco)->DenseRange(6, 9, 1)->Unit(benchmark::kMillisecond)->Name("mujoco rk4");
BENCHMARK(equal_steps<Rkmk4, 4>)->Apply(steps)->Name("template/rkmk4");
BENCHMARK(hand_equal_steps)->Apply(steps)->Name("odeint by hand/rk4");
BENCHMARK(equal_steps<Cf4, 4>)->Apply(steps)->Name("template/cf4 equal steps");
BENCHMARK(equal_steps<Cg3, 3>)->Apply(steps)->Name("template/cg3");
BENCHMARK(equal_steps<Cg4, 5>)->Apply(steps)->Name("template/cg4");
BENCHMARK(equal_steps<LieEuler, 1>)->Apply(steps)->Name("template/lie-euler");

}  // namespace

BENCHMARK_MAIN();
