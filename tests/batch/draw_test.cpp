#include "batch/study/draw.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "torsor/lie/so3.hpp"

namespace torsor::batch {
namespace {

constexpr int samples = 40000;

double uniform(int k, std::size_t component = 0) { return open_unit(random_words(3, 5, k, 0)[component]); }

/// Checks that the mean of f over the samples is within five standard errors of the expected value.
template <class F>
void check_mean(double expected, F f) {
  double mean = 0, squares = 0;
  for (int k = 0; k < samples; ++k) {
    const double x = f(k);
    mean += x / samples;
    squares += x * x / samples;
  }
  CHECK(std::abs(mean - expected) < 5 * std::sqrt((squares - mean * mean) / samples));
}

}  // namespace

// Philox4x64-10 of a zero key and counter; the two values are known answers of J. Salmon et al.
TEST_CASE("the random generator gives its published values") {
  CHECK(random_words(0, 0, 0, 0)[0] == 0x16554d9eca36314c);
  CHECK(random_words(0, 0, 0, 0)[3] == 0x7e68b68aec7ba23b);
}

TEST_CASE("uniform numbers exclude both ends, have the right moments, and neighbours are uncorrelated") {
  CHECK(open_unit(0) > 0);
  CHECK(open_unit(~std::uint64_t{0}) < 1);
  check_mean(0.5, [](int k) { return uniform(k); });
  check_mean(1. / 3, [](int k) { return std::pow(uniform(k), 2); });
  check_mean(0.25, [](int k) { return uniform(k) * uniform(k + 1); });
  check_mean(0.25, [](int k) { return uniform(k, 0) * uniform(k, 1); });
}

TEST_CASE("the normal quantile inverts the distribution function, in the tails too") {
  CHECK(std::abs(normal_quantile(0.5)) < 1e-16);
  CHECK(normal_quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-15));
  for (double p = 0.5; p > 1e-17; p *= 0.7) {
    CAPTURE(p);
    const double x = normal_quantile(p);
    CHECK(std::erfc(-x / std::numbers::sqrt2) / 2 == doctest::Approx(p).epsilon(1e-13 * (1 + x * x)));
  }
  for (const double p : {0.1, 0.01, 0.25})
    CHECK(normal_quantile(1 - p) == doctest::Approx(-normal_quantile(p)));
  const auto normal = [](int k) { return normal_quantile(uniform(k)); };
  check_mean(0, normal);
  check_mean(1, [&](int k) { return std::pow(normal(k), 2); });
  check_mean(3, [&](int k) { return std::pow(normal(k), 4); });
}

TEST_CASE("rotations are uniform on SO(3)") {
  const auto rotation = [](int k) { return rotation_from(uniform(k, 0), uniform(k, 1), uniform(k, 2)); };
  const auto matrix = [&](int k) {
    const auto [w, x, y, z] = rotation(k);
    return Mat3(Eigen::Quaterniond(w, x, y, z).toRotationMatrix());
  };
  for (int k = 0; k < 100; ++k) {
    const auto [w, x, y, z] = rotation(k);
    CHECK(w * w + x * x + y * y + z * z == doctest::Approx(1).epsilon(1e-15));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      check_mean(0, [&](int k) { return matrix(k)(i, j); });
      check_mean(1. / 3, [&](int k) { return std::pow(matrix(k)(i, j), 2); });
    }
  // The angle of rotation t has the density (1 - cos t) / pi.
  for (const double t : {0.5, 1.5, 2.5})
    check_mean((t - std::sin(t)) / std::numbers::pi,
               [&](int k) { return 2 * std::acos(std::abs(rotation(k)[0])) < t ? 1. : 0.; });
}

TEST_CASE("directions are uniform on the sphere") {
  const auto direction = [](int k) { return Vec3(direction_from(uniform(k, 0), uniform(k, 1)).data()); };
  for (int k = 0; k < 100; ++k) CHECK(direction(k).norm() == doctest::Approx(1).epsilon(1e-15));
  for (int i = 0; i < 3; ++i) {
    check_mean(0, [&](int k) { return direction(k)[i]; });
    for (int j = 0; j < 3; ++j)
      check_mean(i == j ? 1. / 3 : 0., [&](int k) { return direction(k)[i] * direction(k)[j]; });
  }
}

TEST_CASE("the keyed bijection gives every number once, in an order that depends on the key") {
  for (const std::uint64_t size : {1, 2, 3, 10, 64, 1000, 4097}) {
    CAPTURE(size);
    const KeyedBijection one(1, 2, size), other(2, 2, size);
    std::vector<int> met(size);
    std::uint64_t same = 0;
    for (std::uint64_t k = 0; k < size; ++k) {
      ++met.at(one(k));
      same += one(k) == other(k);
    }
    CHECK(met == std::vector<int>(size, 1));
    if (size >= 1000) CHECK(same < size / 100);
  }
}

}  // namespace torsor::batch
