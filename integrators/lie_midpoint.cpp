#include "lie_midpoint.hpp"

#include <algorithm>
#include <cmath>

#include "constrained.hpp"
#include "guard.hpp"

namespace torsor {
namespace {

constexpr auto exact_factors = ConstrainedSystem::Factors::exact;

/// Up to this number of unknowns, a step that fails is solved with a Jacobian by differences. A Jacobian of
/// this size takes less than a second.
constexpr Eigen::Index dense_at_most = 1000;

}  // namespace

StepStatus LieMidpoint::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] {
    if (const ConstrainedSystem* constrained = as_constrained(system)) return step(*constrained, x, t, h);
    return step(system, x, t, h);
  });
}

StepStatus LieMidpoint::step(const System& system, State& x, double t, double h) {
  middle_.q.resize(system.nq());
  a_.resize(system.nv());
  const auto residual = [&](const Vec& v_m, Vec& r) {
    ++evaluations_;
    xi_ = h / 2 * v_m;
    system.retract(x.q, xi_, middle_.q);
    system.acceleration(t + h / 2, middle_.q, v_m, a_);
    r = v_m - x.v - h / 2 * a_;
  };
  const auto point = [&] { return tangent_at(t, h); };
  middle_.v = x.v;
  newton_.set_unit(Newton::unit_of_velocity(h));
  newton_.set_multipliers(system.nv());
  if (!newton_.solve(residual, middle_.v, system, point)) {
    message_ = newton_.failure();
    return StepStatus::newton_failed;
  }
  xi_ = h * middle_.v;
  next_.q.resize(system.nq());
  system.retract(x.q, xi_, next_.q);
  next_.v = 2 * middle_.v - x.v;
  return keep(system, x);
}

/// Linearisation at the middle of the step: dv_m = h/2 da and dxi = h^2/4 da.
Tangent::Linearisation LieMidpoint::tangent_at(double t, double h) const {
  return {t + h / 2, middle_, a_, lambda_, xi_, h / 2, h * h / 4, Tangent::Level::position};
}

StepStatus LieMidpoint::step(const ConstrainedSystem& system, State& x, double t, double h) {
  for (Vec* v : {&middle_.v, &xi_, &a_, &force_, &r_, &reaction_, &next_.v}) v->resize(system.nv());
  for (Vec* q : {&middle_.q, &next_.q}) q->resize(system.nq());
  for (Vec* rows : {&s_, &lambda_}) rows->resize(system.rows());
  newton_.set_quadratures(system.nv() - system.quadratures(), system.quadratures());
  newton_.set_multipliers(system.nv());
  if (!first_half(system, x, t, h) || !second_half(system, t + h, h)) {
    message_ = newton_.failure();
    return StepStatus::newton_failed;
  }
  return keep(system, x);
}

/// The size of displacements, in the coordinates of x, below which changes count as absolute: 1, or the size of a
/// system that is far from 1.
double LieMidpoint::unit_of_displacements(const ConstrainedSystem& system, const State& x) {
  xi_.setOnes(), a_.setZero();
  const double size = 1 / system.error_norm(x, xi_, a_);
  return size >= 0.1 && size <= 100 ? 1 : size;
}

/// The unit of reactions in the equations of a half step, times `factor`, where they are h/2 lambda: 1, or the
/// greatest momentum or impulse of forces if that exceeds it, because reactions have the rounding errors of
/// these.
double LieMidpoint::unit_of_reactions(double h, double factor) const {
  const double impulse = std::abs(h) / 2 * force_.head(in_norm_).lpNorm<Eigen::Infinity>();
  return std::max(1., std::abs(factor) * std::max(momentum_, impulse));
}

/// Solves for z = (h v_m; h^2/2 lambda). The iteration divides by the saddle-point matrix at the start of
/// the step or, if that is not enough, by the tangent at the middle of the step. The equations have the rows
/// at the end of the step and the reactions at its start. Across a singular configuration their product and
/// that at the middle may differ in sign, and the iteration needs a Jacobian by differences.
bool LieMidpoint::first_half(const ConstrainedSystem& system, const State& x, double t, double h) {
  const auto n = x.v.size(), m = s_.size();
  newton_.set_unit(unit_of_displacements(system, x));
  system.mass_times(t, x.q, x.v, x.v, r_);
  in_norm_ = n - system.quadratures();
  momentum_ = r_.head(in_norm_).lpNorm<Eigen::Infinity>();
  const auto residual = [&](const Vec& z, Vec& r) {
    ++evaluations_;
    r.resize(n + m);
    xi_ = z.head(n) / 2;
    middle_.v = z.head(n) / h;
    system.retract(x.q, xi_, middle_.q);
    a_ = z.head(n) - h * x.v;
    system.mass_times(t + h / 2, middle_.q, middle_.v, a_, r_);
    system.force(t + h / 2, middle_.q, middle_.v, force_);
    r_ -= h * h / 2 * force_;
    newton_.set_unit_of_multipliers(unit_of_reactions(h, h));
    system.reaction(t, x.q, z.tail(m), reaction_);
    r_ -= reaction_;
    system.velocity_residual(t + h / 2, middle_.q, middle_.v, s_);
    xi_ = z.head(n);
    system.retract(x.q, xi_, next_.q);
    system.position_residual(t + h, next_.q, r.tail(m));
    for (Eigen::Index j = 0; j < m; ++j) s_[j] = system.holonomic()[std::size_t(j)] ? r[n + j] : h * s_[j];
    system.solve_with_mass(exact_factors, t, x.q, x.v, r_, s_, r.head(n), r.tail(m));
  };
  const auto factor = [&] {
    a_ *= 2 / (h * h), lambda_ = 2 / (h * h) * z_.tail(m), xi_ = z_.head(n) / 2;
    system.tangent()->factor(tangent_at(t, h));
  };
  const auto divide = [&](Vec& r) {
    s_ *= h * h / 4;
    system.tangent()->solve(r_, s_, r.head(n), r.tail(m));
  };
  const auto guess = [&]() -> Vec& {
    z_.setZero(n + m);
    z_.head(n) = h * x.v;
    return z_;
  };
  if (newton_.solve(residual, guess(), factor, divide)) return true;
  return n + m <= dense_at_most && newton_.solve(residual, guess());
}

/// Solves for z = (v'; h/2 mu). The equations are linear; if the metric is constant, the first iteration
/// solves them.
bool LieMidpoint::second_half(const ConstrainedSystem& system, double t_next, double h) {
  const auto n = next_.v.size(), m = s_.size();
  middle_.v = z_.head(n) / h;
  xi_ = z_.head(n);
  const auto residual = [&](const Vec& z, Vec& r) {
    r.resize(n + m);
    a_ = z.head(n) - middle_.v;
    system.mass_times(t_next - h / 2, middle_.q, middle_.v, a_, r_);
    r_ -= h / 2 * force_;
    system.reaction(t_next, next_.q, z.tail(m), reaction_);
    r_ -= reaction_;
    system.velocity_residual(t_next, next_.q, z.head(n), s_);
    system.solve_with_mass(exact_factors, t_next, next_.q, middle_.v, r_, s_, r.head(n), r.tail(m));
  };
  z_.setZero();
  z_.head(n) = middle_.v;
  newton_.set_unit(Newton::unit_of_velocity(h));
  newton_.set_unit_of_multipliers(unit_of_reactions(h, 1));
  if (!newton_.solve(residual, z_)) return false;
  next_.v = z_.head(n);
  return true;
}

/// Checks the step in next_ and xi_ and moves it into x.
StepStatus LieMidpoint::keep(const System& system, State& x) {
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  x.memory.resize(0);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_lie_midpoint() { return std::make_unique<LieMidpoint>(); }

}  // namespace torsor
