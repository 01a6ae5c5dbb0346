#include "support/greatest.hpp"

#include <doctest/doctest.h>

#include "torsor/geometry/tensor.hpp"
#include "torsor/lie/types.hpp"

using namespace torsor;
using namespace torsor::geometry;
using test::greatest;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// Whether comparisons fail in both directions.
bool fails(double value) { return !(value < 1e300) && !(value > 0); }

}  // namespace

TEST_CASE("greatest gives the greatest absolute value of numbers, vectors, matrices and tensors") {
  CHECK(greatest(-3) == 3);
  CHECK(greatest(Vec3(1, -2, 0.5)) == 2);
  CHECK(greatest(Vec()) == 0);
  CHECK(greatest(2 * Mat3::Identity() * Mat3::Constant(-2)) == 4);
  CHECK(greatest(Eigen::ArrayXd::LinSpaced(3, -5, 1)) == 5);
  CHECK(greatest(Eigen::Matrix<long double, 2, 1>(3, -4)) == 4);
  Tensor3<double, 2> tensor;
  tensor(1, 0, 1) = -7;
  CHECK(greatest(tensor) == 7);
  CHECK(greatest(1, Vec3(2, 3, -4), tensor, -6.5) == 7);
}

TEST_CASE("greatest is NaN where any number is not finite, in every kind and at every position") {
  for (const double bad : {not_a_number, -not_a_number, inf, -inf}) {
    CAPTURE(bad);
    CHECK(fails(greatest(bad)));
    for (int i = 0; i < 9; ++i) {
      CAPTURE(i);
      Vec v = Vec::LinSpaced(9, -1, 1);
      v[i] = bad;
      CHECK(fails(greatest(v)));
      CHECK(fails(greatest(v.array())));
      CHECK(fails(greatest(v.cast<long double>())));
      CHECK(fails(greatest(Mat3(Eigen::Map<Mat3>(v.data())))));
      CHECK(fails(greatest(1, v)));
      CHECK(fails(greatest(v, 1)));
      CHECK(fails(greatest(1, 2, v, 3)));
    }
    Tensor4<double, 3> tensor;
    tensor(2, 1, 0, 2) = bad;
    CHECK(fails(greatest(tensor)));
    CHECK(fails(greatest(greatest(greatest(bad, 1), 2), 1e9)));  // as in a loop
  }
}
