#include "torsor/integrators/generalized_alpha.hpp"

#include <cassert>
#include <cmath>

#include "constrained.hpp"
#include "guard.hpp"
#include "make.hpp"
#include "memory.hpp"

namespace torsor {

using Parameters = GeneralizedAlpha::Parameters;
using Level = ConstrainedSystem::Level;

Parameters Parameters::with_radius(double rho) {
  assert(rho >= 0 && rho <= 1);
  const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const double gamma = 0.5 + alpha_f - alpha_m;
  return {alpha_m, alpha_f, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

std::optional<std::string> Parameters::why_invalid() const {
  constexpr double rounding = 1e-12;
  if (!(std::abs(gamma - (0.5 + alpha_f - alpha_m)) < rounding))
    return "order 2 needs gamma = 1/2 + alpha_f - alpha_m";
  if (!(alpha_m <= alpha_f + rounding && alpha_f <= 0.5 + rounding))
    return "stability needs alpha_m <= alpha_f <= 1/2";
  if (!(beta >= 0.25 + (alpha_f - alpha_m) / 2 - rounding))
    return "stability needs beta >= 1/4 + (alpha_f - alpha_m)/2";
  return std::nullopt;
}

GeneralizedAlpha::GeneralizedAlpha(double rho, Treatment form)
    : GeneralizedAlpha(Parameters::with_radius(rho), form) {}

GeneralizedAlpha::GeneralizedAlpha(const Parameters& parameters, Treatment form)
    : p_(parameters), form_(form) {
  assert(!p_.why_invalid());
}

StepStatus GeneralizedAlpha::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, h, [&] {
    if (const ConstrainedSystem* constrained = as_constrained(system)) return step(*constrained, x, t, h);
    return step(system, x, t, h);
  });
}

void GeneralizedAlpha::resize(const System& system, int rows) {
  for (Vec* v : {&a_, &b_, &normal_, &v_, &a_next_, &xi_, &next_.v}) v->resize(system.nv());
  lambda_.resize(rows);
  next_.q.resize(system.nq());
}

/// Recalls a_ and b_ from the last step. If the step size has changed, b_ is extrapolated along its tangent
/// to the time of the new step size.
bool GeneralizedAlpha::recall(const State& x, double t, double h, int vectors) {
  const auto kind = vectors == 2 ? memory::Kind::alpha : memory::Kind::constrained_alpha;
  if (!memory::holds(x, kind, t, vectors, 3 * lambda_.size() + 1)) return false;
  a_ = memory::values(x, 0);
  b_ = memory::values(x, 1);
  const double h_last = x.memory[x.memory.size() - 1];
  if (h != h_last) b_ = a_ + h / h_last * (b_ - a_);
  return true;
}

/// Sets b_ at the time t + shift h of the first step, and rate_, the rate of a_. If the tangent does not
/// predict the acceleration over the shift (motions much faster than the step size), rate_ is zero and b_
/// is the acceleration at t. That start is better then: its transient decays with the damping of the
/// method.
void GeneralizedAlpha::start_shifted(const System& system, const State& x, double t, double h) {
  ++evaluations_;
  const double ahead = (std::abs(shift()) > 0.01 ? shift() : 0.1) * h;
  xi_ = ahead * x.v + ahead * ahead / 2 * a_;
  system.retract(x.q, xi_, next_.q);
  next_.v = x.v + ahead * a_;
  system.acceleration(t + ahead, next_.q, next_.v, b_);
  rate_ = (b_ - a_) / ahead;
  const double plausible = a_.lpNorm<Eigen::Infinity>() + x.v.lpNorm<Eigen::Infinity>() / std::abs(h);
  if (!((b_ - a_).lpNorm<Eigen::Infinity>() <= 0.1 * plausible)) rate_.setZero();
  b_ = a_ + shift() * h * rate_;
}

void GeneralizedAlpha::begin(const System& system, const State& x, double t, double h) {
  if (recall(x, t, h, 2)) return;
  ++evaluations_;
  system.acceleration(t, x.q, x.v, a_);
  start_shifted(system, x, t, h);
}

/// Sets next_ and b_next_ for the acceleration a at the end of the step.
void GeneralizedAlpha::advance(const System& system, const State& x, double h, const Vec& a) {
  b_next_ = ((1 - p_.alpha_f) * a + p_.alpha_f * a_ - p_.alpha_m * b_) / (1 - p_.alpha_m);
  xi_ = h * v_ + h * h * ((0.5 - p_.beta) * b_ + p_.beta * b_next_);
  system.retract(x.q, xi_, next_.q);
  next_.v = v_ + h * ((1 - p_.gamma) * b_ + p_.gamma * b_next_);
}

StepStatus GeneralizedAlpha::step(const System& system, State& x, double t, double h) {
  resize(system, 0);
  begin(system, x, t, h);
  v_ = x.v;
  const auto residual = [&](const Vec& a, Vec& r) {
    ++evaluations_;
    advance(system, x, h, a);
    system.acceleration(t + h, next_.q, next_.v, a_next_);
    r = a - a_next_;
  };
  const double c = (1 - p_.alpha_f) / (1 - p_.alpha_m);
  const auto point = [&] {
    return ConstrainedSystem::Linearisation{
        t + h, next_, a_next_, lambda_, xi_, p_.gamma * c * h, p_.beta * c * h * h, Level::velocity};
  };
  trial_ = a_;
  if (!newton_.solve(residual, trial_, system, point)) {
    message_ = newton_.failure();
    return StepStatus::newton_failed;
  }
  advance(system, x, h, trial_);
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::alpha, t + h, trial_, b_next_, Vector<double, 1>(h));
  return StepStatus::accepted;
}

}  // namespace torsor
