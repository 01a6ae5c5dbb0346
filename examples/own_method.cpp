// A method of your own, and Odeint's loops with a method of Torsor. The system is a rigid body that turns
// freely (Euler's equations) on SO(3).
#include <Eigen/Geometry>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

#include "torsor/integrators/group_system.hpp"
#include "torsor/integrators/odeint_adaptor.hpp"
#include "torsor/lie/so3.hpp"
#include "torsor/run/simulate.hpp"

using namespace torsor;

namespace {

/// The explicit midpoint rule: v_m = v + h/2 a(t, q, v), q_m = q exp(h/2 v), q' = q exp(h v_m),
/// v' = v + h a(t + h/2, q_m, v_m). Order 2.
class ExplicitMidpoint final : public Stepper {
 public:
  int order() const override { return 2; }
  long evaluations() const override { return evaluations_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec*) override {
    a_.resize(x.v.size()), q_.resize(x.q.size());
    system.acceleration(t, x.q, x.v, a_);
    v_m_ = x.v + h / 2 * a_, xi_ = h / 2 * x.v;
    system.retract(x.q, xi_, q_);
    system.acceleration(t + h / 2, q_, v_m_, a_);
    evaluations_ += 2;
    xi_ = h * v_m_;
    if (!a_.allFinite() || !xi_.allFinite()) return StepStatus::non_finite;
    system.retract(x.q, xi_, q_);
    x.q.swap(q_), x.v += h * a_;
    x.memory.resize(0);  // this method keeps no data from step to step
    return StepStatus::accepted;
  }

 private:
  Vec a_, v_m_, xi_, q_;
  long evaluations_ = 0;
};

}  // namespace

int main() {
  const Vec3 J(1, 2, 3), w(0.1, 1, 0.1);  // kg m^2, rad/s
  const auto body = group_system<SO3<>>([&](double, const SO3<>&, const Vec3& v) {
    return Vec3(-v.cross(J.cwiseProduct(v)).cwiseQuotient(J));
  });
  const State start = group_state(SO3<>::identity(), w);
  const auto error = [&](const State& x) {  // of the angular momentum in space, which is constant
    return (SO3<>::from(x.q.data()) * Vec3(J.cwiseProduct(Vec3(x.v))) - J.cwiseProduct(w)).norm();
  };

  double errors[2];
  for (int i : {0, 1}) {
    SimulationOptions options;
    options.make_method = [] { return std::make_unique<ExplicitMidpoint>(); };
    options.t_end = 10, options.step = i == 0 ? 0.01 : 0.005;
    const RunSummary summary = simulate(body, start, options);
    errors[i] = error(summary.x);
    std::printf("own method: h = %g s, %ld evaluations, error %.1e\n", *options.step, summary.evaluations,
                errors[i]);
  }

  State x = start;
  const auto observe = [](const State& at, double t) {
    if (std::lround(10 * t) % 50 == 0) std::printf("cf4 in Odeint: t = %2.0f s, v[1] = %7.4f\n", t, at.v[1]);
  };
  boost::numeric::odeint::integrate_const(OdeintStepper("cf4"), std::cref(body), x, 0., 10., 0.1, observe);
  std::printf("observed order of the own method %.1f, error of cf4 %.1e\n", std::log2(errors[0] / errors[1]),
              error(x));
  return std::abs(std::log2(errors[0] / errors[1]) - 2) < 0.1 && error(x) < 1e-4 ? 0 : 1;
}
