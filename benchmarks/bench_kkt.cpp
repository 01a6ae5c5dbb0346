// Measures, for the saddle-point equations of mechanisms, the cost per body and the error of one
// factorisation and solution. The mechanisms are chains of ball joints, chains of hinges with body masses
// over four decades, ladders of four-bars with three redundant rows per loop, and square nets of ball joints.
// The solver is compared with the sparse L D L^T of Eigen and, if it is installed, of CHOLMOD. Both need
// -1e-10 in place of the zero block.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCholesky>
#ifdef TORSOR_CHOLMOD
#include <Eigen/CholmodSupport>
#endif
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

/// side x side bodies, each connected to its neighbours by ball joints. One corner is held.
Linkage net(int side) {
  Linkage out;
  Sampler sample(3);
  const auto body = [side](int row, int column) { return side * row + column; };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const int parent = column > 0 ? body(row, column - 1) : row > 0 ? body(row - 1, column) : -1;
      const Vec3 centre = Vec3(row, column, 0) + 0.2 * sample.vector();
      const int here = sample.add_body(out, parent, centre, 0);
      if (parent < 0) out.add_spherical(here, -1, centre - Vec3(0.5, 0, 0));
      if (column > 0) out.add_spherical(here, here - 1, (centre + out.centre(here - 1)) / 2);
      if (row > 0) out.add_spherical(here, here - side, (centre + out.centre(here - side)) / 2);
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

/// Measures a solution. The first one is not measured: the operating system provides memory at its first use,
/// which for large problems may take ten times as long as the solution.
template <class Solve>
void measure(benchmark::State& bench, const Problem& p, const Solve& solve) {
  solve();
  for (auto _ : bench) {
    solve();
    benchmark::DoNotOptimize(p.x.data());
  }
}

void torsor_solve(benchmark::State& bench, Problem p, KktSolver::Multipliers which) {
  KktSolver solver(p.linkage.graph);
  measure(bench, p, [&] {
    solver.factor(p.linkage.G.data(), p.linkage.A.data());
    solver.solve(p.r.data(), p.s.data(), p.x.data(), p.y.data(), which);
  });
  p.count(bench);
  bench.counters["redundant"] = solver.redundant_rows();
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

template <class Solver>
void sparse_solve(benchmark::State& bench, Problem p) {
  std::vector<int> place;
  const Sparse K = matrix(p.linkage, place);
  Vec b(K.rows()), z(K.rows());
  Solver solver;
  solver.analyzePattern(K);
  measure(bench, p, [&] {
    solver.factorize(K);
    for (int i = 0; i < p.r.size(); ++i) b[place[i]] = p.r[i];
    for (int i = 0; i < p.s.size(); ++i) b[place[p.r.size() + i]] = p.s[i];
    z = solver.solve(b);
    for (int i = 0; i < p.r.size(); ++i) p.x[i] = z[place[i]];
  });
  p.count(bench);
}

template <class Ordering>
void eigen_solve(benchmark::State& bench, Problem p) {
  sparse_solve<Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Ordering>>(bench, std::move(p));
}
void cholmod_solve(benchmark::State& bench, Problem p) {
#ifdef TORSOR_CHOLMOD
  sparse_solve<Eigen::CholmodSimplicialLDLT<Sparse, Eigen::Lower>>(bench, std::move(p));
#else
  bench.SkipWithError("not built in");
#endif
}

using Natural = Eigen::NaturalOrdering<int>;
using MinimumDegree = Eigen::AMDOrdering<int>;
constexpr auto least = KktSolver::Multipliers::least_norm, any = KktSolver::Multipliers::any;

void chains(benchmark::internal::Benchmark* bench) { bench->Arg(10)->Arg(100)->Arg(1000)->Arg(100000); }
void ladders(benchmark::internal::Benchmark* bench) { bench->Arg(40)->Arg(400)->Arg(10000); }
void nets(benchmark::internal::Benchmark* bench) { bench->Arg(10)->Arg(20)->Arg(30); }
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
void cholmod_ladder(benchmark::State& b) { cholmod_solve(b, Problem(test::n_fourbar(size_of(b), true))); }
void torsor_net(benchmark::State& b) { torsor_solve(b, Problem(net(size_of(b))), any); }
void eigen_net(benchmark::State& b) { eigen_solve<MinimumDegree>(b, Problem(net(size_of(b)))); }
void cholmod_net(benchmark::State& b) { cholmod_solve(b, Problem(net(size_of(b)))); }

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
BENCHMARK(cholmod_ladder)->Apply(ladders);
BENCHMARK(torsor_net)->Apply(nets);
BENCHMARK(eigen_net)->Apply(nets);
BENCHMARK(cholmod_net)->Apply(nets);
BENCHMARK_MAIN();
