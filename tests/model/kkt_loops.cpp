#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "linkage.hpp"
#include "model/kkt.hpp"
#include "support/greatest.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

using LongVec = Linkage::LongVec;

/// A few bodies in a plane or in space with random joints to each other and to the ground, often more than
/// one between the same bodies.
Linkage random_graph(unsigned seed) {
  Linkage out;
  Sampler sample(seed);
  const bool planar = seed % 2;
  const auto point = [&] { return Vec3(sample.vector().cwiseProduct(Vec3(1, 1, planar ? 0 : 1))); };
  const auto axis = [&] { return planar ? Vec3(0, 0, 1) : sample.vector(); };
  const int bodies = 1 + sample.below(8), loops = sample.below(6);
  for (int i = 0; i < bodies; ++i) {
    const int parent = sample.below(i + 1) - 1;
    sample.add_body(out, parent, point(), seed % 3 ? 0 : 2);
    if (sample.below(4))
      out.add_revolute(i, parent, point(), axis());
    else if (parent >= 0)
      out.add_spherical(i, parent, point());
  }
  for (int k = 0; k < loops; ++k) {
    const int a = sample.below(bodies), other = sample.below(bodies + 1) - 1, b = a == other ? -1 : other;
    const int kind = sample.below(3);
    if (kind == 0)
      out.add_spherical(a, b, point());
    else if (kind == 1)
      out.add_revolute(a, b, point(), axis());
    else
      out.add_joint(a, b, point(), point().normalized(), Eigen::Matrix3Xd(3, 0));
  }
  return out;
}

/// A few bodies with masses over many decades. Each loop has two rows at points that nearly
/// coincide.
Linkage spread(unsigned seed) {
  Linkage out;
  Sampler sample(seed);
  const int bodies = 2 + sample.below(5);
  const double decades = 1 + sample.below(14);
  for (int i = 0; i < bodies; ++i) {
    const int parent = sample.below(i + 1) - 1;
    const Vec3 centre = sample.vector(), joint = sample.vector(), axis = sample.vector();
    sample.add_body(out, parent, centre, decades);
    if (sample.below(2))
      out.add_revolute(i, parent, joint, axis);
    else
      out.add_spherical(i, parent, joint);
  }
  for (int loops = 1 + sample.below(3); loops > 0; --loops) {
    const int a = sample.below(bodies), other = sample.below(bodies + 1) - 1, b = a == other ? -1 : other;
    const double near = std::pow(10., -sample.uniform(6, 16));
    const Vec3 point = sample.vector(), twin = point + near * sample.vector();
    for (const Vec3& at : {point, twin}) {
      const Vec3 direction = sample.vector().normalized();
      out.add_joint(a, b, at, direction, Eigen::Matrix3Xd(3, 0));
    }
  }
  return out;
}

/// A consistent right-hand side: s = A x for some x.
Vec consistent(const Linkage& linkage, Sampler& sample) {
  return linkage.rows_times(sample.numbers(6 * linkage.bodies()).cast<long double>()).cast<double>();
}

/// W z for the multipliers z of least |W z| that have the reactions of y, by an orthogonal decomposition.
LongVec dense_least_norm(const Linkage& linkage, const Vec& y, const std::vector<double>& w) {
  Linkage::Long weighed = Linkage::Long::Zero(6 * linkage.bodies(), linkage.rows());  // A^T W^-1
  linkage.for_numbers([&](int row, int column, double number) { weighed(column, row) += number / w[row]; });
  Eigen::CompleteOrthogonalDecomposition<Linkage::Long> dense;
  dense.setThreshold(1e-12L);
  dense.compute(weighed);
  return dense.solve(linkage.reaction(y.cast<long double>()));
}

/// The linkage with all lengths multiplied by `length`, and its rows of torques too.
Linkage enlarged(Linkage linkage, double length) {
  for (std::size_t i = 0; i < linkage.G.size(); ++i)
    if (i / 6 % 6 >= 3 && i % 6 >= 3) linkage.G[i] *= length * length;
  for (std::size_t i = 0; i < linkage.A.size(); ++i)
    if (i % 6 >= 3) linkage.A[i] *= length;
  return linkage;
}

/// Compares multipliers of least norm, for random weights and with all lengths multiplied by `length`, with
/// those of dense_least_norm.
void check_least_norm(const Linkage& linkage, Sampler& sample, int least_redundant, long double limit,
                      double length = 1) {
  std::vector<double> w(linkage.rows());
  for (double& weight : w) weight = sample.uniform(0.3, 3);
  const Linkage large = enlarged(linkage, length);
  KktSolver solver(large.graph);
  solver.set_row_scale(w, length);
  solver.factor(large.G.data(), large.A.data());
  CHECK(solver.redundant_rows() >= least_redundant);
  const Vec any = sample.numbers(linkage.rows());
  Vec least = any;
  solver.least_norm(least.data());
  const LongVec exact = dense_least_norm(linkage, any, w);
  const Vec least_weighed = least.cwiseProduct(Eigen::Map<const Vec>(w.data(), least.size()));
  CHECK((least_weighed.cast<long double>() - exact).norm() < limit * exact.norm());
}

}  // namespace

TEST_CASE(
    "for 200 random graphs, the number of redundant rows and the multipliers of least norm agree with an "
    "orthogonal decomposition") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Linkage linkage = random_graph(seed);
    if (linkage.rows() == 0) continue;
    Sampler sample(seed);
    KktSolver solver(linkage.graph);
    const Vec r = sample.numbers(6 * linkage.bodies()), s = consistent(linkage, sample);
    Vec x(r.size()), y(s.size());
    solver.factor(linkage.G.data(), linkage.A.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
    Eigen::CompleteOrthogonalDecomposition<Linkage::Long> dense;
    dense.setThreshold(1e-12L);
    dense.compute(linkage.dense());
    const LongVec exact = dense.solve(Linkage::stacked(r, s));
    CHECK(6 * linkage.bodies() + linkage.rows() - solver.redundant_rows() == dense.rank());
    CHECK(solver.contradictory().empty());
    CHECK((x.cast<long double>() - exact.head(x.size())).norm() < 1e-9L * exact.norm());
    CHECK((y.cast<long double>() - exact.tail(y.size())).norm() < 1e-9L * exact.norm());
  }
}

TEST_CASE("row weights define the norm that the multipliers minimise") {
  const Linkage linkage = n_fourbar(3, true);
  Linkage weighed = linkage;
  Sampler sample(1);
  std::vector<double> w(linkage.rows());
  for (double& weight : w) weight = sample.uniform(0.3, 3);
  for (std::size_t at = 0, row = 0, c = 0; c < linkage.graph.constraints.size(); ++c) {
    const auto& constraint = linkage.graph.constraints[c];
    for (std::size_t b = 0; b < constraint.bodies.size(); ++b)
      for (int i = 0; i < constraint.rows; ++i)
        for (int j = 0; j < 6; ++j) weighed.A[at++] /= w[row + i];
    row += constraint.rows;
  }
  const Vec r = sample.numbers(6 * linkage.bodies()), s = consistent(linkage, sample);
  const Vec s_weighed = s.cwiseQuotient(Eigen::Map<const Vec>(w.data(), s.size()));
  Vec x(r.size()), y(s.size()), z(s.size());
  KktSolver solver(linkage.graph), plain(weighed.graph);
  solver.set_row_scale(w, 1);
  solver.factor(linkage.G.data(), linkage.A.data());
  solver.solve(r.data(), s.data(), x.data(), y.data());
  plain.factor(weighed.G.data(), weighed.A.data());
  plain.solve(r.data(), s_weighed.data(), x.data(), z.data());
  CHECK(solver.redundant_rows() == 9);
  CHECK((y.cwiseProduct(Eigen::Map<const Vec>(w.data(), s.size())) - z).norm() < 1e-11 * z.norm());
}

TEST_CASE("all multipliers give the same reactions, and least_norm gives the multipliers of least norm") {
  const Linkage linkage = n_fourbar(5, true);
  KktSolver solver(linkage.graph);
  Sampler sample(2);
  const Vec r = sample.numbers(6 * linkage.bodies()), s = consistent(linkage, sample);
  Vec x(r.size()), any(s.size()), least(s.size());
  solver.factor(linkage.G.data(), linkage.A.data());
  solver.solve(r.data(), s.data(), x.data(), any.data(), KktSolver::Multipliers::any);
  solver.solve(r.data(), s.data(), x.data(), least.data());
  CHECK(least.norm() < 0.99 * any.norm());
  const auto reaction = [&](const Vec& y) {
    return Vec(linkage.reaction(y.cast<long double>()).cast<double>());
  };
  CHECK((reaction(any) - reaction(least)).norm() < 1e-11 * reaction(least).norm());
  solver.least_norm(any.data());
  CHECK((any - least).norm() < 1e-11 * least.norm());
}

TEST_CASE(
    "with constraints on one, two, three and more bodies, the multipliers of least norm are those of a dense "
    "orthogonal decomposition") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Linkage linkage = n_fourbar(2, true);
    Sampler sample(seed);
    const std::vector<int> three = {3, 0, 2}, all = {0, 1, 2, 3, 4};
    const Vec few = sample.numbers(2 * 6 * 3), many = sample.numbers(7 * 6 * 5);
    linkage.add_constraint(three, 2, few);
    linkage.add_constraint(all, 7, many);
    linkage.add_constraint(three, 2, sample.uniform(0.5, 2) * few);
    linkage.add_constraint(all, 7, many);
    for (const double length : {1., 1e-7, 1e7}) {
      CAPTURE(length);
      check_least_norm(linkage, sample, 15, 1e-11L, length);
    }
  }
}

TEST_CASE(
    "in loops that share joints, the multipliers of least norm are those of a dense orthogonal "
    "decomposition") {
  for (const Linkage& linkage :
       {n_fourbar(1, true), n_fourbar(6, true), n_fourbar(6, false), two_rails(5, true)}) {
    CAPTURE(linkage.rows());
    Sampler sample(1);
    for (const double length : {1., 1e-7, 1e7}) {
      CAPTURE(length);
      check_least_norm(linkage, sample, 1, 1e-12L, length);
    }
  }
}

TEST_CASE("a contradiction is reported at the rows that cannot be satisfied") {
  const Linkage linkage = n_fourbar(4, true);
  KktSolver solver(linkage.graph);
  Sampler sample(4);
  const Vec r = sample.numbers(6 * linkage.bodies());
  Vec s = consistent(linkage, sample), x(r.size()), y(s.size());
  solver.factor(linkage.G.data(), linkage.A.data());
  const auto redundant = std::find(solver.redundant().begin(), solver.redundant().end(), 1);
  const int row = static_cast<int>(redundant - solver.redundant().begin());
  s[row] += 1e-3;
  solver.solve(r.data(), s.data(), x.data(), y.data());
  CHECK(solver.contradictory() == std::vector<int>{row});
  CHECK(x.allFinite());
  CHECK(y.allFinite());
}

TEST_CASE("a constraint of many rows has the same solution as its parts") {
  Sampler sample(9);
  Linkage whole = n_fourbar(2, true);
  Linkage parts = whole;
  const Vec3 point = sample.vector();
  Eigen::Matrix3Xd forces(3, 5);
  for (int k = 0; k < 5; ++k) forces.col(k) = sample.vector();
  const Mat3 torques = sample.rotation();
  whole.add_joint(1, 3, point, forces, torques);
  parts.add_joint(1, 3, point, forces, Eigen::Matrix3Xd(3, 0));
  parts.add_joint(1, 3, point, Eigen::Matrix3Xd(3, 0), torques);
  const Vec r = sample.numbers(6 * whole.bodies()), s = consistent(whole, sample);
  Vec x(r.size()), y(s.size()), x_parts(r.size()), y_parts(s.size());
  KktSolver one(whole.graph), two(parts.graph);
  one.factor(whole.G.data(), whole.A.data());
  one.solve(r.data(), s.data(), x.data(), y.data());
  two.factor(parts.G.data(), parts.A.data());
  two.solve(r.data(), s.data(), x_parts.data(), y_parts.data());
  CHECK(one.redundant_rows() == two.redundant_rows());
  CHECK((x - x_parts).norm() < 1e-11 * x.norm());
  CHECK((y - y_parts).norm() < 1e-10 * y.norm());
}

TEST_CASE("zero rows are redundant, and contradictory if their right-hand side is not zero") {
  Linkage linkage = n_fourbar(1, true);
  const Vec3 none(0, 0, 0);
  linkage.add_joint(0, 1, {1, 1, 1}, none, Eigen::Matrix3Xd(3, 0));
  KktSolver solver(linkage.graph);
  Sampler sample(4);
  const Vec r = sample.numbers(6 * linkage.bodies());
  Vec s = consistent(linkage, sample), x(r.size()), y(s.size());
  solver.factor(linkage.G.data(), linkage.A.data());
  CHECK(solver.redundant_rows() == 4);
  CHECK(solver.redundant().back() == 1);
  solver.solve(r.data(), s.data(), x.data(), y.data());
  CHECK(solver.contradictory().empty());
  CHECK(y[y.size() - 1] == 0);
  s[s.size() - 1] = 1e-3;
  solver.solve(r.data(), s.data(), x.data(), y.data());
  CHECK(solver.contradictory() == std::vector<int>{linkage.rows() - 1});
}

TEST_CASE("the cost per loop of a ladder is bounded at any length and for two spanning trees") {
  const auto per_loop = [](const Linkage& linkage, int loops) {
    const KktSolver solver(linkage.graph);
    return static_cast<double>(solver.factor_cost()) / loops;
  };
  for (bool from_ground : {true, false}) {
    const double bars = per_loop(n_fourbar(100, from_ground), 100),
                 rails = per_loop(two_rails(100, from_ground), 100);
    for (int loops : {1000, 10000}) {
      CAPTURE(loops);
      CHECK(per_loop(n_fourbar(loops, from_ground), loops) < 1.05 * bars);
      CHECK(per_loop(two_rails(loops, from_ground), loops) < 1.05 * rails);
    }
    CHECK(rails < 2.5 * per_loop(n_fourbar(100, false), 100));
  }
}

TEST_CASE("joint coordinates make the factor of a ladder with short paths to the ground five times smaller") {
  const auto size = [](bool from_ground) {
    return KktSolver(n_fourbar(100, from_ground).graph).factor_size();
  };
  CHECK(5 * size(true) < size(false));
}

TEST_CASE("rank and solution are accurate for ladders of ten thousand loops") {
  for (int which = 0; which < 4; ++which) {
    CAPTURE(which);
    const int loops = 10000;
    const Linkage linkage = which < 2 ? n_fourbar(loops, which) : two_rails(loops, which % 2);
    KktSolver solver(linkage.graph);
    solver.factor(linkage.G.data(), linkage.A.data());
    CHECK(solver.redundant_rows() == 3 * loops);
    Sampler sample(6);
    const Vec x_exact = sample.numbers(6 * linkage.bodies()), y_exact = sample.numbers(linkage.rows());
    const LongVec x_long = x_exact.cast<long double>(), y_long = y_exact.cast<long double>();
    const Vec r = (linkage.metric_times(x_long) - linkage.reaction(y_long)).cast<double>();
    const Vec s = linkage.rows_times(x_long).cast<double>();
    Vec x(r.size()), y(s.size());
    solver.solve(r.data(), s.data(), x.data(), y.data());
    CHECK(solver.contradictory().empty());
    CHECK((x - x_exact).norm() < 1e-9 * x.norm());
    CHECK(y.norm() < y_exact.norm());
    const LongVec reaction = linkage.reaction(y_long);
    CHECK((linkage.reaction(y.cast<long double>()) - reaction).norm() < 1e-9L * reaction.norm());
  }
}

/// Multipliers stay small if they carry the forces to the nearest joint on the ground. Their rounding errors
/// are then small too.
TEST_CASE("a row of four-bars, each hinged to the ground, needs no refinement at any length") {
  for (int loops : {40, 1000, 10000}) {
    CAPTURE(loops);
    const Linkage linkage = n_fourbar(loops, true);
    KktSolver solver(linkage.graph);
    solver.factor(linkage.G.data(), linkage.A.data());
    Sampler sample(2);
    const Vec r = sample.numbers(6 * linkage.bodies()), s = consistent(linkage, sample);
    Vec x(r.size()), y(s.size());
    solver.solve(r.data(), s.data(), x.data(), y.data(), KktSolver::Multipliers::any);
    CHECK(solver.passes() == 0);
    CHECK(greatest(y) < 200);
  }
}

/// `loops` four-bars side by side, their bars at the angle d (rad) to the line through the joints
/// on the ground.
Linkage leaning(int loops, double d) {
  Linkage out;
  const Vec3 along(std::cos(d), std::sin(d), 0), z(0, 0, 1);
  Mat3 R;
  R << along, z.cross(along), z;
  const auto hinge = [&](int a, int b, const Vec3& at) { out.add_joint(a, b, at, R, R.leftCols<2>()); };
  const Vec3 moments(1e-3, 1. / 12, 1. / 12);
  for (int k = 0; k <= loops; ++k) {
    out.add_body(-1, Vec3(k, 0, 0) + along / 2, 1, moments, R);
    hinge(k, -1, Vec3(k, 0, 0));
  }
  for (int k = 0; k < loops; ++k) {
    const int coupler = out.add_body(k, Vec3(k + 0.5, 0, 0) + along, 1, moments, Mat3::Identity());
    hinge(coupler, k, Vec3(k, 0, 0) + along);
    hinge(coupler, k + 1, Vec3(k + 1, 0, 0) + along);
  }
  return out;
}

TEST_CASE(
    "long series of four-bars near their singular configuration have three redundant rows for each loop") {
  for (int loops : {10, 40, 200, 1000})
    for (double angle : {1., 0.3, 0.158, 0.1, 0.01, 1e-3}) {
      CAPTURE(loops);
      CAPTURE(angle);
      const Linkage linkage = leaning(loops, angle);
      KktSolver solver(linkage.graph);
      solver.factor(linkage.G.data(), linkage.A.data());
      CHECK(solver.redundant_rows() == 3 * loops);
    }
}

TEST_CASE("a general factorisation is used where elimination along the mechanism is inaccurate") {
  long general_solutions = 0;
  for (const unsigned seed : {332u, 4791u, 6398u, 8321u, 13987u, 19555u, 30224u, 30356u, 32343u, 37943u}) {
    CAPTURE(seed);
    const Linkage linkage = spread(seed);
    KktSolver solver(linkage.graph);
    Sampler sample(seed);
    const Vec r = sample.numbers(6 * linkage.bodies()), s = consistent(linkage, sample);
    Vec x(r.size()), y(s.size());
    solver.factor(linkage.G.data(), linkage.A.data());
    solver.solve(r.data(), s.data(), x.data(), y.data());
    const Eigen::FullPivLU<Linkage::Long> dense(linkage.dense());
    const LongVec exact = dense.solve(Linkage::stacked(r, s));
    CHECK((x.cast<long double>() - exact.head(x.size())).norm() < 1e-7L * exact.head(x.size()).norm());
    general_solutions += solver.general_solutions();
  }
  CHECK(general_solutions > 0);
}
