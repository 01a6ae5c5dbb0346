#include <doctest/doctest.h>

#include "../support/allocations.hpp"
#include "linkage.hpp"
#include "model/elimination/newton_solver.hpp"
#include "model/kkt.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE(
    "the saddle-point solver factors and solves without the heap after the first solution, with redundant "
    "and contradictory rows" *
    doctest::skip(!counts_allocations)) {
  const Linkage linkage = n_fourbar(6, true);
  const long at_first = allocations;
  KktSolver solver(linkage.graph);
  CHECK(allocations > at_first);
  Sampler sample(3);
  const Vec r = sample.numbers(6 * linkage.bodies()), s = sample.numbers(linkage.rows());
  Vec x(r.size()), y(s.size());
  const auto solve = [&] {
    solver.factor(linkage.G.data(), linkage.A.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
  };
  solve();
  const long before = allocations;
  solve();
  const long during = allocations - before;
  CHECK(solver.redundant_rows() > 0);
  CHECK(!solver.contradictory().empty());
  CHECK(during == 0);
}

TEST_CASE("the solver of Newton steps factors and solves without the heap" *
          doctest::skip(!counts_allocations)) {
  const Linkage linkage = n_fourbar(6, true);
  NewtonSolver solver(linkage.graph);
  const std::vector<double> M_pairs(72 * solver.pairs().size(), 1e-3);
  Sampler sample(3);
  const Vec r = sample.numbers(6 * linkage.bodies()), s = sample.numbers(linkage.rows());
  Vec x(r.size()), y(s.size());
  const long before = allocations;
  solver.factor(linkage.G.data(), M_pairs.data(), linkage.A.data(), linkage.A.data());
  solver.solve(r.data(), s.data(), x.data(), y.data());
  const long during = allocations - before;
  CHECK(during == 0);
}
