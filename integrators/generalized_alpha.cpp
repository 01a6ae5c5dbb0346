#include "torsor/integrators/generalized_alpha.hpp"

#include <cassert>
#include <cmath>

#include "constrained.hpp"
#include "greatest.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {
namespace {

/// The value at the time `ahead` after `now` on the parabola through `before`, `last` and `now`, which are
/// one unit of time apart.
auto on_parabola(double ahead, const Vec& before, const Vec& last, const Vec& now) {
  const double r = ahead;
  return (r + 1) * (r + 2) / 2 * now - r * (r + 2) * last + r * (r + 1) / 2 * before;
}

}  // namespace

using Parameters = GeneralizedAlpha::Parameters;
using Level = Tangent::Level;

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
  if (!std::isfinite(beta)) return "beta must be finite";
  return std::nullopt;
}

GeneralizedAlpha::GeneralizedAlpha(double rho, Treatment form)
    : GeneralizedAlpha(Parameters::with_radius(rho), form) {}

GeneralizedAlpha::GeneralizedAlpha(const Parameters& parameters, Treatment form)
    : p_(parameters), form_(form) {
  assert(!p_.why_invalid());
}

StepStatus GeneralizedAlpha::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] {
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

/// Sets b_ at the time t + shift h of the first step, and rate_, the rate of a_. The shift leads to a time
/// before the start, where forces need not be defined, so the rate is that over the same distance into the
/// step, or over h/10 if the distance is below h/100. If the acceleration changes over this distance by more
/// than a tenth of |a| + |v| / h (motions with periods much shorter than the step size), rate_ is zero and b_
/// is the acceleration at t. Such a start is better in this case: its transient decays with the damping of
/// the method.
void GeneralizedAlpha::start_shifted(const System& system, const State& x, double t, double h) {
  ++evaluations_;
  const double ahead = (shift() < -0.01 ? -shift() : 0.1) * h;
  xi_ = ahead * x.v + ahead * ahead / 2 * a_;
  system.retract(x.q, xi_, next_.q);
  next_.v = x.v + ahead * a_;
  system.acceleration(t + ahead, next_.q, next_.v, b_);
  rate_ = (b_ - a_) / ahead;
  const auto size = [&](const Vec& v) { return linear::greatest(without_quadratures(system, v)); };
  const double plausible = size(a_) + size(x.v) / std::abs(h);
  if (!(size(b_ - a_) <= 0.1 * plausible)) rate_.setZero();
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
  const double c = (1 - p_.alpha_f) / (1 - p_.alpha_m), c_v = p_.gamma * c * h, c_q = p_.beta * c * h * h;
  const auto point = [&] {
    return Tangent::Linearisation{t + h, next_, a_next_, lambda_, xi_, c_v, c_q, Level::velocity};
  };
  trial_ = a_;
  newton_.set_unit(Newton::unit_of_acceleration(h), Newton::unit_of_velocity(h) / std::abs(c_v));
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

// ---- under constraints

bool GeneralizedAlpha::multipliers(const State& x, VecOut lambda) const {
  if (!(x.memory.size() > 0) || x.memory[0] != int(memory::Kind::constrained_alpha)) return false;
  if (x.memory.size() != memory::head + 5 * x.v.size() + 3 * lambda.size() + 1) return false;
  lambda = memory::more(x, 5).head(lambda.size());
  return true;
}

/// Sets a_, b_ and lambda_, the method's own velocity v_, and the first guesses trial_ and trial_lambda_ of
/// Newton's method.
void GeneralizedAlpha::begin(const ConstrainedSystem& system, const State& x, double t, double h) {
  const auto m = lambda_.size();
  v_ = x.v;
  double ratio = 1;
  if (recall(x, t, h, 5)) {
    ratio = h / x.memory[x.memory.size() - 1];
    v_ += ratio * ratio * memory::values(x, 2);
    a_last_ = memory::values(x, 3), a_before_ = memory::values(x, 4);
    const auto lambdas = memory::more(x, 5);
    lambda_ = lambdas.head(m), lambda_last_ = lambdas.segment(m, m),
    lambda_before_ = lambdas.segment(2 * m, m);
  } else {
    ++evaluations_;
    system.acceleration(t, x.q, x.v, a_, lambda_);
    start_shifted(system, x, t, h);
    a_last_ = a_ - h * rate_, a_before_ = a_ - 2 * h * rate_;
    lambda_last_ = lambda_before_ = lambda_;
    if (step_form_ == Treatment::index_3) start_normal(system, x, t, h);
  }
  trial_ = on_parabola(ratio, a_before_, a_last_, a_);
  trial_lambda_ = on_parabola(ratio, lambda_before_, lambda_last_, lambda_);
}

/// Adds to v_ the normal component that the method maintains with index 3 (formula in the header). The
/// bracket comes from the odd part of dexp_inv: h ad_v a = dexp_inv(h v) a - dexp_inv(-h v) a.
void GeneralizedAlpha::start_normal(const ConstrainedSystem& system, const State& x, double t, double h) {
  const auto& holonomic = system.holonomic();
  xi_ = h * x.v;
  system.dexp_inv(xi_, a_, normal_);
  xi_ = -xi_;
  system.dexp_inv(xi_, a_, a_next_);
  normal_ = (normal_ - a_next_) / (12 * h);
  normal_ += (1. / 6 - shift() / 2 - p_.beta) * rate_;
  rows_.resize(lambda_.size());
  system.constraint_times(t, x.q, normal_, rows_);
  for (Eigen::Index j = 0; j < rows_.size(); ++j)
    if (!holonomic[std::size_t(j)]) rows_[j] = 0;
  zero_.setZero(system.nv());
  trial_lambda_.resize(lambda_.size());
  system.solve_with_mass(ConstrainedSystem::Factors::exact, t, x.q, x.v, zero_, rows_, normal_,
                         trial_lambda_);
  v_ += h * h * normal_;
}

/// Projects next_ onto the constraints. normal_ becomes the part of the velocity that the projection
/// removes with index 3, and zero otherwise.
void GeneralizedAlpha::meet_constraints(const ConstrainedSystem& system, double t) {
  if (step_form_ != Treatment::index_3) system.project_position(t, next_.q);
  normal_ = next_.v;
  system.project_velocity(t, next_.q, next_.v);
  if (step_form_ == Treatment::index_3)
    normal_ -= next_.v;
  else
    normal_.setZero();
}

StepStatus GeneralizedAlpha::step(const ConstrainedSystem& system, State& x, double t, double h) {
  resize(system, system.rows());
  const double c = (1 - p_.alpha_f) / (1 - p_.alpha_m), c_v = p_.gamma * c * h, c_q = p_.beta * c * h * h;
  step_form_ = ConstrainedNewton::form_of_step(form_, c_v, c_q, x);
  begin(system, x, t, h);
  const auto move = [&](const Vec& a) {
    ++evaluations_;
    advance(system, x, h, a);
    if (step_form_ == Treatment::stabilised_index_2) system.project_position(t + h, next_.q);
  };
  const auto level = step_form_ == Treatment::index_3 ? ConstrainedNewton::Level::position
                                                      : ConstrainedNewton::Level::velocity;
  if (!constrained_newton_.solve({system, t + h, c_v, c_q, level}, move, next_, xi_, trial_, trial_lambda_)) {
    message_ = constrained_newton_.failure();
    return StepStatus::newton_failed;
  }
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  meet_constraints(system, t + h);
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::constrained_alpha, t + h, trial_, b_next_, normal_, a_, a_last_,
                trial_lambda_, lambda_, lambda_last_, Vector<double, 1>(h));
  if (step_form_ != form_) memory::drop(x);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_generalized_alpha(Treatment form) {
  const bool own = form == Treatment::index_3 || form == Treatment::stabilised_index_2;
  return std::make_unique<GeneralizedAlpha>(0.9, own ? form : Treatment::index_2);
}

}  // namespace torsor
