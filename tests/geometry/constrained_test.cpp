#include "geometry/reference.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/second_fundamental_form.hpp"
#include "torsor/lie/pack.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

constexpr int dynamic = Eigen::Dynamic;
using Dense = Eigen::MatrixXd;  // run-time size, so that the tests compile once for all sizes
using Column = Eigen::VectorXd;

Dense random_rows(int rows, int columns) {
  return Dense::NullaryExpr(rows, columns, [] { return uniform(); });
}
Dense random_dense_metric(int n) {
  const Dense M = random_rows(n, n);
  return M * M.transpose() + Dense::Identity(n, n);
}

/// The non-orthogonal chart of the reference entry, its tangent vectors and the kinetic metric in the chart.
const auto surface_chart = []<class S>(const Vector<S, 3>& q) {
  return Vector<S, 3>(q[0] + q[2] / S(4), q[1] - q[0] * q[2] / S(5),
                      q[0] * q[0] / S(2) + q[0] * q[1] / S(3) - q[1] * q[1] / S(6) + q[2]);
};
const auto tangents = []<class S>(const Vector<S, 3>& q) {
  const auto d = frame_derivatives(CoordinateFrame<3>(), q, surface_chart);
  Matrix<S, 3> J;
  J << d[0], d[1], d[2];
  return J;
};
struct SurfaceMetric {
  double mass;
  template <class S>
  Matrix<S, 3> operator()(const Vector<S, 3>& q) const {
    const Matrix<S, 3> J = tangents(q);
    return S(mass) * J.transpose() * J;
  }
};

}  // namespace

TEST_CASE(
    "constrained.linear: mass matrix, projectors, multiplier and accelerations agree with the reference") {
  const json& table = reference("constrained.linear");
  const auto given = [&](const char* key) { return matrix<dynamic>(table.at(key)); };
  const auto listed = [&](const char* key) { return vector<dynamic>(table.at(key)); };
  const Dense G = given("G"), A = given("A");
  const Column f = listed("f"), gamma = listed("gamma");
  for (const auto& point : {constrained_point(G, A), constrained_point_of_any_rank(G, A)}) {
    CHECK(agree(point.M_c, given("M_c")));
    CHECK(agree(point.C, given("C")));
    CHECK(agree(point.P(), given("P")));
    CHECK(agree(point.P_perp(), given("P_perp")));
    CHECK(agree(point.offset(listed("a0")), listed("nu")));
    CHECK(agree(point.multiplier(f, gamma), listed("multiplier")));
    CHECK(agree(point.reaction(f, gamma), listed("reaction")));
    CHECK(agree(point.acceleration(f, gamma), listed("vdot")));
    CHECK(agree(Column(-point.C * gamma), listed("normal_acceleration")));
  }
  const Dense N = partitioned_velocities(A, std::array{0, 1});
  CHECK(agree(N, given("N")));
  CHECK(agree(Dense(N.transpose() * G * N), given("g_A")));
  CHECK(agree(minimal_acceleration(G, N, f), listed("minimal_acceleration")));
}

TEST_CASE_TEMPLATE("projectors are idempotent, G-orthogonal and complementary", Sizes,
                   std::integer_sequence<int, 6, 2>, std::integer_sequence<int, dynamic, dynamic>) {
  const auto laws = []<int n, int k>(std::integer_sequence<int, n, k>) {
    const Dense G = random_dense_metric(6), A = random_rows(2, 6), I2 = Dense::Identity(2, 2);
    const auto point = constrained_point(Matrix<double, n>(G), Matrix<double, k, n>(A));
    const Dense P = point.P(), P_perp = point.P_perp(), C = point.C, M_c = point.M_c;
    CHECK(agree(Dense(P * P), P));
    CHECK(agree(Dense(P_perp * P_perp), P_perp));
    CHECK(greatest(Dense(P * P_perp)) < 1e-13);
    CHECK(agree(Dense(G * P), Dense((G * P).transpose())));
    CHECK(greatest(Dense(A * P)) < 1e-13);
    CHECK(agree(Dense(A * C), I2));
    CHECK(agree(Dense(C.transpose() * G * C), M_c));
  };
  for (int repeat = 0; repeat < 5; ++repeat) laws(Sizes());
}

TEST_CASE("each lane of a pack has its own projectors, and dual numbers give their derivatives") {
  using D = Dual<double>;
  const Matrix<double, 4> G = torsor::random_metric<4>();
  const Matrix<double, 2, 4> A = random_matrix<2, 4>(), A_dot = random_matrix<2, 4>();
  Matrix<Pack, 2, 4> packed;
  for (int i = 0; i < 8; ++i) packed(i) = Pack([&](auto l) { return A(i) + double(l) * A_dot(i); });
  const Matrix<Pack, 4> P = constrained_point(Matrix<Pack, 4>(G.cast<Pack>()), packed).P();
  for (int l = 0; l < lanes<Pack>; ++l) {
    const Matrix<double, 4> single = constrained_point<double, 4, 2>(G, A + l * A_dot).P();
    for (int i = 0; i < 16; ++i) CHECK(lane(P(i), l) == doctest::Approx(single(i)).epsilon(1e-11));
  }
  Matrix<D, 2, 4> moving;
  for (int i = 0; i < 8; ++i) moving(i) = D(A(i), A_dot(i));
  const auto point = constrained_point(G, A);
  const Matrix<double, 4> P_dot =
      derivative_part(constrained_point(Matrix<D, 4>(G.cast<D>()), moving).P_perp());
  // The derivative of A P_perp = A gives A P_perp' = A' P.
  CHECK(agree(Matrix<double, 2, 4>(A * P_dot), Matrix<double, 2, 4>(A_dot * point.P())));
}

TEST_CASE("every basis of minimal velocities gives the same motion as the multipliers") {
  const Dense G = random_dense_metric(7), A = random_rows(3, 7), nearby = A + 0.2 * random_rows(3, 7);
  const Column load = random_rows(7, 1), gamma = random_rows(3, 1), a0 = random_rows(3, 1);
  const auto point = constrained_point(G, A);
  const Column v_dot = point.acceleration(load, gamma), nu = point.offset(a0);
  CHECK(greatest(Column(A * v_dot + gamma)) < 1e-13);
  CHECK(greatest(Column(A * nu + a0)) < 1e-13);
  for (const Dense& N : {partitioned_velocities(A, std::array{1, 2, 6}), orthonormal_velocities(A),
                         continued_velocities(A, orthonormal_velocities(nearby))}) {
    CHECK(greatest(Dense(A * N)) < 1e-13);
    CHECK(agree(Column(N * minimal_acceleration(G, N, load) - point.C * gamma), v_dot));
    CHECK(greatest(Column(N.transpose() * G * nu)) < 1e-13);
  }
}

TEST_CASE("a continued basis is orthonormal, close to the previous one, and unchanged for unchanged rows") {
  const Dense A = random_rows(2, 5), step = random_rows(2, 5), I3 = Dense::Identity(3, 3);
  const Dense N = orthonormal_velocities(A);
  CHECK(agree(continued_velocities(A, N), N));
  for (double h : {1e-2, 1e-4}) {
    const Dense next = continued_velocities(Dense(A + h * step), N);
    CHECK(agree(Dense(next.transpose() * next), I3));
    CHECK((next - N).norm() < 10 * h);
  }
}

TEST_CASE(
    "without rows every velocity is allowed, and no projector is found from numbers that are not finite") {
  const Dense G = random_dense_metric(4), A = random_rows(2, 4), none = A.topRows(0);
  for (const auto& free : {constrained_point(G, none), constrained_point_of_any_rank(G, none)}) {
    CHECK(free.P() == Dense::Identity(4, 4));
    CHECK(free.M_c.size() == 0);
  }
  const auto unknown = [](const auto& point) { return point.M_c.hasNaN() && point.C.hasNaN(); };
  CHECK(unknown(constrained_point_of_any_rank<double, dynamic, dynamic>(std::nan("") * G, A)));
  CHECK(unknown(constrained_point_of_any_rank<double, dynamic, dynamic>(G, HUGE_VAL * A)));
  Dense heavy = Dense::Identity(4, 4);
  heavy(1, 1) = HUGE_VAL;
  CHECK(unknown(constrained_point_of_any_rank<double, dynamic, dynamic>(heavy, A)));
}

TEST_CASE("redundant rows leave motion and reaction unchanged and have the multiplier of least norm") {
  const Dense G = random_dense_metric(6), A = random_rows(3, 6);
  const Column load = random_rows(6, 1), gamma = random_rows(3, 1);
  const Dense repeat{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, -1, 1}}, rows = repeat * A;
  const auto point = constrained_point(G, A), redundant = constrained_point_of_any_rank(G, rows);
  const Column gammas = repeat * gamma;
  CHECK(agree(redundant.P(), point.P()));
  CHECK(agree(redundant.acceleration(load, gammas), point.acceleration(load, gamma)));
  CHECK(agree(redundant.reaction(load, gammas), point.reaction(load, gamma)));
  CHECK(agree(Dense(redundant.C * rows * redundant.C), redundant.C));
  // The multiplier of least norm is a combination of the columns of `repeat`, without a part in ker
  // repeat^T.
  const Column Lambda = redundant.multiplier(load, gammas), along = repeat.transpose() * Lambda;
  const Dense product = repeat.transpose() * repeat;
  CHECK(agree(Column(repeat * solve(product, along)), Lambda));
}

TEST_CASE(
    "constrained.surface_chart: coordinates that are not orthogonal to the surface agree with the "
    "reference") {
  const json& table = reference("constrained.surface_chart");
  const Vec3 q = vector<3>(table.at("q"));
  const Vector<double, 2> y_dot = vector<2>(table.at("qdot"));
  const Vec3 force = vector<3>(table.at("force_cartesian"));
  const double mass = table.at("mass");
  const Mat3 J = tangents(q);
  const Vec3 F = J.transpose() * force;
  CHECK(agree(SurfaceMetric{1}(q), matrix<3>(table.at("g"))));
  CHECK(agree(F, vector<3>(table.at("F_chart"))));

  const SurfaceMetric metric{mass};
  const auto connection = christoffel(CoordinateFrame<3>(), metric);
  const auto Gamma = connection.affinities(q);
  CHECK(agree(Gamma, tensor3<3>(table.at("Gamma"))));
  const auto chart = adapted_chart<2>(metric(q));
  const Vec3 N = chart.second_fundamental_form(Gamma, y_dot), R = chart.reaction(Gamma, y_dot, F);
  CHECK(agree(N, vector<3>(table.at("second_fundamental_form_chart"))));
  CHECK(agree(Vec3(J * N), vector<3>(table.at("second_fundamental_form_cartesian"))));
  CHECK(R[2] == doctest::Approx(table.at("reaction_component_d3").get<double>()).epsilon(1e-12));
  CHECK(greatest(R.head<2>()) == 0);
  CHECK(agree(Vec3(solve(Mat3(J.transpose()), R)), vector<3>(table.at("reaction_cartesian"))));

  const Constant<Matrix<double, 1, 3>> row{{0, 0, 1}};
  const Vec3 v(y_dot[0], y_dot[1], 0);
  CHECK(agree(second_fundamental_form(connection, metric, row, q, v), N));
  const auto point = constrained_point(metric(q), row(q));
  const Vec3 load = F - metric(q) * Gamma(v, v);
  CHECK(agree(point.reaction(load, Vector<double, 1>(0.)), R));
}

TEST_CASE("the adapted chart agrees with the projectors of the constraints") {
  const Dense g = random_dense_metric(5);
  const auto chart = adapted_chart<dynamic>(g, 3);
  Dense A = Dense::Zero(2, 5);
  A.rightCols(2).setIdentity();
  const auto point = constrained_point(g, A);
  const Column X = random_rows(5, 1), w = random_rows(5, 1);
  CHECK(agree(chart.tangential(X), Column(point.P() * X)));
  CHECK(agree(chart.normal(X), Column(point.P_perp() * X)));
  CHECK(agree(chart.normal_covector(w), Column(point.P_perp().transpose() * w)));
  CHECK(agree(chart.extended(w.head(3)), Column(point.P().transpose() * w)));
}

TEST_CASE(
    "the second fundamental form of rows has no tangential part and satisfies G N = A^T Lambda + f_perp") {
  const SurfaceMetric metric{1.3};
  const auto rows = []<class S>(const Vector<S, 3>& q) {
    Matrix<S, 1, 3> A;
    A << S(1) + q[1], q[0] * q[2], S(2) - q[0];
    return A;
  };
  const auto connection = christoffel(CoordinateFrame<3>(), metric);
  const Vec3 q = random_vector<3>(), f = random_vector<3>();
  const auto point = constrained_point(metric(q), rows(q));
  const Vec3 v = point.P() * random_vector<3>();
  const Vec3 N = second_fundamental_form(connection, metric, rows, q, v);
  CHECK(greatest(Vec3(point.P() * N)) < 1e-13);
  const Vec3 b = metric(q) * connection.affinities(q)(v, v);
  const Vector<double, 1> gamma = derivative_along(connection.frame, q, v, rows) * v;
  CHECK(agree(point.reaction(Vec3(f - b), gamma), Vec3(metric(q) * N - point.P_perp().transpose() * f)));
}
