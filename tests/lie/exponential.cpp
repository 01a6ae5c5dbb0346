#include <doctest/doctest.h>

#include "lie/samples.hpp"

using namespace torsor;

namespace {

/// The left-trivialised derivative of exp as the series sum_k (-ad)^k / (k+1)!, which is the upper right
/// block of exp [-ad I; 0 0].
Dense dexp_by_series(const Dense& ad) {
  const auto n = ad.rows();
  Dense M = Dense::Zero(2 * n, 2 * n);
  M.topLeftCorner(n, n) = -ad;
  M.topRightCorner(n, n) = identity(static_cast<int>(n));
  return matrix_exp(M).topRightCorner(n, n);
}

/// Whether dexp is well conditioned for inversion: the rotation is not close to a full turn.
bool invertible(double angle) { return angle < 1 || std::abs(std::sin(angle / 2)) > 0.1; }

}  // namespace

TEST_CASE_TEMPLATE("exp is the exponential of the matrix", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const Dense series = matrix_exp(dense(G::hat(xi)));
    CHECK(distance(dense(G::exp(xi)), series) < 4e-15 * std::max(1 + angle, greatest(series)));
    CHECK(G::exp(xi).defect() < 1e-15);
  }
}

TEST_CASE_TEMPLATE("exp(t xi) is a one-parameter subgroup", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const G whole = G::exp(xi), inverse = whole.inverse();
    const double size = 1 + angle + greatest(dense(whole)) + greatest(dense(inverse));
    CHECK(distance(G::exp(0.25 * xi) * G::exp(0.75 * xi), whole) < 4e-15 * size);
    CHECK(distance(G::exp(-xi), inverse) < 4e-15 * size);
  }
}

TEST_CASE_TEMPLATE("exp commutes with conjugation", G, SO2<>, SO3<>, SE2<>, SE3<>, DirectProduct, SE23<>,
                   SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const G g = G::exp(Direction<G>::random());
    CHECK(distance(g * G::exp(xi) * g.inverse(), G::exp(g.Ad(xi))) < 2e-14 * (1 + angle));
    const Dense Ad = dense(G::exp(xi).Ad());
    CHECK(distance(Ad, matrix_exp(dense(G::ad(xi)))) < 1e-14 * (1 + angle + greatest(Ad)));
  }
}

TEST_CASE_TEMPLATE("log inverts exp below half a turn", G, SO2<>, SO3<>, SE2<>, SE3<>, DirectProduct, SE23<>,
                   SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    // The rotation part of xi has the length `angle` up to rounding.
    if (angle > (1 - 1e-15) * std::numbers::pi) continue;
    CAPTURE(angle);
    // Relative to the angle, because small motions must keep all their digits.
    CHECK(distance(G::exp(xi).log(), xi) <= 1e-14 * angle);
  }
}

TEST_CASE_TEMPLATE("exp inverts log", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct, SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const G g = G::exp(xi);
    CHECK(distance(G::exp(g.log()), g) < 1e-14 * (1 + angle));
  }
}

TEST_CASE_TEMPLATE("dexp is the derivative of exp", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct,
                   SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const double tolerance = 4e-15 * (1 + angle);
    const typename G::Tangent eta = Direction<G>::random();
    const Dense left = dense(G::dexp(xi)), ad = dense(G::ad(xi));
    CHECK(distance(left, dexp_by_series(ad)) < tolerance);
    CHECK(distance(dense(G::dexp_right(xi)), dexp_by_series(-ad)) < tolerance);
    CHECK(distance(dense(G::dexp(xi, eta)), left * dense(eta)) < tolerance);
    CHECK(distance(G::dexp_right(xi, eta), G::exp(xi).Ad(G::dexp(xi, eta))) < 4 * tolerance);
    CHECK(distance(dense(G::dexp_transpose(xi, eta)), left.transpose() * dense(eta)) < tolerance);
    CHECK(distance(G::dexp(xi, xi), xi) <= 1e-14 * angle * (1 + angle * angle));
  }
}

TEST_CASE_TEMPLATE("dexp_inv is the inverse of dexp", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct,
                   SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    if (!invertible(angle)) continue;
    CAPTURE(angle);
    const typename G::Tangent eta = Direction<G>::random();
    const Dense inverse = dense(G::dexp_inv(xi)), right = dense(G::dexp_right(xi));
    const double tolerance = 2e-14 * std::max(1 + angle * angle, greatest(inverse));
    CHECK(distance(dense(G::dexp(xi)) * inverse, identity(G::dof)) < tolerance);
    CHECK(distance(dense(G::dexp_inv_right(xi)) * right, identity(G::dof)) < tolerance);
    CHECK(distance(dense(G::dexp_inv(xi, eta)), inverse * dense(eta)) < tolerance);
    CHECK(distance(G::dexp_inv_right(xi, eta), G::dexp_inv(-xi, eta)) == 0);
    CHECK(distance(dense(G::dexp_inv_transpose(xi, eta)), inverse.transpose() * dense(eta)) < tolerance);
  }
}

TEST_CASE_TEMPLATE("interpolation follows the autoparallel", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    if (angle >= 3) continue;
    CAPTURE(angle);
    const G g = G::exp(Direction<G>::random()), h = g * G::exp(xi);
    CHECK(distance(difference(g, h), xi) < 1e-14);
    CHECK(distance(interpolate(g, h, 0.), g) < 1e-15);
    CHECK(distance(interpolate(g, h, 1.), h) < 4e-14);
    CHECK(distance(interpolate(g, h, 0.3), g * G::exp(0.3 * xi)) < 4e-14);
  }
}
