// Your own field on a group, without a mechanism: a camera that turns with a gyroscope's reading, R' = R
// hat(w(t)). Measures the order of a method with equal steps, then integrates with error control.
#include <cmath>
#include <cstdio>

#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;

namespace {

const auto camera = group_field<SO3<>>([](double t, const SO3<>&) {
  return Vec3(std::cos(t), 0.5 * std::sin(3 * t), 1 + t);  // body axes, rad/s
});

/// The error after 2 s with n equal steps of Cf4.
double error_of(long n, const SO3<>& exact) {
  SO3<> R = SO3<>::identity();
  integrate_steps<Cf4>(camera, R, 0., 2. / static_cast<double>(n), n);
  return difference(R, exact).norm();
}

}  // namespace

int main() {
  SO3<> exact = SO3<>::identity();
  integrate<RkmkDopri5>(camera, exact, 0, 2, {.tolerance = 1e-14});

  std::printf("cf4, equal steps\n");
  double before = 0, order = 0;
  for (long n = 20; n <= 160; n *= 2) {
    const double error = error_of(n, exact);
    order = before > 0 ? std::log2(before / error) : 0;
    std::printf("  %4ld steps: error %.1e rad%s", n, error, before > 0 ? "" : "\n");
    if (before > 0) std::printf(", order %.2f\n", order);
    before = error;
  }

  std::printf("rkmk-dopri5, error controlled\n");
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    SO3<> R = SO3<>::identity();
    const IntegrateResult run = integrate<RkmkDopri5>(camera, R, 0, 2, {.tolerance = tolerance});
    std::printf("  tolerance %.0e: error %.1e rad, %ld steps, %ld evaluations\n", tolerance,
                difference(R, exact).norm(), run.accepted, run.evaluations);
  }
  return std::abs(order - 4) < 0.1 ? 0 : 1;
}
