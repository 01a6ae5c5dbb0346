#include "torsor/lie/pack.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "lie/samples.hpp"

using namespace torsor;

namespace {

/// A vector of packs with a different random sample in each lane, and the same samples as vectors of doubles.
/// The lanes may take different branches of the functions.
template <class P, int n, class Draw>
std::pair<Vector<P, n>, std::array<Vector<double, n>, lanes<P>>> spread(const Draw& draw) {
  std::array<Vector<double, n>, lanes<P>> single;
  for (auto& one : single) one = draw();
  Vector<P, n> all;
  for (int i = 0; i < n; ++i) all[i] = P([&](auto l) { return single[l][i]; });
  return {all, single};
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// The number of entries whose bits differ between lane l of the packs and the doubles.
template <class Packed, class Single>
int differing(const Packed& packed, const Single& single, int l) {
  int count = 0;
  for (int i = 0; i < single.size(); ++i) count += !same_bits(lane(packed(i), l), single(i));
  return count;
}

}  // namespace

TEST_CASE_TEMPLATE("every lane of a pack agrees bit for bit with the computation in doubles", G, SO2<>, SO3<>,
                   SE2<>, SE3<>, DirectProduct) {
  using P = stdx::fixed_size_simd<double, 8>;
  using Packed = typename G::template Over<P>;
  const auto angles = hard_angles();
  std::uniform_int_distribution<std::size_t> pick(0, angles.size() - 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto [xi, one_xi] = spread<P, G::dof>(
        [&] { return typename G::Tangent(angles[pick(generator())] * Direction<G>::random()); });
    const auto [eta, one_eta] = spread<P, G::dof>([] { return Direction<G>::random(); });
    const Packed g = Packed::exp(xi);
    const auto matrix = g.matrix();
    const typename Packed::Tangent log = g.log(), dexp = Packed::dexp(xi, eta),
                                   inverse = Packed::dexp_inv(xi, eta), Ad = g.Ad(eta),
                                   cay = Packed::cay(xi).log(), dcay = Packed::dcay(xi, eta);
    const typename Packed::Square square = Packed::dexp_inv(xi);
    for (int l = 0; l < lanes<P>; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const G one = G::exp(one_xi[at]);
      CHECK(differing(matrix, one.matrix(), l) == 0);
      CHECK(differing(log, one.log(), l) == 0);
      CHECK(differing(dexp, G::dexp(one_xi[at], one_eta[at]), l) == 0);
      CHECK(differing(inverse, G::dexp_inv(one_xi[at], one_eta[at]), l) == 0);
      CHECK(differing(Ad, one.Ad(one_eta[at]), l) == 0);
      CHECK(differing(cay, G::cay(one_xi[at]).log(), l) == 0);
      CHECK(differing(dcay, G::dcay(one_xi[at], one_eta[at]), l) == 0);
      CHECK(differing(square, G::dexp_inv(one_xi[at]), l) == 0);
    }
  }
}

TEST_CASE("from_matrix of a pack agrees bit for bit with doubles, also if lanes take different branches") {
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto [w, one_w] = spread<Pack, 3>([] { return Vec3(3.1 * Direction<SO3<>>::random()); });
    const Matrix<Pack, 3> R = SO3<Pack>::exp(w).matrix();
    const SO3<Pack> q = SO3<Pack>::from_matrix(R);
    for (int l = 0; l < lanes<Pack>; ++l) {
      const SO3<> one = SO3<>::from_matrix(SO3<>::exp(one_w[static_cast<std::size_t>(l)]).matrix());
      CHECK(differing(q.vec(), one.vec(), l) == 0);
      CHECK(same_bits(lane(q.w(), l), one.w()));
    }
  }
}

TEST_CASE(
    "sine, cosine and arctangent of a pack agree bit for bit with those of doubles, also beyond the first "
    "range of the argument reduction") {
  using P = stdx::fixed_size_simd<double, 4>;
  const double x[4] = {0.3, 2e6, -1e22, 1e5};
  const P all([&](auto l) { return x[l]; });
  const auto at = sin_cos(all);
  const P angle = arctan2(at.sin, at.cos);
  for (int l = 0; l < 4; ++l) {
    const auto one = sin_cos(x[l]);
    CHECK(same_bits(lane(at.sin, l), one.sin));
    CHECK(same_bits(lane(at.cos, l), one.cos));
    CHECK(same_bits(lane(angle, l), arctan2(one.sin, one.cos)));
  }
}

TEST_CASE("every and some combine the masks of all lanes") {
  const Pack x([](auto l) { return double(l); });
  CHECK(every(x >= Pack(0)));
  CHECK(some(x < Pack(1)));
  CHECK(!every(x < Pack(1)));
  CHECK(!some(x < Pack(0)));
  CHECK(lane(torsor::select(x < Pack(1), Pack(5), Pack(7)), 0) == 5);
  CHECK(lane(torsor::select(x < Pack(1), Pack(5), Pack(7)), lanes<Pack> - 1) == 7);
  CHECK(lane(torsor::abs(Pack(-2)), 0) == 2);
  CHECK(lane(torsor::max(Pack(-2), Pack(1)) + torsor::min(Pack(-2), Pack(1)), 0) == -1);
}

TEST_CASE("Eigen scales a vector of packs by a quotient") {
  const Vector<Pack, 3> v = Vector<Pack, 3>::Constant(Pack(4));
  const Pack h(0.5);
  CHECK(lane(Vector<Pack, 3>(h / 2 * v)[2], 0) == 1);
}
