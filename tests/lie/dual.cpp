#include "torsor/lie/dual.hpp"

#include <doctest/doctest.h>

#include "lie/along.hpp"
#include "lie/samples.hpp"
#include "torsor/lie/pack.hpp"

using namespace torsor;

namespace {

using D = Dual<double>;

template <class M>
Dense value(const M& dual) {
  Dense copy(dual.rows(), dual.cols());
  for (int i = 0; i < copy.size(); ++i) copy(i) = dual(i).value;
  return copy;
}
template <class M>
Dense derivative(const M& dual) {
  Dense copy(dual.rows(), dual.cols());
  for (int i = 0; i < copy.size(); ++i) copy(i) = dual(i).derivative;
  return copy;
}

}  // namespace

TEST_CASE_TEMPLATE("the derivative of exp along a direction is dexp", G, SO2<>, SO3<>, SE2<>, SE3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    CAPTURE(angle);
    const typename G::Tangent eta = Direction<G>::random();
    const auto g = G::template Over<D>::exp(test::along<G::dof>(xi, eta)).matrix();
    CHECK(distance(value(g), dense(G::exp(xi))) == 0);
    const Dense expected = dense(G::exp(xi)) * dense(G::hat(G::dexp(xi, eta)));
    CHECK(distance(derivative(g), expected) < 1e-14 * (1 + angle) * (1 + angle));
  }
}

TEST_CASE_TEMPLATE("the derivative of log along g dexp is the direction", G, SO2<>, SO3<>, SE2<>, SE3<>) {
  for (const auto& [angle, xi] : hard_samples<G>()) {
    if (angle > 3) continue;
    CAPTURE(angle);
    const typename G::Tangent eta = Direction<G>::random();
    const auto log = G::template Over<D>::exp(test::along<G::dof>(xi, eta)).log();
    CHECK(distance(value(log), dense(G::exp(xi).log())) == 0);
    CHECK(distance(derivative(log), dense(eta)) < 1e-13);
  }
}

TEST_CASE("the second derivative of exp at zero is the square of the matrix") {
  using DD = Dual<D>;
  const Vec3 w(0.3, -0.7, 1.1);
  Vector<DD, 3> xi;  // t w at t = 0, differentiated twice by t
  for (int i = 0; i < 3; ++i) xi[i] = DD(D(0, w[i]), D(w[i], 0));
  const auto R = SO3<DD>::exp(xi).matrix();
  const Mat3 W = skew(w), W2 = W * W;
  for (int i = 0; i < 9; ++i) {
    CHECK(R(i).value.derivative == doctest::Approx(W(i)).epsilon(1e-15));
    CHECK(R(i).derivative.value == doctest::Approx(W(i)).epsilon(1e-15));
    CHECK(R(i).derivative.derivative == doctest::Approx(W2(i)).epsilon(1e-15));
  }
}

TEST_CASE("elementary functions of dual numbers have their derivatives") {
  const D x(0.7, 1), y(-1.3, 0);
  CHECK((x * x / y).derivative == doctest::Approx(2 * 0.7 / -1.3));
  CHECK(torsor::sqrt(x).derivative == doctest::Approx(0.5 / std::sqrt(0.7)));
  CHECK(sin_cos(x).sin.derivative == doctest::Approx(std::cos(0.7)));
  CHECK(sin_cos(x).cos.derivative == doctest::Approx(-std::sin(0.7)));
  CHECK(arctan2(x, y).derivative == doctest::Approx(-1.3 / (0.7 * 0.7 + 1.3 * 1.3)));
  CHECK(torsor::abs(y * x).derivative == doctest::Approx(1.3));
  CHECK(torsor::max(x, y).derivative == 1);
  CHECK(torsor::min(x, y).derivative == 0);
}

TEST_CASE("a pack of dual numbers differentiates in every lane") {
  using P = Dual<Pack>;
  Vector<P, 3> w;
  for (int i = 0; i < 3; ++i) w[i] = P(Pack([&](auto l) { return 0.1 + 2 * double(l) + i; }), Pack(1.));
  const auto R = SO3<P>::exp(w).matrix();
  for (int l = 0; l < lanes<Pack>; ++l) {
    Vector<D, 3> one;
    for (int i = 0; i < 3; ++i) one[i] = D(0.1 + 2 * l + i, 1);
    const auto single = SO3<D>::exp(one).matrix();
    for (int i = 0; i < 9; ++i) {
      CHECK(lane(R(i).value, l) == single(i).value);
      CHECK(lane(R(i).derivative, l) == single(i).derivative);
    }
  }
}
