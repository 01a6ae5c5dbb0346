// The floating-point environment of the caller: rounding mode, denormals, traps, exception flags.
#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <limits>

#include "line_system.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/row_levels.hpp"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace torsor;

namespace {

#if defined(__SSE2__)
constexpr unsigned long flush_bits = 0x8040;  // MXCSR: flush results to zero, read denormals as zero
unsigned long control() { return _mm_getcsr(); }
void set_control(unsigned long bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
constexpr unsigned long flush_bits = 1ul << 24;  // FPCR: flush to zero
unsigned long control() {
  unsigned long fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}
void set_control(unsigned long bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#endif

SimulationOptions in_steps(double step, double t_end) {
  SimulationOptions options;
  options.method = "rkmk4";
  options.step = step;
  options.t_end = t_end;
  return options;
}

}  // namespace

TEST_CASE("a run uses the default floating-point environment and restores that of the caller") {
  const auto run = [] { return simulate(oscillator(), line_state(1, 0), in_steps(0.01, 1)); };
  const auto normal = run();
  CHECK(normal.note.empty());
  std::fesetround(FE_UPWARD);
  const auto rounded = run();
  const int rounding = std::fegetround();
  std::fesetround(FE_TONEAREST);
  CHECK(rounding == FE_UPWARD);
  CHECK(rounded.x.q == normal.x.q);
  CHECK(rounded.note == "the rounding mode was reset to nearest for the run");
#if defined(__SSE2__) || defined(__aarch64__)
  const unsigned long before = control();
  set_control(before | flush_bits);
  double inside = 0;
  auto options = in_steps(0.01, 0.01);
  options.progress = [&](double) {
    volatile double tiny = std::numeric_limits<double>::denorm_min();
    inside = 2 * tiny;
  };
  const auto flushed = simulate(oscillator(), line_state(1, 0), options);
  const unsigned long after = control();
  set_control(before);
  CHECK((after & flush_bits) == flush_bits);
  CHECK(inside > 0);
  CHECK(flushed.note == "flushing of denormals to zero was switched off for the run");
#endif
}

#if defined(__GLIBC__)
TEST_CASE(
    "a run takes no trap of the caller and leaves the traps and exception flags of the caller as they were") {
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
  const int traps = fegetexcept();  // 0 where the processor has no traps
  double inside = 0;
  auto options = in_steps(0.01, 0.01);
  options.progress = [&](double) {
    volatile double zero = 0;
    inside = zero / zero;
  };
  simulate(oscillator(), line_state(1, 0), options);
  const int after = fegetexcept(), flags = std::fetestexcept(FE_INVALID);
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(std::isnan(inside));
  CHECK(after == traps);
  CHECK(flags == 0);
}

// The start and the levels divide a bound by a residual of zero. A trap would end the program.
TEST_CASE("the start of a rolling ball and the levels of its rows take no trap of the caller") {
  Mechanism mechanism;
  mechanism.bodies = {{.name = "ball", .mass = 1, .inertia = Mat3::Identity()}};
  mechanism.constraints = {{"contact", Rolling{}}};  // of a sphere of 1 m on the plane z = 0
  Start start;
  start.bodies.resize(1);
  start.bodies[0].x = Vec3(0, 0, 1);
  const Model model(mechanism);
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
  const State x = consistent_start(model, start, 0, Consistency::project);
  const auto levels = row_levels(MechanismSystem(model, 1), 0, x.q);
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(levels == std::vector{RowLevel::position, RowLevel::nonholonomic, RowLevel::nonholonomic});
}
#endif
