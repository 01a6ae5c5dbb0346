// Measures the cost and the error of 10 s of a row of forty four-bars: explicit methods in tree and absolute
// formulation, and MuJoCo. Twice a revolution all rods lie in a line, which is a singular configuration where
// the motion could take another branch. Simbody fails there or takes another branch, so Simbody is compared
// over the first half second only. Generalized-alpha also runs over this time only. Counters: `error`, m, the
// error of the point B_0 at the end; `gap`, m, the greatest gap of a loop at the end; `drift`, J, the
// greatest change of energy during the run, taken at every step of Torsor, and 50 times per second in the
// other codes; `steps`, the accepted steps of Torsor.
#include <benchmark/benchmark.h>

#include "four_bars.hpp"
#include "peers/peers.hpp"
#include "run.hpp"
#include "support/greatest.hpp"
#include "torsor/system/consistent_start.hpp"

namespace {

using namespace torsor;

constexpr int windows = 40;

void report(benchmark::State& bench, const bench::Goal& goal, const std::vector<Vec3>& centres,
            double drift) {
  bench.counters["error"] = (bench::point_B(centres, 0) - goal.B0).norm();
  bench.counters["gap"] = bench::greatest_gap(centres);
  bench.counters["drift"] = drift;
}

void ours(benchmark::State& bench, const bench::Goal& goal, Formulation formulation,
          const SimulationOptions& options) {
  const bench::FourBars bars(windows);
  const Model model(bars.mechanism, formulation);
  const State start = consistent_start(model, bars.start);
  const MechanismSystem system(model, LinkLengths(model, start.q));
  RunSummary summary;
  try {
    for (auto _ : bench) summary = bench::carry(system, start, options, goal.t);
  } catch (const std::runtime_error& failure) {
    return bench.SkipWithError(failure.what());
  }
  bench::EnergyDrift drift(model);
  bench::carry(system, start, options, goal.t, [&](double t, const State& x) { drift.look(t, x); });
  report(bench, goal, bench::mass_centres(model, summary.x), drift.greatest());
  bench.counters["steps"] = static_cast<double>(summary.accepted);
}

SimulationOptions by_step(const std::string& method, double step) {
  SimulationOptions options;
  options.method = method, options.step = step;
  return options;
}

SimulationOptions by_tolerance(const std::string& method, double tolerance) {
  SimulationOptions options;
  options.method = method, options.tolerance = tolerance;
  return options;
}

using MakePeer = std::unique_ptr<peers::Peer> (*)(const peers::FourBars&, double);

std::vector<Vec3> mass_centres(peers::Peer& peer) {
  std::vector<Vec3> centres;
  for (int body = 0; body <= 2 * windows; ++body) {
    const auto x = peer.centre(body);
    centres.emplace_back(x[0], x[1], x[2]);
  }
  return centres;
}

/// The greatest change of energy, J, at 50 output times per second.
double drift(peers::Peer& peer, double t_end) {
  peer.reset();
  const double start = peer.energy();
  double greatest = 0;
  for (int k = 1; k <= std::lround(50 * t_end); ++k) {
    peer.run(0.02 * k);
    greatest = test::greatest(greatest, peer.energy() - start);
  }
  return greatest;
}

void theirs(benchmark::State& bench, const bench::Goal& goal, MakePeer make, double accuracy) {
  const auto peer = make(peers::FourBars{windows}, accuracy);
  if (!peer) return bench.SkipWithError("not built in");
  try {
    for (auto _ : bench) {
      peer->reset();
      peer->run(goal.t);
    }
    const auto end = mass_centres(*peer);  // before drift, which runs the peer again
    report(bench, goal, end, drift(*peer, goal.t));
  } catch (const std::exception& failure) {
    bench.SkipWithError(failure.what());
  }
}

void add(const std::string& name, auto... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)->Unit(benchmark::kMillisecond);
}

constexpr std::pair<const char*, Formulation> formulations[] = {{"tree", Formulation::tree},
                                                                {"absolute", Formulation::absolute}};

void add_five_revolutions() {
  const bench::Goal& goal = bench::five_revolutions;
  for (const auto& [name, formulation] : formulations) {
    const std::string form = std::string("10 s/") + name + "/";
    add(form + "rkmk4 h=0.025", ours, goal, formulation, by_step("rkmk4", 0.025));
    add(form + "rkmk4 h=0.01", ours, goal, formulation, by_step("rkmk4", 0.01));
    add(form + "rkmk-dopri5 tol=1e-3", ours, goal, formulation, by_tolerance("rkmk-dopri5", 1e-3));
    add(form + "rkmk-dopri5 tol=5e-5", ours, goal, formulation, by_tolerance("rkmk-dopri5", 5e-5));
    add(form + "rkmk-dopri8 tol=5e-5", ours, goal, formulation, by_tolerance("rkmk-dopri8", 5e-5));
  }
  add("10 s/mujoco/rk4 h=2e-3", theirs, goal, MakePeer(&peers::mujoco), 2e-3);
}

void add_before_line() {
  const bench::Goal& goal = bench::before_line;
  for (const auto& [name, formulation] : formulations) {
    const std::string form = std::string("0.5 s/") + name + "/";
    add(form + "rkmk-dopri5 tol=1e-3", ours, goal, formulation, by_tolerance("rkmk-dopri5", 1e-3));
    add(form + "rkmk-dopri5 tol=1e-6", ours, goal, formulation, by_tolerance("rkmk-dopri5", 1e-6));
    add(form + "generalized-alpha h=0.005", ours, goal, formulation, by_step("generalized-alpha", 0.005));
  }
  add("0.5 s/mujoco/rk4 h=2e-3", theirs, goal, MakePeer(&peers::mujoco), 2e-3);
  add("0.5 s/simbody/merson accuracy=1e-3", theirs, goal, MakePeer(&peers::simbody), 1e-3);
  add("0.5 s/simbody/merson accuracy=1e-5", theirs, goal, MakePeer(&peers::simbody), 1e-5);
}

}  // namespace

int main(int argc, char** argv) {
  add_five_revolutions();
  add_before_line();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
