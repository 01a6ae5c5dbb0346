// What does a second of the heavy top cost to a given true error? Every method in the template form, over a
// range of tolerances or steps, against Odeint on quaternion equations written by hand. Counters: `error`, m,
// of the mass centre at 1 s; `evaluations` of the equations.
#include <benchmark/benchmark.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "heavy_top.hpp"
#include "torsor/integrators/cf4.hpp"
#include "torsor/integrators/crouch_grossman.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/lie_euler.hpp"
#include "torsor/integrators/rkmk4.hpp"
#include "torsor/integrators/rkmk_ck54.hpp"
#include "torsor/integrators/rkmk_dopri5.hpp"
#include "torsor/integrators/rkmk_fehlberg78.hpp"

namespace {

namespace odeint = boost::numeric::odeint;
using namespace torsor;

using Top = MechanicalField<SO3<>, bench::TopAcceleration>;
const Top top{bench::TopAcceleration()};

Phase<SO3<>> start() { return {SO3<>::identity(), bench::top_spin}; }
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

// Arguments: half powers of ten of the tolerance, 10^-(n/2); or numbers of equal steps.
const auto tolerances = [](auto* bench) { bench->DenseRange(8, 22, 1)->Unit(benchmark::kMillisecond); };
const auto steps = [](auto* bench) {
  bench->RangeMultiplier(4)->Range(1 << 9, 1 << 15)->Unit(benchmark::kMillisecond);
};

using HandDopri5 = odeint::runge_kutta_dopri5<bench::HandState>;
using HandFehlberg78 = odeint::runge_kutta_fehlberg78<bench::HandState>;

BENCHMARK(controlled<RkmkFehlberg78>)->Apply(tolerances)->Name("template/rkmk-fehlberg78");
BENCHMARK(hand_controlled<HandFehlberg78>)->Apply(tolerances)->Name("odeint by hand/fehlberg78");
BENCHMARK(controlled<RkmkDopri5>)->Apply(tolerances)->Name("template/rkmk-dopri5");
BENCHMARK(hand_controlled<HandDopri5>)->Apply(tolerances)->Name("odeint by hand/dopri5");
BENCHMARK(controlled<RkmkCk54>)->Apply(tolerances)->Name("template/rkmk-ck54");
BENCHMARK(controlled<Cf4>)->Apply(tolerances)->Name("template/cf4");
BENCHMARK(equal_steps<Rkmk4, 4>)->Apply(steps)->Name("template/rkmk4");
BENCHMARK(hand_equal_steps)->Apply(steps)->Name("odeint by hand/rk4");
BENCHMARK(equal_steps<Cf4, 4>)->Apply(steps)->Name("template/cf4 equal steps");
BENCHMARK(equal_steps<Cg3, 3>)->Apply(steps)->Name("template/cg3");
BENCHMARK(equal_steps<Cg4, 5>)->Apply(steps)->Name("template/cg4");
BENCHMARK(equal_steps<LieEuler, 1>)->Apply(steps)->Name("template/lie-euler");

}  // namespace

BENCHMARK_MAIN();
