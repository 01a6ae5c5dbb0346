// Measures, for the saddle-point equations of mechanisms, the cost per body and the error of one
// factorisation and solution. The mechanisms are chains of ball joints, chains of hinges with body masses
// over four decades, and ladders of four-bars with three redundant rows per loop. Compared with Eigen's
// sparse L D L^T, which needs -1e-10 in place of the zero block.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCholesky>
#include <vector>

#include "model/kkt.hpp"
#include "model/linkage.hpp"

namespace {

using namespace torsor;
using test::Linkage;
using test::Sampler;
using Sparse = Eigen::SparseMatrix<double>;
using benchmark::Counter;

Linkage chain(int bodies, bool hinges, double decades) {
  Linkage out;
  Sampler sample(1);
  Vec3 joint(0, 0, 0);
  for (int i = 0; i < bodies; ++i) {
    const Vec3 rod = sample.vector().normalized();
    sample.add_body(out, i - 1, joint + rod / 2, decades);
    if (hinges)
      out.add_revolute(i, i - 1, joint, sample.vector());
    else
      out.add_spherical(i, i - 1, joint);
    joint += rod;
  }
  return out;
}

struct Problem {
  explicit Problem(Linkage of) : linkage(std::move(of)) {
    Sampler sample(2);
    r = sample.numbers(6 * linkage.bodies());
    s = linkage.rows_times(sample.numbers(6 * linkage.bodies()).cast<long double>()).cast<double>();
    x.resize(r.size());
    y.resize(s.size());
  }

  /// The exact x, by iterative refinement with residuals in long double.
  Linkage::LongVec exact() const {
    KktSolver solver(linkage.graph);
    solver.factor(linkage.G.data(), linkage.A.data());
    Linkage::LongVec x_sum = Linkage::LongVec::Zero(r.size()), y_sum = Linkage::LongVec::Zero(s.size());
    Vec dx(r.size()), dy(s.size());
    for (int pass = 0; pass < 8; ++pass) {
      const Vec r_left =
          (r.cast<long double>() - linkage.metric_times(x_sum) + linkage.reaction(y_sum)).cast<double>();
      const Vec s_left = (s.cast<long double>() - linkage.rows_times(x_sum)).cast<double>();
      solver.solve(r_left.data(), s_left.data(), dx.data(), dy.data(), KktSolver::Multipliers::any);
      x_sum += dx.cast<long double>();
      y_sum += dy.cast<long double>();
    }
    return x_sum;
  }

  void count(benchmark::State& bench) const {
    bench.counters["per_body"] =
        Counter(linkage.bodies(), Counter::kIsIterationInvariantRate | Counter::kInvert);
    const Linkage::LongVec x_exact = exact();
    bench.counters["error"] = static_cast<double>((x.cast<long double>() - x_exact).norm() / x_exact.norm());
  }

  Linkage linkage;
  Vec r, s, x, y;
};

void torsor_solve(benchmark::State& bench, Problem p, KktSolver::Multipliers which) {
  KktSolver solver(p.linkage.graph);
  for (auto _ : bench) {
    solver.factor(p.linkage.G.data(), p.linkage.A.data());
    solver.solve(p.r.data(), p.s.data(), p.x.data(), p.y.data(), which);
    benchmark::DoNotOptimize(p.x.data());
  }
  p.count(bench);
}

/// Lower triangle of [ G  A^T ; A  -1e-10 ]. The bodies are ordered from last to first, each followed by
/// its joint. For a chain this order has no fill-in.
Sparse matrix(const Linkage& linkage, std::vector<int>& place) {
  const int n = 6 * linkage.bodies(), size = n + linkage.rows();
  place.assign(size, -1);
  int at = 0, row = linkage.rows();
  for (int c = static_cast<int>(linkage.graph.constraints.size()); c-- > 0;) {
    const auto& constraint = linkage.graph.constraints[c];
    row -= constraint.rows;
    if (const int body = 6 * constraint.bodies[0]; place[body] < 0)
      for (int i = 0; i < 6; ++i) place[body + i] = at++;
    for (int i = 0; i < constraint.rows; ++i) place[n + row + i] = at++;
  }
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j, double number) {
    if (place[i] >= place[j]) entries.emplace_back(place[i], place[j], number);
  };
  for (int k = 0; k < static_cast<int>(linkage.G.size()); ++k)
    if (linkage.G[k] != 0) add(k / 36 * 6 + k % 36 / 6, k / 36 * 6 + k % 6, linkage.G[k]);
  linkage.for_numbers([&](int i, int j, double number) {
    if (number == 0) return;
    add(n + i, j, number);
    add(j, n + i, number);
  });
  for (int i = 0; i < linkage.rows(); ++i) add(n + i, n + i, -1e-10);
  Sparse out(size, size);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

template <class Ordering>
void eigen_solve(benchmark::State& bench, Problem p) {
  std::vector<int> place;
  const Sparse K = matrix(p.linkage, place);
  Vec b(K.rows()), z(K.rows());
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Ordering> solver;
  solver.analyzePattern(K);
  for (auto _ : bench) {
    solver.factorize(K);
    for (int i = 0; i < p.r.size(); ++i) b[place[i]] = p.r[i];
    for (int i = 0; i < p.s.size(); ++i) b[place[p.r.size() + i]] = p.s[i];
    z = solver.solve(b);
    for (int i = 0; i < p.r.size(); ++i) p.x[i] = z[place[i]];
    benchmark::DoNotOptimize(p.x.data());
  }
  p.count(bench);
}

using Natural = Eigen::NaturalOrdering<int>;
using MinimumDegree = Eigen::AMDOrdering<int>;
constexpr auto least = KktSolver::Multipliers::least_norm, any = KktSolver::Multipliers::any;

void chains(benchmark::internal::Benchmark* bench) { bench->Arg(10)->Arg(100)->Arg(1000)->Arg(100000); }
void ladders(benchmark::internal::Benchmark* bench) { bench->Arg(40)->Arg(400)->Arg(10000); }
int size_of(const benchmark::State& bench) { return static_cast<int>(bench.range(0)); }

void torsor_balls(benchmark::State& b) { torsor_solve(b, Problem(chain(size_of(b), false, 0)), least); }
void torsor_hinges(benchmark::State& b) { torsor_solve(b, Problem(chain(size_of(b), true, 2)), least); }
void torsor_ladder(benchmark::State& b) { torsor_solve(b, Problem(test::n_fourbar(size_of(b), true)), any); }
void torsor_ladder_least_norm(benchmark::State& b) {
  torsor_solve(b, Problem(test::n_fourbar(size_of(b), true)), least);
}
template <class Ordering>
void eigen_balls(benchmark::State& b) {
  eigen_solve<Ordering>(b, Problem(chain(size_of(b), false, 0)));
}
template <class Ordering>
void eigen_hinges(benchmark::State& b) {
  eigen_solve<Ordering>(b, Problem(chain(size_of(b), true, 2)));
}
void eigen_ladder(benchmark::State& b) {
  eigen_solve<MinimumDegree>(b, Problem(test::n_fourbar(size_of(b), true)));
}

}  // namespace

BENCHMARK(torsor_balls)->Apply(chains);
BENCHMARK(eigen_balls<Natural>)->Apply(chains);
BENCHMARK(eigen_balls<MinimumDegree>)->Apply(chains);
BENCHMARK(torsor_hinges)->Apply(chains);
BENCHMARK(eigen_hinges<Natural>)->Apply(chains);
BENCHMARK(eigen_hinges<MinimumDegree>)->Apply(chains);
BENCHMARK(torsor_ladder)->Apply(ladders);
BENCHMARK(torsor_ladder_least_norm)->Apply(ladders);
BENCHMARK(eigen_ladder)->Apply(ladders);
BENCHMARK_MAIN();
