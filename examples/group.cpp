// Uses a Lie group alone: a screwdriver makes a quarter turn while it advances. Where does a point of its
// handle go, along which path, and how is the motion recovered from the first and the last pose?
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/lie/se3.hpp"

using namespace torsor;

namespace {

void print(const char* what, const Vec3& p) {
  std::printf("%-28s % .6f % .6f % .6f\n", what, p[0], p[1], p[2]);
}

}  // namespace

int main() {
  // Twists have their linear part first: 2 cm along z and a quarter turn about it, starting 10 cm from the
  // origin.
  SE3<>::Tangent screw = SE3<>::Tangent::Zero();
  screw[2] = 0.02;
  screw[5] = std::numbers::pi / 2;
  const SE3<> start(SO3<>::identity(), Vec3(0.1, 0, 0));
  const SE3<> end = start * SE3<>::exp(screw);

  const Vec3 handle(0.05, 0, 0);  // in the axes of the tool
  for (const double s : {0., 0.5, 1.}) {
    char label[40];
    std::snprintf(label, sizeof label, "handle at s = %.1f", s);
    print(label, interpolate(start, end, s) * handle);
  }

  const SE3<>::Tangent back = difference(start, end);
  print("recovered translation, m", back.head<3>());
  print("recovered rotation, rad", back.tail<3>());

  // Velocities are left-trivialised: dexp turns the rate of a logarithm into a body twist, and dexp_inv turns
  // the body twist back into this rate.
  SE3<>::Tangent rate;
  rate << 0.1, 0, 0, 0, 0, 1;
  const SE3<>::Tangent there_and_back = SE3<>::dexp_inv(screw, SE3<>::dexp(screw, rate));
  std::printf("dexp_inv undoes dexp to %.0e\n", std::max((there_and_back - rate).norm(), 1e-16));
  return (back - screw).norm() < 1e-14 && (there_and_back - rate).norm() < 1e-14 ? 0 : 1;
}
