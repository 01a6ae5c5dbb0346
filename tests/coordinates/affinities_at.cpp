// The weak condition on the affinities of a connection, and the affinity that violates it.
#include "torsor/coordinates/detail/affinities_at.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "frame3_coordinates.hpp"
#include "torsor/coordinates/system_of_fields.hpp"

namespace torsor {

using namespace geometry;
namespace {

using Tensor = Tensor3<double, Eigen::Dynamic>;

/// Frame3 with its metric and with affinities of its own, which are added to those of the Christoffel
/// connection.
struct OwnFrame3 : test::Frame3WithMetric {
  template <class S>
  Matrix<S> vectors(const Vector<S>& e) const {
    Matrix<S> E = Matrix<S>::Identity(3, 3);
    E(0, 1) = e[2], E(1, 2) = torsor::sin(e[0]), E(2, 0) = S(0.5);
    return E;
  }
  template <class S>
  Tensor3<S> affinities(const Vector<S>& e) const {
    Tensor3<S> extra(4);
    extra(2, 0, 1) = S(wrong) * (S(1) + e[0] * e[0]);
    return extra;
  }
  template <class S>
  Tensor3<S> sigma(const Vector<S>& e) const {
    Tensor3<S> s(4);
    for (int a = 0; a < 4; ++a)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) {
          s(a, i, j) = S(a + 1) * torsor::sin(S(i) + e[1]) + S(j);
          s(a, j, i) = -s(a, i, j);
        }
    return s;
  }
  double wrong = 0;
};

/// Three particles on spokes from (x, y), at equal angles from a + rate t; each spoke is longer than the one
/// before it by `growth` radii. If growth = 0, the metric is constant up to rounding: the terms of its
/// derivatives cancel.
struct Spokes : CoordinateFields {
  Spokes(double radius_, double rate_, double growth_)
      : CoordinateFields(3), radius(radius_), rate(rate_), growth(growth_) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    Matrix<S> g = geometry::filled<Matrix<S>>(4, 4, S(0));
    for (int i = 0; i < 3; ++i) {
      const S angle = e[2] + S(rate) * e[3] + S(2 * std::numbers::pi * i / 3);
      Matrix<S> J = geometry::filled<Matrix<S>>(2, 4, S(0));
      J(0, 0) = J(1, 1) = S(1);
      const S length = S(radius * (1 + growth * i));
      J(0, 2) = length * torsor::cos(angle), J(1, 2) = -length * torsor::sin(angle);
      J.col(3) = S(rate) * J.col(2);
      g += J.transpose() * J;
    }
    return g;
  }
  double radius, rate, growth;
};

CoordinateOptions in_form(CoordinateEquations equations) {
  CoordinateOptions options;
  options.equations = equations;
  return options;
}
CoordinateOptions by_christoffel() { return in_form(CoordinateEquations::christoffel); }

}  // namespace

TEST_CASE("sigma in a frame of the system leaves accelerations unchanged, and a wrong affinity is found") {
  const Vec q = frame3::point(), u = Vec3(0.4, -0.7, 1.1);
  OwnFrame3 fields;
  const SystemOfFields<OwnFrame3> member(fields, by_christoffel()), plain(fields);
  CHECK(member.by_connection());
  CHECK_FALSE(plain.by_connection());
  CHECK(member.weak_residual(0, q) < 1e-14);
  CHECK(member.affinities_at(0, q).strong_residual() > 0.1);
  Vec a(3), b(3);
  member.acceleration(0, q, u, a);
  plain.acceleration(0, q, u, b);
  CHECK(test::greatest(a - b) < 1e-12);

  fields.wrong = 0.3;
  const SystemOfFields<OwnFrame3> other(fields, by_christoffel());
  const WrongAffinity found = other.affinities_at(0, q).wrong_affinity();
  CHECK(std::array{found.k, found.i, found.j} == std::array{2, 0, 1});
  CHECK(found.alone);
  CHECK(found.value - found.required == doctest::Approx(0.3 * (1 + q[0] * q[0])));
  other.acceleration(0, q, u, a);
  CHECK(test::greatest(a - b) > 1e-3);
}

TEST_CASE("a single wrong affinity in any member of the weak family is named, with its right value") {
  Eigen::MatrixXd g(4, 4);
  g << 3, 0.4, -0.2, 0.1, 0.4, 2, 0.3, 0.2, -0.2, 0.3, 1.5, -0.3, 0.1, 0.2, -0.3, 1;
  Tensor strong(4), sigma(4);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        strong(k, i, j) = std::sin(1. + 16 * k + 4 * i + j);
        sigma(k, i, j) = i == j ? 0 : (i < j ? 1 : -1) * std::cos(1. + 5 * k + i * j);
      }
  AffinitiesAt at{weak_member(strong, g, sigma), strong, g};
  CHECK(at.weak_residual() < 1e-15);
  const Tensor right = at.L;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {  // j = 3 is the row of time, not an equation of motion
        at.L = right;
        at.L(k, i, j) += 0.7;
        CHECK(at.weak_residual() > 0.01);
        const WrongAffinity found = at.wrong_affinity();
        CHECK(std::array{found.k, found.i, found.j} == std::array{k, i, j});
        CHECK(found.required == doctest::Approx(right(k, i, j)));
        CHECK(found.alone);
      }
  at.L = right;
  at.L(0, 1, 2) += 0.7, at.L(1, 0, 0) -= 0.2;
  CHECK_FALSE(at.wrong_affinity().alone);
  CHECK(at.fault("the end").find("at the end; the affinity \"2, 3 -> 1\" is ") != std::string::npos);
  at.L = right;
  at.L(2, 1, 3) += 5;
  CHECK(at.weak_residual() < 1e-15);
  for (int k = 0; k < 4; ++k)  // a large sigma does not hide it
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sigma(k, i, j) *= 1e9;
  at.L = weak_member(strong, g, sigma);
  CHECK(at.weak_residual() < 1e-12);
  at.L(0, 1, 2) += 0.7;
  CHECK(at.weak_residual() > 0.01);
}

TEST_CASE("a heavy part of a system does not hide a wrong affinity of a light one, whatever the units") {
  for (const double light : {1., 1e-6, 1e-12}) {
    CAPTURE(light);
    AffinitiesAt at{Tensor(3), Tensor(3), Eigen::MatrixXd::Identity(3, 3)};
    at.g(0, 0) = 1e12, at.g(1, 1) = light;
    at.L(1, 1, 1) = 0.3;
    CHECK(at.weak_residual() > 0.1);
    at.strong(1, 1, 1) = 0.3;
    CHECK(at.weak_residual() == 0);
  }
}

TEST_CASE("the affinity that is named is not the rounding of a heavy part, whatever the units") {
  for (const double heavy : {1e-12, 1., 1e6, 1e12}) {
    CAPTURE(heavy);
    AffinitiesAt at{Tensor(4), Tensor(4), Eigen::MatrixXd::Identity(4, 4), {}, Vec::Ones(4)};
    at.g(0, 0) = heavy;
    at.L(0, 0, 0) = std::nextafter(1., 2.), at.strong(0, 0, 0) = 1;
    at.L(1, 1, 1) = 0.3, at.strong(1, 1, 1) = 0.30001;
    at.L(0, 2, 1) = at.strong(0, 2, 1) = 0.4 / std::sqrt(heavy);
    at.L(1, 2, 0) = at.strong(1, 2, 0) = 0.4 * std::sqrt(heavy);
    const WrongAffinity found = at.wrong_affinity();
    CHECK(std::array{found.k, found.i, found.j} == std::array{1, 1, 1});
    CHECK(found.value == 0.3);
    CHECK(found.required == doctest::Approx(0.30001).epsilon(1e-12));
    CHECK(found.alone);
  }
}

TEST_CASE("affinities whose terms cancel do not count as a difference from the Christoffel connection") {
  for (const CoordinateEquations equations :
       {CoordinateEquations::canonical_minus, CoordinateEquations::canonical_zero,
        CoordinateEquations::canonical_plus})
    for (const double radius : {1e-3, 0.3, 1e3})
      for (const double x : {0., 0.1, 1e6})
        for (const double rate : {0., 5.})
          for (const double a : {0.4, 0.7, 1.9, 2.6}) {
            CAPTURE(radius);
            CAPTURE(x);
            CAPTURE(rate);
            CAPTURE(a);
            const Vec q = Vec3(x, 0.2, a);
            const auto flat =
                SystemOfFields<Spokes>({radius, rate, 0}, in_form(equations)).affinities_at(0.3, q);
            CHECK(flat.weak_residual() == 0);
            CHECK(flat.strong_residual() == 0);
            const auto other =
                SystemOfFields<Spokes>({radius, rate, 0.5}, in_form(equations)).affinities_at(0.3, q);
            CHECK(other.weak_residual() > 0.1);
            CHECK(other.strong_residual() > 0.1);
          }
}

TEST_CASE("rounding of the terms does not hide a small affinity, whatever the units") {
  for (const double unit : {1e-6, 1., 1e6}) {
    CAPTURE(unit);
    AffinitiesAt at{Tensor(3), Tensor(3), Vec3(1, unit * unit, 1).asDiagonal(), {}, Vec3(1, unit, 1)};
    at.L(1, 0, 0) = 1e-11 / unit;
    CHECK(at.weak_residual() > 0.1);
    CHECK(at.strong_residual() == 1);
    at.L(1, 0, 0) = 1e-13 / unit;
    CHECK(at.weak_residual() == 0);
    CHECK(at.strong_residual() == 0);
  }
}

TEST_CASE(
    "residuals of a connection are NaN if an affinity or the metric contains NaN, and the message says so") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  AffinitiesAt right{Tensor(4), Tensor(4), Eigen::MatrixXd::Identity(4, 4)};
  right.L.flat() += 1, right.strong.flat() += 1;
  CHECK(right.weak_residual() == 0);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 3; ++j) {  // j = 3 is the row of time, not an equation of motion
        CAPTURE(4 * (4 * k + i) + j);
        AffinitiesAt at = right;
        at.L(k, i, j) = nan;
        CHECK(std::isnan(at.weak_residual()));
        CHECK(std::isnan(at.strong_residual()));
        at = right;
        at.strong(k, i, j) = nan;
        CHECK(std::isnan(at.weak_residual()));
        CHECK(at.fault("the end") ==
              "the weak condition cannot be evaluated at the end: an affinity, the metric or a derivative of "
              "the metric is not finite there");
      }
      for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
        AffinitiesAt at = right;
        at.L(k, i, 3) = bad;
        CHECK(std::isnan(at.weak_residual()));
      }
      AffinitiesAt at = right;
      at.g(k, i) = nan;
      CHECK(std::isnan(at.weak_residual()));
    }
}

}  // namespace torsor
