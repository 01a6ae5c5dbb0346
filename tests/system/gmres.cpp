#include "system/gmres.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace torsor::test {
namespace {

/// I + N / 10 with a dense N.
Eigen::MatrixXd near_identity(int n) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) += 0.1 * std::sin(1 + 3 * i + 7 * j);
  return A;
}

TEST_CASE("GMRES solves a system near the identity to its tolerance") {
  mechanics::Gmres gmres;
  for (const int n : {1, 4, 12}) {
    const Eigen::MatrixXd A = near_identity(n);
    const Vec b = Vec::LinSpaced(n, 1, 2);
    Vec x;
    gmres.solve([&](const Vec& u, Vec& out) { out = A * u; }, b, 1e-12, x);
    CHECK((A * x - b).norm() <= 1e-11 * b.norm());
    gmres.solve([&](const Vec& u, Vec& out) { out = A * u; }, Vec::Zero(n), 1e-12, x);
    CHECK(x == Vec::Zero(n));
  }
}

TEST_CASE("GMRES gives NaN if the right-hand side or a product with the matrix is not finite") {
  mechanics::Gmres gmres;
  const auto solution = [&](const Vec3& b, double image, int bad_call) {
    int calls = 0;
    Vec x;
    gmres.solve(
        [&](const Vec& u, Vec& out) {
          out = near_identity(3) * u;
          if (++calls == bad_call) out[1] = image;
        },
        b, 1e-12, x);
    return x;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf}) {
    CHECK(solution(Vec3(1, bad, 0), 0, 0).array().isNaN().all());
    CHECK(solution(Vec3(1, 2, 0), bad, 1).array().isNaN().all());
    CHECK(solution(Vec3(1, 2, 0), bad, 2).array().isNaN().all());
  }
}

}  // namespace
}  // namespace torsor::test
