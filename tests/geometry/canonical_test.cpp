#include "torsor/geometry/canonical.hpp"

#include "geometry/random_fields.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/lie/se2.hpp"

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

}  // namespace

TEST_CASE_TEMPLATE("torsion and curvature of the canonical connections", G, SO3<>, SE2<>, SE3<>, Direct) {
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
