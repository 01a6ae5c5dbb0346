#include "torsor/geometry/derived_flag.hpp"

#include "geometry/rolling_disk.hpp"
#include "geometry/sleigh.hpp"
#include "torsor/lie/elementary.hpp"
#include "torsor/lie/se2.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

enum class Example { disk, differentials, knife_and_differential };

/// Two rows on (x, y, z, w), either as they are or multiplied from the left by a field of regular matrices.
/// The product has different rows and the same distribution.
struct TwoRows {
  Example example;
  bool mixed;

  template <class S>
  Matrix<S, 2, 4> operator()(const Vector<S, 4>& q) const {
    const S zero(0), one(1);
    Matrix<S, 2, 4> A;
    if (example == Example::disk) A = rolling_disk::Rows{{}}(q);
    if (example == Example::differentials)  // d(x y + z^2), d(w - sin x)
      A << q[1], q[0], S(2) * q[2], zero, -sin_cos(q[0]).cos, zero, zero, one;
    if (example == Example::knife_and_differential) {  // a knife edge with heading z, and d(w - x y)
      const auto [s, c] = sin_cos(q[2]);
      A << -s, c, zero, zero, -q[1], -q[0], zero, one;
    }
    Matrix<S, 2> M;
    M << one + q[0] * q[1], S(0.3) - q[2], q[3] * q[0] - S(0.2), S(2) + q[1];
    return mixed ? Matrix<S, 2, 4>(M * A) : A;
  }
};
DerivedFlag flag_of(Example example, bool mixed, const Vector<double, 4>& q) {
  return derived_flag(CoordinateFrame<4>(), TwoRows{example, mixed}, q);
}

/// One row whose first component is a power of x, which may be infinite at x = 0, or have an infinite
/// derivative.
struct Power {
  double exponent;

  template <class S>
  Matrix<S, 1, 3> operator()(const Vector<S, 3>& q) const {
    Matrix<S, 1, 3> A;
    A << torsor::power(q[0], exponent), S(1), q[0] * q[1];
    return A;
  }
};

}  // namespace

TEST_CASE("the derived flag is unknown where the rows or their derivatives are not finite") {
  const auto flag_at = [](double exponent, double x) {
    return derived_flag(CoordinateFrame<3>(), Power{exponent}, Vector<double, 3>(x, 0.4, 0.5));
  };
  CHECK(flag_at(-1, 0.3).ranks == std::vector{1, 0});
  CHECK(flag_at(0.5, 0.3).ranks == std::vector{1, 0});
  for (const double exponent : {-1., 0.5}) {
    CAPTURE(exponent);
    const auto flag = flag_at(exponent, 0);
    CHECK(flag.ranks.empty());
    CHECK_FALSE(flag.holonomic());
    CHECK(flag.integrable == std::vector<char>{0});
    CHECK(flag.combinations.rows() == 0);
  }
}

TEST_CASE("rows that leave no velocity are holonomic") {
  const auto two = []<class S>(const Vector<S, 2>& q) {
    return Matrix<S, 2>{{S(1) + q[0] * q[0], q[1]}, {S(0), S(1) + q[1]}};
  };
  const auto three = [two]<class S>(const Vector<S, 2>& q) {
    Matrix<S, 3, 2> A;
    A << two(q), q[0], q[1];
    return A;
  };
  const Vector<double, 2> q(0.3, 0.4);
  const auto square = derived_flag(CoordinateFrame<2>(), two, q);
  CHECK(square.ranks == std::vector{2});
  CHECK(square.integrable == std::vector<char>(2, 1));
  CHECK(agree(Matrix<double, 2>(square.combinations * square.combinations.transpose()),
              Matrix<double, 2>(Matrix<double, 2>::Identity())));
  const auto redundant = derived_flag(CoordinateFrame<2>(), three, q);
  CHECK(redundant.ranks == std::vector{2});
  CHECK(redundant.integrable == std::vector<char>(3, 1));
  CHECK(redundant.combinations.rows() == 3);
}

TEST_CASE("the knife edge is not holonomic") {
  const auto flag = derived_flag(CoordinateFrame<3>(), sleigh::Rows(), sleigh::point());
  CHECK(flag.ranks == std::vector{1, 0});
  CHECK_FALSE(flag.holonomic());
  CHECK_FALSE(flag.integrable[0]);
  CHECK(flag.combinations.rows() == 0);
}

TEST_CASE("the derived flag of the rolling disk loses one form at each step") {
  for (bool mixed : {false, true})
    CHECK(flag_of(Example::disk, mixed, rolling_disk::point()).ranks == std::vector{2, 1, 0});
}

TEST_CASE("rows of differentials are holonomic, and so are their combinations with variable coefficients") {
  for (bool mixed : {false, true}) {
    const auto flag = flag_of(Example::differentials, mixed, random_vector<4>());
    CHECK(flag.holonomic());
    CHECK(flag.ranks == std::vector{2});
    CHECK((flag.integrable[0] && flag.integrable[1]));
    CHECK(flag.combinations.rows() == 2);
  }
}

TEST_CASE("the last term of the derived flag of combined rows is their holonomic part") {
  const Vector<double, 4> q(0.4, -0.7, 0.9, 0.2);
  const auto plain = flag_of(Example::knife_and_differential, false, q);
  CHECK(plain.ranks == std::vector{2, 1});
  CHECK_FALSE(plain.integrable[0]);
  CHECK(plain.integrable[1]);
  const auto flag = flag_of(Example::knife_and_differential, true, q);
  CHECK(flag.ranks == plain.ranks);
  CHECK_FALSE(flag.integrable[0]);
  CHECK_FALSE(flag.integrable[1]);
  REQUIRE(flag.combinations.rows() == 1);
  const auto rows = [&](bool mixed) { return TwoRows{Example::knife_and_differential, mixed}(q); };
  const Eigen::RowVectorXd form = flag.combinations * rows(true), expected = rows(false).row(1);
  CHECK(std::abs(form.dot(expected)) == doctest::Approx(form.norm() * expected.norm()).epsilon(1e-12));
}

TEST_CASE("the derived flag does not depend on the units of the rows") {
  const Vector<double, 4> q(0.4, -0.7, 0.9, 0.2);
  for (const double unit : {1e-200, 1e-12, 1e12, 1e200}) {
    CAPTURE(unit);
    const auto rows = [unit](const auto& at) {
      auto A = TwoRows{Example::knife_and_differential, false}(at);
      A.row(0) *= typename decltype(A)::Scalar(unit);
      return A;
    };
    const auto flag = derived_flag(CoordinateFrame<4>(), rows, q);
    CHECK(flag.ranks == std::vector{2, 1});
    CHECK_FALSE(flag.integrable[0]);
    CHECK(flag.integrable[1]);
    REQUIRE(flag.combinations.rows() == 1);
    CHECK(std::abs(flag.combinations(0, 1)) == doctest::Approx(1));
  }
}

TEST_CASE("the derived flag of a two-wheeled cart with two trailers loses one form at each of three steps") {
  const auto chained = []<class S>(const Vector<S, 5>& q) {  // dz_i - z_{i+1} dx
    Matrix<S, 3, 5> A = Matrix<S, 3, 5>::Constant(S(0));
    for (int i = 0; i < 3; ++i) A(i, i + 1) = S(1), A(i, 0) = -q[i + 2];
    return A;
  };
  CHECK(derived_flag(CoordinateFrame<5>(), chained, random_vector<5>()).ranks == std::vector{3, 2, 1, 0});
}

TEST_CASE("repeated rows count once") {
  const auto twice = [](const auto& q) {
    using S = typename std::decay_t<decltype(q)>::Scalar;
    const Matrix<S, 1, 3> row = sleigh::Rows()(q);
    Matrix<S, 2, 3> A;
    A << row, S(-3) * row;
    return A;
  };
  const auto flag = derived_flag(CoordinateFrame<3>(), twice, sleigh::point());
  CHECK(flag.ranks == std::vector{1, 0});
  CHECK(flag.combinations.rows() == 1);  // 3 times the first row plus the second: the zero form
}

TEST_CASE("on a group, brackets of left-invariant vectors decide whether rows are holonomic") {
  const auto g = SE2<>::exp(random_vector<3>());
  const Constant<Matrix<double, 1, 3>> no_lateral{{0, 1, 0}}, no_turning{{0, 0, 1}};
  CHECK_FALSE(derived_flag(LeftInvariantFrame<SE2<>>(), no_lateral, g).holonomic());
  CHECK(derived_flag(LeftInvariantFrame<SE2<>>(), no_turning, g).holonomic());
}

TEST_CASE("rows that depend on time are tested on events (x, y, t)") {
  for (double rate : {0.3, 0.}) {  // x' = rate y
    const auto rows = [rate]<class S>(const Vector<S, 3>& q) {
      return Matrix<S, 1, 3>(S(1), S(0), S(-rate) * q[1]);
    };
    CHECK(derived_flag(CoordinateFrame<3>(), rows, random_vector<3>()).holonomic() == (rate == 0));
  }
}
