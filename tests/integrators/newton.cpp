#include "torsor/integrators/detail/newton.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/greatest.hpp"

using torsor::Newton;
using torsor::Vec;
using torsor::test::greatest;

TEST_CASE("Newton's method solves a residual near the identity to rounding without a Jacobian") {
  Newton newton;
  Vec z = Vec::Zero(2);
  int evaluations = 0;
  const auto residual = [&](const Vec& x, Vec& r) {
    ++evaluations;
    r = x;
    r[0] -= 1 + 0.05 * std::sin(x[1]);
    r[1] -= 2 + 0.05 * std::cos(x[0]);
  };
  REQUIRE(newton.solve(residual, z));
  CHECK(std::abs(z[0] - 1 - 0.05 * std::sin(z[1])) < 1e-15);
  CHECK(std::abs(z[1] - 2 - 0.05 * std::cos(z[0])) < 1e-15);
  CHECK(evaluations < 15);
}

TEST_CASE("Newton's method solves a stiff residual") {
  Newton newton;
  Vec z = Vec::Zero(3);
  const auto residual = [](const Vec& x, Vec& r) {
    r = x;
    r[0] += 1e6 * (x[0] - x[1]);
    r[1] += 1e3 * (x[1] - x[2] * x[2]) - 5;
    r[2] -= 3 - 0.5 * x[0] * x[2];
  };
  REQUIRE(newton.solve(residual, z));
  Vec r;
  residual(z, r);
  CHECK(greatest(r) < 1e-8);
}

TEST_CASE("Newton's method solves a noisy stiff residual to the size of its noise") {
  Newton newton;
  Vec z = Vec::Zero(2);
  unsigned noise = 1;
  const auto residual = [&](const Vec& x, Vec& r) {
    noise = 1664525 * noise + 1013904223;
    r = x;
    r[0] += 1e4 * (x[0] - x[1]);
    r[1] -= 3 + 1e-8 * (noise / 4294967296. - 0.5);
  };
  REQUIRE(newton.solve(residual, z));
  CHECK(std::abs(z[1] - 3) < 1e-8);
  CHECK(std::abs(z[0] - 3) < 1e-3);
}

TEST_CASE("Newton's method with an inexact Jacobian reaches rounding even if its changes decrease unevenly") {
  // The error (e_0, e_1) becomes (0.45 e_1, 0.05 e_0).
  const auto residual = [](const Vec& x, Vec& r) { r = 10 * (x - Vec::Ones(2)); };
  const auto divide = [](Vec& r) { r = Eigen::Vector2d(r[0] - 0.45 * r[1], r[1] - 0.05 * r[0]) / 10; };
  for (const double guess : {-3., 0., 0.1, 3., 100.}) {
    CAPTURE(guess);
    Newton newton;
    Vec z = Eigen::Vector2d(guess, 1);
    REQUIRE(newton.solve(
        residual, z, [] {}, divide));
    CHECK(greatest(z - Vec::Ones(2)) < 1e-15);
  }
}

TEST_CASE("Newton's method reports the residual where there is no solution or no finite number") {
  Newton newton;
  Vec z = Vec::Zero(1);
  CHECK(!newton.solve([](const Vec& x, Vec& r) { r = (x.array().square() + 1).matrix(); }, z));
  CHECK(newton.failure().find(" Newton iterations") != std::string::npos);
  CHECK(newton.failure().find("residual ") == 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(!newton.solve([&](const Vec& x, Vec& r) { r = Vec::Constant(x.size(), nan); }, z));
  CHECK(newton.failure() == "the residual of Newton's iteration is not finite");
}

TEST_CASE("Newton's method gives the same bits from the same guess") {
  Newton newton;
  const auto residual = [](const Vec& x, Vec& r) { r = x - 50 * x.array().cos().matrix(); };
  Vec first = Vec::Ones(2), second = Vec::Ones(2), other = Vec::Zero(5);
  REQUIRE(newton.solve(residual, first));
  newton.solve(residual, other);
  REQUIRE(newton.solve(residual, second));
  CHECK(first == second);
}
