#include "torsor/geometry/event_manifold.hpp"

#include <vector>

#include "geometry/moving_pendulum.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/scleronomicity.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

EventMetric<double, 3> random_event_metric() { return event_metric(Matrix<double, 4>(random_metric<4>())); }

}  // namespace

TEST_CASE("the blocks of an event metric change basis as the whole matrix does") {
  const auto metric = random_event_metric();
  const Matrix<double, 4> bar = metric.matrix();
  const Mat3 J = random_matrix<3>();
  const Vec3 c = random_vector<3>(), v = random_vector<3>();
  const Matrix<double, 4> B = event_basis(J, c);
  CHECK(agree(metric.in_basis(J, c).matrix(), Matrix<double, 4>(B.transpose() * bar * B)));
  const Vec3 u = spatial_velocity_in_basis(v, J, c);
  CHECK(agree(Vector<double, 4>(B * event_velocity(u)), event_velocity(v)));

  const Matrix<double, 3, 2> N = random_matrix<3, 2>();
  const Matrix<double, 4, 3> N_bar = event_basis(N, c);
  CHECK(agree(metric.in_basis(N, c).matrix(), Mat3(N_bar.transpose() * bar * N_bar)));
}

TEST_CASE("blocks of run-time size change basis as those of fixed size do") {
  const auto metric = random_event_metric();
  const Mat3 J = random_matrix<3>();
  const Vec3 c = random_vector<3>();
  const Eigen::MatrixXd bar = metric.matrix(), J_any = J;
  const Eigen::VectorXd c_any = c;
  const Eigen::MatrixXd changed = event_metric(bar).in_basis(J_any, c_any).matrix();
  CHECK(agree(changed, Eigen::MatrixXd(metric.in_basis(J, c).matrix())));
  CHECK(agree(event_basis(J_any, c_any), Eigen::MatrixXd(event_basis(J, c))));
}

TEST_CASE("the standard basis has a time vector orthogonal to space, and the same kinetic energy") {
  const auto metric = random_event_metric(), standard = metric.standardised();
  const Vector<double, 4> V = metric.standard_time_vector(), gV = metric.matrix() * V;
  CHECK(greatest(gV.head<3>()) < 1e-13);
  CHECK(gV[3] == doctest::Approx(metric.standard_g00()).epsilon(1e-12));
  CHECK(greatest(standard.g0) < 1e-13);
  CHECK(agree(standard.g, metric.g));
  CHECK(standard.g00 == doctest::Approx(metric.standard_g00()).epsilon(1e-12));
  const Vec3 v = random_vector<3>(), v_s = v + metric.shift();
  CHECK(event_velocity(v).dot(metric.matrix() * event_velocity(v)) ==
        doctest::Approx(v_s.dot(metric.g * v_s) + standard.g00).epsilon(1e-12));
}

TEST_CASE("the offset of least norm gives a standard basis if the metric is standard") {
  auto metric = random_event_metric().standardised();
  metric.g0.setZero();
  const Matrix<double, 1, 3> A = random_matrix<1, 3>();
  const auto point = constrained_point(metric.g, A);
  const Matrix<double, 3, 2> N = point.P() * random_matrix<3, 2>();
  const Vec3 nu = point.offset(Vector<double, 1>(0.7));
  CHECK(greatest(metric.in_basis(N, nu).g0) < 1e-13);
  CHECK(greatest(metric.in_basis(N, Vec3(nu + N.col(0))).g0) > 1e-3);
}

TEST_CASE("event.moving_frame: the connection has one affinity, and time can be removed") {
  const json& table = reference("event.moving_frame");
  const double amplitude = table.at("amplitude"), omega = table.at("omega"), t = table.at("t");
  const auto positions = [=]<class S>(const Vector<S, 4>& y) {
    return Vector<S, 3>(y[0], y[1], y[2] + S(amplitude) * sin_cos(S(omega) * y[3]).cos);
  };
  const auto moving = embedding<4, 4>(at_equal_time(positions));
  const auto metric = moving_pendulum::free_particle(table.at("mass"), table.at("G00"));
  const auto connection = strong_connection(moving, moving_pendulum::flat(), metric);
  const auto induced = induced_metric(moving, metric);
  const Vector<double, 4> at = event(random_vector<3>(), t);

  auto L = connection.affinities(at);
  CHECK(L(2, 3, 3) == doctest::Approx(table.at("Lambda3_00").get<double>()).epsilon(1e-12));
  L(2, 3, 3) = 0;
  CHECK(greatest(L) == 0);
  const auto blocks = event_metric(induced(at));
  CHECK(agree(Vec3(moving.basis(at).col(3).head<3>()), vector<3>(table.at("c"))));
  CHECK(agree(blocks.g0, vector<3>(table.at("g_mixed"))));
  CHECK(blocks.g00 == doctest::Approx(table.at("g00").get<double>()).epsilon(1e-12));
  CHECK(blocks.standard_g00() == doctest::Approx(table.at("g00_standard").get<double>()).epsilon(1e-12));

  const std::vector points{at, random_vector<4>(), random_vector<4>()};
  CHECK(time_dependence(moving.frame, induced, points, 1 / omega).removable(1e-14));
  // A straight line in space is an autoparallel: y3'' is minus the acceleration of the frame.
  const auto equations = newton_equations(connection, induced, at, event_velocity(random_vector<3>()));
  const Vec3 free_fall = spatial_part(equations).acceleration(Vec3::Zero());
  CHECK(agree(free_fall, Vec3(0, 0, amplitude * omega * omega * std::cos(omega * t))));
}

TEST_CASE("event.moving_pendulum: metric, affinities, motion and residuals agree with the reference") {
  const json& table = reference("event.moving_pendulum");
  const moving_pendulum::Parameters p(table);
  const double t = table.at("t"), gravity = table.at("gravity");
  const Vector<double, 2> theta = vector<2>(table.at("theta")), theta_dot = vector<2>(table.at("thetadot"));
  const Vec3 at = event(theta, t), velocity = event_velocity(theta_dot);
  const auto pendulum = embedding<4, 3>(at_equal_time(moving_pendulum::Position{p}));
  const auto metric = moving_pendulum::free_particle(p.m, table.at("G00"));
  const auto induced = induced_metric(pendulum, metric);
  const Matrix<double, 4, 3> N_bar = pendulum.basis(at);
  CHECK(agree(Matrix<double, 3, 2>(N_bar.topLeftCorner<3, 2>()), matrix<3, 2>(table.at("N"))));
  CHECK(agree(Vec3(N_bar.col(2).head<3>()), vector<3>(table.at("nu"))));
  const auto blocks = event_metric(induced(at));
  CHECK(agree(induced(at), matrix<3>(table.at("g_event"))));
  CHECK(agree(blocks.standard_time_vector(), vector<3>(table.at("standard_time_vector"))));
  CHECK(blocks.standard_g00() == doctest::Approx(table.at("g00_standard").get<double>()).epsilon(1e-12));

  const auto connection = strong_connection(pendulum, moving_pendulum::flat(), metric);
  CHECK(agree(connection.affinities(at), tensor3<3>(table.at("event_affinities"))));
  CHECK(agree(christoffel(CoordinateFrame<3>(), induced).affinities(at), connection.affinities(at)));
  const auto equations = newton_equations(connection, induced, at, velocity);
  CHECK(agree(equations.bias, vector<3>(table.at("bias_event"))));
  const Vec3 weight(0, 0, -p.m * gravity);
  const Vec3 f = N_bar.topRows<3>().transpose() * weight;  // f . nu is the last component
  const Vector<double, 2> theta_ddot = spatial_part(equations).acceleration(f.head<2>());
  CHECK(agree(theta_ddot, vector<2>(table.at("thetaddot"))));

  const auto report = scleronomicity(CoordinateFrame<3>(), induced, at, 1 / p.omega);
  CHECK(agree(report.S1, matrix<2>(table.at("lie_V_gM"))));
  CHECK(agree(report.S2, vector<2>(table.at("d_g00_standard"))));
  CHECK(report.scaled_S1 == doctest::Approx(0.6311758637992855 / p.omega / 0.972).epsilon(1e-10));
  CHECK(report.scaled_S2 == doctest::Approx(0.21100332688164553 / 0.6024647559266394).epsilon(1e-10));

  const std::vector points{Vec3(0.3, 1, 0), at, Vec3(2, 0, 0.1)};
  const auto worst = time_dependence(CoordinateFrame<3>(), induced, points, 1 / p.omega);
  CHECK(worst.mass >= report.scaled_S1);
  CHECK(worst.potential >= report.scaled_S2);
  CHECK_FALSE(worst.removable(0.01));

  // The drive of the pivot supplies the power of the rod's force R = m x'' - weight on the bob.
  using D = Dual<double>;
  const Vector<double, 3> rate(theta_ddot[0], theta_ddot[1], 0);
  const auto x_dot = (pendulum.basis(with_derivative(at, velocity)) * with_derivative(velocity, rate)).eval();
  const Vec3 R = p.m * derivative_part(Vector<D, 3>(x_dot.head<3>())) - weight;
  const Vec3 v = (N_bar * velocity).head<3>();
  CHECK(prescribed_power(equations, theta_ddot, f[2]) == doctest::Approx(R.dot(v)).epsilon(1e-12));
}

TEST_CASE("event.moving_pendulum: a coordinate that follows the pivot makes the chart standard") {
  const json& table = reference("event.moving_pendulum");
  const moving_pendulum::Parameters p(table);
  const Vec3 at = event(vector<2>(table.at("theta")), table.at("t").get<double>());
  const auto pendulum = embedding<4, 3>(at_equal_time(moving_pendulum::Position{p}));
  const auto metric =
      event_metric(induced_metric(pendulum, moving_pendulum::free_particle(p.m, table.at("G00")))(at));
  // The coordinates are log tan(theta/2) - amplitude/L cos(omega t) and the azimuth.
  const double s = std::sin(at[0]), c = std::cos(at[0]), lift = -p.height_rate(at[2]);
  CHECK(std::log(std::tan(at[0] / 2)) - p.height(at[2]) / p.L ==
        doctest::Approx(table.at("foliated_coordinate").get<double>()).epsilon(1e-12));
  const Matrix<double, 2> J = Vector<double, 2>(s, 1).asDiagonal();
  const Vector<double, 2> along_time(-s * lift / p.L, 0);
  const double mL2s2 = p.m * p.L * p.L * s * s;
  const double g00 = table.at("G00").get<double>() + p.m * c * c * lift * lift;
  CHECK(agree(metric.in_basis(J, along_time).matrix(), Mat3(Vec3(mL2s2, mL2s2, g00).asDiagonal())));
}

TEST_CASE(
    "the residuals of time dependence are tensors on space, also in frames whose vectors do not commute") {
  const moving_pendulum::Parameters p(reference("event.moving_pendulum"));
  const auto pendulum = embedding<4, 3>(at_equal_time(moving_pendulum::Position{p}));
  const auto metric = induced_metric(pendulum, moving_pendulum::free_particle(p.m, 0.5));
  const auto basis = []<class S>(const Vector<S, 3>& y) {
    Matrix<S, 2> J;
    J << S(2) + y[1], y[0] * y[2], y[2] - S(1), S(3) + y[0] * y[1];
    return event_basis(J, Vector<S, 2>(y[0] * y[1], y[1] + y[2]));
  };
  const BasisOver frame(CoordinateFrame<3>(), basis);
  const auto in_frame = [&](const auto& y) {
    const auto B = basis(y);
    return std::decay_t<decltype(B)>(B.transpose() * metric(y) * B);
  };
  const Vec3 at(0.8, 0.3, 0.4);
  const Matrix<double, 2> J = basis(at).topLeftCorner<2, 2>();
  const auto plain = scleronomicity(CoordinateFrame<3>(), metric, at, 1.);
  const auto turned = scleronomicity(frame, in_frame, at, 1.);
  CHECK(agree(turned.S1, Matrix<double, 2>(J.transpose() * plain.S1 * J)));
  CHECK(agree(turned.S2, Vector<double, 2>(J.transpose() * plain.S2)));
}

TEST_CASE("a connection that splits into configurations and time leaves no residual, other connections do") {
  const CoordinateFrame<3> chart;
  const auto split = [](const auto& q) {
    using S = typename std::decay_t<decltype(q)>::Scalar;
    Tensor3<S, 3> L;
    L(0, 0, 1) = q[0] * q[1], L(1, 1, 1) = q[1], L(2, 2, 2) = q[2];
    return L;
  };
  const Vec3 q = random_vector<3>();
  CHECK(splitting_residual(Connection{chart, split}, q) == 0);
  for (const auto& [k, i, j] : {std::array{2, 0, 1}, {0, 2, 2}, {1, 2, 0}, {2, 1, 2}}) {
    const auto mixed = [&split, k = k, i = i, j = j](const auto& at) {
      auto L = split(at);
      L(k, i, j) += typename std::decay_t<decltype(at)>::Scalar(0.25);
      return L;
    };
    CHECK(splitting_residual(Connection{chart, mixed}, q) == 0.25);
  }
  const auto with_clock = [&split](const auto& at) {
    auto L = split(at);
    L(0, 1, 1) += at[2] / typename std::decay_t<decltype(at)>::Scalar(8);
    return L;
  };
  CHECK(splitting_residual(Connection{chart, with_clock}, q) == 0.125);
}
