#include "model/elimination/newton_solver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "linkage.hpp"
#include "torsor/lie/status.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

using Long = Linkage::Long;
using LongVec = Linkage::LongVec;

/// The linear equations of a Newton step. M, B and C are G, A and A of a mechanism, with a random number from
/// -change to change added to each entry.
struct Step {
  Step(Linkage of, double change, const std::vector<std::pair<int, int>>& extra = {})
      : linkage(std::move(of)),
        solver(linkage.graph, extra),
        M_diagonal(linkage.G),
        B(linkage.A),
        C(linkage.A) {
    Sampler sample(8);
    M_pairs.resize(72 * solver.pairs().size());
    for (auto* numbers : {&M_diagonal, &M_pairs, &B, &C})
      for (double& number : *numbers) number += change * sample.uniform(-1, 1);
    r = sample.numbers(6 * linkage.bodies());
    s = sample.numbers(linkage.rows());
    x.resize(r.size());
    y.resize(s.size());
  }

  void solve() {
    solver.factor(M_diagonal.data(), M_pairs.data(), B.data(), C.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
  }

  Long dense() const {
    const int n = 6 * linkage.bodies();
    Linkage other = linkage;
    other.G = M_diagonal;
    other.A = B;
    Long out = other.dense();
    other.A = C;
    out.bottomRows(linkage.rows()) = other.dense().bottomRows(linkage.rows());
    for (std::size_t k = 0; k < M_pairs.size(); ++k) {
      const auto [a, b] = solver.pairs()[k / 72];
      const bool mirrored = k % 72 >= 36;
      const int i = static_cast<int>(k % 36 / 6), j = static_cast<int>(k % 6);
      out(6 * (mirrored ? b : a) + i, 6 * (mirrored ? a : b) + j) += M_pairs[k];
    }
    CHECK(out.rows() == n + linkage.rows());
    return out;
  }

  /// The relative error of the solution, compared with dense elimination with full pivoting.
  double error() const {
    const LongVec exact = dense().fullPivLu().solve(Linkage::stacked(r, s));
    return static_cast<double>((Linkage::stacked(x, y) - exact).norm() / exact.norm());
  }

  Linkage linkage;
  NewtonSolver solver;
  std::vector<double> M_diagonal, M_pairs, B, C;
  Vec r, s, x, y;
};

Linkage spatial_loops(unsigned seed) {
  Linkage out;
  Sampler sample(seed);
  const int bodies = 3 + sample.below(8);
  for (int i = 0; i < bodies; ++i) {
    const int parent = sample.below(i + 1) - 1;
    sample.add_body(out, parent, sample.vector(), seed % 2);
    if (sample.below(2))
      out.add_revolute(i, parent, sample.vector(), sample.vector());
    else
      out.add_spherical(i, parent, sample.vector());
  }
  out.add_joint(bodies - 1, 0, sample.vector(), sample.vector(), Eigen::Matrix3Xd(3, 0));
  out.add_joint(bodies - 2, -1, sample.vector(), sample.vector(), Eigen::Matrix3Xd(3, 0));
  return out;
}

}  // namespace

TEST_CASE("Newton steps agree with dense elimination") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Step step(spatial_loops(seed), 1e-3);
    step.solve();
    CHECK(std::count(step.solver.redundant().begin(), step.solver.redundant().end(), 1) == 0);
    CHECK(step.error() < 1e-11);
  }
}

TEST_CASE("the extra pairs of bodies, which springs join, add blocks to M, and each pair is listed once") {
  Step step(spatial_loops(4), 1e-2, {{2, 0}, {1, 2}, {0, 1}});
  step.solve();
  CHECK(step.error() < 1e-11);
  for (auto [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    CHECK(std::count(step.solver.pairs().begin(), step.solver.pairs().end(), std::pair(a, b)) == 1);
}

TEST_CASE("solutions with stiff springs are accurate to 1e-9") {
  for (double stiffness : {1e2, 1e4, 1e6}) {
    CAPTURE(stiffness);
    Step step(spatial_loops(4), 1e-3, {{0, 2}, {0, 1}, {1, 2}});
    Sampler sample(7);
    const auto& pairs = step.solver.pairs();
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      Eigen::Matrix<double, 12, 1> row;
      row << sample.vector(), sample.vector(), sample.vector(), sample.vector();
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
          step.M_diagonal[36 * pairs[k].first + 6 * i + j] += stiffness * row[i] * row[j];
          step.M_diagonal[36 * pairs[k].second + 6 * i + j] += stiffness * row[6 + i] * row[6 + j];
          step.M_pairs[72 * k + 6 * i + j] += stiffness * row[i] * row[6 + j];
          step.M_pairs[72 * k + 36 + 6 * i + j] += stiffness * row[6 + i] * row[j];
        }
    }
    step.solve();
    CHECK(step.error() < 1e-9);
  }
}

TEST_CASE("with M = G and B = C = A, a Newton step is the saddle-point solution, also with redundant rows") {
  Step step(n_fourbar(20, false), 0);
  const Vec some = step.r;
  step.s = step.linkage.rows_times(some.cast<long double>()).cast<double>();
  step.solve();
  KktSolver symmetric(step.linkage.graph);
  Vec x(step.x.size()), y(step.y.size());
  symmetric.factor(step.linkage.G.data(), step.linkage.A.data());
  symmetric.solve(step.r.data(), step.s.data(), x.data(), y.data());
  CHECK(std::count(step.solver.redundant().begin(), step.solver.redundant().end(), 1) == 60);
  CHECK((step.x - x).norm() < 1e-11 * x.norm());
  symmetric.least_norm(step.y.data());
  CHECK((step.y - y).norm() < 1e-10 * y.norm());
}

TEST_CASE("Newton steps of long chains agree with the saddle-point solver to twelve digits") {
  Linkage chain;
  Sampler sample(3);
  Vec3 joint(0, 0, 0);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 rod = sample.vector().normalized();
    sample.add_body(chain, i - 1, joint + rod / 2, 1);
    chain.add_revolute(i, i - 1, joint, sample.vector());
    joint += rod;
  }
  Step step(chain, 0);
  step.solve();
  KktSolver symmetric(chain.graph);
  Vec x(step.x.size()), y(step.y.size());
  symmetric.factor(chain.G.data(), chain.A.data());
  symmetric.solve(step.r.data(), step.s.data(), x.data(), y.data());
  CHECK((step.x - x).norm() < 1e-12 * x.norm());
  CHECK((step.y - y).norm() < 1e-12 * y.norm());
}

TEST_CASE("Newton equations that are singular or not finite are refused with their status") {
  const auto status_of = [](Step step) {
    try {
      step.solve();
    } catch (const EvaluationError& error) {
      return error.status;
    }
    return StepStatus::accepted;
  };
  CHECK(status_of(Step(spatial_loops(1), 0)) == StepStatus::accepted);
  CHECK(status_of(Step(spatial_loops(1), std::nan(""))) == StepStatus::non_finite);
  Step empty(spatial_loops(1), 0);
  std::fill(empty.M_diagonal.begin(), empty.M_diagonal.end(), 0.);
  CHECK(status_of(std::move(empty)) == StepStatus::singular);
}
