#include "torsor/geometry/christoffel.hpp"

#include "geometry/check_curvature.hpp"
#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/lie/pack.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

auto body_frame_connection(const Mat3& inertia) {
  return christoffel(LeftInvariantFrame<SO3<>>(), Constant{inertia});
}

}  // namespace

TEST_CASE(
    "so3.christoffel.principal, so3.christoffel.full: affinities, curvature and bias in the body frame "
    "agree") {
  const auto canonical = canonical_connection<SO3<>>();
  for (const char* id : {"so3.christoffel.principal", "so3.christoffel.full"}) {
    CAPTURE(id);
    const json& entry = reference(id);
    const Mat3 inertia = matrix<3>(entry.at("inertia"));
    const Vec3 w = vector<3>(entry.at("omega"));
    const SO3<> g = random_element<SO3<>>();
    const auto Gamma = body_frame_connection(inertia);
    CHECK(agree(Gamma.affinities(g), tensor3<3>(entry.at("Gamma"))));
    check_curvature(curvature(Gamma, g), entry);
    CHECK(agree(non_metricity(canonical, Constant{inertia}, g), tensor3<3>(entry.at("canonical_Dg"))));
    const Vec3 bias = vector<3>(entry.at("bias"));
    CHECK(agree(newton_equations(Gamma, Constant{inertia}, g, w).bias, bias));
    CHECK(agree(newton_equations(canonical, Constant{inertia}, g, w).bias, bias));
  }
}

TEST_CASE("so3.christoffel.example: curvature and symbols follow the formulas of principal inertias") {
  const json& entry = reference("so3.christoffel.example");
  const Vec3 principal = vector<3>(entry.at("inertia"));
  const double a = principal[0], b = principal[1], c = principal[2];
  const auto Gamma = body_frame_connection(principal.asDiagonal());
  const auto R = curvature(Gamma, SO3<>());
  CHECK(R(0, 1, 1, 0) == doctest::Approx(entry.at("R1_221").get<double>()).epsilon(1e-12));
  CHECK(R(0, 1, 0, 1) == doctest::Approx(entry.at("R1_212").get<double>()).epsilon(1e-12));
  const double formula = (a - b + c) * (-a + b + c) / (4 * c * a) - (a + b - c) / (2 * a);
  CHECK(R(0, 1, 1, 0) == doctest::Approx(formula).epsilon(1e-12));
  const auto L = Gamma.affinities(SO3<>());
  CHECK(L(0, 1, 2) == doctest::Approx((a - b + c) / (2 * a)).epsilon(1e-12));
  CHECK(L(0, 2, 1) == doctest::Approx((-a - b + c) / (2 * a)).epsilon(1e-12));
}

TEST_CASE("equal inertias give affinities of half the structure coefficients and the curvature 1/4") {
  const auto Gamma = body_frame_connection(1.7 * Mat3::Identity());
  const auto zero = canonical_connection<SO3<>>(Canonical::zero);
  CHECK(agree(Gamma.affinities(SO3<>()), zero.affinities(SO3<>())));
  CHECK(curvature(Gamma, SO3<>())(0, 1, 0, 1) == doctest::Approx(0.25).epsilon(1e-14));
}

namespace {

void check_koszul() {
  const SE3<> g = random_element<SE3<>>();
  const LeftInvariantFrame<SE3<>> frame;
  const auto metric = random_metric_field<6>(g);
  const auto G = christoffel(frame, metric).affinities(g);
  const auto c = frame.structure_coefficients(g);
  const auto at_g = metric(g);
  const auto d = frame_derivatives(frame, g, metric);
  double worst = 0;
  for (int i = 0; i < 6; ++i) {
    const Matrix<double, 6> lowered = at_g * G.along(i);  // g(nabla_i e_j, e_l) at (l, j)
    for (int j = 0; j < 6; ++j) {
      for (int l = 0; l < 6; ++l) {
        const auto of = [&](int k) { return d[k]; };
        const auto inner = [&](int a, int x, int y) { return at_g.col(a).dot(c.along(x).col(y)); };
        const double twice =
            of(i)(j, l) + of(j)(i, l) - of(l)(i, j) + inner(l, i, j) - inner(i, j, l) + inner(j, l, i);
        worst = greatest(worst, 2 * lowered(l, j) - twice);
      }
    }
  }
  CHECK(worst < 1e-12);
}

}  // namespace

TEST_CASE("the Christoffel connection obeys Koszul's formula") {
  for (int draw = 0; draw < 3; ++draw) check_koszul();
}

TEST_CASE("a flat metric has no curvature in any frame") {
  const Vec3 q = frame3::point();
  const auto flat = []<class S>(const Vector<S, 3>& at) {
    const Matrix<S, 3> E = frame3::basis(at);
    return Matrix<S, 3>(E.transpose() * E);
  };
  const auto Gamma = christoffel(frame3::frame, flat);
  CHECK(greatest(Gamma.affinities(q)) > 0.1);
  CHECK(greatest(curvature(Gamma, q)) < 1e-13);
}

TEST_CASE("each lane of a pack gives the affinities of doubles") {
  Vector<Pack, 3> q;
  for (int i = 0; i < 3; ++i) q[i] = Pack([&](auto l) { return 0.1 * double(l) - 0.2 * i; });
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  const auto packed = Gamma.affinities(q);
  for (int l = 0; l < lanes<Pack>; ++l) {
    const auto single = Gamma.affinities(Vec3(lane(q[0], l), lane(q[1], l), lane(q[2], l)));
    for (int i = 0; i < single.flat().size(); ++i)
      CHECK(lane(packed.flat()[i], l) == doctest::Approx(single.flat()[i]).epsilon(1e-14));
  }
}
