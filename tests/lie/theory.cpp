// Comparisons with the numbers of tests/reference/theory_checks.json, which come from 50-digit arithmetic
// and are printed with 22 digits.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lie/samples.hpp"

using namespace torsor;
using nlohmann::json;

namespace {

const json& checks() {
  static const json all = json::parse(std::ifstream(TORSOR_TESTS "/reference/theory_checks.json"));
  return all.at("checks");
}

template <int rows, int cols>
Matrix<double, rows, cols> matrix(const json& entry) {
  Matrix<double, rows, cols> M;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j)
      M(i, j) = cols == 1 ? entry.at(i).get<double>() : entry.at(i).at(j).get<double>();
  }
  return M;
}

/// Agreement to 1e-12 relative to the greatest entry, or absolute where all entries are zero.
template <class A, class B>
bool agree(const A& a, const B& b) {
  const double scale = greatest(dense(b));
  return distance(a, b) < 1e-12 * (scale == 0 ? 1. : scale);
}

template <class G>
void check_left_and_right(const json& entry, const typename G::Tangent& xi) {
  constexpr int n = G::dof;
  const auto table = [&](const char* key) { return matrix<n, n>(entry.at(key)); };
  CHECK(agree(G::dexp_right(xi), table("dexp")));
  CHECK(agree(G::dexp(xi), table("dexp_left")));
  CHECK(agree(G::dexp_inv_right(xi), table("dexpinv")));
  CHECK(agree(G::dexp_inv(xi), table("dexpinv_left")));
}

}  // namespace

TEST_CASE("rotations agree with the table [so3]") {
  using G = SO3<>;
  for (const json& entry : checks().at("so3").at("cases")) {
    const Vec3 w = matrix<3, 1>(entry.at("w"));
    CAPTURE(w.norm());
    const Mat3 R = matrix<3, 3>(entry.at("R"));
    CHECK(agree(G::exp(w).matrix(), R));
    CHECK(agree(G::exp(w).log(), matrix<3, 1>(entry.at("log"))));
    CHECK(agree(G::from_matrix(R).log(), matrix<3, 1>(entry.at("log"))));
    check_left_and_right<G>(entry, w);
    CHECK(agree(G::cay(w).matrix(), matrix<3, 3>(entry.at("cay"))));
    CHECK(agree(G::dcay_right(w), matrix<3, 3>(entry.at("dcay"))));
    CHECK(agree(G::dcay(w), matrix<3, 3>(entry.at("dcay_left"))));
    CHECK(agree(G::dcay_inv_right(w), matrix<3, 3>(entry.at("dcayinv"))));
    CHECK(agree(G::dcay_inv(w), matrix<3, 3>(entry.at("dcayinv_left"))));
  }
}

TEST_CASE("the coefficients agree with the table [so3]") {
  for (const json& entry : checks().at("so3").at("cases")) {
    const double x = matrix<3, 1>(entry.at("w")).squaredNorm();
    const auto [a, b, c, q2, q3, e, d] =
        series::coefficients<series::A, series::B, series::C, series::Q2, series::Q3, series::E, series::D>(
            x);
    const json& table = entry.at("coef");
    CHECK(std::abs(a - table.at("a").get<double>()) <
          1e-12);  // sin(t)/t vanishes near pi, where t is rounded
    CHECK(b == doctest::Approx(table.at("b").get<double>()).epsilon(1e-12).scale(0));
    CHECK(c == doctest::Approx(table.at("c").get<double>()).epsilon(1e-12).scale(0));
    CHECK(q2 == doctest::Approx(table.at("q2").get<double>()).epsilon(1e-12).scale(0));
    CHECK(q3 == doctest::Approx(table.at("q3").get<double>()).epsilon(1e-12).scale(0));
    CHECK(e == doctest::Approx(table.at("e").get<double>()).epsilon(1e-12).scale(0));
    CHECK(d == doctest::Approx(table.at("d").get<double>()).epsilon(1e-12).scale(0));
  }
}

TEST_CASE("motions agree with the table [se3]") {
  using G = SE3<>;
  for (const json& entry : checks().at("se3").at("cases")) {
    const Vector<double, 6> xi = matrix<6, 1>(entry.at("xi"));
    CAPTURE(xi);
    const G g = G::exp(xi), c = G::cay(xi);
    CHECK(agree(g.R.matrix(), matrix<3, 3>(entry.at("R"))));
    CHECK(agree(g.p, matrix<3, 1>(entry.at("x"))));
    CHECK(agree(g.log(), xi));
    CHECK(agree(G::ad(xi), matrix<6, 6>(entry.at("ad"))));
    CHECK(agree(g.Ad(), matrix<6, 6>(entry.at("Ad"))));
    const Mat3 Q = G::dexp_right(xi).topRightCorner<3, 3>();
    CHECK(agree(Q, matrix<3, 3>(entry.at("Q"))));
    check_left_and_right<G>(entry, xi);
    CHECK(agree(c.R.matrix(), matrix<3, 3>(entry.at("cay_R"))));
    CHECK(agree(c.p, matrix<3, 1>(entry.at("cay_x"))));
  }
}

TEST_CASE("products, brackets and their transposes agree with the table [se3]") {
  using G = SE3<>;
  const json& entry = checks().at("se3").at("product");
  const Vector<double, 6> xi = matrix<6, 1>(entry.at("xi_a")), eta = matrix<6, 1>(entry.at("xi_b"));
  const Vector<double, 6> covector = matrix<6, 1>(entry.at("covector"));
  const G a = G::exp(xi), b = G::exp(eta);
  CHECK(agree((a * b).R.matrix(), matrix<3, 3>(entry.at("R"))));
  CHECK(agree((a * b).p, matrix<3, 1>(entry.at("x"))));
  CHECK(agree(a.inverse().R.matrix(), matrix<3, 3>(entry.at("inv_a_R"))));
  CHECK(agree(a.inverse().p, matrix<3, 1>(entry.at("inv_a_x"))));
  CHECK(agree(G::ad(xi, eta), matrix<6, 1>(entry.at("bracket"))));
  CHECK(agree(G::ad_transpose(xi, covector), matrix<6, 1>(entry.at("adT_a_covector"))));
  CHECK(agree(a.Ad_transpose(covector), matrix<6, 1>(entry.at("AdT_a_covector"))));
}

TEST_CASE("the direct product agrees with the table [r3xso3]") {
  const json& entry = checks().at("r3xso3");
  const Vector<double, 6> xi = matrix<6, 1>(entry.at("xi_a")), eta = matrix<6, 1>(entry.at("xi_b"));
  const DirectProduct a = DirectProduct::exp(xi), product = a * DirectProduct::exp(eta);
  CHECK(agree(a.get<1>().matrix(), matrix<3, 3>(entry.at("exp_R"))));
  CHECK(agree(a.get<0>().p, matrix<3, 1>(entry.at("exp_x"))));
  CHECK(agree(product.get<1>().matrix(), matrix<3, 3>(entry.at("product_R"))));
  CHECK(agree(product.get<0>().p, matrix<3, 1>(entry.at("product_x"))));
  CHECK(agree(DirectProduct::ad(xi, eta), matrix<6, 1>(entry.at("bracket"))));
  CHECK(agree(DirectProduct::dexp(xi), matrix<6, 6>(entry.at("dexp_left"))));
}

namespace {

/// Checks that the structure coefficients have all listed values and no other nonzero value.
template <class G>
void check_structure_coefficients(const json& entry) {
  CHECK(entry.at("nonzero").size() == entry.at("count").get<std::size_t>());
  auto c = structure_coefficients<G>();
  for (const json& row : entry.at("nonzero")) {
    double& listed = c[row.at(0).get<int>() - 1][row.at(1).get<int>() - 1][row.at(2).get<int>() - 1];
    CHECK(listed == row.at(3).get<double>());
    listed = 0;
  }
  for (const auto& of_k : c) {
    for (const auto& of_i : of_k) {
      for (double rest : of_i) CHECK(rest == 0);
    }
  }
}

}  // namespace

TEST_CASE("structure coefficients agree with the tables [structure_constants]") {
  check_structure_coefficients<DirectProduct>(checks().at("structure_constants.direct"));
  check_structure_coefficients<SE3<>>(checks().at("structure_constants.semidirect"));
}
