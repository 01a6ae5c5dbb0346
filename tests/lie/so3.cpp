#include "torsor/lie/so3.hpp"

#include <doctest/doctest.h>

#include "lie/samples.hpp"

using namespace torsor;

namespace {
const double pi = std::numbers::pi;
}

TEST_CASE("log at half a turn gives one of the two logarithms") {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Vec3 axis = Direction<SO3<>>::random();
    for (const SO3<>& R : {SO3<>::exp(pi * axis), SO3<>::from_wxyz(0, axis[0], axis[1], axis[2]),
                           SO3<>::from_wxyz(-0., -axis[0], -axis[1], -axis[2])}) {
      const Vec3 w = R.log();
      CHECK(w.norm() == doctest::Approx(pi).epsilon(1e-15));
      CHECK(std::min(distance(w, Vec3(pi * axis)), distance(w, Vec3(-pi * axis))) < 1e-14);
    }
  }
}

TEST_CASE("log has an angle of at most half a turn") {
  const double inf = HUGE_VAL;
  for (double angle :
       {3., std::nextafter(pi, 0.), pi, std::nextafter(pi, inf), 4., 6., 2 * pi, 7., 9., 30.}) {
    CAPTURE(angle);
    const Vec3 axis = Direction<SO3<>>::random(), w = SO3<>::exp(angle * axis).log();
    CHECK(w.norm() <= pi * (1 + 4e-16));
    const double turned = std::remainder(angle, 2 * pi);
    CHECK(w.norm() == doctest::Approx(std::abs(turned)).epsilon(1e-14));
    if (std::abs(turned) < 3) CHECK(distance(w, Vec3(turned * axis)) < 1e-14);
  }
}

TEST_CASE("q and -q have the same logarithm") {
  const SO3<> q = SO3<>::exp({0.3, -0.7, 1.1});
  CHECK(distance(SO3<>::from_wxyz(-q.w(), -q.x(), -q.y(), -q.z()).log(), q.log()) == 0);
}

TEST_CASE("the logarithm of the smallest rotations is correct to rounding") {
  for (double size : {5e-324, 1e-310, 1e-300, 1e-160, 1e-20}) {
    const Vec3 w(size, -2 * size, 3 * size);
    CHECK(distance(SO3<>::exp(w).log(), w) <= 5e-324 + 4e-16 * size);
  }
}

TEST_CASE("from_matrix inverts matrix for every rotation") {
  for (double angle : hard_angles()) {
    CAPTURE(angle);
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Direction<SO3<>>::random()}) {
      const SO3<> R = SO3<>::exp(angle * axis), again = SO3<>::from_matrix(R.matrix());
      CHECK(distance(again.matrix(), R.matrix()) < 2e-15);
      CHECK(again.defect() < 1e-15);
    }
  }
}

TEST_CASE("from_matrix divides by the greatest component, whichever component that is") {
  for (int greatest = 0; greatest < 4; ++greatest) {
    Vector<double, 4> q = Vector<double, 4>::Constant(0.1);
    q[greatest] = 1;
    q /= q.norm();
    const SO3<> R = SO3<>::from(q.data());
    CHECK(distance(SO3<>::from_matrix(R.matrix()).matrix(), R.matrix()) < 1e-15);
  }
}

TEST_CASE("the matrix is a rotation and acts as the quaternion does") {
  for (double angle : hard_angles()) {
    const SO3<> R = SO3<>::exp(angle * Direction<SO3<>>::random());
    const Vec3 p(1, -2, 3);
    CHECK(distance(dense(R) * dense(R).transpose(), identity(3)) < 4e-15);
    CHECK(distance(dense(R) * dense(p), dense(R * p)) < 4e-15);
    CHECK((R * p).norm() == doctest::Approx(p.norm()).epsilon(2e-15));
  }
}

TEST_CASE("a quarter turn about z takes x to y") {
  CHECK(distance(SO3<>::exp({0, 0, pi / 2}) * Vec3(1, 0, 0), Vec3(0, 1, 0)) < 1e-15);
  const SO3<> half = SO3<>::from_wxyz(0, 0, 0, 1);
  CHECK(distance(half * Vec3(1, 2, 3), Vec3(-1, -2, 3)) == 0);
  double stored[4];
  SO3<>::from_wxyz(0.1, 0.2, 0.3, 0.4).to(stored);
  CHECK(stored[0] == 0.2);
  CHECK(stored[3] == 0.1);
}

TEST_CASE("functions of NaN and of infinity give NaN") {
  const double nan = std::nan("");
  CHECK(!(SO3<>::exp({nan, 0, 0}).defect() < 1));
  CHECK(std::isnan(SO3<>::dexp_inv({0, nan, 0}, {1, 1, 1})[0]));
  CHECK(std::isnan(SO3<>::from_wxyz(nan, 0, 0, 0).log()[0]));
  CHECK(std::isnan(SO3<>::from_wxyz(1, nan, 0, 0).log()[0]));
  CHECK(!(SO3<>::exp({HUGE_VAL, 0, 0}).defect() < 1));
}
