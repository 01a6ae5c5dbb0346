#include "torsor/integrators/lie_midpoint.hpp"

#include "guard.hpp"
#include "make.hpp"

namespace torsor {

StepStatus LieMidpoint::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, h, [&] { return step(system, x, t, h); });
}

StepStatus LieMidpoint::step(const System& system, State& x, double t, double h) {
  q_m_.resize(system.nq());
  a_.resize(system.nv());
  const auto residual = [&](const Vec& v_m, Vec& r) {
    ++evaluations_;
    xi_ = h / 2 * v_m;
    system.retract(x.q, xi_, q_m_);
    system.acceleration(t + h / 2, q_m_, v_m, a_);
    r = v_m - x.v - h / 2 * a_;
  };
  v_m_ = x.v;
  if (!newton_.solve(residual, v_m_)) {
    message_ = newton_.failure();
    return StepStatus::newton_failed;
  }
  xi_ = h * v_m_;
  next_.q.resize(system.nq());
  system.retract(x.q, xi_, next_.q);
  next_.v = 2 * v_m_ - x.v;
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  x.memory.resize(0);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_lie_midpoint() { return std::make_unique<LieMidpoint>(); }

}  // namespace torsor
