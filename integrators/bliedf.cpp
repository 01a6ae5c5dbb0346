#include "torsor/integrators/bliedf.hpp"

#include <cassert>

#include "constrained.hpp"
#include "guard.hpp"
#include "make.hpp"
#include "memory.hpp"
#include "torsor/integrators/projected.hpp"

namespace torsor {

Bliedf::Bliedf(int k, Treatment form)
    : k_(k),
      form_(form),
      kind_(int(k == 1 ? memory::Kind::bdf1 : memory::Kind::bdf2)),
      free_starter_(make_rkmk4()),
      constrained_starter_(std::make_unique<Projected>(make_rkmk4())) {
  assert(k == 1 || k == 2);
}

StepStatus Bliedf::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, h, [&] { return step(system, x, t, h); });
}

bool Bliedf::multipliers(const State& x, VecOut lambda) const {
  if (!(x.memory.size() > 0) || x.memory[0] != kind_) return false;
  if (x.memory.size() != memory::head + 4 * x.v.size() + lambda.size() + 1) return false;
  lambda = memory::more(x, 4).head(lambda.size());
  return true;
}

void Bliedf::resize(const System& system) {
  constrained_ = as_constrained(system);
  for (Vec* v : {&v_, &v_before_, &a_, &a_next_, &d_next_, &own_v_, &xi_, &next_.v, &d_[0], &d_[1], &d_[2]})
    v->resize(system.nv());
  lambda_.resize(constrained_ ? constrained_->rows() : 0);
  next_.q.resize(system.nq());
}

/// d_[0], v_ and v_before_ of the points before, and guesses of a_ and lambda_.
void Bliedf::begin(const System& system, const State& x, double t, double h) {
  if (memory::holds(x, memory::Kind(kind_), t, 4, lambda_.size() + 1) && x.memory[x.memory.size() - 1] == h) {
    d_[0] = memory::values(x, 0);
    v_ = memory::values(x, 1);
    v_before_ = memory::values(x, 2);
    a_ = memory::values(x, 3);
    lambda_ = memory::more(x, 4).head(lambda_.size());
    return;
  }
  ++evaluations_;
  if (constrained_)
    constrained_->acceleration(t, x.q, x.v, a_, lambda_);
  else
    system.acceleration(t, x.q, x.v, a_);
  start(system, x, t, h);
}

/// By index 3 the velocity v of a past point carries, normal to the positions, the error that the formula
/// leaves there in each step: it cancels in differences, and the multipliers are smooth from the start.
void Bliedf::add_normal(int point, double t, Vec& v) {
  const State& x = past_[std::size_t(point)];
  const Vec &d = d_[std::size_t(point)], &d_before = d_[std::size_t(point + k_ - 1)];
  if (k_ == 1)
    own_v_ = d - v;
  else
    own_v_ = 1.5 * d - 0.5 * d_before - v;
  rows_.resize(lambda_.size());
  normal_rows_.resize(lambda_.size());
  constrained_->constraint_times(t, x.q, own_v_, rows_);
  for (Eigen::Index j = 0; j < rows_.size(); ++j)
    if (!constrained_->holonomic()[std::size_t(j)]) rows_[j] = 0;
  xi_.setZero();
  constrained_->solve(t, x.q, xi_, rows_, own_v_, normal_rows_);
  v += own_v_;
}

/// The points before t lie on the motion through x.
void Bliedf::start(const System& system, const State& x, double t, double h) {
  Stepper& starter = constrained_ ? *constrained_starter_ : *free_starter_;
  const bool by_formula = constrained_ && form_ == Treatment::index_3;
  const auto points = std::size_t(by_formula ? 2 * k_ - 1 : k_ - 1);
  past_[0] = x;
  const long before = starter.evaluations();
  for (std::size_t i = 1; i <= points; ++i) {
    past_[i].q = past_[i - 1].q;  // without what other methods left
    past_[i].v = past_[i - 1].v;
    const StepStatus status = starter.do_step(system, past_[i], t - double(i - 1) * h, -h);
    if (status != StepStatus::accepted) throw EvaluationError(status, starter.message());
    system.local_difference(past_[i].q, past_[i - 1].q, d_[i - 1]);
    d_[i - 1] /= h;
  }
  evaluations_ += starter.evaluations() - before;
  v_ = past_[0].v;
  if (k_ == 2) v_before_ = past_[1].v;
  if (!by_formula) return;
  add_normal(0, t, v_);
  if (k_ == 2) add_normal(1, t - h, v_before_);
}

/// next_ and d_next_ for the acceleration a at the end of the step.
void Bliedf::advance(const System& system, const State& x, double h, const Vec& a) {
  if (k_ == 1) {
    next_.v = v_ + h * a;
    d_next_ = next_.v;
  } else {
    next_.v = (2 * h * a + 4 * v_ - v_before_) / 3;
    d_next_ = (2 * next_.v + d_[0]) / 3;
  }
  xi_ = h * d_next_;
  system.retract(x.q, xi_, next_.q);
}

bool Bliedf::solve(const System& system, const State& x, double t, double h) {
  const auto move = [&](const Vec& a) {
    ++evaluations_;
    advance(system, x, h, a);
  };
  if (constrained_) {
    const double c_v = k_ == 1 ? h : 2 * h / 3, c_q = k_ == 1 ? h * h : 4 * h * h / 9;
    const auto level =
        form_ == Treatment::index_3 ? ConstrainedNewton::Level::position : ConstrainedNewton::Level::velocity;
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
  if (!newton_.solve(residual, a_)) {
    message_ = newton_.failure();
    return false;
  }
  advance(system, x, h, a_);
  return true;
}

void Bliedf::meet_constraints(double t) {
  own_v_ = next_.v;
  if (!constrained_) return;
  if (form_ != Treatment::index_3) constrained_->project_position(t, next_.q);
  constrained_->project_velocity(t, next_.q, next_.v);
  if (form_ != Treatment::index_3) own_v_ = next_.v;
}

StepStatus Bliedf::step(const System& system, State& x, double t, double h) {
  resize(system);
  begin(system, x, t, h);
  if (!solve(system, x, t, h)) return StepStatus::newton_failed;
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  meet_constraints(t + h);
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind(kind_), t + h, d_next_, own_v_, v_, a_, lambda_, Vector<double, 1>(h));
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_bliedf1(Treatment form) {
  return std::make_unique<Bliedf>(1, form == Treatment::index_3 ? form : Treatment::index_2);
}
std::unique_ptr<Stepper> make_bliedf2(Treatment form) {
  return std::make_unique<Bliedf>(2, form == Treatment::index_3 ? form : Treatment::index_2);
}

}  // namespace torsor
