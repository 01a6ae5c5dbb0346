#include "torsor/geometry/nonholonomic.hpp"

#include "geometry/rolling_disk.hpp"
#include "geometry/sleigh.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/second_fundamental_form.hpp"

using namespace torsor;

namespace {

constexpr CoordinateFrame<3> chart;

/// Columns span ker A of the sleigh.
const auto sleigh_basis = []<class S>(const Vector<S, 3>& q) {
  const auto [s, c] = sin_cos(q[2]);
  const S zero(0), one(1);
  Matrix<S, 3, 2> N;
  N << c, zero, s, zero, zero, one;
  return N;
};

}  // namespace

TEST_CASE("sleigh: multiplier, constraint acceleration and motion") {
  const json& table = sleigh::table();
  const sleigh::Metric metric;
  const sleigh::Rows rows;
  const Vec3 q = sleigh::point(), u = sleigh::velocity(), f = sleigh::Force()(q, u);
  const auto Gamma = christoffel(chart, metric);
  const auto point = constrained_point(metric(q), rows(q));
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

TEST_CASE("disk: constraint mass, projector, multiplier and the ideal motion") {
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

TEST_CASE("derivatives of the projectors lead from one part to the other") {
  const sleigh::Metric metric;
  const sleigh::Rows rows;
  const auto Gamma = christoffel(chart, metric);
  const NormalProjector field{metric, rows};
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
  const sleigh::Metric metric;
  const auto Gamma = christoffel(chart, metric);
  const auto nonholonomic = nonholonomic_connection(Gamma, metric, sleigh::Rows());
  const auto D = distribution<2>(chart, sleigh_basis, metric);
  const auto here = [](const auto& q) { return q; };
  const auto strong = strong_connection(Inclusion{D, here, sleigh_basis}, Gamma, metric);
  const Vec3 q = random_vector<3>();
  const Matrix<double, 3, 2> N = sleigh_basis(q);
  const auto coefficients = strong.affinities(q);
  for (int i = 0; i < 2; ++i) {
    const Vec3 X = N.col(i);
    const Matrix<double, 3, 2> change = derivative_along(chart, q, X, sleigh_basis);
    const Matrix<double, 3, 2> nabla = change + nonholonomic.affinities(q).along(X) * N;
    CHECK(greatest(Matrix<double, 1, 2>(sleigh::Rows()(q) * nabla)) < 1e-13);
    CHECK(agree(nabla, Matrix<double, 3, 2>(N * coefficients.along(i))));
  }
}

TEST_CASE("constraints do no work: the rate of the kinetic energy is the power of the load") {
  const sleigh::Metric metric;
  const auto connection = nonholonomic_connection(christoffel(chart, metric), metric, sleigh::Rows());
  const Vec3 q = random_vector<3>(), v = sleigh_basis(q) * random_vector<2>(), f = random_vector<3>();
  const Mat3 P = Mat3::Identity() - NormalProjector{metric, sleigh::Rows()}(q);
  const Vec3 v_dot = P * solve(metric(q), f) - connection.affinities(q)(v, v);
  const double kinetic = v.dot(metric(q) * v_dot) + 0.5 * v.dot(derivative_along(chart, q, v, metric) * v);
  CHECK(kinetic == doctest::Approx(f.dot(v)).epsilon(1e-12));
}
