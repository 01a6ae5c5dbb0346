#include "torsor/geometry/slow_manifold.hpp"

#include "geometry/frame3.hpp"
#include "geometry/friction_systems.hpp"

using namespace torsor;
using namespace torsor::geometry;
using test::disk_system, test::sleigh_system;

namespace {

struct GenericRows {
  template <class S>
  Matrix<S, 1, 3> operator()(const Vector<S, 3>& q) const {
    return Matrix<S, 1, 3>(S(2) + q[1] * q[2], q[0] - S(0.3), q[0] * q[1] + q[2]);
  }
};
struct GenericForce {
  template <class S>
  Vector<S, 3> operator()(const Vector<S, 3>& q, const Vector<S, 3>& v) const {
    return Vector<S, 3>(q[1] * v[0] - v[2], S(0.3) * q[0] - v[1] * v[1], q[2] * v[2] + S(0.2) * v[0]);
  }
};
struct GenericFriction {
  template <class S>
  Matrix<S, 1> operator()(const Vector<S, 3>& q) const {
    return Matrix<S, 1>(S(3) + q[0] * q[1]);
  }
};
/// A system in a chart with the metric of frame3.hpp, without any symmetry.
const StrongFriction generic_system{frame3::metric, GenericRows(), GenericForce(), GenericFriction()};

}  // namespace

namespace {

/// The exact slow line (a, b) Omega_D of the disk without torques, and kappa = Omega_D'/Omega_D (negative):
/// kappa a = omega b - fast_1 a, kappa b = -omega (R + I/M0 a) - fast_2 b, kappa = (m R omega/M0) b.
struct SlowLine {
  double a = 0, b = 0, kappa = 0;
};
SlowLine slow_line(const rolling_disk::Parameters& p, double omega, double eps) {
  const double M0 = p.M0(), fast_1 = p.mu * M0 / (eps * p.m * p.I), fast_2 = p.mu / (eps * p.m);
  SlowLine line;
  for (int i = 0; i < 60; ++i) {
    line.b = -omega * (p.R + p.I / M0 * line.a) / (line.kappa + fast_2);
    line.a = omega * line.b / (line.kappa + fast_1);
    line.kappa = p.m * p.R * omega / M0 * line.b;
  }
  return line;
}

}  // namespace

TEST_CASE("sleigh: the slow manifold to third order agrees with the reference in both forms") {
  const json& table = sleigh::table();
  const Vec3 q = sleigh::point(), u = sleigh::velocity();
  const auto by_slip = slow_motion<3>(sleigh_system, q, u);
  const auto by_projector = slow_motion<3>(sleigh_system, q, u, ProjectorForm());
  CHECK(agree(by_slip.velocity[0], u));
  CHECK(agree(by_slip.slip[1], vector<1>(table.at("sigma1"))));
  CHECK(agree(by_slip.slip[2], vector<1>(table.at("sigma2"))));
  for (const auto& motion : {by_slip, by_projector}) {
    CHECK(agree(motion.velocity[1], vector<3>(table.at("h1"))));
    CHECK(agree(motion.velocity[2], vector<3>(table.at("h2"))));
    CHECK(agree(motion.velocity[3], vector<3>(table.at("h3"))));
  }
  for (std::size_t i = 0; i <= 3; ++i) CHECK(agree(by_slip.rate[i], by_projector.rate[i]));

  const auto Gamma = christoffel(CoordinateFrame<3>(), sleigh_system.metric).affinities(q);
  const Mat3 P = constrained_point(sleigh_system.metric(q), sleigh_system.rows(q)).P();
  CHECK(agree(by_slip.rate[0], vector<3>(table.at("qddot_nonholonomic"))));
  const Vec3 drift = by_slip.rate[1] + Gamma(by_slip.velocity[1], u);
  CHECK(agree(Vec3(P * drift), vector<3>(table.at("first_order_drift"))));
}

TEST_CASE("disk: the slow manifold to second order agrees with the reference, with torques") {
  const json& table = rolling_disk::table();
  const auto p = rolling_disk::with_torques();
  const Vector<double, 4> q = rolling_disk::point(), u = rolling_disk::velocity(p);
  const auto motion = slow_motion<3>(disk_system(p), q, u);
  CHECK(agree(motion.slip[1], vector<2>(table.at("sigma1"))));
  CHECK(agree(motion.slip[2], vector<2>(table.at("sigma2"))));
  CHECK(agree(motion.velocity[1], vector<4>(table.at("h1"))));
  CHECK(agree(motion.velocity[2], vector<4>(table.at("h2"))));
}

TEST_CASE("disk: without torques, third order agrees with the reference and the exact slow line") {
  const json& table = rolling_disk::table();
  const rolling_disk::Parameters p;
  const double Omega = table.at("OmegaD"), omega = table.at("steer_rate");
  const auto motion = slow_motion<3>(disk_system(p), rolling_disk::point(), rolling_disk::velocity(p));
  CHECK(agree(motion.slip[3], vector<2>(table.at("sigma3_torque_free"))));
  const auto spin_part = [&](const Vector<double, 4>& w) {  // Omega_D', since u stays in D
    return w[2];
  };
  CHECK(spin_part(motion.rate[1]) / Omega ==
        doctest::Approx(table.at("first_order_decay_coefficient").get<double>()).epsilon(1e-12));

  for (const json& line : table.at("slow_line_torque_free")) {
    const double eps = line.at("eps");
    CAPTURE(eps);
    const auto [a, b, kappa] = slow_line(p, omega, eps);
    CHECK(kappa == doctest::Approx(line.at("decay_rate").get<double>()).epsilon(1e-12));
    CHECK(agree(Vector<double, 2>(a, b), vector<2>(line.at("sigma_over_OmegaD"))));
    Vector<double, 2> series = Vector<double, 2>::Zero();
    double rate = 0, power = 1;
    for (std::size_t i = 0; i <= 3; ++i, power *= eps) {
      series += power * motion.slip[i] / Omega;
      rate += power * spin_part(motion.rate[i]) / Omega;
    }
    CHECK((series - Vector<double, 2>(a, b)).norm() < std::pow(eps, 4) + 1e-15);
    CHECK(std::abs(rate - kappa) < std::pow(eps, 4) + 1e-15);
  }
}

TEST_CASE("disk: the first orders follow their closed forms on random states") {
  auto p = rolling_disk::with_torques();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double Omega = 3 * uniform(), omega = 2 * uniform(), M0 = p.M0(), mu = p.mu, m = p.m, R = p.R;
    p.spin_torque = uniform(), p.steer_torque = uniform();
    const Vector<double, 4> q = random_vector<4>(), u = rolling_disk::rolling(p, q[3], Omega, omega);
    const auto motion = slow_motion<3>(disk_system(p), q, u);
    const Vector<double, 2> first(-m * R * p.spin_torque / (mu * M0), -m * R * omega * Omega / mu);
    const Vector<double, 2> second(-m * m * p.I * R * omega * omega * Omega / (mu * mu * M0),
                                   m * m * R / (mu * mu) *
                                       (p.steer_torque * Omega / p.J + omega * p.spin_torque / M0 +
                                        p.I * omega * p.spin_torque / (M0 * M0)));
    CHECK(agree(motion.slip[1], first));
    CHECK(agree(motion.slip[2], second));
  }
}

TEST_CASE("both forms agree on generic fields, friction supplies the ideal reaction, and u stays in D") {
  const Vec3 q = random_vector<3>();
  const auto point = constrained_point(generic_system.metric(q), generic_system.rows(q));
  const Vec3 u = point.P() * random_vector<3>(), f = generic_system.force(q, u);
  const auto motion = slow_motion<2>(generic_system, q, u);
  const auto by_projector = slow_motion<2>(generic_system, q, u, ProjectorForm());
  const auto Gamma = christoffel(CoordinateFrame<3>(), generic_system.metric);
  const Vec3 lambda = constraint_acceleration(Gamma, generic_system.metric, generic_system.rows, q, u, f);
  const Vector<double, 1> Lambda = point.M_c * point.A * lambda;
  CHECK(agree(Vector<double, 1>(generic_system.friction(q) * motion.slip[1]), Vector<double, 1>(-Lambda)));
  for (std::size_t i = 0; i <= 2; ++i) {
    CHECK(agree(motion.velocity[i], by_projector.velocity[i]));
    CHECK(agree(motion.rate[i], by_projector.rate[i]));
    const Matrix<double, 1, 3> change =
        derivative_along(CoordinateFrame<3>(), q, motion.velocity[i], generic_system.rows);
    CHECK(greatest(Vector<double, 1>(change * u + point.A * motion.rate[i])) < 1e-12);
    if (i > 0) CHECK(greatest(Vec3(point.P() * motion.velocity[i])) < 1e-12);
  }
}

TEST_CASE("both forms of fourth order agree, with an error of fifth order from the exact slow line") {
  const Vec3 q = random_vector<3>();
  const Vec3 u = constrained_point(generic_system.metric(q), generic_system.rows(q)).P() * random_vector<3>();
  const auto fourth = slow_motion<4>(generic_system, q, u);
  const auto by_projector = slow_motion<4>(generic_system, q, u, ProjectorForm());
  const auto third = slow_motion<3>(generic_system, q, u);
  CHECK(agree(fourth.velocity[4], by_projector.velocity[4], 1e-10));
  CHECK(agree(fourth.rate[4], by_projector.rate[4], 1e-10));
  for (std::size_t i = 0; i <= 3; ++i) CHECK(agree(fourth.velocity[i], third.velocity[i]));

  const rolling_disk::Parameters p;
  const double Omega = rolling_disk::table().at("OmegaD"), omega = rolling_disk::table().at("steer_rate");
  const auto motion = slow_motion<4>(disk_system(p), rolling_disk::point(), rolling_disk::velocity(p));
  const auto left = [&](double eps) {
    const SlowLine line = slow_line(p, omega, eps);
    Vector<double, 2> rest(-line.a, -line.b);
    for (std::size_t i = 0; i <= 4; ++i) rest += std::pow(eps, double(i)) * motion.slip[i] / Omega;
    return rest.norm();
  };
  CHECK(std::log2(left(0.04) / left(0.02)) == doctest::Approx(5).epsilon(0.02));
}

TEST_CASE("a higher order leaves the terms of lower orders unchanged") {
  const Vec3 q = random_vector<3>();
  const Vec3 u = constrained_point(generic_system.metric(q), generic_system.rows(q)).P() * random_vector<3>();
  const auto second = slow_motion<2>(generic_system, q, u);
  const auto third = slow_motion<3>(generic_system, q, u);
  for (std::size_t i = 0; i <= 2; ++i) {
    CHECK(agree(second.velocity[i], third.velocity[i]));
    CHECK(agree(second.rate[i], third.rate[i]));
  }
  CHECK(agree(second.q_dot(0.1), Vec3(u + 0.1 * second.velocity[1] + 0.01 * second.velocity[2])));
  CHECK(agree(second.u_dot(0.1), Vec3(second.rate[0] + 0.1 * second.rate[1] + 0.01 * second.rate[2])));
}
