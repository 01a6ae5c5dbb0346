#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lie/samples.hpp"

using namespace torsor;

namespace {

/// Elements from the hard samples.
template <class G>
std::vector<G> elements() {
  std::vector<G> all;
  for (const auto& sample : hard_samples<G>()) all.push_back(G::exp(sample.xi));
  return all;
}
template <class G>
G element() {
  return G::exp(Direction<G>::random());
}
template <class G>
double size_of(const G& g) {
  return 1 + greatest(dense(g));
}

}  // namespace

TEST_CASE_TEMPLATE("the group axioms hold", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct, SE23<>,
                   SGal3<>) {
  for (const G& g : elements<G>()) {
    const G h = element<G>(), k = element<G>();
    const double tolerance = 4e-15 * size_of(g);
    CHECK(distance((g * h) * k, g * (h * k)) < tolerance);
    CHECK(distance(g * G::identity(), g) == 0);
    CHECK(distance(G::identity() * g, g) == 0);
    CHECK(distance(g * g.inverse(), G::identity()) < tolerance);
    CHECK(distance(g.inverse() * g, G::identity()) < tolerance);
  }
}

TEST_CASE_TEMPLATE("products of elements agree with products of their matrices", G, SO2<>, SO3<>, SE2<>,
                   SE3<>, Rn<4>, DirectProduct, SE23<>, SGal3<>) {
  for (const G& g : elements<G>()) {
    const G h = element<G>();
    CHECK(distance(dense(g * h), dense(g) * dense(h)) < 4e-15 * size_of(g));
  }
}

TEST_CASE_TEMPLATE("actions on points compose as the elements do", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   SE23<>, SGal3<>) {
  for (const G& g : elements<G>()) {
    const G h = element<G>();
    typename G::Point p;
    for (double& x : p) x = uniform();
    const double tolerance = 8e-15 * size_of(g);
    CHECK(distance((g * h) * p, g * (h * p)) < tolerance);
    CHECK(distance(g.inverse() * (g * p), p) < tolerance);
  }
}

TEST_CASE("every comparison with a distance fails if a number is not finite") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const Vec3 a(1, bad, 3), b(1, 2, 3);
    CHECK_FALSE(distance(a, b) < 1e300);
    CHECK_FALSE(distance(b, a) < 1e300);
    CHECK_FALSE(distance(a, b) > 0);
    CHECK_FALSE(distance(a, a) > 0);
  }
}

TEST_CASE("a product acts factor by factor") {
  const DirectProduct g = element<DirectProduct>();
  const auto moved = g * DirectProduct::Point(Vec3(1, 2, 3), Vec3(4, 5, 6));
  CHECK(distance(std::get<0>(moved), Vec3(g.get<0>().p + Vec3(1, 2, 3))) == 0);
  CHECK(distance(std::get<1>(moved), g.get<1>() * Vec3(4, 5, 6)) == 0);
}

TEST_CASE("the factors of a long product keep their positions") {
  using G = Product<SE3<>, SO2<>, Rn<2>>;
  const G::Tangent xi = Direction<G>::random();
  const G g = G::exp(xi);
  CHECK(distance(g.get<0>(), SE3<>::exp(G::part<0>(xi))) == 0);
  CHECK(distance(g.get<1>(), SO2<>::exp(SO2<>::Tangent(xi[6]))) == 0);
  CHECK(distance(g.get<2>().p, Vector<double, 2>(xi[7], xi[8])) == 0);
  std::array<double, G::nq> stored;
  g.to(stored.data());
  CHECK(stored[7] == g.get<1>().cos());
  CHECK(stored[10] == xi[8]);
  CHECK(distance(G::from(stored.data()).log(), g.log()) == 0);
  CHECK(distance(g.log(), xi) < 4e-15);
}

TEST_CASE_TEMPLATE("stored numbers give back the element", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  for (const G& g : elements<G>()) {
    std::array<double, G::nq> stored, again;
    g.to(stored.data());
    G::from(stored.data()).to(again.data());
    CHECK(stored == again);
    CHECK(distance(G::from(stored.data()), g) == 0);
  }
}

TEST_CASE_TEMPLATE("normalized removes the defect and keeps the rotation", G, SO2<>, SO3<>, SE2<>, SE3<>,
                   DirectProduct, SE23<>, SGal3<>) {
  const G g = element<G>();
  std::array<double, G::nq> stored, scaled, normalized;
  g.to(stored.data());
  CHECK(g.defect() < 4e-16);
  for (std::size_t i = 0; i < stored.size(); ++i) scaled[i] = 1.01 * stored[i];
  const G off = G::from(scaled.data());
  CHECK(off.defect() == doctest::Approx(0.01).epsilon(1e-10));
  CHECK(off.normalized().defect() < 4e-16);
  off.normalized().to(normalized.data());
  for (std::size_t i = 0; i < stored.size(); ++i) {  // translations stay scaled
    const double deviation =
        std::min(std::abs(normalized[i] - stored[i]), std::abs(normalized[i] - scaled[i]));
    CHECK(deviation < 4e-16 * std::max(1., std::abs(scaled[i])));
  }
}

TEST_CASE_TEMPLATE("Ad is conjugation and a representation", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  for (const G& g : elements<G>()) {
    const G h = element<G>();
    const typename G::Tangent xi = Direction<G>::random(), eta = Direction<G>::random();
    const double size = size_of(g), tolerance = 1e-14 * size;
    CHECK(distance(dense(G::hat(g.Ad(xi))) * dense(g), dense(g) * dense(G::hat(xi))) < tolerance);
    CHECK(distance(dense(g.Ad()) * dense(xi), dense(g.Ad(xi))) < tolerance);
    CHECK(distance(dense((g * h).Ad()), dense(g.Ad()) * dense(h.Ad())) < tolerance);
    CHECK(distance(g.Ad(G::ad(xi, eta)), G::ad(g.Ad(xi), g.Ad(eta))) < tolerance * size);
    CHECK(distance(dense(g.Ad_transpose(xi)), dense(g.Ad()).transpose() * dense(xi)) < tolerance);
  }
}

TEST_CASE_TEMPLATE("vee undoes hat", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct) {
  const typename G::Tangent xi = Direction<G>::random();
  CHECK(distance(G::vee(G::hat(xi)), xi) == 0);
}

TEST_CASE_TEMPLATE("ad is the commutator", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>, DirectProduct, SE23<>,
                   SGal3<>) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const typename G::Tangent xi = Direction<G>::random(), eta = Direction<G>::random();
    const Dense X = dense(G::hat(xi)), Y = dense(G::hat(eta)), ad = dense(G::ad(xi));
    CHECK(distance(dense(G::hat(G::ad(xi, eta))), X * Y - Y * X) < 1e-15);
    CHECK(distance(ad * dense(eta), dense(G::ad(xi, eta))) < 1e-15);
    CHECK(distance(dense(G::ad_transpose(xi, eta)), ad.transpose() * dense(eta)) < 1e-15);
    const Dense ad_eta = dense(G::ad(eta));
    CHECK(distance(dense(G::ad(G::ad(xi, eta))), ad * ad_eta - ad_eta * ad) < 4e-15);  // Jacobi
  }
}

TEST_CASE_TEMPLATE("structure coefficients expand the bracket", G, SO2<>, SO3<>, SE2<>, SE3<>, Rn<4>,
                   DirectProduct, SE23<>, SGal3<>) {
  const auto c = structure_coefficients<G>();
  const typename G::Tangent xi = Direction<G>::random(), eta = Direction<G>::random(),
                            bracket = G::ad(xi, eta);
  for (int k = 0; k < G::dof; ++k) {
    double sum = 0;
    for (int i = 0; i < G::dof; ++i) {
      for (int j = 0; j < G::dof; ++j) {
        sum += c[k][i][j] * xi[i] * eta[j];
        CHECK(c[k][i][j] == -c[k][j][i]);
      }
    }
    CHECK(sum == doctest::Approx(bracket[k]).epsilon(1e-14));
  }
}

TEST_CASE("the defect of a product is the greatest of its factors, and NaN if any of them is") {
  using Pair = Product<SO3<>, SO3<>>;
  const double exact[] = {0, 0, 0, 1, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    std::array<double, Pair::nq> q;
    std::copy(exact, exact + 8, q.begin());
    q[i] = 2;
    CHECK(Pair::from(q.data()).defect() > 0.5);
    q[i] = std::nan("");
    CHECK(std::isnan(Pair::from(q.data()).defect()));
  }
}
