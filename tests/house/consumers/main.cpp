// A first program of a user: a quarter turn about z takes the x axis to the y axis. It uses the headers of
// the groups, and the list of methods in the compiled library.
#include <cmath>
#include <iostream>
#include <numbers>
#include <torsor/integrators/stepper.hpp>
#include <torsor/lie/so3.hpp>

int main() {
  const auto R = torsor::SO3<>::exp({0, 0, std::numbers::pi / 2});
  const torsor::Vec3 y = R * torsor::Vec3::UnitX();
  std::cout << std::lround(y.x()) << ' ' << std::lround(y.y()) << ' ' << std::lround(y.z()) << '\n';
  return torsor::find_method("rkmk4") ? 0 : 1;
}
