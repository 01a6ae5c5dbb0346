#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/christoffel.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

const Vec3 q = frame3::point();

/// A direction v, and fields to differentiate along it.
struct Sample {
  Vec3 v = random_vector<3>();
  RandomField<3, 1> u{random_vector<3>(), q}, p{random_vector<3>(), q};
  RandomField<3> T{random_matrix<3>(), q};
};
/// A connection with torsion.
const auto connection = Connection{frame3::frame, random_affinities<3>(q)};

}  // namespace

TEST_CASE("covariant derivatives of vectors, covectors and maps obey the product rule") {
  const Sample s;
  const Vec3 du = derivative_of_vector(connection, q, s.v, s.u);
  const Vec3 dp = derivative_of_covector(connection, q, s.v, s.p);
  const auto paired = [&](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return Matrix<S, 1>(s.p(at).transpose() * s.u(at));
  };
  const double rate = derivative_along(frame3::frame, q, s.v, paired)(0);
  CHECK(rate == doctest::Approx(dp.dot(s.u(q)) + s.p(q).dot(du)).epsilon(1e-13));

  const auto applied = [&](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return Vector<S, 3>(s.T(at) * s.u(at));
  };
  const Vec3 expected = derivative_of_map(connection, q, s.v, s.T) * s.u(q) + s.T(q) * du;
  CHECK(agree(derivative_of_vector(connection, q, s.v, applied), expected));
}

TEST_CASE("lowering indices with the metric commutes with the Levi-Civita derivative") {
  const Sample s;
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  const auto lowered = [&](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return Vector<S, 3>(frame3::metric(at) * s.u(at));
  };
  const Vec3 expected = frame3::metric(q) * derivative_of_vector(Gamma, q, s.v, s.u);
  CHECK(agree(derivative_of_covector(Gamma, q, s.v, lowered), expected));
}

TEST_CASE("a nonlinear map of the fibres has a horizontal and a vertical derivative") {
  const Sample s;
  const auto h = [&](const auto& at, const auto& w) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    const Vector<S, 3> z = s.T(at) * w;
    return Vector<S, 3>(z * z.squaredNorm() + s.u(at) * w[0] * w[1]);
  };
  const RandomField<3, 1> w(random_vector<3>(), q);
  const auto along_w = [&](const auto& at) { return h(at, w(at)); };
  const Vec3 nabla_w = derivative_of_vector(connection, q, s.v, w);
  const Vec3 split = horizontal_derivative(connection, q, s.v, w(q), h) +
                     vertical_derivative(connection, q, nabla_w, w(q), h);
  CHECK(agree(derivative_of_vector(connection, q, s.v, along_w), split));
}

TEST_CASE("a linear map of the fibres has its covariant derivative as horizontal derivative") {
  const Sample s;
  const auto h = [&](const auto& at, const auto& w) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return Vector<S, 3>(s.T(at) * w);
  };
  const Vec3 w = random_vector<3>(), z = random_vector<3>();
  CHECK(agree(horizontal_derivative(connection, q, s.v, w, h),
              Vec3(derivative_of_map(connection, q, s.v, s.T) * w)));
  CHECK(agree(vertical_derivative(connection, q, z, w, h), Vec3(s.T(q) * z)));
}
