// Measures the cost of torsion, curvature and the tensors of a metric on a six-dimensional group. Counter:
// `error`, the greatest difference of the curvature from sums over all indices in long double. Also measures
// the cost of projection, accelerations and reactions for a chain of rods in which all joints are
// constraints. Counters: `per_body`, the time per rod, which is independent of the length of the chain if the
// cost is linear, and `error`, the residual of the velocity constraints (projection) or of the equations of
// motion.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "chain.hpp"
#include "support/greatest.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/reactions.hpp"

namespace {

using namespace torsor;
using G = SE3<>;
using Affinities = geometry::Tensor3<double, 6>;

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
  static const Affinities c = geometry::LeftInvariantFrame<G>::structure_coefficients(G());
  return c;
}

double curvature_error(const geometry::Tensor4<double, 6>& R, const Affinities& L, const Affinities& c) {
  double worst = 0;
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
          worst = test::greatest(worst, static_cast<double>(R(i, j, k, l) - sum));
        }
      }
    }
  }
  return worst;
}

void torsion_of_affinities(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(geometry::torsion(L, c));
  }
}
void curvature_of_affinities(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(geometry::curvature(L, c));
  }
  bench.counters["error"] = curvature_error(curvature(L, c), L, c);
}
void torsion_and_curvature(benchmark::State& bench) {
  auto L = random_affinities();
  const auto c = structure();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(L);
    benchmark::DoNotOptimize(geometry::torsion(L, c));
    benchmark::DoNotOptimize(geometry::curvature(L, c));
  }
  bench.counters["error"] = curvature_error(curvature(L, c), L, c);
}
/// Torsion and curvature at a point of the group. The structure coefficients are computed too.
void torsion_and_curvature_at(benchmark::State& bench) {
  const geometry::Connection connection{geometry::LeftInvariantFrame<G>(),
                                        geometry::Constant{random_affinities()}};
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) {
    benchmark::DoNotOptimize(geometry::torsion(connection, g));
    benchmark::DoNotOptimize(geometry::curvature(connection, g));
  }
}
void christoffel_of_inertia(benchmark::State& bench) {
  const auto connection =
      geometry::christoffel(geometry::LeftInvariantFrame<G>(), geometry::Constant{inertia()});
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) benchmark::DoNotOptimize(connection.affinities(g));
}
void non_metricity_of_canonical(benchmark::State& bench) {
  const auto connection = geometry::canonical_connection<G>();
  const geometry::Constant metric{inertia()};
  const G g = G::exp(G::Tangent::Constant(0.3));
  for (auto _ : bench) benchmark::DoNotOptimize(geometry::non_metricity(connection, metric, g));
}

/// A chain in absolute form without loads. Each rod is turned relative to the previous rod and rotates
/// relative to it. Without loads, the covariant acceleration of the motion is the second fundamental form N,
/// and the reactions are A^T Lambda = G N.
struct BareChain {
  Model model;
  State x;
  MechanismSystem system;

  explicit BareChain(int rods)
      : model(without_loads(rods), Formulation::absolute), x(swaying(rods)), system(model, 1) {}

  static Mechanism without_loads(int rods) {
    Mechanism chain = rod_chain(rods);
    chain.forces.clear();
    return chain;
  }
  /// Start values from joint coordinates, which give consistent positions and velocities.
  State swaying(int rods) const {
    Start start;
    start.joints.resize(static_cast<std::size_t>(rods));
    for (int i = 0; i < rods; ++i) {
      Vec q(4);
      SO3<>::exp(Vec3(0, 0.3 * std::sin(i), 0)).to(q.data());
      start.joints[static_cast<std::size_t>(i)] = {q, Vec(std::cos(i) * Vec3(0, 1, 0.5))};
    }
    return consistent_start(model, start);
  }
};

void per_body(benchmark::State& bench, int bodies) {
  using benchmark::Counter;
  bench.counters["per_body"] = Counter(bodies, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// Projects arbitrary velocities v: P v. The matrix of the constraint rows is factored again each time.
void chain_projection(benchmark::State& bench) {
  const BareChain chain(static_cast<int>(bench.range(0)));
  Vec v(chain.model.nv()), row(chain.system.rows());
  double t = 0;
  for (auto _ : bench) {
    v.setConstant(0.1);
    chain.system.project_velocity(t = 1 - t, chain.x.q, v);
    benchmark::DoNotOptimize(v.data());
  }
  chain.system.constraint_times(t, chain.x.q, v, row);
  bench.counters["error"] = test::greatest(row);
  per_body(bench, chain.model.size());
}

/// Computes the accelerations and the reactions A^T Lambda = G N.
void chain_bending_and_reactions(benchmark::State& bench) {
  const BareChain chain(static_cast<int>(bench.range(0)));
  Vec N(chain.model.nv()), lambda(chain.system.rows()), rest(chain.model.nv());
  std::vector<Wrench> on_links(static_cast<std::size_t>(chain.model.size()));
  double t = 0;
  for (auto _ : bench) {
    chain.system.acceleration(t = 1 - t, chain.x.q, chain.x.v, N, lambda);
    std::fill(on_links.begin(), on_links.end(), Wrench());
    benchmark::DoNotOptimize(reactions(chain.system, t, chain.x.q, chain.x.v, lambda, on_links));
  }
  chain.system.imbalance(t, chain.x.q, chain.x.v, N, lambda, rest);
  bench.counters["error"] = test::greatest(rest);
  per_body(bench, chain.model.size());
}

BENCHMARK(torsion_of_affinities);
BENCHMARK(curvature_of_affinities);
BENCHMARK(torsion_and_curvature);
BENCHMARK(torsion_and_curvature_at);
BENCHMARK(christoffel_of_inertia);
BENCHMARK(non_metricity_of_canonical);
BENCHMARK(chain_projection)->Arg(100)->Arg(1000);
BENCHMARK(chain_bending_and_reactions)->Arg(100)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
