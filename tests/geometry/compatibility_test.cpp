#include "torsor/geometry/compatibility.hpp"

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/geometry/rigid_body.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

/// A random tensor that is antisymmetric in the last two indices.
template <int n>
Tensor3<double, n> random_sigma() {
  const auto t = random_tensor3<n>();
  Tensor3<double, n> s;
  for (int a = 0; a < n; ++a) {
    for (int i = 0; i < n; ++i) {
      for (int b = 0; b < n; ++b) s(a, i, b) = t(a, i, b) - t(a, b, i);
    }
  }
  return s;
}

/// q = (a1, a2 + a1^2/2, a1 a2/3).
constexpr auto surface_point = []<class S>(const Vector<S, 2>& a) {
  return Vector<S, 3>(a[0], a[1] + a[0] * a[0] / S(2), a[0] * a[1] / S(3));
};

}  // namespace

TEST_CASE(
    "constrained.strong_compatibility: projections of Levi-Civita and Levi-Civita + S match the table") {
  const json& table = reference("constrained.strong_compatibility");
  const Vector<double, 2> a = vector<2>(table.at("a"));
  const auto inclusion = embedding<3, 2>(surface_point);
  CHECK(agree(inclusion.basis(a), matrix<3, 2>(table.at("N"))));
  CHECK(agree(frame3::metric(surface_point(a)), matrix<3>(table.at("h"))));
  CHECK(agree(induced_metric(inclusion, frame3::metric)(a), matrix<2>(table.at("g"))));

  const auto Gamma = christoffel(CoordinateFrame<3>(), frame3::metric);
  const auto strong = strong_connection(inclusion, Gamma, frame3::metric).affinities(a);
  CHECK(agree(strong, tensor3<2>(table.at("Lambda_case0"))));
  const auto induced = christoffel(CoordinateFrame<2>(), induced_metric(inclusion, frame3::metric));
  CHECK(agree(induced.affinities(a), strong));

  const auto S = Constant{tensor3<3>(frame3::table().at("S"))};
  const Connection with_S{CoordinateFrame<3>(), [=](const auto& q) { return Gamma.affinities(q) + S(q); }};
  CHECK(agree(strong_connection(inclusion, with_S, frame3::metric).affinities(a),
              tensor3<2>(table.at("Lambda_case1"))));
}

TEST_CASE("connection.weak_family: members of the weak family share the bias of the reference") {
  const json& table = reference("connection.weak_family");
  const Vec3 q = frame3::point(), v = vector<3>(frame3::table().at("v"));
  const auto Gamma = christoffel(frame3::frame, frame3::metric).affinities(q);
  const auto member = weak_member(Gamma, frame3::metric(q), tensor3<3>(table.at("s")));
  CHECK(agree(member, tensor3<3>(table.at("Lambda"))));
  const auto bias_of = [&](const Tensor3<double, 3>& L) {
    return newton_equations(Connection{frame3::frame, Constant{L}}, frame3::metric, q, v).bias;
  };
  CHECK(agree(bias_of(member), vector<3>(table.at("bias"))));
  CHECK(agree(bias_of(Gamma), vector<3>(frame3::table().at("bias_Gamma"))));
  const auto S = tensor3<3>(frame3::table().at("S"));
  CHECK(agree(bias_of(Gamma + S), vector<3>(frame3::table().at("bias_Lambda"))));
  CHECK(greatest(weak_residual(Gamma + S, Gamma, frame3::metric(q))) > 0.1);
}

TEST_CASE("the weak residual vanishes only for members of the weak family") {
  const auto strong = random_tensor3<4>();
  const auto g = random_metric<4>();
  const auto member = weak_member(strong, g, random_sigma<4>());
  CHECK(compatibility(member, strong, g).weak < 1e-15);
  CHECK(compatibility(member, strong, g).strong > 1e-2);
  CHECK(compatibility(strong, strong, g).strong == 0);
  CHECK(compatibility(Tensor3<double, 4>(), Tensor3<double, 4>(), g).weak == 0);

  auto other = member;
  other(2, 1, 3) += 1e-3;
  CHECK(compatibility(other, strong, g).weak > 1e-5);
}

TEST_CASE(
    "the projected connection on a distribution is metric and torsion-free with respect to projected "
    "brackets") {
  const auto q = random_vector<4>();
  const CoordinateFrame<4> chart;
  const auto metric = random_metric_field<4>(q);
  const RandomField<4, 2> N(Matrix<double, 4, 2>::Identity(), q);
  const Inclusion inclusion{distribution<2>(chart, N, metric), [](const auto& at) { return at; }, N};
  const auto strong = strong_connection(inclusion, christoffel(chart, metric), metric);
  CHECK(greatest(torsion(strong, q)) < 1e-13);
  CHECK(greatest(non_metricity(strong, induced_metric(inclusion, metric), q)) < 1e-13);
}

TEST_CASE("the canonical connection is weakly compatible with every left-invariant metric") {
  using G = SE3<>;
  const G g = random_element<G>();
  const Constant metric{random_metric<6>()};
  const auto Gamma = christoffel(LeftInvariantFrame<G>(), metric).affinities(g);
  const auto weak = [&](Canonical member) {
    return compatibility(canonical_connection<G>(member).affinities(g), Gamma, metric(g)).weak;
  };
  CHECK(weak(Canonical::plus) < 1e-14);
  CHECK(weak(Canonical::zero) > 1e-2);
  CHECK(weak(Canonical::minus) > 1e-2);
}

TEST_CASE("direct and semi-direct connections of a rigid body are in the same weak family") {
  const SE3<> g = random_element<SE3<>>();
  const auto inertia = rigid_body_inertia(1.3, Vec3(Vec3::Zero()), random_metric<3>());
  const auto semi =
      in_basis(canonical_connection<SE3<>>(), [](const auto& at) { return direct_basis(at.R); });
  const auto direct = LeftInvariantFrame<Direct>::structure_coefficients(Direct());
  CHECK(greatest((semi.affinities(g) - direct).flat()) > 0.1);
  CHECK(compatibility(semi.affinities(g), direct, inertia).weak < 1e-15);
}
