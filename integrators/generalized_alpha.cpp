#include "torsor/integrators/generalized_alpha.hpp"

#include <cassert>
#include <cmath>

#include "guard.hpp"
#include "make.hpp"
#include "memory.hpp"

namespace torsor {

GeneralizedAlpha::GeneralizedAlpha(double rho)
    : alpha_m_((2 * rho - 1) / (rho + 1)), alpha_f_(rho / (rho + 1)), gamma_(0.5 + alpha_f_ - alpha_m_) {
  assert(rho >= 0 && rho <= 1);
  beta_ = (gamma_ + 0.5) * (gamma_ + 0.5) / 4;
}

StepStatus GeneralizedAlpha::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, h, [&] { return step(system, x, t, h); });
}

/// a_ and b_ at the start of the step, remembered or new. Where the tangent does not predict over the shift
/// (motions much faster than the step) the plain acceleration starts better: its transient decays as the
/// method damps.
void GeneralizedAlpha::begin(const System& system, const State& x, double t, double h) {
  if (memory::holds(x, memory::Kind::alpha, t, 2)) {
    a_ = memory::values(x, 0);
    b_ = memory::values(x, 1);
    return;
  }
  evaluations_ += 2;
  system.acceleration(t, x.q, x.v, a_);
  const double shift = (alpha_m_ - alpha_f_) * h;
  xi_ = shift * x.v + shift * shift / 2 * a_;
  system.retract(x.q, xi_, next_.q);
  next_.v = x.v + shift * a_;
  system.acceleration(t + shift, next_.q, next_.v, b_);
  const double plausible = a_.lpNorm<Eigen::Infinity>() + x.v.lpNorm<Eigen::Infinity>() / std::abs(h);
  if (!((b_ - a_).lpNorm<Eigen::Infinity>() <= 0.1 * plausible)) b_ = a_;
}

/// next_ and b_next_ for the acceleration a at the end of the step.
void GeneralizedAlpha::advance(const System& system, const State& x, double h, const Vec& a) {
  b_next_ = ((1 - alpha_f_) * a + alpha_f_ * a_ - alpha_m_ * b_) / (1 - alpha_m_);
  xi_ = h * x.v + h * h * ((0.5 - beta_) * b_ + beta_ * b_next_);
  system.retract(x.q, xi_, next_.q);
  next_.v = x.v + h * ((1 - gamma_) * b_ + gamma_ * b_next_);
}

StepStatus GeneralizedAlpha::step(const System& system, State& x, double t, double h) {
  for (Vec* v : {&a_, &b_, &a_next_, &next_.v}) v->resize(system.nv());
  next_.q.resize(system.nq());
  begin(system, x, t, h);
  const auto residual = [&](const Vec& a, Vec& r) {
    ++evaluations_;
    advance(system, x, h, a);
    system.acceleration(t + h, next_.q, next_.v, a_next_);
    r = a - a_next_;
  };
  trial_ = a_;
  if (!newton_.solve(residual, trial_)) {
    message_ = newton_.failure();
    return StepStatus::newton_failed;
  }
  advance(system, x, h, trial_);
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::alpha, t + h, trial_, b_next_);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_generalized_alpha() { return std::make_unique<GeneralizedAlpha>(); }

}  // namespace torsor
