#include "rattlie.hpp"

#include "free_bodies.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {

std::optional<std::string> Rattlie::why_unsuitable(const System& system) const {
  return why_not_invariant(system);
}

StepStatus Rattlie::do_step(const System& system, State& x, double t, double h, Vec*) {
  if (const ConstrainedSystem* constrained = as_constrained(system))
    return guarded(message_, part_, h, [&] { return step(*constrained, x, t, h); });
  const StepStatus status = free_.do_step(system, x, t, h);
  message_ = free_.message(), part_ = free_.part();
  return status;
}

/// Sets s_ for z = (h w; h^2/2 lambda): in holonomic rows, phi at the end of the step; in nonholonomic rows,
/// h times the velocity residual at the middle of the step.
void Rattlie::rows_of_motion(const ConstrainedSystem& system, const State& x, double t, double h,
                             const Vec& z) {
  const auto n = x.v.size();
  xi_ = z.head(n) / 2;
  system.retract(x.q, xi_, q_m_);
  w_ = z.head(n) / h;
  system.velocity_residual(t + h / 2, q_m_, w_, psi_);
  xi_ = z.head(n);
  system.retract(x.q, xi_, next_.q);
  system.position_residual(t + h, next_.q, s_);
  for (Eigen::Index j = 0; j < s_.size(); ++j)
    if (!system.holonomic()[std::size_t(j)]) s_[j] = h * psi_[j];
}

/// Solves for z = (h w; h^2/2 lambda). The iteration divides by the saddle-point matrix at the start of the
/// step. Expects p + h/2 f in p_.
bool Rattlie::solve_motion(const ConstrainedSystem& system, const State& x, double t, double h) {
  const EulerPoincare& equations = euler_poincare_of(system);
  const auto n = x.v.size(), m = s_.size();
  const auto residual = [&](const Vec& z, Vec& r) {
    r.resize(n + m);
    rows_of_motion(system, x, t, h, z);
    equations.momentum(z.head(n), momentum_);
    w_ = -z.head(n);
    equations.dexp_inv_transpose(w_, momentum_, r_);
    r_ -= h * p_;
    system.reaction(t, x.q, z.tail(m), reaction_);
    r_ -= reaction_;
    system.solve(t, x.q, r_, s_, r.head(n), r.tail(m));
  };
  z_.setZero(n + m);
  z_.head(n) = h * x.v;
  newton_.set_multipliers(n);
  if (newton_.solve(residual, z_)) return true;
  message_ = newton_.failure();
  return false;
}

StepStatus Rattlie::step(const ConstrainedSystem& system, State& x, double t, double h) {
  const EulerPoincare& equations = euler_poincare_of(system);
  const auto n = x.v.size();
  for (Vec* v : {&p_, &force_, &xi_, &w_, &momentum_, &r_, &reaction_, &change_, &dv_}) v->resize(n);
  for (Vec* v : {&s_, &psi_}) v->resize(system.rows());
  for (Vec* q : {&q_m_, &next_.q}) q->resize(system.nq());
  if (memory::holds(x, memory::Kind::rattle, t)) {
    force_ = memory::values(x);
  } else {
    ++evaluations_;
    equations.position_force(t, x.q, force_);
  }
  equations.momentum(x.v, p_);
  p_ += h / 2 * force_;
  if (!solve_motion(system, x, t, h)) return StepStatus::newton_failed;

  xi_ = z_.head(n);
  system.retract(x.q, xi_, next_.q);
  w_ = xi_ / h;
  equations.momentum(w_, momentum_);
  equations.ad_transpose(xi_, momentum_, change_);
  system.reaction(t, x.q, z_.tail(s_.size()), reaction_);
  change_ += reaction_ / h + h / 2 * force_;
  ++evaluations_;
  equations.position_force(t + h, next_.q, force_);
  change_ += h / 2 * force_;
  system.velocity_residual(t + h, next_.q, x.v, s_);
  s_ = -s_;
  system.solve(t + h, next_.q, change_, s_, dv_, psi_);
  next_.v = x.v + dv_;

  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::rattle, t + h, force_);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_rattlie() { return std::make_unique<Rattlie>(); }

}  // namespace torsor
