#include <doctest/doctest.h>

#include "lie/along.hpp"
#include "lie/samples.hpp"

using namespace torsor;

using D = Dual<double>;

TEST_CASE_TEMPLATE("cay is (I - X/2)^-1 (I + X/2)", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const Dense X = dense(G::hat(xi)), I = identity(G::matrix_size);
    const G g = G::cay(xi);
    CHECK(distance((I - X / 2) * dense(g), I + X / 2) < 1e-14 * (1 + angle) * (1 + angle));
    CHECK(g.defect() < 1e-15);
    CHECK(distance(G::cay(-xi), g.inverse()) < 1e-14 * (1 + angle));
    CHECK(distance(g.cay_inv(), xi) <= 1e-14 * angle * (1 + angle * angle));
  }
}

TEST_CASE_TEMPLATE("dcay_inv is the inverse of dcay", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const double tolerance = 1e-14 * (1 + angle) * (1 + angle);
    const typename G::Tangent eta = Direction<G>::random();
    const Dense left = dense(G::dcay(xi)), inverse = dense(G::dcay_inv(xi)), right = dense(G::dcay_right(xi));
    CHECK(distance(left * inverse, identity(G::dof)) < tolerance);
    CHECK(distance(dense(G::dcay_inv_right(xi)) * right, identity(G::dof)) < tolerance);
    CHECK(distance(dense(G::dcay(xi, eta)), left * dense(eta)) < tolerance);
    CHECK(distance(dense(G::dcay_inv(xi, eta)), inverse * dense(eta)) < tolerance);
    CHECK(distance(G::dcay_right(xi, eta), G::cay(xi).Ad(G::dcay(xi, eta))) < tolerance);
    CHECK(distance(G::dcay_inv_right(xi, eta), G::dcay_inv(-xi, eta)) == 0);
  }
}

TEST_CASE_TEMPLATE("dcay is the derivative of cay", G, SO2<>, SO3<>, SE2<>, SE3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const typename G::Tangent eta = Direction<G>::random();
    const auto g = G::template Over<D>::cay(test::along<G::dof>(xi, eta)).matrix();
    Dense rate(g.rows(), g.cols());
    for (int i = 0; i < rate.size(); ++i) rate(i) = g(i).derivative;
    const Dense expected = dense(G::cay(xi)) * dense(G::hat(G::dcay(xi, eta)));
    CHECK(distance(rate, expected) < 1e-14 * (1 + angle) * (1 + angle));
  }
}
