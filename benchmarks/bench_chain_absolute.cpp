// Measures the cost of mechanisms whose number of constraints is proportional to the number of bodies, and
// whether the cost is linear in this number. The mechanisms are a chain of rods in absolute form, where each
// ball joint has three constraint rows, and a row of four-bars (`ladder`) in both formulations. One
// evaluation of accelerations and multipliers is measured, and one step. Then one second of the chain is
// integrated in absolute form, as a tree, and in Simbody, with several tolerances or step sizes. The counter
// `error` is the root mean square error of the mass centres at 1 s, m.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "chain.hpp"
#include "four_bars.hpp"
#include "peers/peers.hpp"
#include "run.hpp"
#include "torsor/integrators/generalized_alpha.hpp"
#include "torsor/system/consistent_start.hpp"

namespace {

using namespace torsor;
using Centres = std::vector<Vec3>;

/// The chain is straight and turns about the vertical, as in rod_chain_start.
Start chain_start(int rods) {
  Start start;
  const Vec3 omega(0, 0, 1. / rods);
  for (int i = 0; i < rods; ++i) {
    BodyStart rod;
    rod.x = Vec3(i + 0.5, 0, 0), rod.R = SO3<>();
    rod.v_W = omega.cross(*rod.x), rod.omega_W = omega;
    start.bodies.push_back(rod);
  }
  return start;
}

Model absolute_chain(int rods) { return Model(rod_chain(rods), Formulation::absolute); }

void per_body(benchmark::State& bench, int bodies) {
  using benchmark::Counter;
  bench.counters["per_body"] = Counter(bodies, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// Evaluates the accelerations at two times alternately, so that no result of the last evaluation can be
/// reused. The first evaluation, in which the system allocates memory, is not measured.
void evaluate(benchmark::State& bench, const Model& model, const Start& start) {
  const State x = consistent_start(model, start);
  const MechanismSystem system(model, LinkLengths(model, x.q));
  Vec a(model.nv());
  double t = 0;
  system.acceleration(t, x.q, x.v, a);
  for (auto _ : bench) {
    system.acceleration(t = 1 - t, x.q, x.v, a);
    benchmark::DoNotOptimize(a.data());
  }
  per_body(bench, model.size());
}

/// Takes successive steps of 1 ms, with the default treatment of constraints (projection, if the method is
/// explicit). The first step is not measured.
void step(benchmark::State& bench, const Model& model, const Start& start, const std::string& method) {
  State x = consistent_start(model, start);
  const MechanismSystem system(model, LinkLengths(model, x.q));
  const auto stepper = find_method(method)->make(find_method(method)->treatments.front());
  double t = 0;
  const auto do_step = [&] {
    const StepStatus status = stepper->do_step(system, x, t, 1e-3);
    t += 1e-3;
    return status == StepStatus::accepted;
  };
  bool accepted = do_step();
  for (auto _ : bench) {
    if (accepted) accepted = do_step();
    if (!accepted) return bench.SkipWithError(stepper->message().c_str());
  }
  per_body(bench, model.size());
}

void chain_evaluation(benchmark::State& bench) {
  const int rods = static_cast<int>(bench.range(0));
  evaluate(bench, absolute_chain(rods), chain_start(rods));
}
void chain_step(benchmark::State& bench, const char* method) {
  const int rods = static_cast<int>(bench.range(0));
  step(bench, absolute_chain(rods), chain_start(rods), method);
}

/// A row of range(0) four-bars (four_bars.hpp), away from the singular configuration in which all rods lie in
/// a line.
void ladder_evaluation(benchmark::State& bench, Formulation formulation) {
  const bench::FourBars bars(static_cast<int>(bench.range(0)), 1);
  evaluate(bench, Model(bars.mechanism, formulation), bars.start);
}
void ladder_step(benchmark::State& bench, Formulation formulation) {
  const bench::FourBars bars(static_cast<int>(bench.range(0)), 1);
  step(bench, Model(bars.mechanism, formulation), bars.start, "rkmk4");
}

/// Mass centres at 1 s from a run of much higher accuracy.
const Centres& reference(int rods) {
  static std::map<int, Centres> known;
  if (!known.contains(rods)) {
    const Model model(rod_chain(rods));
    const State start = rod_chain_start(model);
    const TreeSystem system(model, LinkLengths(model, start.q));
    SimulationOptions options;
    options.method = "rkmk-dopri8", options.tolerance = 1e-8;
    known[rods] = bench::mass_centres(model, bench::carry(system, start, options, 1).x);
  }
  return known[rods];
}

double rms_error(const Centres& centres) {
  return bench::rms_distance(centres, reference(static_cast<int>(centres.size())));
}

void carry_chain(benchmark::State& bench, const System& system, const Model& model, const State& start,
                 const SimulationOptions& options) {
  try {
    RunSummary summary;
    for (auto _ : bench) summary = bench::carry(system, start, options, 1);
    bench.counters["error"] = rms_error(bench::mass_centres(model, summary.x));
    bench.counters["steps"] = static_cast<double>(summary.accepted);
  } catch (const std::runtime_error& failure) {
    bench.SkipWithError(failure.what());
  }
}

void tree_second(benchmark::State& bench, int rods, const SimulationOptions& options) {
  const Model model(rod_chain(rods));
  const State start = rod_chain_start(model);
  const TreeSystem system(model, LinkLengths(model, start.q));
  carry_chain(bench, system, model, start, options);
}

void absolute_second(benchmark::State& bench, int rods, const SimulationOptions& options) {
  const Model model = absolute_chain(rods);
  const State start = consistent_start(model, chain_start(rods));
  const MechanismSystem system(model, LinkLengths(model, start.q));
  carry_chain(bench, system, model, start, options);
}

void simbody_second(benchmark::State& bench, int rods, double accuracy) {
  peers::Chain chain;
  chain.rods = rods;
  const auto peer = peers::simbody(chain, accuracy);
  if (!peer) return bench.SkipWithError("not built in");
  for (auto _ : bench) {
    peer->reset();
    peer->run(1);
  }
  Centres centres;
  for (int i = 0; i < rods; ++i) {
    const auto c = peer->centre(i);
    centres.emplace_back(c[0], c[1], c[2]);
  }
  bench.counters["error"] = rms_error(centres);
}

void add(const std::string& name, auto... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)->Unit(benchmark::kMillisecond);
}

void add_seconds(int rods) {
  const std::string chain = "second/" + std::to_string(rods) + "/";
  SimulationOptions options;
  for (const double tolerance : {3e-2, 1e-2, 1e-3}) {
    char label[32];
    std::snprintf(label, sizeof label, "%g", tolerance);
    options.method = "rkmk-dopri5", options.tolerance = tolerance;
    add(chain + "tree rkmk-dopri5 tol=" + label, tree_second, rods, options);
    add(chain + "absolute rkmk-dopri5 tol=" + label, absolute_second, rods, options);
    add(chain + "simbody accuracy=" + label, simbody_second, rods, tolerance);
  }
  options.tolerance.reset();
  for (const auto& [method, steps] :
       {std::pair("rkmk4", 45), {"rkmk4", 50}, {"rkmk4", 100}, {"generalized-alpha", 200}}) {
    options.method = method, options.step = 1. / steps;
    add(chain + "absolute " + method + " steps=" + std::to_string(steps), absolute_second, rods, options);
  }
}

}  // namespace

BENCHMARK(chain_evaluation)->RangeMultiplier(10)->Range(10, 100'000);
BENCHMARK_CAPTURE(chain_step, rkmk4, "rkmk4")->RangeMultiplier(10)->Range(10, 100'000);
BENCHMARK_CAPTURE(chain_step, generalized_alpha, "generalized-alpha")->Arg(10);
BENCHMARK_CAPTURE(ladder_evaluation, tree, Formulation::tree)->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(ladder_evaluation, absolute, Formulation::absolute)->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(ladder_step, tree, Formulation::tree)->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK_CAPTURE(ladder_step, absolute, Formulation::absolute)->RangeMultiplier(10)->Range(10, 10'000);

int main(int argc, char** argv) {
  for (const int rods : {100, 1000}) add_seconds(rods);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
