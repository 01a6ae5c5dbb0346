// Measures how many steps of small systems one core takes in a second. The systems are heavy tops with random
// initial states. Methods of order 4 take steps of 1e-4 s: in the lanes of packs, one top at a time in
// doubles, in Odeint (all tops in one state of arrays, or one by one) and in MuJoCo. Simbody chooses its own
// steps; 1e-4 s of simulated time counts as one step. MuJoCo and Simbody integrate one top, from the start of
// heavy_top.hpp. Step-size control is measured in lanes and in doubles. Counters: `items_per_second`, steps
// of all tops per second; `error`, m, the greatest distance at the end, among the first 64 tops, of a mass
// centre from its reference. Last, the ratios of the best rates are printed.
#include <benchmark/benchmark.h>

#include <map>
#include <random>
#include <string>

#include "ensemble/odeint.hpp"
#include "ensemble/tops.hpp"
#include "peers/peers.hpp"
#include "support/greatest.hpp"
#include "torsor/batch/ensemble.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace {

using namespace torsor;
using bench::TopField, bench::TopPoint;

constexpr double h = 1e-4;
constexpr long n_steps = 1000;
constexpr double t_end = n_steps * h, t_end_controlled = 0.5;

/// Attitudes within 1 rad of the start of heavy_top.hpp, where the axis of the top is horizontal. Spins about
/// this axis of 150 rad/s with a standard deviation of 15 rad/s.
std::vector<TopPoint<double>> random_tops(std::size_t count) {
  std::mt19937_64 random(2010);
  std::normal_distribution<double> normal;
  std::vector<TopPoint<double>> tops(count);
  for (auto& top : tops) {
    const Vec3 turn(normal(random), normal(random), normal(random));
    top.q = SO3<>::exp(Vec3(turn / (1 + turn.norm())));
    top.v = bench::top_spin() + 15 * normal(random) * Vec3::UnitY();
    top.up = TopPoint<double>::vertical(top.q);
  }
  return tops;
}

Ensemble<TopField> ensemble_of(const std::vector<TopPoint<double>>& tops) {
  Ensemble<TopField> ensemble(tops.size());
  for (std::size_t k = 0; k < tops.size(); ++k) ensemble.set(k, tops[k]);
  return ensemble;
}

Vec3 centre(const SO3<>& q) { return q * Vec3(0, 1, 0); }

/// Greatest error, m, of the mass centres of the first 64 tops at the time t. `attitude(k)` gives the
/// computed attitude of top k.
template <class Attitude>
double error_of(const std::vector<TopPoint<double>>& tops, double t, const Attitude& attitude) {
  double greatest = 0;
  for (std::size_t k = 0; k < std::min<std::size_t>(tops.size(), 64); ++k) {
    TopPoint<double> exact = tops[k];
    integrate<RkmkDop853>(TopField<double>(), exact, 0, t, {.tolerance = 1e-13});
    greatest = test::greatest(greatest, (centre(attitude(k)) - centre(exact.q)).norm());
  }
  return greatest;
}

void count(benchmark::State& state, double items_a_pass, double error) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items_a_pass * static_cast<double>(state.iterations())));
  state.counters["error"] = error;
}

template <template <class> class Method>
void lanes(benchmark::State& state, Isa isa) {
  if (!is_available(isa)) return state.SkipWithError("this processor lacks the instruction set");
  const auto tops = random_tops(static_cast<std::size_t>(state.range(0)));
  const auto start = ensemble_of(tops);
  auto ensemble = start;
  for (auto _ : state) {
    ensemble = start;
    ensemble.steps(ensemble_kernels<TopField, Method>(isa), 0, h, n_steps);
  }
  count(state, static_cast<double>(n_steps * state.range(0)),
        error_of(tops, t_end, [&](std::size_t k) { return ensemble.get(k).q; }));
}

template <template <class> class Method>
void doubles(benchmark::State& state) {
  const auto tops = random_tops(64);
  auto y = tops;
  for (auto _ : state) {
    y = tops;
    for (auto& top : y) integrate_steps<Method>(TopField<double>(), top, 0., h, n_steps);
  }
  count(state, n_steps * 64, error_of(tops, t_end, [&](std::size_t k) { return y[k].q; }));
}

using Together = void (*)(std::span<double>, double, long);
using OneByOne = void (*)(std::span<bench::HandState>, double, long);
Together odeint_together(Isa isa) {
#ifdef __x86_64__
  if (isa == Isa::avx512) return bench::odeint_together<Isa::avx512>;
  if (isa == Isa::avx2) return bench::odeint_together<Isa::avx2>;
#endif
  return bench::odeint_together<Isa::sse2>;
}
OneByOne odeint_one_by_one(Isa isa) {
#ifdef __x86_64__
  if (isa == Isa::avx512) return bench::odeint_one_by_one<Isa::avx512>;
  if (isa == Isa::avx2) return bench::odeint_one_by_one<Isa::avx2>;
#endif
  return bench::odeint_one_by_one<Isa::sse2>;
}

bench::HandState by_hand(const TopPoint<double>& y) {
  return {y.q.w(), y.q.x(), y.q.y(), y.q.z(), y.v[0], y.v[1], y.v[2]};
}
SO3<> attitude(double w, double x, double y, double z) { return SO3<>::from_wxyz(w, x, y, z).normalized(); }

void together(benchmark::State& state, Isa isa) {
  if (!is_available(isa)) return state.SkipWithError("this processor lacks the instruction set");
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto tops = random_tops(size);
  std::vector<double> start(7 * size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < 7; ++i) start[i * size + k] = by_hand(tops[k])[i];
  auto y = start;
  for (auto _ : state) {
    y = start;
    odeint_together(isa)(y, h, n_steps);
  }
  count(state, static_cast<double>(n_steps * state.range(0)), error_of(tops, t_end, [&](std::size_t k) {
          return attitude(y[k], y[size + k], y[2 * size + k], y[3 * size + k]);
        }));
}

void one_by_one(benchmark::State& state, Isa isa) {
  if (!is_available(isa)) return state.SkipWithError("this processor lacks the instruction set");
  const auto tops = random_tops(64);
  std::vector<bench::HandState> start, y;
  for (const auto& top : tops) start.push_back(by_hand(top));
  for (auto _ : state) {
    y = start;
    odeint_one_by_one(isa)(y, h, n_steps);
  }
  count(state, n_steps * 64,
        error_of(tops, t_end, [&](std::size_t k) { return attitude(y[k][0], y[k][1], y[k][2], y[k][3]); }));
}

using MakePeer = std::unique_ptr<peers::Peer> (*)(const peers::Top&, double);
const MakePeer simbody = &peers::simbody, mujoco = &peers::mujoco;

/// Runs one top in another code, from the start of heavy_top.hpp. Each h of simulated time counts as one
/// step, regardless of the steps that the code takes.
void peer(benchmark::State& state, MakePeer make, double accuracy) {
  const auto top = make({}, accuracy);
  if (!top) return state.SkipWithError("not built in");
  for (auto _ : state) {
    top->reset();
    top->run(t_end);
  }
  const auto c = top->centre(0);
  TopPoint<double> exact{SO3<>::identity(), bench::top_spin()};
  integrate<RkmkDop853>(TopField<double>(), exact, 0, t_end, {.tolerance = 1e-13});
  count(state, n_steps, (Vec3(c[0], c[1], c[2]) - centre(exact.q)).norm());
}

/// Counts all steps, rejected ones included. 640 tops keep the lanes busy.
void controlled_lanes(benchmark::State& state, Isa isa) {
  if (!is_available(isa)) return state.SkipWithError("this processor lacks the instruction set");
  const auto tops = random_tops(640);
  const auto start = ensemble_of(tops);
  auto ensemble = start;
  double steps = 0;
  for (auto _ : state) {
    ensemble = start;
    steps = 0;
    for (const IntegrateResult& one : ensemble.integrate(ensemble_kernels<TopField, RkmkDopri5>(isa), 0,
                                                         t_end_controlled, {.tolerance = 1e-8}))
      steps += static_cast<double>(one.accepted + one.rejected);
  }
  count(state, steps, error_of(tops, t_end_controlled, [&](std::size_t k) { return ensemble.get(k).q; }));
}
void controlled_doubles(benchmark::State& state) {
  const auto tops = random_tops(640);
  auto y = tops;
  double steps = 0;
  for (auto _ : state) {
    y = tops;
    steps = 0;
    for (auto& top : y) {
      const auto one =
          integrate<RkmkDopri5>(TopField<double>(), top, 0, t_end_controlled, {.tolerance = 1e-8});
      steps += static_cast<double>(one.accepted + one.rejected);
    }
  }
  count(state, steps, error_of(tops, t_end_controlled, [&](std::size_t k) { return y[k].q; }));
}

void add(const std::string& name, const auto& function, std::initializer_list<int> sizes = {}) {
  auto* one = benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kMillisecond);
  for (const int size : sizes) one->Arg(size);
}

void add_all() {
  const auto of = [](auto function, auto... arguments) {
    return [=](benchmark::State& state) { function(state, arguments...); };
  };
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::sse2}) {
#ifndef __x86_64__
    if (isa != Isa::sse2) continue;
#endif
    const std::string set = " " + std::string(to_string(isa));
    add("lanes/rkmk-nystrom4" + set, of(lanes<RkmkNystrom4>, isa), {64, 1000, 10000});
    add("lanes/rkmk4" + set, of(lanes<Rkmk4>, isa), {64, 10000});
    add("odeint/one state" + set, of(together, isa), {64, 1000, 10000});
    add("odeint/one by one" + set, of(one_by_one, isa));
    add("controlled lanes/rkmk-dopri5" + set, of(controlled_lanes, isa));
  }
  add("doubles/rkmk-nystrom4", of(doubles<RkmkNystrom4>));
  add("doubles/rkmk4", of(doubles<Rkmk4>));
  add("controlled doubles/rkmk-dopri5", of(controlled_doubles));
  add("simbody merson 1e-8", of(peer, simbody, 1e-8));
  add("mujoco rk4", of(peer, mujoco, h));
}

/// Also keeps the best rate of each benchmark, and prints the ratios.
class Ratios : public benchmark::ConsoleReporter {
 public:
  Ratios() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("items_per_second");
      if (run.error_occurred || run.run_type != Run::RT_Iteration || rate == run.counters.end()) continue;
      double& best = best_[run.run_name.function_name + "/" + run.run_name.args];
      if (rate->second > best) best = rate->second;
    }
  }

  void print() const {
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::sse2}) {
      const std::string set = " " + std::string(to_string(isa)), ours = "lanes/rkmk-nystrom4" + set + "/";
      for (const std::string size : {"64", "1000", "10000"})
        ratio(ours + size, "odeint/one state" + set + "/" + size);
      ratio(ours + "64", "odeint/one by one" + set + "/");
      ratio("controlled lanes/rkmk-dopri5" + set + "/", "controlled doubles/rkmk-dopri5/");
    }
  }

 private:
  void ratio(const std::string& one, const std::string& other) const {
    const auto a = best_.find(one), b = best_.find(other);
    if (a != best_.end() && b != best_.end())
      std::printf("%-40s is %6.2f times %s\n", one.c_str(), a->second / b->second, other.c_str());
  }

  std::map<std::string, double> best_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all();
  Ratios reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
}
