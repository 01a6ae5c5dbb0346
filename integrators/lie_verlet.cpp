#include "lie_verlet.hpp"

#include "free_bodies.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {

std::optional<std::string> LieVerlet::why_unsuitable(const System& system) const {
  return why_not_free_bodies(system);
}

StepStatus LieVerlet::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] { return step(system, x, t, h); });
}

/// Solves dexp_inv(-h w)^T G w = p_ for w_.
bool LieVerlet::solve_velocity(const EulerPoincare& equations, double h) {
  const auto residual = [&](const Vec& w, Vec& r) {
    xi_ = -h * w;
    equations.momentum(w, momentum_);
    equations.dexp_inv_transpose(xi_, momentum_, transported_);
    transported_ -= p_;
    r.resize(w.size());
    equations.momentum_inverse(transported_, r);
  };
  newton_.set_unit(Newton::unit_of_velocity(h));
  if (newton_.solve(residual, w_)) return true;
  message_ = newton_.failure();
  return false;
}

StepStatus LieVerlet::step(const System& system, State& x, double t, double h) {
  const EulerPoincare& equations = euler_poincare_of(system);
  for (Vec* v : {&p_, &momentum_, &transported_, &force_, &change_, &dv_}) v->resize(system.nv());
  next_.q.resize(system.nq());
  if (memory::holds(x, memory::Kind::force, t)) {
    force_ = memory::values(x);
  } else {
    ++evaluations_;
    equations.position_force(t, x.q, force_);
  }
  equations.momentum(x.v, p_);
  p_ += h / 2 * force_;
  w_ = x.v;
  if (!solve_velocity(equations, h)) return StepStatus::newton_failed;

  xi_ = h * w_;
  system.retract(x.q, xi_, next_.q);
  equations.momentum(w_, momentum_);
  equations.ad_transpose(xi_, momentum_, change_);
  change_ += h / 2 * force_;
  ++evaluations_;
  equations.position_force(t + h, next_.q, force_);
  change_ += h / 2 * force_;
  equations.momentum_inverse(change_, dv_);
  next_.v = x.v + dv_;

  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::force, t + h, force_);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_lie_verlet() { return std::make_unique<LieVerlet>(); }

}  // namespace torsor
