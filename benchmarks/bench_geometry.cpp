// What do torsion, curvature and the tensors of a metric cost on a six-dimensional group? Counter: `error`,
// the greatest difference from sums over all indices in long double.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/lie/se3.hpp"

namespace {

using namespace torsor;
using G = SE3<>;
using Affinities = Tensor3<double, 6>;

Affinities random_affinities() {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Affinities L;
  for (double& x : L.flat()) x = uniform(engine);
  return L;
}
G::Square inertia() {
  G::Square M = random_affinities().along(0);
  return M * M.transpose() + G::Square::Identity();
}
const Affinities& structure() {
  static const Affinities c = LeftInvariantFrame<G>::structure_coefficients(G());
  return c;
}

double curvature_error(const Tensor4<double, 6>& R, const Affinities& L, const Affinities& c) {
  long double worst = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        for (int l = 0; l < 6; ++l) {
          long double sum = 0;
          for (int m = 0; m < 6; ++m) {
            sum += static_cast<long double>(L(i, k, m)) * L(m, l, j);
            sum -= static_cast<long double>(L(i, l, m)) * L(m, k, j);
            sum -= static_cast<long double>(c(m, k, l)) * L(i, m, j);
          }
          worst = std::max(worst, std::abs(R(i, j, k, l) - sum));
        }
      }
    }
  }
  return static_cast<double>(worst);
}

void torsion_of_affinities(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(torsion(L, c));
  }
}
void curvature_of_affinities(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(curvature(L, c));
  }
  bench.counters["error"] = curvature_error(curvature(L, c), L, c);
}
void torsion_and_curvature(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(torsion(L, c));
    benchmark::DoNotOptimize(curvature(L, c));
  }
  bench.counters["error"] = curvature_error(curvature(L, c), L, c);
}
/// At a point of the group, structure coefficients included.
void torsion_and_curvature_at(benchmark::State& bench) {
  const Connection connection{LeftInvariantFrame<G>(), Constant{random_affinities()}};
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) {
    benchmark::DoNotOptimize(torsion(connection, g));
    benchmark::DoNotOptimize(curvature(connection, g));
  }
}
void christoffel_of_inertia(benchmark::State& bench) {
  const auto connection = christoffel(LeftInvariantFrame<G>(), Constant{inertia()});
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) benchmark::DoNotOptimize(connection.affinities(g));
}
void non_metricity_of_canonical(benchmark::State& bench) {
  const auto connection = canonical_connection<G>();
  const Constant metric{inertia()};
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) benchmark::DoNotOptimize(non_metricity(connection, metric, g));
}

BENCHMARK(torsion_of_affinities);
BENCHMARK(curvature_of_affinities);
BENCHMARK(torsion_and_curvature);
BENCHMARK(torsion_and_curvature_at);
BENCHMARK(christoffel_of_inertia);
BENCHMARK(non_metricity_of_canonical);

}  // namespace

BENCHMARK_MAIN();
