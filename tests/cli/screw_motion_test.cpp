#include <doctest/doctest.h>

#include <array>
#include <boost/numeric/odeint.hpp>

#include "reference_run.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"

namespace torsor::test {

using namespace geometry;
namespace {

using Twist = SE3<>::Tangent;

/// A twist from the reference, which stacks twists as (angular; linear).
Twist twist(const json& w_v) {
  Twist n;
  n << w_v[3], w_v[4], w_v[5], w_v[0], w_v[1], w_v[2];
  return n;
}

/// The body's twist in body axes.
Twist twist_of(const json& body) {
  Twist n;
  n << quaternion(body.at("q")).conjugate() * vector(body.at("v")), vector(body.at("Omega"));
  return n;
}

std::vector<double> times_of(const json& outputs) {
  std::vector<double> times;
  for (const json& output : outputs) times.push_back(output.at("t"));
  return times;
}

/// Transport by the Christoffel connection of the metric G along exp(t n).
Twist christoffel_transport(const Matrix<double, 6>& G, const Twist& n, double t, const Twist& u_0) {
  const auto connection = christoffel(LeftInvariantFrame<SE3<>>(), Constant{G});
  std::array<double, 6> u;
  Eigen::Map<Twist>(u.data()) = u_0;
  boost::numeric::odeint::runge_kutta_fehlberg78<std::array<double, 6>> step;
  const auto rate = [&](const std::array<double, 6>& at, std::array<double, 6>& out, double) {
    const Twist now = Eigen::Map<const Twist>(at.data());
    Eigen::Map<Twist>(out.data()) = transport_rate(connection, SE3<>(), n, now);
  };
  constexpr int steps = 50;
  for (int k = 0; k < steps; ++k) step.do_step(rate, u, k * t / steps, t / steps);
  return Eigen::Map<Twist>(u.data());
}

void check_screw_motion(const scene::Overrides& overrides, double bound) {
  const json outputs = reference("se3_screw_motion").at("outputs");
  const auto states =
      states_at(scene::load_scene(scene_path("se3_screw_motion"), overrides), times_of(outputs));
  for (std::size_t i = 0; i < states.size(); ++i) {
    CAPTURE(outputs[i].at("t"));
    const json& body = states[i].at("bodies").at("body");
    CHECK(body_difference("R_rows", body, outputs[i].at("R_rows")) <= bound);
    CHECK(body_difference("x", body, outputs[i].at("p")) <= bound);
  }
}

}  // namespace

TEST_CASE("se3_screw_motion: the body follows a one-parameter subgroup of SE(3), on both groups") {
  for (const char* group : {"semidirect", "direct"}) {
    for (const char* formulation : {"tree", "absolute"}) {
      CAPTURE(group);
      CAPTURE(formulation);
      check_screw_motion({{"integrator.method", "rkmk-fehlberg78"},
                          {"integrator.tolerance", "1e-12"},
                          {"integrator.group", group},
                          {"integrator.formulation", formulation}},
                         1e-9);
    }
  }
}

TEST_CASE("se3_screw_motion: steps of any size are exact on SE(3) and not exact on R^3 x SO(3)") {
  check_screw_motion({{"integrator.method", "lie-euler"}, {"integrator.step", "2"}}, 1e-14);
  const scene::Overrides direct = {
      {"integrator.method", "lie-euler"}, {"integrator.step", "1"}, {"integrator.group", "direct"}};
  const json last = reference("se3_screw_motion").at("outputs").back();
  const auto states = states_at(scene::load_scene(scene_path("se3_screw_motion"), direct), {last.at("t")});
  const json& body = states.front().at("bodies").at("body");
  CHECK(body_difference("R_rows", body, last.at("R_rows")) <= 1e-14);
  CHECK(body_difference("x", body, last.at("p")) > 0.1);
}

TEST_CASE(
    "se3_screw_motion: vectors transported along the run by three connections agree with the reference") {
  const json file = reference("se3_screw_motion"), outputs = file.at("outputs");
  const scene::Scene scene =
      scene::load_scene(scene_path("se3_screw_motion"), {{"integrator.tolerance", "1e-13"}});
  const Body& own = scene.mechanism.bodies.front();
  Matrix<double, 6> G = Matrix<double, 6>::Zero();
  G.topLeftCorner<3, 3>() = own.mass * Mat3::Identity();
  G.bottomRightCorner<3, 3>() = own.inertia;
  const Twist u_0 = twist(file.at("initial_state").at("eta"));
  const auto states = states_at(scene, times_of(outputs));
  const auto error = [](const Twist& u, const json& expected) { return greatest(u - twist(expected)); };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const double t = outputs[i].at("t");
    CAPTURE(t);
    const Twist n = twist_of(states[i].at("bodies").at("body"));
    const auto along = [&](Canonical member) {
      return transport_along_autoparallel<SE3<>>(member, n, t, u_0);
    };
    CHECK(error(along(Canonical::zero), outputs[i].at("eta_cartan_0")) <= 1e-11);
    CHECK(error(along(Canonical::plus), outputs[i].at("eta_cartan_plus")) <= 1e-11);
    const Twist u = christoffel_transport(G, n, t, u_0);
    CHECK(error(u, outputs[i].at("eta_levi_civita")) <= 1e-11);
    CHECK(u.dot(G * u) == doctest::Approx(u_0.dot(G * u_0)).epsilon(1e-12));
  }
}

}  // namespace torsor::test
