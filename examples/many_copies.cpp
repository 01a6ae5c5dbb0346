// Integrates 1000 copies of a field of your own, as many at once as the processor has lanes. The copies are
// satellites that spin almost about their body axis y, each with its own inertia about this axis. A satellite
// for which y is the middle principal axis tumbles (Dzhanibekov effect).
#include <cstdio>

#include "many_copies_field.hpp"
#include "torsor/batch/ensemble.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"

using namespace torsor;

namespace {

constexpr std::size_t count = 1000;

/// Moment of inertia about the axis of spin, kg m^2: from 0.5 to 2.5. Between 1.5 and 2 it is the middle
/// principal moment.
double inertia(std::size_t k) { return 0.5 + 2 * (static_cast<double>(k) + 0.5) / count; }

Ensemble<Satellite> spinning() {
  Ensemble<Satellite> satellites(count);
  for (std::size_t k = 0; k < count; ++k) {
    satellites.set(k, {SO3<>::identity(), Vec3(0.01, 1, 0)});
    satellites.set_parameters(k, {inertia(k)});
  }
  return satellites;
}

}  // namespace

int main() {
  auto satellites = spinning();
  const auto& kernels = ensemble_kernels<Satellite, RkmkDopri5>();
  std::printf("%d lanes of %s\n", kernels.lanes, std::string(to_string(kernels.isa)).c_str());
  std::size_t tumbled = 0, wrong = 0;
  long steps = 0;
  const auto results = satellites.integrate(kernels, 0, 60, {.tolerance = 1e-9});
  for (std::size_t k = 0; k < count; ++k) {
    const double c = inertia(k), spin = satellites.get(k).v[1];
    const bool steady = c < 1.4 || c > 2.1;
    if (spin < 0.9) ++(steady ? wrong : tumbled);
    if (results[k].status != StepStatus::reached_end) ++wrong;
    steps += results[k].accepted;
  }
  std::printf("%zu of %zu satellites tumble at t = 60 s; %ld steps in all\n", tumbled, count, steps);

  // With equal steps, a copy has the same bits as the same satellite integrated alone.
  auto equal = spinning();
  equal.steps(ensemble_kernels<Satellite, RkmkNystrom4>(), 0, 0.01, 600);
  Phase<SO3<>> alone{SO3<>::identity(), Vec3(0.01, 1, 0)};
  integrate_steps<RkmkNystrom4>(Satellite<double>({inertia(123)}), alone, 0., 0.01, 600);
  const Vec3 w = equal.get(123).v;
  std::printf("satellite 123 at t = 6 s: w = (%.17g, %.17g, %.17g)\n", w[0], w[1], w[2]);
  return wrong == 0 && tumbled > 0 && w == alone.v ? 0 : 1;
}
