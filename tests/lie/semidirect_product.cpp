#include <doctest/doctest.h>

#include "lie/samples.hpp"

using namespace torsor;

namespace {

using RotatedPoints = SemidirectProduct<Rn<3>, SO3<>, RotatedVectors>;
using RotatedPlanePoints = SemidirectProduct<Rn<2>, SO2<>, RotatedPlane>;

}  // namespace

TEST_CASE_TEMPLATE("the general semi-direct product agrees with SE(2) and SE(3)", G, RotatedPlanePoints,
                   RotatedPoints) {
  using Known = std::conditional_t<G::dof == 6, SE3<>, SE2<>>;
  for (const auto& [angle, xi] : hard_samples<Known>()) {
    CAPTURE(angle);
    const double tolerance = 1e-14 * (1 + angle);
    const typename Known::Tangent eta = Direction<Known>::random();
    const Known known = Known::exp(eta);
    const G g = G::exp(eta);
    CHECK(distance(G::exp(xi), Known::exp(xi)) < tolerance);
    CHECK(distance(G::exp(xi).log(), Known::exp(xi).log()) < tolerance);
    CHECK(distance(g.Ad(xi), known.Ad(xi)) < tolerance);
    CHECK(distance(g.Ad_transpose(xi), known.Ad_transpose(xi)) < tolerance);
    CHECK(distance(G::ad_transpose(xi, eta), Known::ad_transpose(xi, eta)) < tolerance);
    CHECK(distance(G::dexp(xi), Known::dexp(xi)) < tolerance);
    CHECK(distance(G::hat(xi), Known::hat(xi)) == 0);
  }
}

TEST_CASE_TEMPLATE("the transposed maps of semi-direct products agree with their matrices", G, SE23<>,
                   SGal3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const typename G::Tangent f = Direction<G>::random();
    const G g = G::exp(Direction<G>::random());
    CHECK(distance(g.Ad_transpose(f), g.Ad().transpose() * f) < 1e-14);
    CHECK(distance(G::ad_transpose(xi, f), G::ad(xi).transpose() * f) < 1e-14 * (1 + angle));
  }
}

TEST_CASE("SE_2(3) acts on pairs of position and velocity, and SGal(3) acts on events") {
  const SO3<> R = SO3<>::exp({0, 0, std::numbers::pi / 2});
  const SE23<> pose({(Vector<double, 6>() << 1, 2, 3, 4, 5, 6).finished(), R});
  const Vector<double, 6> moved = pose * (Vector<double, 6>() << 1, 0, 0, 0, 1, 0).finished();
  CHECK(distance(moved, (Vector<double, 6>() << 1, 3, 3, 3, 5, 6).finished()) < 1e-15);
  // The event is at the time 2 s of a frame that moves at (4, 5, 6) m/s. The frame's time 0 is the outside
  // time 7 s, at which the frame is at (1, 2, 3) m.
  const SGal3<> frame({1, 2, 3, 7}, SE3<>(R, {4, 5, 6}));
  CHECK(distance(frame * Vector<double, 4>(1, 0, 0, 2), Vector<double, 4>(9, 13, 15, 9)) < 1e-15);
}
