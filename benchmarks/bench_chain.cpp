// Measures, for a chain of rods, the cost per body and the error of one evaluation of the accelerations,
// and the cost of integrating the chain over one second to a given error. Simbody and MuJoCo are measured
// too if they are built in.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "chain.hpp"
#include "peers/peers.hpp"
#include "run.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/tree_system.hpp"

namespace {

using namespace torsor;

template <class Scalar>
VecOf<Scalar> acceleration(const Model& model, const State& x) {
  Workspace<Scalar> work(model);
  Loads<Scalar> loads(model);
  loads.gravity[2] = Scalar(-9.81);
  VecOf<Scalar> a(model.nv());
  const VecOf<Scalar> q = x.q.cast<Scalar>(), v = x.v.cast<Scalar>();
  forward_dynamics(model, q, v, loads, work, a);
  return a;
}

void per_body(benchmark::State& bench, int rods) {
  using benchmark::Counter;
  bench.counters["per_body"] = Counter(rods, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// The chain of chain.hpp, slightly bent and with slightly different velocities, so that no component is zero
/// by symmetry.
State moving(const Model& model) {
  State x = rod_chain_start(model);
  Vec xi(model.nv());
  for (int k = 0; k < model.nv(); ++k) xi[k] = 0.2 * std::sin(0.7 * k), x.v[k] += 0.1 * std::sin(1.3 * k);
  retract(model, x.q.data(), xi.data(), x.q.data());
  return x;
}

void torsor_evaluation(benchmark::State& bench) {
  const int rods = static_cast<int>(bench.range(0));
  const Model model(rod_chain(rods));
  const State x = moving(model);
  Workspace<double> work(model);
  Loads<double> loads(model);
  loads.gravity[2] = -9.81;
  Vec a(model.nv());
  for (auto _ : bench) {
    forward_dynamics(model, x.q, x.v, loads, work, a);
    benchmark::DoNotOptimize(a.data());
  }
  const auto exact = acceleration<long double>(model, x);
  bench.counters["error"] = static_cast<double>((a.cast<long double>() - exact).norm() / exact.norm());
  per_body(bench, rods);
}

using MakePeer = std::unique_ptr<peers::Peer> (*)(const peers::Chain&, double);

void peer_evaluation(benchmark::State& bench, MakePeer make) {
  peers::Chain chain;
  chain.rods = static_cast<int>(bench.range(0));
  const auto peer = make(chain, 1e-3);
  if (!peer) return bench.SkipWithError("not built in, or the chain is too long for this code");
  for (auto _ : bench) peer->evaluate();
  per_body(bench, chain.rods);
}

using Centres = std::vector<Vec3>;

State run(const Model& model, const std::string& method, double tolerance) {
  const State start = rod_chain_start(model);
  const TreeSystem system(model, LinkLengths(model, start.q));
  SimulationOptions options;
  options.method = method;
  options.tolerance = tolerance;
  options.output_step = options.t_end;
  const RunSummary summary = simulate(system, start, options);
  if (summary.status != StepStatus::reached_end) throw std::runtime_error(summary.message);
  return summary.x;
}

/// Mass centres at 1 s from a run of much higher accuracy.
const Centres& reference(int rods) {
  static std::map<int, Centres> known;
  if (!known.contains(rods)) {
    const Model model(rod_chain(rods));
    known[rods] = bench::mass_centres(model, run(model, "rkmk-fehlberg78", 1e-12));
  }
  return known[rods];
}

double rms_error(const Centres& centres) {
  return bench::rms_distance(centres, reference(static_cast<int>(centres.size())));
}

/// range(0) is the number of rods, 10^-range(1) the tolerance.
void torsor_second(benchmark::State& bench, const std::string& method) {
  const Model model(rod_chain(static_cast<int>(bench.range(0))));
  const double tolerance = std::pow(10., -static_cast<double>(bench.range(1)));
  State x;
  for (auto _ : bench) x = run(model, method, tolerance);
  bench.counters["error"] = rms_error(bench::mass_centres(model, x));
}

/// range(0) is the number of rods, 10^-range(1) the accuracy (Simbody) or the step size in s (MuJoCo).
void peer_second(benchmark::State& bench, MakePeer make) {
  peers::Chain chain;
  chain.rods = static_cast<int>(bench.range(0));
  const auto peer = make(chain, std::pow(10., -static_cast<double>(bench.range(1))));
  if (!peer) return bench.SkipWithError("not built in, or the chain is too long for this code");
  for (auto _ : bench) {
    peer->reset();
    peer->run(1);
  }
  Centres centres;
  for (int i = 0; i < chain.rods; ++i) {
    const auto c = peer->centre(i);
    centres.emplace_back(c[0], c[1], c[2]);
  }
  bench.counters["error"] = rms_error(centres);
}

void second_cases(benchmark::internal::Benchmark* bench, std::vector<std::int64_t> rods,
                  std::vector<std::int64_t> digits) {
  bench->ArgsProduct({std::move(rods), std::move(digits)})->Unit(benchmark::kMillisecond);
}

const MakePeer simbody = &peers::simbody, mujoco = &peers::mujoco;

}  // namespace

BENCHMARK(torsor_evaluation)->RangeMultiplier(10)->Range(10, 100'000);
BENCHMARK_CAPTURE(peer_evaluation, simbody, simbody)->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(peer_evaluation, mujoco, mujoco)->Arg(10)->Arg(100);

BENCHMARK_CAPTURE(torsor_second, rkmk_dopri5, "rkmk-dopri5")->Apply([](auto* bench) {
  second_cases(bench, {10, 100, 1000}, {4, 6, 8});
});
BENCHMARK_CAPTURE(torsor_second, rkmk_fehlberg78, "rkmk-fehlberg78")->Apply([](auto* bench) {
  second_cases(bench, {10, 100, 1000}, {6, 8, 10});
});
BENCHMARK_CAPTURE(peer_second, simbody, simbody)->Apply([](auto* bench) {
  second_cases(bench, {10, 100, 1000}, {3, 5, 7});
});
BENCHMARK_CAPTURE(peer_second, mujoco, mujoco)->Apply([](auto* bench) {
  second_cases(bench, {10, 100}, {2, 3});
});

BENCHMARK_MAIN();
