// A system in coordinates written in code: a skate on an inclined plane, released with a spin. The blade does
// not slip sideways, so the skate does not slide down: it returns to its height after each half turn. Bloch,
// Nonholonomic Mechanics and Control, 1.6, has the exact motion.
#include <cmath>
#include <cstdio>

#include "torsor/coordinates/coordinate_fields.hpp"
#include "torsor/coordinates/run.hpp"
#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/lie/elementary.hpp"

using namespace torsor;

namespace {

constexpr double mass = 2, inertia = 0.1, slope = 3;  // kg, kg m^2, m/s^2: gravity along the plane

/// e = (x, y, phi, t): x points down the plane, phi is the angle of the blade from x.
struct Skate : CoordinateFields {
  Skate() : CoordinateFields(3) {}
  template <class S>
  Matrix<S> metric(const Vector<S>&) const {
    Matrix<S> g = Matrix<S>::Constant(4, 4, S(0));
    g(0, 0) = g(1, 1) = S(mass), g(2, 2) = S(inertia);
    return g;
  }
  template <class S>
  S potential(const Vector<S>& e) const {
    return S(-mass * slope) * e[0];
  }
  template <class S>
  Matrix<S> rows(const Vector<S>& e) const {  // -x' sin(phi) + y' cos(phi) = 0
    Matrix<S> A = Matrix<S>::Constant(1, 4, S(0));
    A(0, 0) = -sin(e[2]), A(0, 1) = cos(e[2]);
    return A;
  }
  std::vector<std::string> row_names() const { return {"blade"}; }
  bool depends_on_time() const { return false; }
};

}  // namespace

int main() {
  constexpr double w = 1.5;  // rad/s
  const SystemOfFields<Skate> system{Skate()};
  SimulationOptions options;
  options.t_end = 4, options.output_step = 1, options.tolerance = 1e-10;
  const Trajectory motion = run(system, {Vec3::Zero(), Vec3(0, 0, w), {}}, options);

  double error = 0;
  for (const Sample& sample : motion.samples) {
    const double t = sample.t, x = slope / (2 * w * w) * std::pow(std::sin(w * t), 2),
                 y = slope / (2 * w) * (t - std::sin(2 * w * t) / (2 * w));
    error = std::max(error, (sample.x.q - Vec3(x, y, w * t)).norm());
    std::printf("t = %.0f s   x = %.4f m, y = %.4f m   force on the blade %7.4f N\n", t, sample.x.q[0],
                sample.x.q[1], sample.multipliers[0]);
  }
  std::printf("error below 1e-8 m: %s, drift of energy below 1e-8 J: %s\n", error < 1e-8 ? "yes" : "no",
              motion.energy_max_drift < 1e-8 ? "yes" : "no");
  return motion.summary.status == StepStatus::reached_end && error < 1e-8 ? 0 : 1;
}
