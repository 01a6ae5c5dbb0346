#include "torsor/geometry/tensor.hpp"

#include "geometry/reference.hpp"
#include "torsor/geometry/connection.hpp"
#include "torsor/lie/dual.hpp"
#include "torsor/lie/pack.hpp"

using namespace torsor;
using namespace torsor::geometry;

TEST_CASE("the matrix along a direction has rows k and columns j") {
  const auto t = random_tensor3<4>();
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) CHECK(t.along(i)(k, j) == t(k, i, j));
    }
  }
  const auto v = random_vector<4>(), u = random_vector<4>();
  Vector<double, 4> sum = Vector<double, 4>::Zero();
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) sum[k] += t(k, i, j) * v[i] * u[j];
    }
  }
  CHECK(agree(t(v, u), sum, 1e-15));
}

TEST_CASE("the matrix along two directions has rows i and columns j") {
  Tensor4<double, 3> R;
  for (double& x : R.flat()) x = uniform();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) CHECK(R.along(k, l)(i, j) == R(i, j, k, l));
      }
    }
  }
}

TEST_CASE("tensors of run-time size agree with those of fixed size") {
  const auto L = random_tensor3<4>(), c = random_tensor3<4>();
  const auto dynamic = [](const Tensor3<double, 4>& t) {
    Tensor3<double, Eigen::Dynamic> copy(4);
    copy.flat() = t.flat();
    return copy;
  };
  CHECK((torsion(dynamic(L), dynamic(c)).flat() == torsion(L, c).flat()).all());
  CHECK(greatest(curvature(dynamic(L), dynamic(c)).flat() - curvature(L, c).flat()) < 1e-14);
}

TEST_CASE("agree is false where a number is not finite") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Vec3 a(1, 2, 3);
    auto t = random_tensor3<3>(), same = t;
    CHECK(agree(a, a));
    CHECK(agree(t, same));
    a[1] = bad, t(0, 2, 1) = bad;
    for (const double tolerance : {1e-12, 1e300}) {
      CHECK_FALSE(agree(a, Vec3(1, 2, 3), tolerance));
      CHECK_FALSE(agree(Vec3(1, 2, 3), a, tolerance));
      CHECK_FALSE(agree(a, a, tolerance));
      CHECK_FALSE(agree(t, same, tolerance));
      CHECK_FALSE(agree(same, t, tolerance));
      CHECK_FALSE(agree(bad, 1., tolerance));
    }
  }
}

TEST_CASE("elimination exchanges rows where a pivot is zero, over dual numbers too") {
  using D = Dual<double>;
  Matrix<D, 4> A;
  Vector<D, 4> x;
  for (D& entry : A.reshaped()) entry = D(uniform(), uniform());
  for (D& entry : x) entry = D(uniform(), uniform());
  A(0, 0) = D(0, 1);
  const Vector<D, 4> b = A * x, solved = solve(A, b);
  for (int i = 0; i < 4; ++i) {
    CHECK(solved[i].value == doctest::Approx(x[i].value).epsilon(1e-12));
    CHECK(solved[i].derivative == doctest::Approx(x[i].derivative).epsilon(1e-11));
  }
}

TEST_CASE("each lane of a pack exchanges its own rows") {
  Matrix<Pack, 4> A;
  Vector<Pack, 4> x;
  for (Pack& entry : A.reshaped()) entry = Pack([](auto) { return uniform(); });
  for (Pack& entry : x) entry = Pack([](auto) { return uniform(); });
  for (int l = 0; l < lanes<Pack>; ++l) A(0, 0)[std::size_t(l)] = l % 2 == 0 ? 0. : 3.;  // even lanes: 0
  const Vector<Pack, 4> b = A * x, solved = solve(A, b);
  for (int l = 0; l < lanes<Pack>; ++l) {
    for (int i = 0; i < 4; ++i) CHECK(lane(solved[i], l) == doctest::Approx(lane(x[i], l)).epsilon(1e-11));
  }
}
