#include "torsor/integrators/bliedf.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "constrained.hpp"
#include "guard.hpp"
#include "integrators/projected.hpp"
#include "make.hpp"
#include "memory.hpp"

namespace torsor {

namespace {

/// Coefficients of v' = beta h a + sum_i v[i] v_-i and d' = beta v' + sum_i d[i] d_-i, where v_-0 is v and
/// d_-0 is d. For k = 3 the formula of d' has a bracket as well (add_bracket).
struct Formula {
  double beta;
  std::array<double, 3> v;
  std::array<double, 2> d;
};
constexpr std::array<Formula, 3> formulas{{{1, {1, 0, 0}, {0, 0}},
                                           {2. / 3, {4. / 3, -1. / 3, 0}, {1. / 3, 0}},
                                           {6. / 11, {18. / 11, -9. / 11, 2. / 11}, {7. / 11, -2. / 11}}}};
constexpr memory::Kind kinds[] = {memory::Kind::bdf1, memory::Kind::bdf2, memory::Kind::bdf3};

/// Number of vectors in State::memory: two d, three v and one a.
constexpr int remembered = 6;

const Formula& formula(int k) { return formulas[std::size_t(k - 1)]; }

memory::Kind kind_of(int k) {
  assert(1 <= k && k <= 3);
  return kinds[k - 1];
}

}  // namespace

Bliedf::Bliedf(int k, Treatment form)
    : k_(k),
      form_(form),
      kind_(int(kind_of(k))),
      free_starter_(make_rkmk4()),
      constrained_starter_(std::make_unique<Projected>(make_rkmk4())) {}

StepStatus Bliedf::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] { return step(system, x, t, h); });
}

bool Bliedf::multipliers(const State& x, VecOut lambda) const {
  if (!(x.memory.size() > 0) || x.memory[0] != kind_) return false;
  if (x.memory.size() != memory::head + remembered * x.v.size() + lambda.size() + 2) return false;
  lambda = memory::more(x, remembered).head(lambda.size());
  return true;
}

void Bliedf::resize(const System& system) {
  constrained_ = as_constrained(system);
  for (Vec* v : {&v_history_, &d_history_, &a_, &a_next_, &d_next_, &own_v_, &xi_, &bracket_, &next_.v})
    v->resize(system.nv());
  for (Vec& d : d_) d.resize(system.nv());
  for (Vec& v : v_) v.setZero(system.nv());
  lambda_.resize(constrained_ ? constrained_->rows() : 0);
  next_.q.resize(system.nq());
}

/// Sets d_ and v_ of the previous points and the first guesses of a_ and lambda_: from State::memory, or by
/// a restart.
void Bliedf::begin(const System& system, const State& x, double t, double h) {
  if (memory::holds(x, memory::Kind(kind_), t, remembered, lambda_.size() + 2) &&
      x.memory[x.memory.size() - 2] == h) {
    steps_ = static_cast<int>(x.memory[x.memory.size() - 1]);
    for (int i = 0; i < 2; ++i) d_[std::size_t(i)] = memory::values(x, i);
    for (int i = 0; i < 3; ++i) v_[std::size_t(i)] = memory::values(x, 2 + i);
    a_ = memory::values(x, 5);
    lambda_ = memory::more(x, remembered).head(lambda_.size());
    return;
  }
  ++evaluations_;
  start(system, x, t, h);
  if (constrained_)
    constrained_->acceleration(t, x.q, x.v, a_, lambda_);
  else
    system.acceleration(t, x.q, x.v, a_);
}

/// sum += weight h^2/12 [v, a]. The odd part of dexp_inv is half the bracket:
///   dexp_inv(h v) a - dexp_inv(-h v) a = h [v, a].
void Bliedf::add_bracket(const System& system, double h, const Vec& v, const Vec& a, double weight,
                         Vec& sum) {
  xi_ = h * v;
  system.dexp_inv(xi_, a, bracket_);
  sum += weight * h / 12 * bracket_;
  xi_ = -xi_;
  system.dexp_inv(xi_, a, bracket_);
  sum -= weight * h / 12 * bracket_;
}

/// For index 3, at a past point: the velocity by the formula of the method differs from the velocity v. Adds
/// to v the component of this difference that is normal to the constraints. The formula makes this error in
/// each step. It cancels in the differences of velocities, so the multipliers are smooth from the first step.
void Bliedf::add_normal(const System& system, int point, double t, double h, Vec& v) {
  const auto p = std::size_t(point);
  const State& x = past_[p];
  const Formula& f = formula(k_);
  own_v_ = d_[p] / f.beta - v;
  for (std::size_t i = 0; i + 1 < std::size_t(k_); ++i) own_v_ -= f.d[i] / f.beta * d_[p + 1 + i];
  if (k_ == 3) {
    const State& before = past_[p + 1];
    ++evaluations_;
    system.acceleration(t - h, before.q, before.v, a_next_);
    add_bracket(system, h, before.v, a_next_, -1, own_v_);
  }
  rows_.resize(lambda_.size());
  normal_rows_.resize(lambda_.size());
  constrained_->constraint_times(t, x.q, own_v_, rows_);
  for (Eigen::Index j = 0; j < rows_.size(); ++j)
    if (!constrained_->holonomic()[std::size_t(j)]) rows_[j] = 0;
  xi_.setZero();
  constrained_->solve(t, x.q, xi_, rows_, own_v_, normal_rows_);
  v += own_v_;
}

/// Computes the points before t, on the motion through x. If the explicit starter is not reliable, because
/// the motion is stiff or the laws do not hold before t, the step has order 1, and the next steps have one
/// order more each.
void Bliedf::start(const System& system, const State& x, double t, double h) {
  const bool by_formula = constrained_ && step_form_ == Treatment::index_3;
  if (!go_back(system, x, t, h, by_formula ? 2 * k_ - 1 : k_ - 1)) {
    steps_ = 1;
    v_[0] = x.v;
    for (Vec& d : d_) d.setZero();
    return;
  }
  steps_ = k_;
  for (int i = 0; i < k_; ++i) {
    Vec& v = v_[std::size_t(i)];
    v = past_[std::size_t(i)].v;
    if (by_formula) add_normal(system, i, t - i * h, h, v);
  }
}

/// Sets past_ and d_ by steps of the explicit starter back from t. Returns whether they are reliable: a step
/// forward again from the last of these points must return to the point before it, to a tenth of the motion
/// in the step. Where explicit steps are not stable, their growth makes the difference much greater.
bool Bliedf::go_back(const System& system, const State& x, double t, double h, int points) {
  Stepper& starter = constrained_ ? *constrained_starter_ : *free_starter_;
  const long before = starter.evaluations();
  const auto step = [&](State& at, double time, double size) {
    const StepStatus status = starter.do_step(system, at, time, size);
    if (status == StepStatus::callback_failed)
      throw EvaluationError(status, starter.message(), starter.part());
    return status == StepStatus::accepted;
  };
  past_[0] = x;
  bool reliable = true;
  for (std::size_t i = 1; reliable && i <= std::size_t(points); ++i) {
    past_[i].q = past_[i - 1].q;  // but not State::memory, which may be another method's
    past_[i].v = past_[i - 1].v;
    reliable = step(past_[i], t - double(i - 1) * h, -h);
    if (!reliable) break;
    system.local_difference(past_[i].q, past_[i - 1].q, d_[i - 1]);
    d_[i - 1] /= h;
  }
  if (reliable && points > 0) {
    const State &last = past_[std::size_t(points)], &wanted = past_[std::size_t(points - 1)];
    next_.q = last.q, next_.v = last.v, next_.memory.resize(0);
    reliable = step(next_, t - points * h, h);
    system.local_difference(next_.q, wanted.q, xi_);
    own_v_ = wanted.v - next_.v;
    const double missed = system.error_norm(wanted, xi_, own_v_);
    xi_ = h * d_[std::size_t(points - 1)];
    own_v_ = wanted.v - last.v;
    const double moved = system.error_norm(wanted, xi_, own_v_);
    reliable = reliable && missed <= 0.1 * moved + std::sqrt(std::numeric_limits<double>::epsilon());
  }
  evaluations_ += starter.evaluations() - before;
  return reliable;
}

/// Sets v_history_ and d_history_, the terms of the formulas that do not depend on the new point.
void Bliedf::add_history(const System& system, double h) {
  const Formula& f = formula(steps_);
  v_history_ = f.v[0] * v_[0];
  d_history_.setZero();
  for (std::size_t i = 1; i < std::size_t(steps_); ++i) {
    v_history_ += f.v[i] * v_[i];
    d_history_ += f.d[i - 1] * d_[i - 1];
  }
  if (steps_ == 3) add_bracket(system, h, v_[0], a_, f.beta, d_history_);
}

/// Sets next_ and d_next_ for the acceleration a at the end of the step.
void Bliedf::advance(const System& system, const State& x, double h, const Vec& a) {
  const double beta = formula(steps_).beta;
  next_.v = beta * h * a + v_history_;
  d_next_ = beta * next_.v + d_history_;
  xi_ = h * d_next_;
  system.retract(x.q, xi_, next_.q);
}

bool Bliedf::solve(const System& system, const State& x, double t, double h) {
  const auto move = [&](const Vec& a) {
    ++evaluations_;
    advance(system, x, h, a);
  };
  using Level = ConstrainedNewton::Level;
  const double c_v = formula(steps_).beta * h, c_q = c_v * c_v;
  if (constrained_) {
    const Level level = step_form_ == Treatment::index_3 ? Level::position : Level::velocity;
    if (constrained_newton_.solve({*constrained_, t + h, c_v, c_q, level}, move, next_, xi_, a_, lambda_))
      return true;
    message_ = constrained_newton_.failure();
    return false;
  }
  const auto residual = [&](const Vec& a, Vec& r) {
    move(a);
    system.acceleration(t + h, next_.q, next_.v, a_next_);
    r = a - a_next_;
  };
  const auto point = [&] {
    return Tangent::Linearisation{t + h, next_, a_next_, lambda_, xi_, c_v, c_q, Level::velocity};
  };
  newton_.set_unit(Newton::unit_of_acceleration(h), Newton::unit_of_velocity(h) / std::abs(c_v));
  if (!newton_.solve(residual, a_, system, point)) {
    message_ = newton_.failure();
    return false;
  }
  advance(system, x, h, a_);
  return true;
}

void Bliedf::meet_constraints(double t) {
  own_v_ = next_.v;
  if (!constrained_) return;
  if (step_form_ != Treatment::index_3) constrained_->project_position(t, next_.q);
  constrained_->project_velocity(t, next_.q, next_.v);
  if (step_form_ != Treatment::index_3) own_v_ = next_.v;
}

StepStatus Bliedf::step(const System& system, State& x, double t, double h) {
  resize(system);
  const double c_v = formula(k_).beta * h;
  step_form_ = ConstrainedNewton::form_of_step(form_, c_v, c_v * c_v, x);
  begin(system, x, t, h);
  add_history(system, h);
  if (!solve(system, x, t, h)) return StepStatus::newton_failed;
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  meet_constraints(t + h);
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind(kind_), t + h, d_next_, d_[0], own_v_, v_[0], v_[1], a_, lambda_,
                Vector<double, 2>(h, std::min(steps_ + 1, k_)));
  if (step_form_ != form_) memory::drop(x);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_bliedf1(Treatment form) {
  return std::make_unique<Bliedf>(1, form == Treatment::index_3 ? form : Treatment::index_2);
}
std::unique_ptr<Stepper> make_bliedf2(Treatment form) {
  return std::make_unique<Bliedf>(2, form == Treatment::index_3 ? form : Treatment::index_2);
}
std::unique_ptr<Stepper> make_bliedf3(Treatment form) {
  return std::make_unique<Bliedf>(3, form == Treatment::index_3 ? form : Treatment::index_2);
}

}  // namespace torsor
