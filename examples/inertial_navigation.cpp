// Inertial navigation: position, velocity and attitude of a body from the readings of its gyroscope and its
// accelerometer. With angular velocity w and specific force f in body axes, and gravity g in world axes,
//
//   p' = v,   v' = R f + g,   R' = R hat(w).
//
// These equations are one field on the group of extended poses SE_2(3). They are group-affine: the motion is
// a product of three elements that come from gravity, from the start and from the readings. The readings can
// therefore be integrated before the start is known, here on the Galilean group SGal(3). Barrau and Bonnabel,
// IEEE Trans. Autom. Control 62 (2017) 1797-1812.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/lie/semidirect_product.hpp"

using namespace torsor;

namespace {

using Pose = SE23<>;  // p = (position, velocity), h = attitude

const Vec3 gravity(0, 0, -9.81);  // m/s^2
constexpr double t_end = 10;      // s

// The body flies on a circle, and its axis moves on a cone: R = exp(tilt (cos ct, sin ct, 0)), c = coning.
constexpr double tilt = 0.1, coning = 2 * std::numbers::pi;  // rad, rad/s
constexpr double radius = 20, turning = 0.5;                 // m, rad/s

Pose exact(double t) {
  const double c = radius * std::cos(turning * t), s = radius * std::sin(turning * t);
  Pose::Point p;
  p << c, s, 0, -turning * s, turning * c, 0;
  return {p, SO3<>::exp({tilt * std::cos(coning * t), tilt * std::sin(coning * t), 0})};
}

Vec3 gyroscope(double t) {
  const double across = coning * std::sin(tilt), along = coning * (1 - std::cos(tilt));
  return {-across * std::sin(coning * t), across * std::cos(coning * t), -along};
}

/// R^T (v' - g).
Vec3 accelerometer(double t) {
  const Pose pose = exact(t);
  return pose.h.inverse() * Vec3(-turning * turning * pose.p.head<3>() - gravity);
}

/// The velocity g^-1 g' = (R^T v, f + R^T g; w) on SE_2(3). It depends on the pose through v and R.
const auto motion = group_field<Pose>([](double t, const Pose& pose) {
  const SO3<> back = pose.h.inverse();
  Pose::Tangent xi;
  xi << back * Vec3(pose.p.tail<3>()), accelerometer(t) + back * gravity, gyroscope(t);
  return xi;
});

/// The velocity (0, 1; f, w) on SGal(3) without gravity. It depends on the readings alone.
const auto readings = group_field<SGal3<>>([](double t, const SGal3<>&) {
  SGal3<>::Tangent xi;
  xi << Vec3::Zero(), 1, accelerometer(t), gyroscope(t);
  return xi;
});

struct Errors {
  double position, velocity, attitude;  // m, m/s, rad
};

Errors errors(const Vec3& p, const Vec3& v, const SO3<>& R) {
  const Pose end = exact(t_end);
  return {(p - end.p.head<3>()).norm(), (v - end.p.tail<3>()).norm(), difference(end.h, R).norm()};
}

/// The errors after t_end with `rate` steps a second.
Errors navigate(int rate) {
  Pose pose = exact(0);
  integrate_steps<Rkmk4>(motion, pose, 0., 1. / rate, static_cast<long>(t_end * rate));
  return errors(pose.p.head<3>(), pose.p.tail<3>(), pose.h);
}

/// The same errors if the end is computed as the product of three elements: the free fall from rest, the
/// start, and the integrated readings.
Errors navigate_from_readings(int rate) {
  SGal3<> increment = SGal3<>::identity();
  integrate_steps<Rkmk4>(readings, increment, 0., 1. / rate, static_cast<long>(t_end * rate));

  const auto element = [](const Vec3& p, double t, const Vec3& v, const SO3<>& R) {
    return SGal3<>({p[0], p[1], p[2], t}, SE3<>(R, v));
  };
  const Pose begin = exact(0);
  const SGal3<> start = element(begin.p.head<3>(), 0, begin.p.tail<3>(), begin.h);
  const SGal3<> fall = element(-t_end * t_end / 2 * gravity, 0, t_end * gravity, SO3<>::identity());
  const SGal3<> end = fall * start * increment;
  return errors(end.p.head<3>(), end.h.p, end.h.R);
}

void print(int rate, const Errors& e) {
  std::printf("  %3d Hz: %.1e m  %.1e m/s  %.1e rad", rate, e.position, e.velocity, e.attitude);
}

}  // namespace

int main() {
  std::printf("rkmk4 on SE_2(3) for %.0f s: errors of position, velocity and attitude\n", t_end);
  Errors errors = navigate(50);
  print(50, errors);
  double order = 0;
  for (const int rate : {100, 200, 400}) {
    const double before = errors.position;
    errors = navigate(rate);
    order = std::log2(before / errors.position);
    std::printf("\n");
    print(rate, errors);
    std::printf("  order %.2f", order);
  }
  std::printf("\nreadings first, on SGal(3)\n");
  const Errors from_readings = navigate_from_readings(400);
  print(400, from_readings);
  std::printf("\n");

  constexpr double bound = 1e-8;  // m, m/s, rad
  for (const Errors& e : {errors, from_readings}) {
    if (!(e.position < bound && e.velocity < bound && e.attitude < bound)) return 1;
  }
  return std::abs(order - 4) < 0.1 ? 0 : 1;
}
