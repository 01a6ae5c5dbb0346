#include "model/kkt.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "linkage.hpp"
#include "torsor/lie/status.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

using LongVec = Linkage::LongVec;

/// Bodies, each with a revolute or spherical joint to one of the `reach` bodies before it or to the ground.
Linkage tree(int bodies, int reach, double decades, unsigned seed) {
  Linkage out;
  Sampler sample(seed);
  for (int i = 0; i < bodies; ++i) {
    const int parent = reach == 1 ? i - 1 : std::max(-1, i - 1 - sample.below(reach));
    const Vec3 joint = parent < 0 ? Vec3(0, 0, 0) : Vec3(out.centre(parent) + sample.vector() / 2);
    sample.add_body(out, parent, joint + sample.vector() / 2, decades);
    if (sample.below(3))
      out.add_revolute(i, parent, joint, sample.vector());
    else
      out.add_spherical(i, parent, joint);
  }
  return out;
}

/// The norm of the error of x, relative to the norm of x, from iterative refinement with residuals in long
/// double.
double forward_error(const Linkage& linkage, const KktSolver& solver, const Vec& r, const Vec& s,
                     const Vec& x, const Vec& y) {
  LongVec error = LongVec::Zero(x.size());
  LongVec y_now = y.cast<long double>();
  Vec dx(x.size()), dy(y.size());
  for (int pass = 0; pass < 4; ++pass) {
    const LongVec x_now = x.cast<long double>() + error;
    const LongVec r_left = r.cast<long double>() - linkage.metric_times(x_now) + linkage.reaction(y_now);
    const LongVec s_left = s.cast<long double>() - linkage.rows_times(x_now);
    const Vec r_small = r_left.cast<double>(), s_small = s_left.cast<double>();
    solver.solve(r_small.data(), s_small.data(), dx.data(), dy.data());
    error += dx.cast<long double>();
    y_now += dy.cast<long double>();
  }
  return static_cast<double>(error.norm() / x.cast<long double>().norm());
}

double random_forward_error(const Linkage& linkage) {
  KktSolver solver(linkage.graph);
  Sampler sample(5);
  const Vec r = sample.numbers(6 * linkage.bodies()), s = sample.numbers(linkage.rows());
  Vec x(r.size()), y(s.size());
  solver.factor(linkage.G.data(), linkage.A.data());
  solver.solve(r.data(), s.data(), x.data(), y.data());
  CHECK(solver.redundant_rows() == 0);
  CHECK(solver.contradictory().empty());
  return forward_error(linkage, solver, r, s, x, y);
}

}  // namespace

TEST_CASE("solutions for trees agree with dense elimination") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Linkage linkage = tree(1 + static_cast<int>(seed) / 2, seed % 2 ? 1 : 5, seed % 3, seed);
    KktSolver solver(linkage.graph);
    Sampler sample(seed);
    const Vec r = sample.numbers(6 * linkage.bodies()), s = sample.numbers(linkage.rows());
    Vec x(r.size()), y(s.size());
    solver.factor(linkage.G.data(), linkage.A.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
    const LongVec exact = linkage.dense().partialPivLu().solve(Linkage::stacked(r, s));
    CHECK((x.cast<long double>() - exact.head(x.size())).norm() < 1e-11L * exact.norm());
    CHECK((y.cast<long double>() - exact.tail(y.size())).norm() < 1e-11L * exact.norm());
  }
}

TEST_CASE("solutions for long chains are accurate to 1e-12, also with masses over four decades") {
  for (int bodies : {10, 1000, 100000})
    for (double decades : {0., 2.}) {
      CAPTURE(bodies);
      CAPTURE(decades);
      CHECK(random_forward_error(tree(bodies, 1, decades, 11)) < 1e-12);
    }
  CHECK(random_forward_error(tree(1000, 30, 2, 12)) < 1e-12);
}

TEST_CASE("a solver can factor a second matrix of the same graph") {
  const Linkage one = tree(7, 3, 1, 1);
  Linkage other = one;
  for (double& number : other.A) number *= 2;
  KktSolver solver(one.graph);
  Sampler sample(3);
  const Vec r = sample.numbers(42), s = sample.numbers(one.rows()), doubled = 2 * s;
  Vec x(42), y(s.size()), x2(42), y2(s.size());
  solver.factor(one.G.data(), one.A.data());
  solver.solve(r.data(), s.data(), x.data(), y.data());
  solver.factor(other.G.data(), other.A.data());
  solver.solve(r.data(), doubled.data(), x2.data(), y2.data());
  CHECK((x2 - x).norm() < 1e-12 * x.norm());
  CHECK((2 * y2 - y).norm() < 1e-12 * y.norm());
}

TEST_CASE("a solver accepts free bodies and an empty system") {
  Linkage free;
  free.add_body(-1, {0, 0, 0}, 2, {1, 1, 1}, Mat3::Identity());
  KktSolver solver(free.graph);
  const Vec r = Vec::Ones(6);
  Vec x(6);
  solver.factor(free.G.data(), nullptr);
  solver.solve(r.data(), nullptr, x.data(), nullptr);
  CHECK(x[0] == doctest::Approx(0.5));
  CHECK(solver.pivot_growth() == 1);
  KktSolver none{KktGraph{}};
  none.factor(nullptr, nullptr);
  none.solve(nullptr, nullptr, nullptr, nullptr);
}

TEST_CASE(
    "a metric that is not positive definite is refused as singular, and one that is not finite as "
    "non_finite") {
  const auto status_with = [](double number) {
    Linkage linkage = tree(4, 1, 0, 2);
    linkage.G[36 * 2 + 14] = number;
    KktSolver solver(linkage.graph);
    try {
      solver.factor(linkage.G.data(), linkage.A.data());
    } catch (const EvaluationError& error) {
      return error.status;
    }
    return StepStatus::accepted;
  };
  CHECK(status_with(1) == StepStatus::accepted);
  CHECK(status_with(-1e3) == StepStatus::singular);
  CHECK(status_with(std::nan("")) == StepStatus::non_finite);
  CHECK(status_with(HUGE_VAL) == StepStatus::non_finite);
}
