// Rotations by 3-1-3 angles, R = R_z(phi) R_x(theta) R_z(psi): a chart of SO(3), singular at sin(theta) = 0.
#include "geometry/check_curvature.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

/// The matrix T of the body angular velocity w = T q'.
constexpr auto rates = []<class S>(const Vector<S, 3>& q) {
  const SinCos<S> theta = sin_cos(q[1]), psi = sin_cos(q[2]);
  Matrix<S, 3> T;
  T << theta.sin * psi.sin, psi.cos, S(0),  //
      theta.sin * psi.cos, -psi.sin, S(0),  //
      theta.cos, S(0), S(1);
  return T;
};
/// The body axes as vectors in the chart.
constexpr auto body_axes = []<class S>(const Vector<S, 3>& q) { return inverse(rates(q)); };
const BasisOver body_frame{CoordinateFrame<3>(), body_axes};

struct TurningBody {
  explicit TurningBody(const char* id)
      : table(reference(id)), q(vector<3>(table.at("angles"))), v(vector<3>(table.at("rates"))) {
    inertia = Vec3(vector<3>(table.at("inertia"))).asDiagonal();
  }
  auto metric() const {
    return [I = inertia](const auto& at) {
      using S = typename std::decay_t<decltype(at)>::Scalar;
      const Matrix<S, 3> T = rates(at);
      return Matrix<S, 3>(T.transpose() * I.cast<S>() * T);
    };
  }
  /// The left-invariant canonical connection in the chart.
  auto canonical() const {
    const auto c = LeftInvariantFrame<SO3<>>::structure_coefficients(SO3<>());
    return in_frame_below(Connection{body_frame, Constant{c}});
  }

  const json& table;
  Vec3 q, v;
  Mat3 inertia;
};

void check_table(const char* id) {
  const TurningBody body(id);
  const json& table = body.table;
  const Vec3 q = body.q;
  const auto metric = body.metric();
  CHECK(agree(rates(q), matrix<3>(table.at("T"))));
  CHECK(agree(metric(q), matrix<3>(table.at("G"))));

  const auto canonical = body.canonical();
  CHECK(agree(canonical.affinities(q), tensor3<3>(table.at("canonical"))));
  CHECK(agree(non_metricity(canonical, metric, q), tensor3<3>(table.at("canonical_Dg"))));
  CHECK(greatest(curvature(canonical, q)) < 1e-13);

  const auto Gamma = christoffel(CoordinateFrame<3>(), metric);
  CHECK(agree(Gamma.affinities(q), tensor3<3>(table.at("christoffel"))));
  check_curvature(curvature(Gamma, q), table);

  const Vec3 bias = vector<3>(table.at("bias"));
  CHECK(agree(newton_equations(canonical, metric, q, body.v).bias, bias));
  CHECK(agree(newton_equations(Gamma, metric, q, body.v).bias, bias));
}

}  // namespace

TEST_CASE(
    "euler313.axisymmetric: both connections, curvature and bias in the chart agree with the reference") {
  check_table("euler313.axisymmetric");
}
TEST_CASE("euler313.asymmetric: both connections, curvature and bias in the chart agree with the reference") {
  check_table("euler313.asymmetric");
}

TEST_CASE("the body axes of the chart have the structure coefficients of SO(3)") {
  const Vec3 q(0.4, 1.1, -0.6);
  CHECK(agree(body_frame.structure_coefficients(q),
              LeftInvariantFrame<SO3<>>::structure_coefficients(SO3<>())));
}

TEST_CASE("the canonical and the Christoffel connection agree with their formulas in the chart") {
  const TurningBody body("euler313.axisymmetric");
  const double I = body.inertia(0, 0), J = body.inertia(2, 2), theta = body.q[1];
  const double s = std::sin(theta), c = std::cos(theta);
  Tensor3<double, 3> L, G;
  const auto set = [](Tensor3<double, 3>& t, int k, int i, int j, double value) {
    t(k - 1, i - 1, j - 1) = value;
  };
  set(L, 1, 1, 2, c / s), set(L, 3, 2, 3, c / s), set(L, 3, 1, 2, -1 / s), set(L, 1, 2, 3, -1 / s);
  set(L, 2, 1, 3, s);
  CHECK(agree(body.canonical().affinities(body.q), L));
  const auto symmetric = [&](int k, int i, int j, double value) {
    set(G, k, i, j, value), set(G, k, j, i, value);
  };
  symmetric(1, 1, 2, (I - J / 2) * c / s / I), symmetric(1, 2, 3, -J / (2 * I * s));
  symmetric(2, 1, 1, -(I - J) * 2 * s * c / (2 * I)), symmetric(2, 1, 3, J * s / (2 * I));
  symmetric(3, 1, 2, (J - 2 * I + (I - J) * s * s) / (2 * I * s)), symmetric(3, 2, 3, J * c / s / (2 * I));
  CHECK(agree(christoffel(CoordinateFrame<3>(), body.metric()).affinities(body.q), G));
}
