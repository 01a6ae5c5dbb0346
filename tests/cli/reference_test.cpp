#include <doctest/doctest.h>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

TEST_CASE("error-controlled methods reach every reference at tolerance 1e-12") {
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78"}) {
    CAPTURE(method);
    for (const ReferenceScene& scene : reference_scenes) {
      check_against_reference(scene.name, {{"integrator.method", method}, {"integrator.tolerance", "1e-12"}},
                              [&](double t) { return owed(scene.name, t); });
    }
  }
}

TEST_CASE("methods of order 4 reach an error of 1e-6 at the stated step size") {
  for (const char* method : {"rkmk4", "cf4"}) {
    CAPTURE(method);
    for (const ReferenceScene& scene : reference_scenes) {
      check_against_reference(
          scene.name, {{"integrator.method", method}, {"integrator.step", std::to_string(scene.step)}},
          [](double) { return 1e-6; });
    }
  }
}

using Eigen::AngleAxisd, Eigen::Quaterniond, Eigen::Vector3d;

/// R = Rz(phi) Rx(theta) Rz(psi) with phi = w t and psi = psi' t: the exact motion of a steady precession.
void check_steady_precession(const char* method, double theta, double spin, double w) {
  const auto list = [](double x, double y, double z) { return json{x, y, z}.dump(); };
  const scene::Scene scene = scene::load_scene(
      scene_path("lagrange_top_steady_precession"),
      {{"integrator.method", method},
       {"integrator.tolerance", "1e-12"},
       {"body.top.euler_zxz", list(0, theta, 0)},
       {"body.top.angular_velocity_body", list(0, w * std::sin(theta), spin + w * std::cos(theta))}});
  const std::vector<double> times = {1, 10};
  const auto states = states_at(scene, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CAPTURE(theta);
    CAPTURE(w);
    CAPTURE(times[i]);
    const double t = times[i];
    const Quaterniond R = AngleAxisd(std::remainder(w * t, 2 * M_PI), Vector3d::UnitZ()) *
                          AngleAxisd(theta, Vector3d::UnitX()) *
                          AngleAxisd(std::remainder(spin * t, 2 * M_PI), Vector3d::UnitZ());
    const Vector3d x = R * Vector3d(0, 0, 0.5), axis = Vector3d::UnitZ();
    const Vector3d Omega = R.conjugate() * (w * axis) + Vector3d(0, 0, spin);
    const Vector3d vdot = w * w * axis.cross(axis.cross(x)), force = 2 * (vdot + 9.81 * axis);
    const json& top = states[i].at("bodies").at("top");
    CHECK(body_difference("q", top, {R.w(), R.x(), R.y(), R.z()}) <= 1e-9);
    CHECK(difference(top.at("x"), {x[0], x[1], x[2]}) <= 1e-9);
    CHECK(difference(top.at("Omega"), {Omega[0], Omega[1], Omega[2]}) <= 1e-9);
    CHECK(difference(top.at("vdot"), {vdot[0], vdot[1], vdot[2]}) <= 1e-9);
    CHECK(difference(states[i].at("joints").at("pivot").at("force"), {force[0], force[1], force[2]}) <= 1e-9);
  }
}

TEST_CASE("a comparison with a reference fails where a number of either is not finite") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const json good = {1, 2, {3, 4}}, broken = {1, 2, {3, bad}};
    CHECK(difference(good, good) == 0);
    CHECK_FALSE(difference(broken, good) < 1e300);
    CHECK_FALSE(difference(good, broken) < 1e300);
    CHECK_FALSE(difference(broken, broken) < 1e300);
    CHECK_FALSE(difference(broken, good) > 0);
    const json attitude = {{"q", {0.6, bad, 0, 0}}};
    CHECK_FALSE(body_difference("q", attitude, json{0.6, 0.8, 0, 0}) < 1e300);
    CHECK_FALSE(body_difference("R_rows", attitude, json{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) < 1e300);
  }
}

TEST_CASE("all six steady precessions of the Lagrange top follow their closed form") {
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78"}) {
    CAPTURE(method);
    const json states = reference("lagrange_top_steady_precession").at("outputs");
    REQUIRE(states.size() == 3);
    for (const json& state : states) {
      for (const char* root : {"phidot_slow", "phidot_fast"})
        check_steady_precession(method, state.at("theta"), state.at("psidot"), state.at(root));
    }
  }
}

}  // namespace
}  // namespace torsor::test
