#include "torsor/geometry/canonical.hpp"

#include "geometry/random_fields.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/semidirect_product.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

template <class G>
void check_member(Canonical member, double torsion_factor, double curvature_factor) {
  const auto connection = canonical_connection<G>(member);
  const G g = random_element<G>();
  const auto c = connection.frame.structure_coefficients(g);
  CHECK(agree(torsion(connection, g), torsion_factor * c, 1e-15));
  const auto R = curvature(connection, g);
  double worst = 0;
  for (int k = 0; k < G::dof; ++k) {
    for (int l = 0; l < G::dof; ++l) {
      const typename G::Square ad_bracket = G::ad(typename G::Tangent(c.along(k).col(l)));
      worst = greatest(worst, R.along(k, l) - curvature_factor * ad_bracket);
    }
  }
  CHECK(worst < 1e-15);
}

template <class G>
typename G::Square killing_form_of() {
  return killing_form(LeftInvariantFrame<G>::structure_coefficients(G()));
}
Mat3 bi_invariant() { return -0.5 * killing_form_of<SO3<>>(); }

/// The greatest difference between the canonical connection (0) and the Christoffel connection of an inertia.
template <class G>
double zero_less_christoffel(const typename G::Square& inertia) {
  const auto zero = canonical_connection<G>(Canonical::zero);
  return greatest(zero.affinities(G()) - christoffel(zero.frame, Constant{inertia}).affinities(G()));
}

}  // namespace

TEST_CASE_TEMPLATE("torsion and curvature of the canonical connections", G, SO3<>, SE2<>, SE3<>, Direct,
                   SE23<>, SGal3<>) {
  check_member<G>(Canonical::minus, -1, 0);
  check_member<G>(Canonical::zero, 0, -0.25);
  check_member<G>(Canonical::plus, 1, 0);
}

TEST_CASE(
    "the (+) connection keeps spatial fields parallel, the (-) connection keeps left-invariant fields "
    "parallel") {
  using G = SE3<>;
  const G g = random_element<G>();
  const auto u = random_vector<6>();
  const auto spatial = [u](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return at.inverse().Ad(Vector<S, 6>(u.cast<S>()));
  };
  const auto plus = canonical_connection<G>(), minus = canonical_connection<G>(Canonical::minus);
  for (int i = 0; i < 6; ++i) {
    const Vector<double, 6> e_i = Vector<double, 6>::Unit(i);
    CHECK(greatest(derivative_along(plus.frame, g, e_i, spatial) + plus.affinities(g)(e_i, spatial(g))) <
          1e-14);
    CHECK(greatest(minus.affinities(g)(e_i, u)) == 0);
  }
}

TEST_CASE(
    "basis_change.direct_semidirect: the semi-direct connection in the direct basis agrees with the "
    "reference") {
  const json& table = reference("basis_change.direct_semidirect");
  const SE3<> g(SO3<>::from_matrix(matrix<3>(table.at("R"))), Vec3(random_vector<3>()));
  const auto direct =
      in_basis(canonical_connection<SE3<>>(), [](const auto& at) { return direct_basis(at.R); });
  CHECK(agree(direct.affinities(g), tensor3<6>(table.at("Lambda"))));
  CHECK(agree(direct.frame.structure_coefficients(g),
              LeftInvariantFrame<Direct>::structure_coefficients(Direct())));
  CHECK(greatest(curvature(direct, g)) < 1e-14);
}

TEST_CASE("the Killing form of SO(3) gives the bi-invariant metric of the rotations, -tr / 2") {
  const Mat3 g = bi_invariant();
  CHECK(greatest(Mat3(g - Mat3::Identity())) == 0);
  for (int sample = 0; sample < 10; ++sample) {
    const Vec3 Omega = random_vector<3>(), other = random_vector<3>();
    CHECK(Omega.dot(g * other) == doctest::Approx(-(skew(Omega) * skew(other)).trace() / 2).epsilon(1e-14));
    const SO3<> R = random_element<SO3<>>();
    CHECK(std::abs(R.Ad(Omega).dot(g * R.Ad(other)) - Omega.dot(g * other)) < 1e-14);
  }
}

TEST_CASE_TEMPLATE("the Killing form is symmetric and invariant under Ad", G, SO3<>, SE2<>, SE3<>, Direct) {
  const typename G::Square B = killing_form_of<G>();
  CHECK(greatest(typename G::Square(B - B.transpose())) == 0);
  for (int sample = 0; sample < 10; ++sample) {
    const typename G::Square Ad = random_element<G>().Ad();
    CHECK(greatest(typename G::Square(Ad.transpose() * B * Ad - B)) < 1e-13);
  }
}

TEST_CASE("the Killing form is a tensor") {
  const Mat3 A = random_metric<3>();  // columns are the vectors of another basis of the algebra of SO(3)
  const auto c = LeftInvariantFrame<SO3<>>::structure_coefficients(SO3<>());
  Tensor3<double, 3> in_basis;
  for (int i = 0; i < 3; ++i) in_basis.along(i) = solve(A, Mat3(c.along(Vec3(A.col(i))) * A));
  CHECK(agree(killing_form(in_basis), Mat3(A.transpose() * killing_form_of<SO3<>>() * A)));
}

TEST_CASE("the Killing form of a rigid body vanishes on translations; on SE(3) it is twice that of SO(3)") {
  Matrix<double, 6> expected = Matrix<double, 6>::Zero();
  expected.bottomRightCorner<3, 3>() = -2 * Mat3::Identity();
  CHECK(greatest(Matrix<double, 6>(killing_form_of<Direct>() - expected)) == 0);
  CHECK(greatest(Matrix<double, 6>(killing_form_of<SE3<>>() - 2 * expected)) == 0);
}

TEST_CASE("the nearest multiple of a metric does not depend on the basis, and no other one is nearer") {
  const Mat3 g = random_metric<3>(), b = random_metric<3>(), A = random_metric<3>();
  const auto found = nearest_multiple(g, b);
  const auto elsewhere = nearest_multiple<double, 3>(A.transpose() * g * A, A.transpose() * b * A);
  CHECK(elsewhere.factor == doctest::Approx(found.factor).epsilon(1e-12));
  CHECK(elsewhere.distance == doctest::Approx(found.distance).epsilon(1e-12));
  const auto squared = [](const Mat3& M) { return (M * M).trace(); };
  const Mat3 map = solve(b, g);
  const auto distance = [&](double factor) {
    return std::sqrt(squared(map - factor * Mat3::Identity()) / squared(map));
  };
  CHECK(found.distance == doctest::Approx(distance(found.factor)).epsilon(1e-12));
  for (double other : {0.99, 1.01}) CHECK(distance(other * found.factor) > found.distance);
  CHECK(nearest_multiple<double, 3>(0.7 * b, b).factor == doctest::Approx(0.7).epsilon(1e-13));
  CHECK(nearest_multiple<double, 3>(0.7 * b, b).distance < 1e-13);
  CHECK(nearest_multiple<double, 3>(0 * b, b).distance == 0);
  CHECK(std::isnan(nearest_multiple<double, 3>(std::nan("") * g, b).distance));
}

TEST_CASE("a spherical inertia is a multiple of -B/2, and (0) is then its Christoffel connection") {
  const Mat3 ball = 0.7 * Mat3::Identity(), other = Vec3(2, 3, 4).asDiagonal();
  CHECK(nearest_multiple(ball, bi_invariant()).factor == doctest::Approx(0.7).epsilon(1e-15));
  CHECK(nearest_multiple(ball, bi_invariant()).distance < 1e-15);
  CHECK(zero_less_christoffel<SO3<>>(ball) < 1e-15);
  CHECK(greatest(non_metricity(canonical_connection<SO3<>>(), Constant{ball}, SO3<>())) < 1e-15);
  CHECK(nearest_multiple(other, bi_invariant()).factor == doctest::Approx(3).epsilon(1e-15));
  CHECK(nearest_multiple(other, bi_invariant()).distance == doctest::Approx(std::sqrt(2. / 29)));
  CHECK(zero_less_christoffel<SO3<>>(other) == doctest::Approx((4. - 2) / (2 * 3)));  // (I3 - I1) / (2 I2)
  // The kinetic metric of a ball is bi-invariant on the direct product. SE(3) has no bi-invariant metric.
  const Matrix<double, 6> body = rigid_body_inertia<double>(2, Vec3::Zero(), ball);
  CHECK(zero_less_christoffel<Direct>(body) < 1e-15);
  CHECK(zero_less_christoffel<SE3<>>(body) > 0.4);
}
