#include <boost/numeric/odeint.hpp>

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/screw.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

/// y(t) of y' = rate(y, t), integrated to rounding for smooth rates.
template <std::size_t n, class Rate>
std::array<double, n> integrate(std::array<double, n> y, double t, const Rate& rate) {
  using namespace boost::numeric::odeint;
  runge_kutta_fehlberg78<std::array<double, n>> step;
  constexpr int steps = 200;
  for (int k = 0; k < steps; ++k) step.do_step(rate, y, k * t / steps, t / steps);
  return y;
}

}  // namespace

TEST_CASE("autoparallel.se3: the screw motion, its adjoint and transport along it agree with the reference") {
  using G = SE3<>;
  const json& table = reference("autoparallel.se3");
  const G::Tangent n = vector<6>(table.at("n")), u_0 = vector<6>(table.at("u0"));
  const double t = table.at("t").get<double>();
  const G g_0 = random_element<G>(), g = autoparallel(g_0, n, t);
  CHECK(agree((g_0.inverse() * g).R.matrix(), matrix<3>(table.at("R"))));
  CHECK(agree((g_0.inverse() * g).p, vector<3>(table.at("p"))));
  const Vec3 p = screw_displacement(n, t);
  CHECK(agree(p, vector<3>(table.at("p"))));
  CHECK(agree(skew(p), matrix<3>(table.at("B"))));
  CHECK(agree(exp_ad(n, t), matrix<6>(table.at("exp_t_ad"))));

  const G::Tangent u_t = vector<6>(table.at("u_t"));
  CHECK(agree(transport(g_0, g, u_0), u_t));
  CHECK(agree(transport_along_autoparallel<G>(Canonical::plus, n, t, u_0), u_t));

  const auto screw = screw_of(n);
  CHECK(screw.pitch() == doctest::Approx(table.at("pitch").get<double>()).epsilon(1e-12));
  CHECK(agree(screw.point, vector<3>(table.at("axis_point"))));
  CHECK(agree(screw.direction, vector<3>(table.at("axis_direction"))));
  CHECK(agree(screw.twist(), n));
}

TEST_CASE("the velocity is parallel along autoparallels of every canonical connection") {
  const SE3<>::Tangent n = random_vector<6>();
  for (auto member : {Canonical::minus, Canonical::zero, Canonical::plus}) {
    CHECK(agree(transport_along_autoparallel<SE3<>>(member, n, 0.8, n), n));
    const auto motion = autoparallel_motion(canonical_connection<SE3<>>(member), SE3<>(), n);
    CHECK(greatest(motion.rate) < 1e-15);
    CHECK(agree(motion.velocity, n));
  }
}

TEST_CASE("transport in closed form solves its equation") {
  using G = SE3<>;
  const G g_0 = random_element<G>();
  const G::Tangent n = random_vector<6>(), m = random_vector<6>(), u_0 = random_vector<6>();
  const double t = 0.9;
  // Transport along g_0 exp(t n) exp(t m), whose velocity is Ad(exp(-t m)) n + m.
  const auto transported = [&](Canonical member, const G::Tangent& second) {
    const auto connection = canonical_connection<G>(member);
    std::array<double, 6> u;
    Eigen::Map<G::Tangent>(u.data()) = u_0;
    u = integrate(u, t, [&](const auto& at, auto& rate, double s) {
      const G::Tangent v = G::exp(-s * second).Ad(n) + second;
      Eigen::Map<G::Tangent>(rate.data()) =
          transport_rate(connection, g_0, v, G::Tangent(Eigen::Map<const G::Tangent>(at.data())));
    });
    return G::Tangent(Eigen::Map<G::Tangent>(u.data()));
  };
  const G end = g_0 * G::exp(t * n) * G::exp(t * m);
  CHECK(agree(transported(Canonical::plus, m), transport(g_0, end, u_0)));
  CHECK(agree(g_0.Ad(u_0), end.Ad(transport(g_0, end, u_0))));
  for (auto member : {Canonical::minus, Canonical::zero, Canonical::plus}) {
    CHECK(agree(transported(member, G::Tangent::Zero()), transport_along_autoparallel<G>(member, n, t, u_0)));
  }
}

TEST_CASE("geodesics of the sphere are great circles") {
  const auto metric = []<class S>(const Vector<S, 2>& q) {  // colatitude, longitude
    const S s = sin_cos(q[0]).sin;
    Matrix<S, 2> g;
    g << S(1), S(0), S(0), s * s;
    return g;
  };
  const auto Gamma = christoffel(CoordinateFrame<2>(), metric);
  const auto place = [](double theta, double phi) {
    return Vec3(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta));
  };
  const Vector<double, 2> q(1.1, 0.3), n(0.4, 0.7);
  const Vec3 x = place(q[0], q[1]);
  const Vec3 velocity =
      n[0] * Vec3(std::cos(q[0]) * std::cos(q[1]), std::cos(q[0]) * std::sin(q[1]), -std::sin(q[0])) +
      n[1] * Vec3(-std::sin(q[0]) * std::sin(q[1]), std::sin(q[0]) * std::cos(q[1]), 0);
  const double t = 1.5, angle = t * velocity.norm();
  const auto end = integrate(std::array{q[0], q[1], n[0], n[1]}, t, [&](const auto& y, auto& rate, double) {
    const auto motion =
        autoparallel_motion(Gamma, Vector<double, 2>(y[0], y[1]), Vector<double, 2>(y[2], y[3]));
    rate = {motion.velocity[0], motion.velocity[1], motion.rate[0], motion.rate[1]};
  });
  CHECK(agree(place(end[0], end[1]), Vec3(std::cos(angle) * x + std::sin(angle) * velocity.normalized())));
}

TEST_CASE("a change of frame leaves autoparallels unchanged") {
  const Vec3 q = frame3::point(), n = random_vector<3>();
  const Connection in_frame{frame3::frame, random_affinities<3>(q)};
  const auto in_chart = in_frame_below(in_frame);
  const Vec3 q_dot = frame3::basis(q) * n;
  const auto motion = autoparallel_motion(in_frame, q, n);
  CHECK(agree(motion.velocity, q_dot));
  // q'' = E n' + E' n
  const Vec3 q_ddot =
      frame3::basis(q) * motion.rate + derivative_along(CoordinateFrame<3>(), q, q_dot, frame3::basis) * n;
  CHECK(agree(autoparallel_motion(in_chart, q, q_dot).rate, q_ddot));
}
