#include "torsor/geometry/nonholonomic.hpp"

#include "geometry/frame3.hpp"
#include "geometry/rolling_disk.hpp"
#include "geometry/sleigh.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/second_fundamental_form.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

constexpr CoordinateFrame<3> chart;

/// A nonholonomic row in a chart with the metric of frame3.hpp, without any symmetry.
const auto generic_rows = []<class S>(const Vector<S, 3>& q) {
  return Matrix<S, 1, 3>(S(2) + q[1] * q[2], q[0] - S(0.3), q[0] * q[1] + q[2]);
};
/// The columns span the kernel of the row.
const auto generic_basis = []<class S>(const Vector<S, 3>& q) {
  return partitioned_velocities(generic_rows(q), std::array{0});
};

}  // namespace

TEST_CASE("sleigh: multiplier, constraint acceleration and motion agree with the reference") {
  const json& table = sleigh::table();
  const sleigh::Metric metric;
  const sleigh::Rows rows;
  const Vec3 q = sleigh::point(), u = sleigh::velocity(), f = sleigh::Force()(q, u);
  const auto Gamma = christoffel(chart, metric);
  const auto point = constrained_point(metric(q), rows(q));
  const double speed = table.at("speed"), turn = table.at("turn");  // along the blade; rate of turning
  CHECK(agree(u, Vec3(speed * std::cos(q[2]), speed * std::sin(q[2]), turn)));
  CHECK(agree(metric(q), matrix<3>(table.at("G"))));
  CHECK(agree(point.P(), matrix<3>(table.at("P"))));
  CHECK(agree(point.M_c, Matrix<double, 1>(table.at("M_c").at(0).get<double>())));

  const Vec3 lambda = constraint_acceleration(Gamma, metric, rows, q, u, f);
  CHECK(agree(lambda, vector<3>(table.at("lambda_vector"))));
  const Matrix<double, 1, 3> nabla_A = derivative_of_rows(Gamma, q, u, rows);
  const auto Lambda = point.multiplier(f, Vector<double, 1>(nabla_A * u));
  CHECK(agree(Lambda, vector<1>(table.at("multiplier"))));
  CHECK(agree(Vec3(solve(metric(q), Vec3(point.A.transpose() * Lambda))), lambda));
  CHECK(agree(Vec3(lambda + solve(metric(q), f)), vector<3>(table.at("nabla_u_u"))));

  const auto nonholonomic = nonholonomic_connection(Gamma, metric, rows);
  const Vec3 q_ddot = point.P() * solve(metric(q), f) - nonholonomic.affinities(q)(u, u);
  CHECK(agree(q_ddot, vector<3>(table.at("qddot_nonholonomic"))));
}

TEST_CASE(
    "disk: constraint mass, projector, constraint acceleration and multiplier agree with the reference") {
  const json& table = rolling_disk::table();
  const auto p = rolling_disk::with_torques();
  const rolling_disk::Metric metric{p};
  const rolling_disk::Rows rows{p};
  const Vector<double, 4> q = rolling_disk::point(), u = rolling_disk::velocity(p);
  const Vector<double, 4> f = rolling_disk::Force{p}(q, u);
  const auto Gamma = christoffel(CoordinateFrame<4>(), metric);
  const auto point = constrained_point(metric(q), rows(q));
  CHECK(agree(point.A, matrix<2, 4>(table.at("A"))));
  CHECK(agree(point.M_c, matrix<2>(table.at("M_c"))));
  CHECK(agree(point.C, matrix<4, 2>(table.at("C"))));
  CHECK(agree(point.P_perp(), matrix<4>(table.at("P_perp"))));
  const Vector<double, 4> lambda = constraint_acceleration(Gamma, metric, rows, q, u, f);
  CHECK(agree(lambda, vector<4>(table.at("lambda_vector"))));
  const Vector<double, 2> Lambda = point.M_c * point.A * lambda;
  CHECK(agree(Lambda, vector<2>(table.at("multiplier"))));
}

TEST_CASE("disk: circles are autoparallels of the nonholonomic connection") {
  const rolling_disk::Parameters p;
  const rolling_disk::Metric metric{p};
  const auto connection =
      nonholonomic_connection(christoffel(CoordinateFrame<4>(), metric), metric, rolling_disk::Rows{p});
  const double Omega = 3, omega = 1.1, phi = 0.6;
  const Vector<double, 4> q = rolling_disk::point(), v = rolling_disk::rolling(p, phi, Omega, omega);
  const Vector<double, 4> v_dot(-p.R * Omega * omega * std::sin(phi), p.R * Omega * omega * std::cos(phi), 0,
                                0);
  CHECK(agree(v_dot, Vector<double, 4>(-connection.affinities(q)(v, v))));
}

TEST_CASE("derivatives of the projectors map each subspace to the other") {
  const auto Gamma = christoffel(chart, frame3::metric);
  const NormalProjector field{frame3::metric, generic_rows};
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Vec3 q = random_vector<3>(), X = random_vector<3>();
    const Mat3 nabla = derivative_of_map(Gamma, q, X, field), P_perp = field(q);
    const Mat3 P = Mat3::Identity() - P_perp;
    CHECK(greatest(Mat3(P_perp * nabla * P_perp)) < 1e-13);
    CHECK(greatest(Mat3(P * nabla * P)) < 1e-13);
    CHECK(greatest(nabla) > 1e-3);
  }
}

TEST_CASE("the nonholonomic connection keeps D and is the strong connection in a frame of D") {
  const auto Gamma = christoffel(chart, frame3::metric);
  const auto nonholonomic = nonholonomic_connection(Gamma, frame3::metric, generic_rows);
  const auto D = distribution<2>(chart, generic_basis, frame3::metric);
  const auto here = [](const auto& q) { return q; };
  const auto strong = strong_connection(Inclusion{D, here, generic_basis}, Gamma, frame3::metric);
  const Vec3 q = random_vector<3>();
  const Matrix<double, 3, 2> N = generic_basis(q);
  const auto coefficients = strong.affinities(q);
  CHECK(greatest(Matrix<double, 1, 2>(generic_rows(q) * N)) < 1e-14);
  for (int i = 0; i < 2; ++i) {
    const Vec3 X = N.col(i);
    const Matrix<double, 3, 2> change = derivative_along(chart, q, X, generic_basis);
    const Matrix<double, 3, 2> nabla = change + nonholonomic.affinities(q).along(X) * N;
    CHECK(greatest(Matrix<double, 1, 2>(generic_rows(q) * nabla)) < 1e-13);
    CHECK(agree(nabla, Matrix<double, 3, 2>(N * coefficients.along(i))));
  }
}

TEST_CASE("the constraint acceleration is that of the multiplier and does no work") {
  const auto Gamma = christoffel(chart, frame3::metric);
  const Vec3 q = random_vector<3>(), f = random_vector<3>();
  const auto point = constrained_point(frame3::metric(q), generic_rows(q));
  const Vec3 v = point.P() * random_vector<3>(), free = solve(point.G, f);
  const Vec3 lambda = constraint_acceleration(Gamma, frame3::metric, generic_rows, q, v, f);
  const Vector<double, 1> nabla_A_v = derivative_of_rows(Gamma, q, v, generic_rows) * v;
  CHECK(agree(Vec3(point.G * lambda), point.reaction(f, nabla_A_v)));
  const auto nonholonomic = nonholonomic_connection(Gamma, frame3::metric, generic_rows);
  const Vec3 v_dot = point.P() * free - nonholonomic.affinities(q)(v, v);
  CHECK(agree(v_dot, Vec3(lambda + free - Gamma.affinities(q)(v, v))));
  const double power =
      v.dot(point.G * v_dot) + 0.5 * v.dot(derivative_along(chart, q, v, frame3::metric) * v);
  CHECK(power == doctest::Approx(f.dot(v)).epsilon(1e-12));
}
